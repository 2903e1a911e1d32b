package toolschema

import "slices"

// size takes what one more node of the outcome costs from the budget.
func (w *walker) size(text int) {
	w.spend(1)
	w.text(text + 16)
}

// properties writes the properties of an object and the way back for their
// arguments; nil where every argument goes as it is.
func (w *walker) properties(a *alt, names map[string]string) (map[string]any, *shape) {
	out := make(map[string]any, len(a.props))
	var sh *shape
	required := a.requires()
	for _, raw := range sortedKeys(a.props) {
		w.work(len(raw) / textStep)
		n, name := a.props[raw], names[raw]
		if name != raw {
			shown := w.o.clean(raw)
			w.note("property %q is named %s for the model", shorten(shown, 64), name)
			n.remarks = append(n.remarks, "(Sent as "+quote(shorten(shown, 128))+".)")
		}
		m, child := w.node(n)
		w.size(len(name))
		out[name] = m
		f := field{name: raw, renamed: name != raw, dropNull: !n.null && !required[raw], shape: child}
		if f.renamed || f.dropNull || f.shape != nil {
			sh = sh.field(name, f)
		}
		if w.over {
			break
		}
	}
	return out, sh
}

func textOf(v any) string {
	s, _ := v.(string)
	return s
}

// node writes a node as JSON Schema.
func (w *walker) node(n *node) (map[string]any, *shape) {
	m := map[string]any{}
	var sh *shape
	switch {
	case n.any, n.nullOnly(): // Google has no null, and nothing else is known
		w.any(m, n)
	case len(n.alts) == 1:
		sh = w.alternative(&n.alts[0], m)
	default:
		sh = w.alternatives(n, m)
	}
	w.words(m, n.title, w.o.describe(n.description, n.remarks))
	if n.def != nil && n.allowsDefault() {
		m["default"] = n.def
	}
	for _, f := range n.flags {
		m[f] = true
	}
	w.size(24)
	return m, sh
}

func (n *node) allowsDefault() bool {
	return n.any || slices.ContainsFunc(n.alts, func(a alt) bool { return fits(n.def, a.kind) })
}

func (w *walker) words(m map[string]any, title, description string) {
	description = w.o.cut(description) // that of several branches may be longer than each
	if title != "" {
		m["title"] = title
	}
	if description != "" {
		m["description"] = description
	}
	w.text(len(title) + len(description))
}

// any writes "anything". A schema without a type is refused by some providers,
// so all types are named; a scalar default tells which one is meant.
func (w *walker) any(m map[string]any, n *node) {
	if k := kindOf(n.def); k != 0 {
		if k == kInteger {
			k = kNumber
		}
		m["type"] = k.name()
		return
	}
	m["anyOf"] = []any{
		map[string]any{"type": "string"}, map[string]any{"type": "number"},
		map[string]any{"type": "boolean"}, map[string]any{"type": "object"},
		map[string]any{"type": "array", "items": anyItem()},
	}
	w.size(200)
}

// anyItem is an item of a list of which nothing is known. It has no list
// among its types, since that list would need an item again.
func anyItem() map[string]any {
	return map[string]any{"anyOf": []any{
		map[string]any{"type": "string"}, map[string]any{"type": "number"},
		map[string]any{"type": "boolean"}, map[string]any{"type": "object"},
	}}
}

// alternatives writes several alternatives. Those of one type get that type
// beside anyOf: Google's provider reads nothing but the type.
func (w *walker) alternatives(n *node, m map[string]any) *shape {
	list := make([]any, 0, len(n.alts))
	var sh *shape
	var kinds kind
	for i := range n.alts {
		a := &n.alts[i]
		b := map[string]any{}
		sh = sh.with(w.alternative(a, b))
		w.words(b, a.title, a.description)
		kinds |= a.kind
		list = append(list, b)
		w.size(8)
	}
	if kinds == kInteger|kNumber {
		kinds = kNumber
	}
	if name := kinds.name(); name != "" {
		m["type"] = name
	}
	m["anyOf"] = list
	return sh
}

// alternative writes one alternative into m, without its words.
func (w *walker) alternative(a *alt, m map[string]any) *shape {
	m["type"] = a.kind.name()
	for key, v := range a.rules {
		m[key] = v
		w.size(len(key) + len(textOf(v)))
	}
	if a.enum != nil {
		m["enum"] = slices.Clone(a.enum)
		for _, v := range a.enum {
			w.size(len(textOf(v)))
		}
	}
	switch a.kind {
	case kObject:
		return w.objectOut(a, m)
	case kArray:
		return w.arrayOut(a, m)
	}
	return nil
}

func (w *walker) objectOut(a *alt, m map[string]any) *shape {
	var sh *shape
	if a.props != nil {
		names := w.names(a.props, nil)
		var props map[string]any
		props, sh = w.properties(a, names)
		m["properties"] = props
		var required []any
		for _, name := range a.required {
			if out, ok := names[name]; ok && a.props[name] != nil {
				required = append(required, out)
				w.size(len(out))
			}
		}
		if required != nil {
			m["required"] = required
		}
	}
	switch {
	case a.extra != nil:
		extra, s := w.node(a.extra)
		m["additionalProperties"] = extra
		if s != nil {
			sh = sh.with(&shape{extra: s, renamed: s.renamed})
		}
	case a.closed:
		m["additionalProperties"] = false
	case a.open:
		m["additionalProperties"] = true
	}
	if a.names != nil {
		m["propertyNames"], _ = w.node(a.names)
	}
	return sh
}

func (w *walker) arrayOut(a *alt, m map[string]any) *shape {
	if a.items == nil {
		m["items"] = anyItem()
		w.size(120)
		return nil
	}
	items, s := w.node(a.items)
	m["items"] = items
	if s == nil {
		return nil
	}
	return &shape{items: s, renamed: s.renamed}
}
