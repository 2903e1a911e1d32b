package toolschema

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// refKeywords point to another schema. The dynamic ones mean their static
// target here: nothing extends a tool's schema from outside.
var refKeywords = []string{"$ref", "$dynamicRef", "$recursiveRef"}

// resource is a schema with an identifier of its own, to which the pointers
// below it are relative.
type resource struct {
	id   string // absolute, or as written
	root map[string]any
}

// document is the schema that came in, the same for every attempt.
type document struct {
	root raw
	refs *index // made when a reference needs it
}

// index finds schemas by identifier and anchor.
type index struct {
	byID     map[string]target
	byAnchor map[string]target
}

type target struct {
	schema raw
	base   *resource
}

// reference makes the node of what ref points to. What can't be inlined
// becomes a stub; nothing is ever fetched.
func (w *walker) reference(ref string, p place) *node {
	name := w.refName(ref)
	t, ok := w.resolve(ref, p.base)
	if !ok {
		if strings.HasPrefix(ref, "#") {
			w.note("reference %q points nowhere", shorten(w.o.clean(ref), 64))
			return unknown("The definition of " + name + " is missing.")
		}
		w.note("reference %q is not local", shorten(w.o.clean(ref), 64))
		return unknown("The definition of " + name + " is elsewhere.")
	}
	m, ok := t.schema.(map[string]any)
	if !ok {
		return w.schema(t.schema, p.hop())
	}
	if w.onPath(m) {
		w.note("reference %q is recursive and cut", shorten(w.o.clean(ref), 64))
		return w.stub(m, "Recursive: the same shape as "+name+" again.")
	}
	if p.refs >= w.refDepth {
		w.note("references inside references are cut for size")
		return w.stub(m, "Shape of "+name+", left out for size.")
	}
	p = p.hop()
	p.refs++
	p.base = t.base
	return w.schema(m, p)
}

// unknown stands for a schema that can't be had. Providers want a type; an
// object is what most definitions are.
func unknown(why string) *node {
	return &node{null: true, alts: []alt{{kind: kObject}}, remarks: []string{why}}
}

// stub stands for a schema whose inside is left out: its type and its words.
func (w *walker) stub(m map[string]any, why string) *node {
	n := &node{remarks: []string{why}}
	if s, ok := m["description"].(string); ok {
		w.text(len(s))
		n.description = w.o.clean(s)
	}
	kinds, null, said := w.types(m)
	if !said {
		kinds = inferred(m)
	}
	if values, enumNull, has := w.enum(m); has && !said {
		kinds, null = kindsOf(values), enumNull
	}
	n.null = null
	if kinds == 0 {
		kinds, n.null = w.kindsInside(m), true
	}
	for _, e := range kindNames {
		if kinds&e.kind != 0 {
			n.alts = append(n.alts, alt{kind: e.kind})
		}
	}
	return n
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
	if kinds&kNumber != 0 {
		kinds &^= kInteger
	}
	if kinds == 0 {
		return kObject
	}
	return kinds
}

func (w *walker) onPath(m map[string]any) bool {
	return slices.Contains(w.path, identity(m))
}

// refName is the last part of a reference, as a name for the model.
func (w *walker) refName(ref string) string {
	if ref == "#" {
		return "the whole"
	}
	s := w.o.shown(strings.TrimRight(ref, "#/")) // whole: a part of a secret is not known as one
	if i := strings.LastIndexAny(s, "/#"); i >= 0 {
		s = s[i+1:]
	}
	s = shorten(w.o.clean(unescape(s)), 64)
	if s == "" {
		return "it"
	}
	return s
}

// baseOf is the resource in which the references of m are read.
func (w *walker) baseOf(m map[string]any, base *resource) *resource {
	id := idOf(m)
	if id == "" || strings.HasPrefix(id, "#") {
		return base
	}
	if base == nil {
		return &resource{id: id, root: m}
	}
	if sameMap(base.root, m) {
		return base
	}
	return &resource{id: absolute(base, id), root: m}
}

func sameMap(a, b map[string]any) bool { return identity(a) == identity(b) }

// idOf reads $id, or draft-04's id.
func idOf(m map[string]any) string {
	if s, ok := m["$id"].(string); ok {
		return s
	}
	s, _ := m["id"].(string)
	return s
}

