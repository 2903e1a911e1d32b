package toolschema_test

import (
	"encoding/json"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"charm.land/fantasy/schema"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient/internal/toolschema"
)

var legalProperty = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)

// checker collects what is wrong with a schema. It uses no assertions of
// testify: they would take most of the time for thousands of real tools.
type checker struct {
	t     *testing.T
	where string
}

func (c checker) in(part string) checker { return checker{c.t, c.where + "." + part} }

func (c checker) that(ok bool, format string, args ...any) bool {
	if !ok {
		c.t.Helper()
		c.t.Errorf("%s: "+format, append([]any{c.where}, args...)...)
	}
	return ok
}

// checkSchema asserts what every provider needs of every schema.
func checkSchema(t *testing.T, where string, s *toolschema.Schema) {
	t.Helper()
	c := checker{t, where}
	c.that(s.Properties != nil && s.Required != nil, "nil")
	seen := map[string]bool{}
	for _, name := range s.Required {
		c.that(s.Properties[name] != nil, "%s is required and absent", name)
		c.that(!seen[name], "%s is required twice", name)
		seen[name] = true
	}
	c.properties(s.Properties)
	c.plain(s.Properties)
	root := map[string]any{"type": "object", "properties": s.Properties, "required": s.Required}
	before := deepCopy(root)
	schema.Normalize(root)
	c.that(reflect.DeepEqual(before, root), "Normalize changes the schema")
	c.that(utf8.ValidString(s.Remarks), "remarks %q", s.Remarks)
	c.that(len(s.Notes) <= 16, "%d notes", len(s.Notes))
	for _, note := range s.Notes {
		c.that(len(note) <= 160 && utf8.ValidString(note), "note %q", note)
	}
}

var (
	carried = map[string]bool{
		"type": true, "title": true, "description": true, "default": true, "enum": true, "format": true,
		"pattern": true, "anyOf": true, "items": true, "properties": true, "required": true,
		"additionalProperties": true, "propertyNames": true, "minLength": true, "maxLength": true,
		"minimum": true, "maximum": true, "exclusiveMinimum": true, "exclusiveMaximum": true,
		"multipleOf": true, "minItems": true, "maxItems": true, "uniqueItems": true,
		"minProperties": true, "maxProperties": true, "contentEncoding": true, "contentMediaType": true,
		"deprecated": true, "readOnly": true, "writeOnly": true,
	}
	types = map[string]bool{"string": true, "number": true, "integer": true, "boolean": true, "object": true, "array": true}
)

func (c checker) properties(props map[string]any) {
	for name, p := range props {
		c.that(legalProperty.MatchString(name), "name %q", name)
		c.in(name).node(p)
	}
}

// node walks one schema of the outcome.
func (c checker) node(v any) {
	m, ok := v.(map[string]any)
	if !c.that(ok, "%T is no schema", v) {
		return
	}
	for key := range m {
		c.that(carried[key], "keyword %s", key)
	}
	kind, typed := m["type"].(string)
	branches, _ := m["anyOf"].([]any)
	c.that(types[kind] || !typed && len(branches) > 0, "no type")
	props, _ := m["properties"].(map[string]any)
	required, _ := m["required"].([]any)
	items, hasItems := m["items"].(map[string]any)
	c.that(hasItems == (kind == "array"), "items of %s", kind)
	c.that(kind == "object" || m["properties"] == nil && m["required"] == nil, "properties of %s", kind)
	if enum, ok := m["enum"].([]any); ok {
		c.that(len(enum) > 0, "empty enum")
		for _, e := range enum {
			c.that(enumFits(kind, e), "enum value %v in %s", e, kind)
		}
	}
	for _, name := range required {
		c.that(props[name.(string)] != nil, "%s is required and absent", name)
	}
	c.properties(props)
	if hasItems {
		c.in("items").node(items)
	}
	for _, key := range []string{"propertyNames", "additionalProperties"} {
		if child, ok := m[key].(map[string]any); ok {
			c.in(key).node(child)
		}
	}
	for _, b := range branches {
		c.in("anyOf").node(b)
	}
}

func enumFits(kind string, v any) bool {
	switch v := v.(type) {
	case string:
		return kind == "string" && v != ""
	case bool:
		return kind == "boolean"
	case float64:
		return kind == "number" || kind == "integer" && v == math.Trunc(v)
	}
	return false
}

