package fake

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// rules are what an API asks of a tool's parameters, given as JSON Schema,
// beyond what all of them ask.
type rules struct {
	keys       *regexp.Regexp // of property names; nil: any
	oneType    bool           // a list of types is refused
	noBoolean  bool           // true and false are no schemas
	enums      bool           // of a string: not empty strings only
	objectOnly bool           // properties and required belong to type object
}

var types = []string{"object", "array", "string", "number", "integer", "boolean", "null"}

// parameters checks the root of a schema. Its properties and required must be
// there (https://github.com/charmbracelet/crush/issues/748) and what it combines
// is refused (https://github.com/langchain-ai/langchainjs/issues/9804).
func (r rules) parameters(path string, v any) (object, error) {
	root, err := asObject(path, v)
	if err != nil {
		return nil, err
	}
	if root["type"] != "object" {
		return nil, fmt.Errorf("%s: type is %v, not object", path, root["type"])
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf", "enum", "const", "not"} {
		if _, found := root[key]; found {
			return nil, fmt.Errorf("%s: %s is not allowed at the top level", path, key)
		}
	}
	if _, err := asObject(path+".properties", root["properties"]); err != nil {
		return nil, err
	}
	if _, err := asList(path+".required", root["required"]); err != nil {
		return nil, err
	}
	return root, schemaCheck{rules: r, root: root}.schema(path, root)
}

// schemaCheck goes through one tool's schema.
type schemaCheck struct {
	rules
	root object
}

func (c schemaCheck) schema(path string, v any) error {
	if _, ok := v.(bool); ok {
		if c.noBoolean {
			return fmt.Errorf("%s: a boolean is no schema", path)
		}
		return nil
	}
	s, err := asObject(path, v)
	if err != nil {
		return err
	}
	for _, check := range []func(string, object) error{c.ref, c.typ, c.array, c.object, c.enum, c.plain, c.nested} {
		if err := check(path, s); err != nil {
			return err
		}
	}
	return nil
}

// ref resolves a reference as far as saying whether it leads anywhere
// (https://github.com/open-webui/computer/issues/87).
func (c schemaCheck) ref(path string, s object) error {
	v, found := s["$ref"]
	if !found {
		return nil
	}
	ref, err := asString(path+".$ref", v)
	if err != nil {
		return err
	}
	pointer, local := strings.CutPrefix(ref, "#")
	at := any(c.root)
	for i, token := range strings.Split(pointer, "/") {
		if i == 0 {
			local = local && token == ""
			continue
		}
		if at, local = step(at, token), local && at != nil; !local {
			break
		}
	}
	if !local || at == nil {
		return fmt.Errorf("%s: unresolvable $ref %q", path, ref)
	}
	return nil
}

func step(v any, token string) any {
	if decoded, err := url.PathUnescape(token); err == nil {
		token = decoded
	}
	token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
	switch at := v.(type) {
	case object:
		return at[token]
	case []any:
		if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(at) {
			return at[i]
		}
	}
	return nil
}

func (c schemaCheck) typ(path string, s object) error {
	switch t := s["type"].(type) {
	case nil:
		if _, found := s["type"]; found {
			return fmt.Errorf("%s.type: null", path)
		}
	case string:
		if !slices.Contains(types, t) {
			return fmt.Errorf("%s.type: unknown type %q", path, t)
		}
	case []any:
		if c.oneType {
			return fmt.Errorf("%s.type: a list of types", path)
		}
		for _, one := range t {
			if name, ok := one.(string); !ok || !slices.Contains(types, name) {
				return fmt.Errorf("%s.type: unknown type %v", path, one)
			}
		}
	default:
		return fmt.Errorf("%s.type: %s", path, kind(t))
	}
	return nil
}

func is(s object, typ string) bool {
	if l, ok := s["type"].([]any); ok {
		return slices.Contains(l, any(typ))
	}
	return s["type"] == typ
}

// array wants items of every array, wherever it is
// (https://github.com/PrefectHQ/fastmcp/issues/2464).
func (c schemaCheck) array(path string, s object) error {
	items, found := s["items"]
	if !found {
		if is(s, "array") {
			return fmt.Errorf("%s: array schema missing items", path)
		}
		return nil
	}
	return c.schema(path+".items", items)
}