func absolute(base *resource, ref string) string {
	if base == nil || base.id == "" {
		return ref
	}
	b, err := url.Parse(base.id)
	if err != nil {
		return ref
	}
	r, err := url.Parse(ref)
	if err != nil {
		return ref
	}
	return b.ResolveReference(r).String()
}

// resolve finds the schema a reference means: relative to the resource it
// stands in, else (as generators that bundle schemas write it) to the document.
func (w *walker) resolve(ref string, base *resource) (target, bool) {
	ref = strings.TrimSpace(ref)
	file, fragment, _ := strings.Cut(ref, "#")
	if file == "" {
		if base != nil {
			if t, ok := w.within(target{base.root, base}, fragment); ok {
				return t, true
			}
		}
		return w.within(target{w.doc.root, w.docBase()}, fragment)
	}
	w.buildIndex()
	for _, id := range []string{file, absolute(base, file)} {
		if t, ok := w.doc.refs.byID[strings.TrimSuffix(id, "#")]; ok {
			return w.within(t, fragment)
		}
	}
	return target{}, false
}

func (w *walker) docBase() *resource {
	m, ok := w.doc.root.(map[string]any)
	if !ok {
		return nil
	}
	return w.baseOf(m, nil)
}

// within resolves a fragment, a JSON pointer (RFC 6901, section 6) or an
// anchor, inside a resource.
func (w *walker) within(t target, fragment string) (target, bool) {
	if fragment == "" {
		return t, true
	}
	if !strings.HasPrefix(fragment, "/") {
		w.buildIndex()
		name := unescape(fragment)
		if t.base != nil {
			if a, ok := w.doc.refs.byAnchor[t.base.id+"#"+name]; ok {
				return a, true
			}
		}
		a, ok := w.doc.refs.byAnchor["#"+name]
		return a, ok
	}
	for _, token := range strings.Split(fragment[1:], "/") {
		token = unescape(token)
		switch v := t.schema.(type) {
		case map[string]any:
			next, ok := v[token]
			if !ok {
				return target{}, false
			}
			t.schema = next
			if m, ok := next.(map[string]any); ok {
				t.base = w.baseOf(m, t.base)
			}
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(v) {
				return target{}, false
			}
			t.schema = v[i]
		default:
			return target{}, false
		}
	}
	return t, true
}

// unescape decodes one token of a pointer in a URI fragment: percent signs
// first, then ~1, then ~0.
func unescape(token string) string {
	if s, err := url.PathUnescape(token); err == nil {
		token = s
	}
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}

// buildIndex lists identifiers and anchors once, when a reference needs them.
func (w *walker) buildIndex() {
	if w.doc.refs != nil {
		return
	}
	w.doc.refs = &index{byID: map[string]target{}, byAnchor: map[string]target{}}
	w.indexAll(w.doc.root, nil)
}

// indexAll visits every map, for a reference may point anywhere, but not the
// values that are data. The first of two equal names counts.
func (w *walker) indexAll(v raw, base *resource) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			w.indexAll(e, base)
		}
	case map[string]any:
		base = w.baseOf(v, base)
		w.indexOne(v, base)
		for _, key := range w.sortedNames(v) {
			switch key {
			case "enum", "const", "default", "examples":
				continue
			}
			w.indexAll(v[key], base)
		}
	}
}

func (w *walker) indexOne(m map[string]any, base *resource) {
	put := func(to map[string]target, name string) {
		if _, ok := to[name]; !ok {
			to[name] = target{m, base}
		}
	}
	id := idOf(m)
	if id != "" && !strings.HasPrefix(id, "#") {
		put(w.doc.refs.byID, strings.TrimSuffix(id, "#"))
		put(w.doc.refs.byID, strings.TrimSuffix(base.id, "#"))
	}
	names := []string{strings.TrimPrefix(id, "#")} // before draft 2019-09
	if !strings.HasPrefix(id, "#") {
		names = nil
	}
	for _, key := range []string{"$anchor", "$dynamicAnchor"} {
		if s, ok := m[key].(string); ok {
			names = append(names, s)
		}
	}
	for _, name := range names {
		put(w.doc.refs.byAnchor, "#"+name)
		if base != nil {
			put(w.doc.refs.byAnchor, base.id+"#"+name)
		}
	}
}
