package toolschema

import "strings"

// annotations that are carried when they are true.
var flagKeywords = []string{"deprecated", "readOnly", "writeOnly"}

// own makes the node of the keywords of m itself, without references and
// combinators. It is never nil.
func (w *walker) own(m map[string]any, p place) *node {
	n := &node{}
	n.alts = n.one[:0]
	w.annotations(m, n)
	kinds, null, said := w.types(m)
	list := w.enum(m)
	switch {
	case !said && list.has:
		kinds, null = list.kinds.widest(), list.null
	case !said:
		kinds = inferred(m)
		null = kinds == 0
	case list.has:
		null = null && list.null
	}
	n.null = null
	if kinds == 0 {
		n.any = !said && !list.has
		n.null = n.null || n.any
		return n
	}
	if list.kinds != 0 && !kinds.meets(list.kinds) {
		w.note("an enum without a value of its type is left out")
		list = listed{}
	}
	for _, e := range kindNames {
		if kinds&e.kind == 0 {
			continue
		}
		a := alt{kind: e.kind, rules: w.rules(m, e.kind)}
		w.work(len(list.values))
		if list.has && !list.narrow(&a) {
			continue // the enum has values, but none of this type
		}
		switch e.kind {
		case kObject:
			w.objectRules(m, &a, p)
		case kArray:
			w.arrayRules(m, &a, p)
		}
		n.alts = append(n.alts, a)
	}
	return n
}

func (w *walker) annotations(m map[string]any, n *node) {
	n.title, n.description = w.wording(m, "title"), w.wording(m, "description")
	w.work(len(textOf(m["default"])) / textStep)
	switch d := m["default"].(type) {
	case string, bool, float64:
		if w.fit(d, "a default") {
			n.def = d
		}
	}
	for _, key := range flagKeywords {
		if b, _ := m[key].(bool); b {
			n.flags = append(n.flags, key)
		}
	}
}

// wording is a text of m for the model.
func (w *walker) wording(m map[string]any, key string) string {
	s := textOf(m[key])
	w.work(len(s) / textStep)
	s = w.o.cut(w.o.clean(s))
	w.text(len(s))
	return s
}

// types reads "type": the kinds it names, whether null is one of them, and
// whether it names anything at all.
func (w *walker) types(m map[string]any) (kinds kind, null, said bool) {
	one := func(v any) {
		s, ok := v.(string)
		if !ok {
			return
		}
		s = strings.ToLower(strings.TrimSpace(s))
		k, known := typeNames[s]
		switch {
		case s == "null" || s == "none":
			null, said = true, true
		case known:
			kinds, said = kinds|k, true
		case s != "" && s != "any":
			w.note("type %q is unknown", shorten(w.o.clean(s), 32))
		}
	}
	switch t := m["type"].(type) {
	case string:
		one(t)
	case []any:
		for _, v := range t {
			one(v)
		}
	}
	return kinds.widest(), null, said
}

// inferring keywords, by the type they only make sense for. The first type of
// which a schema has one wins.
var inferring = []struct {
	kind kind
	keys []string
}{
	{kObject, []string{"properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties", "maxProperties", "dependentRequired", "unevaluatedProperties"}},
	{kArray, []string{"items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains", "additionalItems", "unevaluatedItems"}},
	{kString, []string{"pattern", "minLength", "maxLength", "contentEncoding", "contentMediaType"}},
	{kNumber, []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}},
}

func inferred(m map[string]any) kind {
	for _, e := range inferring {
		for _, key := range e.keys {
			v, ok := m[key]
			if !ok || v == nil {
				continue
			}
			// draft-03 has a boolean here, about the property itself
			if _, isBool := v.(bool); isBool && key == "required" {
				continue
			}
			return e.kind
		}
	}
	if s, ok := m["format"].(string); ok {
		return formatKind(s)
	}
	return 0
}

