package toolschema

import (
	"slices"
	"strings"
)

// refKeywords point to another schema. The dynamic ones mean their static
// target here: nothing extends a tool's schema from outside.
var refKeywords = []string{"$ref", "$dynamicRef", "$recursiveRef"}

// reference makes the node of what a reference points to. What can't be inlined
// becomes a stub; nothing is ever fetched.
func (w *walker) reference(f *found, p place) *node {
	if !f.ok {
		if strings.HasPrefix(f.ref, "#") {
			w.note("reference %q points nowhere", f.ref)
			return unknown("The definition of " + f.name + " is missing.")
		}
		w.note("reference %q is not local", f.ref)
		return unknown("The definition of " + f.name + " is elsewhere.")
	}
	m, ok := f.schema.(map[string]any)
	if !ok {
		return w.schema(f.schema, p.hop())
	}
	if w.onPath(m) {
		w.note("reference %q is recursive and cut", f.ref)
		return w.stub(m, "Recursive: the same shape as "+f.name+" again.")
	}
	w.reached = max(w.reached, p.refs+1)
	if p.refs >= w.refDepth {
		w.note("references inside references are cut for size")
		return w.stub(m, "Shape of "+f.name+", left out for size.")
	}
	p = p.hop()
	p.refs++
	p.base = f.base
	return w.schema(m, p)
}

// unknown stands for a schema that can't be had. Providers want a type; an
// object is what most definitions are.
func unknown(why string) *node {
	return &node{null: true, alts: []alt{{kind: kObject}}, remarks: []string{why}}
}

// stub stands for a schema whose inside is left out: its type and its words.
func (w *walker) stub(m map[string]any, why string) *node {
	n := &node{description: w.wording(m, "description"), remarks: []string{why}}
	o := w.outline(m)
	n.null = o.null
	for _, e := range kindNames {
		if o.kinds&e.kind != 0 {
			n.alts = append(n.alts, alt{kind: e.kind})
		}
	}
	return n
}

// outline is what can be said of a schema without its inside.
type outline struct {
	kinds kind
	null  bool
}

// outline is found once for each schema: a thousand stubs may stand for one
// with a thousand branches.
func (w *walker) outline(m map[string]any) outline {
	id := identity(m)
	if o, ok := w.doc.outlines[id]; ok {
		return o
	}
	var o outline
	var said bool
	o.kinds, o.null, said = w.types(m)
	if !said {
		o.kinds = inferred(m)
	}
	if list := enumOf(m); list != nil && !said {
		o = outlineOf(list)
	}
	if o.kinds == 0 {
		o = outline{w.kindsInside(m), true}
	}
	if w.doc.outlines == nil {
		w.doc.outlines = map[uintptr]outline{}
	}
	w.doc.outlines[id] = o
	return o
}

func outlineOf(values []any) (o outline) {
	for _, v := range values {
		o.kinds |= kindOf(v)
		o.null = o.null || v == nil
	}
	o.kinds = o.kinds.widest()
	return o
}

// kindsInside are the types that the branches of m name themselves; else an
// object.
func (w *walker) kindsInside(m map[string]any) kind {
	var kinds kind
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		list, _ := m[key].([]any)
		for _, v := range list {
			b, _ := v.(map[string]any)
			k, _, said := w.types(b)
			if !said {
				k = inferred(b)
			}
			kinds |= k
		}
	}
	if kinds == 0 {
		return kObject
	}
	return kinds.widest()
}

func (w *walker) onPath(m map[string]any) bool {
	w.work(1 + len(w.path)/8)
	return slices.Contains(w.path, identity(m))
}
