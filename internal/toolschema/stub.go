package toolschema

// stub stands for a schema whose inside is left out: its type and its words.
func (w *walker) stub(m map[string]any, base *resource, why string) *node {
	n := &node{}
	o := w.outline(m, base)
	if o == (outline{}) {
		n = anything()
	}
	n.description, n.remarks = w.wording(m, "description"), []string{why}
	n.null = n.null || o.null
	for _, e := range kindNames {
		if o.kinds&e.kind != 0 {
			n.alts = append(n.alts, alt{kind: e.kind})
		}
	}
	return n
}

// outline is what can be said of a schema without its inside; the zero value
// where that is nothing.
type outline struct {
	kinds kind
	null  bool
}

// outline is found once for each schema: a thousand stubs may stand for one
// with a thousand branches.
func (w *walker) outline(m map[string]any, base *resource) outline {
	id := identity(m)
	if o, ok := w.doc.outlines[id]; ok {
		return o
	}
	if w.doc.outlines == nil {
		w.doc.outlines = map[uintptr]outline{}
	}
	w.doc.outlines[id] = outline{} // for one that leads to itself
	o := w.outside(m)
	if o == (outline{}) {
		o = w.inside(m, w.doc.baseOf(m, base))
	}
	w.doc.outlines[id] = o
	return o
}

// outside is what a schema says of its type itself.
func (w *walker) outside(m map[string]any) (o outline) {
	kinds, null, said := w.types(m)
	switch list := enumOf(m); {
	case said:
		return outline{kinds, null}
	case len(list) > 0:
		for _, v := range list {
			o.kinds |= kindOf(v)
			o.null = o.null || v == nil
		}
		o.kinds = o.kinds.widest()
		return o
	}
	return outline{kinds: inferred(m)}
}

// inside is what the parts of a schema say of its type, of which those that say
// nothing don't count.
func (w *walker) inside(m map[string]any, base *resource) (o outline) {
	for _, key := range refKeywords {
		if _, ok := m[key].(string); !ok {
			continue
		}
		f := w.doc.find(m, key, base)
		if m, ok := f.schema.(map[string]any); ok {
			o = w.outline(m, f.base)
		}
	}
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		if o != (outline{}) {
			return o
		}
		list, _ := m[key].([]any)
		for _, v := range list {
			if b, ok := v.(map[string]any); ok {
				branch := w.outline(b, base)
				o.kinds |= branch.kinds
				o.null = o.null || branch.null
			}
		}
	}
	o.kinds = o.kinds.widest()
	return o
}