func formatKind(format string) kind {
	switch format {
	case "int32", "int64", "uint32", "uint64":
		return kInteger
	case "float", "double":
		return kNumber
	}
	return kString
}

func (w *walker) objectRules(m map[string]any, a *alt, p place) {
	props := w.propertiesOf(m)
	if props != nil {
		a.props = make(map[string]*node, len(props))
	}
	for _, name := range sortedKeys(props) {
		if !w.work(2 + len(name)/textStep) {
			return
		}
		v := props[name]
		n := w.schema(v, p.deeper())
		if n == nil || n.nullOnly() {
			w.note("property %q allows no value", shorten(w.o.clean(name), 64))
			continue
		}
		a.setProp(name, n)
		if child, ok := v.(map[string]any); ok && child["required"] == true {
			a.required = append(a.required, name) // draft-03
		}
	}
	list, _ := m["required"].([]any)
	w.work(3 * len(list))
	for _, v := range list {
		// Names that only another branch of the schema knows are sorted out
		// at the end.
		if name, ok := v.(string); ok && len(list) < w.o.MaxNodes {
			a.required = append(a.required, name)
		}
	}
	a.required = unique(a.required)
	w.additional(m, a, p)
}

// propertiesOf reads "properties", also where it is a list of schemas with a
// name each.
func (w *walker) propertiesOf(m map[string]any) map[string]any {
	switch v := m["properties"].(type) {
	case nil:
		return nil
	case map[string]any:
		return v
	case []any:
		props := map[string]any{}
		for _, e := range v {
			p, _ := e.(map[string]any)
			name := textOf(p["name"])
			if name == "" || props[name] != nil {
				w.note("an entry of properties without a name of its own is left out")
				continue
			}
			props[name] = p
		}
		return props
	}
	w.note("properties is not an object")
	return nil
}

// additional reads which properties beyond the named ones are allowed.
func (w *walker) additional(m map[string]any, a *alt, p place) {
	v, ok := m["additionalProperties"]
	if !ok {
		v = m["unevaluatedProperties"]
	}
	switch v := v.(type) {
	case bool:
		a.closed, a.open = !v, v
	case map[string]any:
		a.extra = w.schema(v, p.deeper())
	case []any:
		a.open = isEmpty(v)
	}
	if patterns, _ := m["patternProperties"].(map[string]any); len(patterns) > 0 && a.extra == nil {
		var list []*node
		for _, key := range sortedKeys(patterns) {
			if n := w.schema(patterns[key], p.deeper()); n != nil {
				list = append(list, n)
			}
		}
		w.note("patterns of property names are left out")
		a.extra, a.closed = w.join(list), false
	}
	if a.extra != nil && a.extra.any && a.extra.description == "" {
		a.extra, a.open = nil, true
	}
	if v, ok := m["propertyNames"].(map[string]any); ok {
		n := w.schema(v, p.deeper())
		if n != nil && n.alt(kString) != nil && !n.alt(kString).bare() {
			a.names = n
		}
	}
}

// arrayRules makes one item schema of what may be a tuple.
func (w *walker) arrayRules(m map[string]any, a *alt, p place) {
	var tuple []any
	rest := m["items"]
	if list, ok := rest.([]any); ok { // before draft 2020-12
		tuple, rest = list, m["additionalItems"]
	} else if list, ok := m["prefixItems"].([]any); ok {
		tuple = list
	}
	if len(tuple) == 0 {
		if _, ok := rest.(map[string]any); ok {
			a.items = w.schema(rest, p.deeper())
		}
		return
	}
	w.note("a tuple became a list of one item type")
	list := w.branches(tuple, p.deeper())
	if _, ok := rest.(map[string]any); ok {
		if n := w.schema(rest, p.deeper()); n != nil {
			list = append(list, n)
		}
	}
	a.items = w.join(list)
}

func unique(list []string) []string {
	seen := make(map[string]bool, len(list))
	out := list[:0]
	for _, s := range list {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}
