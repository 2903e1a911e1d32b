package toolschema

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxExact is where float64 no longer tells one integer from the next. What is
// beyond it can't be shown as it was written.
const maxExact = 1 << 53

func finite(f float64) bool { return !math.IsInf(f, 0) && !math.IsNaN(f) }

// unfit says why a model must not see a value; "" where it may. Such a value is
// left out, since a server takes no other in its place.
func (o Options) unfit(v any) string {
	switch v := v.(type) {
	case bool:
		return ""
	case string:
		switch {
		case !readable(v):
			return "that is unreadable"
		case o.secret(v):
			return "with a secret"
		case o.clean(v) != v:
			return "with hidden characters"
		}
		return ""
	case float64:
		switch {
		case !finite(v) || math.Abs(v) >= maxExact:
			return "beyond 2^53"
		case o.secret(strconv.FormatFloat(v, 'f', -1, 64)):
			return "with a secret"
		}
		return ""
	}
	return "that is an object or array"
}

// readable says whether text came in whole: U+FFFD stands for what was no text.
func readable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsAny(s, "\x00\uFFFD")
}

// fit says whether a model may see a value, and notes why not.
func (w *walker) fit(v any, what string) bool {
	why := w.o.unfit(v)
	if why != "" {
		w.note("%s %s is left out", what, why)
	}
	return why == ""
}

// listed are the values of enum or const.
type listed struct {
	has    bool
	values []any // scalars that a model may see, each once
	null   bool  // null is one
	left   kind  // the types of those that are left out
	kinds  kind  // the types of all
}

// enum reads enum and const. Objects and arrays as values are left out
// (providers refuse them, and fantasy's Normalize rewrites them), and so are
// empty strings (Google refuses them) and what is unfit.
func (w *walker) enum(m map[string]any) (l listed) {
	list := enumOf(m)
	if len(list) == 0 {
		return l
	}
	l.has = true
	seen := make(map[any]bool, len(list))
	for _, v := range list {
		if !w.work(4 + len(textOf(v))/textStep) {
			break
		}
		k := kindOf(v)
		l.kinds |= k
		switch {
		case v == nil:
			l.null = true
		case v == "":
			w.note("an empty enum value is left out")
			l.left |= k
		case !w.fit(v, "an enum value"):
			l.left |= k
		case !seen[v]:
			seen[v] = true
			l.values = append(l.values, v)
		}
	}
	return l
}

func enumOf(m map[string]any) []any {
	if c, ok := m["const"]; ok {
		return []any{c}
	}
	list, _ := m["enum"].([]any)
	return list
}

// meets says whether a value of one of the kinds is among those of the other.
func (k kind) meets(other kind) bool {
	return k&other != 0 || k&kNumber != 0 && other&kInteger != 0
}

// narrow limits the alternative to the values of its kind; false: none is. An
// alternative of which all values are left out stays as wide as its type, so
// that they can still be sent.
func (l *listed) narrow(a *alt) bool {
	var list []any
	for _, v := range l.values {
		if fits(v, a.kind) {
			list = append(list, v)
		}
	}
	if len(list) == 0 {
		return a.kind.meets(l.left)
	}
	if a.kind != kBoolean || len(list) < 2 { // both: any boolean
		a.enum = list
	}
	return true
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
		if finite(v) && v == math.Trunc(v) {
			return kInteger
		}
		return kNumber
	case map[string]any:
		return kObject
	case []any:
		return kArray
	}
	return 0
}