func (c schemaCheck) object(path string, s object) error {
	properties := object{}
	var err error
	if v, found := s["properties"]; found {
		if properties, err = asObject(path+".properties", v); err != nil {
			return err
		}
		if c.objectOnly && !is(s, "object") {
			return fmt.Errorf("%s: properties of what is not an object", path)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if c.keys != nil && !c.keys.MatchString(name) {
			return fmt.Errorf("%s.properties: key %q does not match %s", path, name, c.keys)
		}
		if err := c.schema(path+".properties."+name, properties[name]); err != nil {
			return err
		}
	}
	return c.required(path, s, properties)
}

func (c schemaCheck) required(path string, s, properties object) error {
	v, found := s["required"]
	if !found {
		return nil
	}
	names, err := asList(path+".required", v)
	if err != nil {
		return err
	}
	if c.objectOnly && !is(s, "object") {
		return fmt.Errorf("%s: required of what is not an object", path)
	}
	seen := map[string]bool{}
	for _, v := range names {
		name, err := asString(path+".required", v)
		if err != nil {
			return err
		}
		if seen[name] {
			return fmt.Errorf("%s.required: %q twice", path, name)
		}
		seen[name] = true
		if _, found := properties[name]; !found {
			return fmt.Errorf("%s.required: %q is no property", path, name)
		}
	}
	return nil
}

func (c schemaCheck) enum(path string, s object) error {
	v, found := s["enum"]
	if !found {
		return nil
	}
	values, err := asList(path+".enum", v)
	if err != nil {
		return err
	}
	if len(values) == 0 {
		return fmt.Errorf("%s.enum: empty", path)
	}
	if !c.enums || s["type"] != "string" {
		return nil
	}
	for i, v := range values {
		text, ok := v.(string)
		if !ok {
			return fmt.Errorf("%s.enum[%d]: %s on a string", path, i, kind(v))
		}
		if text == "" {
			return fmt.Errorf("%s.enum[%d]: cannot be empty", path, i)
		}
	}
	return nil
}

// plain checks keywords whose values are no schemas, as the meta-schema of
// draft 2020-12 does (https://github.com/anthropics/claude-code/issues/63673).
func (schemaCheck) plain(path string, s object) error {
	for _, key := range []string{"description", "title", "format", "pattern", "$schema", "$id", "$comment"} {
		if v, found := s[key]; found {
			if _, err := asString(path+"."+key, v); err != nil {
				return err
			}
		}
	}
	for _, key := range []string{
		"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
		"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties",
	} {
		if v, found := s[key]; found {
			if _, ok := v.(json.Number); !ok {
				return fmt.Errorf("%s.%s: %s", path, key, kind(v))
			}
		}
	}
	return nil
}

// nested goes into the rest of what holds schemas.
func (c schemaCheck) nested(path string, s object) error {
	for _, key := range []string{"anyOf", "oneOf", "allOf", "prefixItems"} {
		v, found := s[key]
		if !found {
			continue
		}
		branches, err := asList(path+"."+key, v)
		if err != nil {
			return err
		}
		if len(branches) == 0 {
			return fmt.Errorf("%s.%s: empty", path, key)
		}
		for i, b := range branches {
			if err := c.schema(fmt.Sprintf("%s.%s[%d]", path, key, i), b); err != nil {
				return err
			}
		}
	}
	for _, key := range []string{"not", "if", "then", "else", "contains", "propertyNames"} {
		if v, found := s[key]; found {
			if err := c.schema(path+"."+key, v); err != nil {
				return err
			}
		}
	}
	if v, found := s["additionalProperties"]; found {
		if _, ok := v.(bool); !ok {
			return c.schema(path+".additionalProperties", v)
		}
	}
	for _, key := range []string{"$defs", "definitions", "patternProperties", "dependentSchemas"} {
		v, found := s[key]
		if !found {
			continue
		}
		named, err := asObject(path+"."+key, v)
		if err != nil {
			return err
		}
		for name, v := range named {
			if err := c.schema(path+"."+key+"."+name, v); err != nil {
				return err
			}
		}
	}
	return nil
}
