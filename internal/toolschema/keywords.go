package toolschema

import (
	"math"
	"reflect"
	"slices"
	"unicode/utf8"
)

// maxExact is where float64 no longer tells one integer from the next.
const maxExact = 1 << 53

func finite(f float64) bool { return !math.IsInf(f, 0) && !math.IsNaN(f) }

// rules are the keywords of m that say something about values of kind k and
// are valid in draft 2020-12, which Anthropic and Bedrock insist on.
func (w *walker) rules(m map[string]any, k kind) rules {
	var out rules
	w.work((len(textOf(m["pattern"])) + len(textOf(m["contentMediaType"])) + len(textOf(m["contentEncoding"]))) / textStep)
	switch k {
	case kString:
		out.counts(m, "minLength", "maxLength")
		w.texts(m, &out, "contentEncoding", "contentMediaType")
		if s, ok := m["pattern"].(string); ok {
			switch {
			case !compiles(s):
				w.note("a broken pattern is left out")
			case w.o.secret(s):
				w.note("a pattern with a secret is left out")
			default:
				out.set("pattern", s)
			}
		}
	case kInteger, kNumber:
		out.bounds(m)
	case kObject:
		out.counts(m, "minProperties", "maxProperties")
	case kArray:
		out.counts(m, "minItems", "maxItems")
		if b, _ := m["uniqueItems"].(bool); b {
			out.set("uniqueItems", true)
		}
	}
	if s, ok := m["format"].(string); ok && formatFits(s, k) && !w.o.secret(s) {
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

func (r *rules) counts(m map[string]any, keys ...string) {
	for _, key := range keys {
		if f, ok := m[key].(float64); ok && f >= 0 && f == math.Trunc(f) && finite(f) {
			r.set(key, f)
		}
	}
}

func (w *walker) texts(m map[string]any, to *rules, keys ...string) {
	for _, key := range keys {
		if s, ok := m[key].(string); ok && s != "" && utf8.ValidString(s) && !w.o.secret(s) {
			to.set(key, s)
		}
	}
}

// bounds reads numeric bounds. In draft-04 exclusiveMinimum and
// exclusiveMaximum are booleans about minimum and maximum.
func (r *rules) bounds(m map[string]any) {
	for _, e := range [2][2]string{{"minimum", "exclusiveMinimum"}, {"maximum", "exclusiveMaximum"}} {
		bound, isBound := m[e[0]].(float64)
		isBound = isBound && finite(bound)
		switch x := m[e[1]].(type) {
		case bool:
			if x && isBound {
				r.set(e[1], bound)
				continue
			}
		case float64:
			if finite(x) {
				r.set(e[1], x)
			}
		}
		if isBound {
			r.set(e[0], bound)
		}
	}
	if f, ok := m["multipleOf"].(float64); ok && f > 0 && finite(f) {
		r.set("multipleOf", f)
	}
}

// enum reads enum and const: the scalar values, whether null is one of them,
// and whether there is any. Objects and arrays as values are left out
// (providers refuse them, and fantasy's Normalize rewrites them), and so are
// empty strings (Google refuses them) and integers that float64 can't hold.
func (w *walker) enum(m map[string]any) (values []any, null, has bool) {
	list := enumOf(m)
	if len(list) == 0 {
		return nil, false, false
	}
	seen := make(map[any]bool, len(list))
	for _, v := range list {
		if !w.work(4 + len(textOf(v))/textStep) {
			break
		}
		switch v := v.(type) {
		case nil:
			null = true
			continue
		case bool:
		case string:
			if v == "" || !plainText(v) {
				w.note("an empty or unreadable enum value is left out")
				continue
			}
			if w.o.secret(v) {
				w.note("an enum value with a secret is left out")
				continue
			}
		case float64:
			if !finite(v) || math.Abs(v) >= maxExact {
				w.note("an enum value beyond 2^53 is left out")
				continue
			}
		default:
			w.note("an enum value that is an object or array is left out")
			continue
		}
		if !seen[v] {
			seen[v] = true
			values = append(values, v)
		}
	}
	return values, null, len(values) > 0 || null
}

func enumOf(m map[string]any) []any {
	if c, ok := m["const"]; ok {
		return []any{c}
	}
	list, _ := m["enum"].([]any)
	return list
}

func plainText(s string) bool {
	return utf8.ValidString(s) && !slices.Contains([]byte(s), 0)
}

// fits says whether a scalar is of one of the kinds.
func fits(v any, kinds kind) bool {
	switch v := v.(type) {
	case string:
		return kinds&kString != 0
	case bool:
		return kinds&kBoolean != 0
	case float64:
		return kinds&kNumber != 0 || kinds&kInteger != 0 && v == math.Trunc(v)
	}
	return false
}

// kindOf is the type of a value; 0 for null.
func kindOf(v any) kind {
	switch v := v.(type) {
	case string:
		return kString
	case bool:
		return kBoolean
	case float64:
		if v == math.Trunc(v) {
			return kInteger
		}
		return kNumber
	}
	return 0
}

func kindsOf(values []any) (kinds kind) {
	for _, v := range values {
		kinds |= kindOf(v)
	}
	return kinds.widest()
}

// narrow limits the alternative to the values of its kind; false: none is.
func (a *alt) narrow(values []any) bool {
	var list []any
	for _, v := range values {
		if fits(v, a.kind) {
			list = append(list, v)
		}
	}
	if len(list) == 0 {
		return false
	}
	if a.kind == kBoolean && len(list) == 2 {
		return true // both: any boolean
	}
	a.enum = list
	return true
}

// identity is the address of a map, to find a schema that is on the path to
// itself.
func identity(m map[string]any) uintptr { return reflect.ValueOf(m).Pointer() }
