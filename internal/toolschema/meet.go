package toolschema

import (
	"maps"
	"slices"
)

// maxAlts bounds the alternatives of one node; beyond it they lose their rules.
const maxAlts = 64

// meet makes the node of what both a and b allow, without annotations. Where
// that is nothing, a schema has contradicted itself, and a counts: tools with
// such schemas exist, work, and mean the nearer words.
func (w *walker) meet(a, b *node) *node {
	switch {
	case a.any && b.any:
		return anything()
	case a.any:
		return &node{null: b.null, alts: b.alts}
	case b.any:
		return &node{null: a.null, alts: a.alts}
	}
	out := &node{null: a.null && b.null}
	for i := range a.alts {
		for j := range b.alts {
			if len(out.alts) >= maxAlts || !w.work(1) {
				break
			}
			if m, ok := w.meetAlt(&a.alts[i], &b.alts[j]); ok {
				out.alts = append(out.alts, m)
			}
		}
	}
	if len(out.alts) == 0 && !out.null {
		w.note("rules that contradict one another: the outer ones count")
		return &node{null: a.null, alts: a.alts}
	}
	return out
}

func (w *walker) meetAlt(a, b *alt) (alt, bool) {
	k := a.kind
	switch {
	case a.kind == b.kind:
	case a.kind == kInteger && b.kind == kNumber, a.kind == kNumber && b.kind == kInteger:
		k = kInteger
	default:
		return alt{}, false
	}
	if !w.spend(1) || !w.work(len(a.enum)+len(b.enum)+2*len(b.rules)) {
		return alt{}, false
	}
	out := alt{kind: k, rules: w.meetRules(a.rules, b.rules), enum: a.enum}
	if b.enum != nil {
		if out.enum = both(a.enum, b.enum); len(out.enum) == 0 {
			return alt{}, false
		}
	}
	out.title, out.description = a.title, a.description
	if out.title == "" {
		out.title = b.title
	}
	if out.description == "" {
		out.description = b.description
	}
	switch k {
	case kObject:
		w.meetObject(&out, a, b)
	case kArray:
		switch {
		case a.items == nil:
			out.items = b.items
		case b.items == nil:
			out.items = a.items
		default:
			out.items = w.meetOver(a.items, b.items)
		}
	}
	return out, true
}

// both are the values of a (nil: any) that are in b.
func both(a, b []any) []any {
	if a == nil {
		return b
	}
	in := make(map[any]bool, len(b))
	for _, v := range b {
		in[v] = true
	}
	var out []any
	for _, v := range a {
		if in[v] {
			out = append(out, v)
		}
	}
	return out
}

// lower and upper are the rules of which the larger or smaller value is the
// narrower one.
var (
	lower = []string{"minLength", "minimum", "exclusiveMinimum", "minProperties", "minItems"}
	upper = []string{"maxLength", "maximum", "exclusiveMaximum", "maxProperties", "maxItems"}
)

func (w *walker) meetRules(a, b rules) rules {
	if len(b) == 0 {
		return a
	}
	if len(a) == 0 {
		return b
	}
	out := maps.Clone(a)
	for _, key := range sortedKeys(b) {
		v := b[key]
		old, ok := out[key]
		switch {
		case !ok:
			out[key] = v
		case slices.Contains(lower, key):
			out[key] = max(old.(float64), v.(float64))
		case slices.Contains(upper, key):
			out[key] = min(old.(float64), v.(float64))
		case old != v:
			w.note("a second %s is left out", key)
		}
	}
	return out
}

// meetObject writes into the properties and required names of a, which is part
// of nothing else: copies of them would make a list of n branches cost n².
func (w *walker) meetObject(out, a, b *alt) {
	out.props = a.props
	w.work(2*len(b.props) + len(b.required)*(1+len(a.required)/textStep))
	for _, name := range sortedKeys(b.props) {
		prop := b.props[name]
		if old, ok := out.props[name]; ok {
			prop = w.meetOver(old, prop)
		}
		out.setProp(name, prop)
	}
	out.required = union(a.required, b.required)
	// A closed branch beside others means "nothing else than all of this",
	// whatever the letter of the standard makes of it.
	out.closed = a.closed || b.closed
	out.open = a.open && b.open
	out.extra = a.extra
	if out.extra == nil {
		out.extra = b.extra
	}
	if out.extra != nil {
		out.closed = false
	}
	out.names = a.names
	if out.names == nil {
		out.names = b.names
	}
}

// union adds to a the names of b that it lacks.
func union(a, b []string) []string {
	const few = 16
	if len(b) > few {
		return unique(append(a, b...))
	}
	for _, name := range b {
		if !slices.Contains(a, name) {
			a = append(a, name)
		}
	}
	return a
}

// equal compares two scalar alternatives. Rules are scalars too.
func (a *alt) equal(b *alt) bool {
	return a.kind == b.kind && a.title == b.title && a.description == b.description &&
		slices.Equal(a.enum, b.enum) && maps.Equal(a.rules, b.rules)
}
