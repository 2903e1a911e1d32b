package toolschema

import (
	"math"
	"reflect"
)

// rules are the keywords of m that say something about values of kind k and
// are valid in draft 2020-12, which Anthropic and Bedrock insist on.
func (w *walker) rules(m map[string]any, k kind) rules {
	var out rules
	w.work((len(textOf(m["pattern"])) + len(textOf(m["contentMediaType"])) + len(textOf(m["contentEncoding"]))) / textStep)
	switch k {
	case kString:
		w.counts(m, &out, "minLength", "maxLength")
		w.texts(m, &out, "contentEncoding", "contentMediaType")
		if s, ok := m["pattern"].(string); ok && !compiles(s) {
			w.note("a broken pattern is left out")
		} else if ok && w.fit(s, "a pattern") {
			out.set("pattern", s)
		}
	case kInteger, kNumber:
		w.bounds(m, &out)
	case kObject:
		w.counts(m, &out, "minProperties", "maxProperties")
	case kArray:
		w.counts(m, &out, "minItems", "maxItems")
		if b, _ := m["uniqueItems"].(bool); b {
			out.set("uniqueItems", true)
		}
	}
	if s, ok := m["format"].(string); ok && w.fit(s, "a format") && formatFits(s, k) {
		out.set("format", s)
	}
	return out
}

// rules are carried keywords with their values, which are scalars.
type rules map[string]any

func (r *rules) set(key string, v any) {
	if *r == nil {
		*r = rules{}
	}
	(*r)[key] = v
}

func formatFits(format string, k kind) bool {
	if format == "" || len(format) > 64 || !legalFormat(format) {
		return false
	}
	switch k {
	case kString:
		return formatKind(format) == kString
	case kInteger, kNumber:
		return formatKind(format) != kString
	}
	return false
}

func legalFormat(s string) bool {
	for _, r := range s {
		if r <= ' ' || r > '~' {
			return false
		}
	}
	return true
}

func (w *walker) counts(m map[string]any, to *rules, keys ...string) {
	for _, key := range keys {
		if f, ok := w.number(m, key); ok && f >= 0 && f == math.Trunc(f) {
			to.set(key, f)
		}
	}
}

func (w *walker) texts(m map[string]any, to *rules, keys ...string) {
	for _, key := range keys {
		if s, ok := m[key].(string); ok && s != "" && w.fit(s, "a value of "+key) {
			to.set(key, s)
		}
	}
}

// bounds reads numeric bounds. In draft-04 exclusiveMinimum and
// exclusiveMaximum are booleans about minimum and maximum.
func (w *walker) bounds(m map[string]any, to *rules) {
	for _, e := range [2][2]string{{"minimum", "exclusiveMinimum"}, {"maximum", "exclusiveMaximum"}} {
		bound, isBound := w.number(m, e[0])
		if exclusive, _ := m[e[1]].(bool); exclusive && isBound {
			to.set(e[1], bound)
			continue
		}
		if x, ok := w.number(m, e[1]); ok {
			to.set(e[1], x)
		}
		if isBound {
			to.set(e[0], bound)
		}
	}
	if f, ok := w.number(m, "multipleOf"); ok && f > 0 {
		to.set("multipleOf", f)
	}
}

// number reads a number that a model may see.
func (w *walker) number(m map[string]any, key string) (float64, bool) {
	f, ok := m[key].(float64)
	return f, ok && w.fit(f, "a value of "+key)
}

// identity is the address of a map, to find a schema that is on the path to
// itself.
func identity(m map[string]any) uintptr { return reflect.ValueOf(m).Pointer() }
