package toolschema

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// root makes the Schema of the document.
func (w *walker) root() (*Schema, error) {
	w.refill()
	a, remarks, err := w.rootObject()
	if err != nil || w.over {
		return nil, err
	}
	w.refill()
	s := &Schema{Required: []string{}, Remarks: w.o.describe("", remarks)}
	var reserved []string
	if w.o.Intent && a.props[IntentProperty] == nil {
		s.intent = true
		reserved = []string{IntentProperty}
	}
	names := w.names(a.props, reserved)
	s.Properties, s.args = w.properties(a, names)
	for _, name := range a.required {
		if out, ok := names[name]; ok && s.Properties[out] != nil {
			s.Required = append(s.Required, out)
		}
	}
	if s.intent {
		s.Properties[IntentProperty] = map[string]any{"type": "string", "description": intentDescription}
	}
	s.Notes = w.notes
	return s, nil
}

var (
	errNothing  = errors.New("schema allows no arguments at all")
	errNoObject = errors.New("schema is not a JSON object")
)

// rootObject is the object that the document allows, with what is said of it in
// sentences; an empty one where it says nothing.
func (w *walker) rootObject() (*alt, []string, error) {
	switch v := w.doc.start.(type) {
	case nil:
		return &alt{}, nil, nil
	case []any:
		if isEmpty(v) {
			return &alt{}, nil, nil
		}
	case bool:
		if !v {
			return nil, nil, errNothing
		}
		return &alt{}, nil, nil
	case map[string]any:
		if w.doc.isBare {
			w.note("properties stand where a schema should")
		}
		return w.objectOf(w.schema(v, place{}))
	}
	return nil, nil, errNoObject
}

// objectOf is the object among what n allows.
func (w *walker) objectOf(n *node) (*alt, []string, error) {
	switch {
	case n == nil:
		return nil, nil, errNothing
	case n.any:
		return &alt{}, n.remarks, nil
	case n.alt(kObject) == nil:
		return nil, nil, fmt.Errorf("schema is of type %s, not an object", n.typeText())
	}
	if len(n.alts) > 1 {
		w.note("arguments that are not an object are left out")
	}
	return n.alt(kObject), n.remarks, nil
}

// isEmpty says whether v is an empty list, which PHP writes for an empty object.
func isEmpty(v any) bool {
	list, ok := v.([]any)
	return ok && len(list) == 0
}

func (n *node) typeText() string {
	var names []string
	for i := range n.alts {
		if name := n.alts[i].kind.name(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "null"
	}
	return strings.Join(names, " or ")
}

// isProperties says whether a document is a map of properties by mistake, such
// as {"city":{"type":"string"}}. A name may be that of a keyword which takes
// text, such as "title".
func isProperties(m map[string]any) bool {
	found := false
	for name, v := range m {
		switch v := v.(type) {
		case bool:
		case map[string]any:
			like := slices.ContainsFunc(telling, func(key string) bool { return v[key] != nil })
			if !like && len(v) > 0 {
				return false
			}
			found = found || like
		default:
			return false
		}
		if takesSchemas[name] || strings.HasPrefix(name, "x-") {
			return false
		}
	}
	return found
}

// telling keywords are those by which an object is known as a schema.
var telling = []string{"type", "$ref", "enum", "const", "anyOf", "oneOf", "allOf", "properties", "items", "description"}

// takesSchemas are keywords whose values are objects or booleans.
var takesSchemas = setOf("properties", "patternProperties", "additionalProperties", "unevaluatedProperties", "propertyNames",
	"dependencies", "dependentSchemas", "dependentRequired", "items", "additionalItems", "unevaluatedItems", "contains", "uniqueItems",
	"$defs", "definitions", "components", "not", "if", "then", "else", "extends", "default", "const", "example", "examples",
	"discriminator", "xml", "externalDocs", "$vocabulary", "$recursiveAnchor", "exclusiveMinimum", "exclusiveMaximum",
	"nullable", "deprecated", "readOnly", "writeOnly")

func setOf(names ...string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}