// plain allows only what fantasy and its providers know how to walk.
func (c checker) plain(v any) {
	switch v := v.(type) {
	case map[string]any:
		for key, e := range v {
			c.in(key).plain(e)
		}
	case []any:
		for _, e := range v {
			c.plain(e)
		}
	case float64:
		c.that(!math.IsInf(v, 0) && !math.IsNaN(v), "%v", v)
	case string, bool:
	default:
		c.that(false, "a %T", v)
	}
}

// visible allows no text that hides from a model.
func (c checker) visible(v any) {
	switch v := v.(type) {
	case map[string]any:
		for key, e := range v {
			c.visible(key)
			c.in(key).visible(e)
		}
	case []any:
		for _, e := range v {
			c.visible(e)
		}
	case string:
		c.that(visible(v) == v, "%q hides something", v)
	}
}

// brief allows no description or title of more than n characters.
func (c checker) brief(v any, n int) {
	switch v := v.(type) {
	case map[string]any:
		for key, e := range v {
			if s, ok := e.(string); ok && (key == "description" || key == "title") {
				c.that(utf8.RuneCountInString(s) <= n, "%s %q is long", key, s)
			}
			c.in(key).brief(e, n)
		}
	case []any:
		for _, e := range v {
			c.brief(e, n)
		}
	}
}

func deepCopy(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, e := range v {
			out[key] = deepCopy(e)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = deepCopy(e)
		}
		return out
	case []string:
		return slices.Clone(v)
	}
	return v
}

// checkKept asserts that what a provider can carry is still there, for every
// part of a schema that is a plain tree: no references and no combinators.
func checkKept(t *testing.T, where string, in json.RawMessage, s *toolschema.Schema) {
	t.Helper()
	var m map[string]any
	require.NoError(t, json.Unmarshal(in, &m), where)
	checker{t, where}.kept(m, map[string]any{"type": "object", "properties": s.Properties, "required": anys(s.Required)}, true)
}

var verbatim = []string{
	"format", "pattern", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems",
	"exclusiveMinimum", "exclusiveMaximum", "multipleOf", "enum", "title", "uniqueItems",
}

func (c checker) kept(in, out map[string]any, root bool) {
	for _, key := range []string{"$ref", "anyOf", "oneOf", "allOf", "if"} {
		if in[key] != nil {
			return
		}
	}
	if text, ok := in["description"].(string); ok && !root {
		got, _ := out["description"].(string)
		c.that(strings.Contains(got, text), "description is lost")
	}
	types, multiple := in["type"].([]any)
	if multiple && len(types) > 2 {
		return
	}
	for _, key := range verbatim {
		if v, ok := in[key]; ok && !root && out["anyOf"] == nil {
			if list, ok := v.([]any); ok {
				v = slices.DeleteFunc(list, func(e any) bool { return e == nil || e == "" })
			}
			c.that(reflect.DeepEqual(v, out[key]), "%s is %v", key, out[key])
		}
	}
	if kind, ok := in["type"].(string); ok {
		c.that(kind == out["type"], "%s became %v", kind, out["type"])
	}
	if v, ok := in["const"]; ok {
		c.that(reflect.DeepEqual([]any{v}, out["enum"]), "const is lost")
	}
	if d, ok := in["default"]; ok && scalar(d) {
		c.that(d == out["default"], "default is %v", out["default"])
	}
	inProps, _ := in["properties"].(map[string]any)
	outProps, _ := out["properties"].(map[string]any)
	for name, v := range inProps {
		if !legalProperty.MatchString(name) {
			continue
		}
		got, ok := outProps[name].(map[string]any)
		if c.that(ok, "%s is lost", name) {
			c.in(name).kept(v.(map[string]any), got, false)
		}
	}
	if list, ok := in["required"].([]any); ok {
		outList, _ := out["required"].([]any)
		for _, name := range list {
			if legalProperty.MatchString(name.(string)) {
				c.that(slices.Contains(outList, name), "%s is no longer required", name)
			}
		}
	}
	if items, ok := in["items"].(map[string]any); ok && out["type"] == "array" {
		c.in("items").kept(items, out["items"].(map[string]any), false)
	}
}

func scalar(v any) bool {
	switch v.(type) {
	case string, bool, float64:
		return true
	}
	return false
}

func anys(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}

// checkArguments asserts that plain arguments pass untouched.
func checkArguments(t *testing.T, where string, s *toolschema.Schema) {
	t.Helper()
	const in = `{"a_name_that_no_tool_has": [1.0, 9007199254740993, {"x" : "é\n"}]}`
	got, err := s.Arguments(in)
	require.NoError(t, err, where)
	require.Equal(t, in, string(got), where)
}
