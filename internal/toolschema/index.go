package toolschema

import "strings"

// index finds schemas by identifier and anchor.
type index struct {
	byID     map[string]target
	byAnchor map[anchor]target
}

// anchor is a name inside a resource, or with no id in the whole document.
type anchor struct{ id, name string }

func (d *document) byID(id string) (target, bool) {
	d.buildIndex()
	t, ok := d.index.byID[strings.TrimSuffix(id, "#")]
	return t, ok
}

// byAnchor prefers a name of the resource to one of the document.
func (d *document) byAnchor(base *resource, name string) (target, bool) {
	d.buildIndex()
	if base != nil {
		if t, ok := d.index.byAnchor[anchor{base.id, name}]; ok {
			return t, true
		}
	}
	t, ok := d.index.byAnchor[anchor{"", name}]
	return t, ok
}

// buildIndex lists identifiers and anchors once, when a reference needs them.
func (d *document) buildIndex() {
	if d.index != nil {
		return
	}
	d.index = &index{byID: map[string]target{}, byAnchor: map[anchor]target{}}
	d.indexAll(d.root, nil)
}

// indexAll visits every map, for a reference may point anywhere, but not the
// values that are data. The first of two equal names counts.
func (d *document) indexAll(v raw, base *resource) {
	if d.stop(1) {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			d.indexAll(e, base)
		}
	case map[string]any:
		base = d.baseOf(v, base)
		d.indexOne(v, base)
		for _, key := range sortedKeys(v) {
			switch key {
			case "enum", "const", "default", "examples":
				continue
			}
			d.indexAll(v[key], base)
		}
	}
}

func (d *document) indexOne(m map[string]any, base *resource) {
	t := target{m, base}
	id := idOf(m)
	if base != nil && sameMap(base.root, m) { // an identifier that counts
		for _, id := range []string{id, base.id} {
			if id = strings.TrimSuffix(id, "#"); !has(d.index.byID, id) {
				d.index.byID[id] = t
			}
		}
	}
	if name, ok := strings.CutPrefix(id, "#"); ok { // before draft 2019-09
		d.anchor(name, t)
	}
	for _, key := range []string{"$anchor", "$dynamicAnchor"} {
		if name, ok := m[key].(string); ok {
			d.anchor(name, t)
		}
	}
}

func (d *document) anchor(name string, t target) {
	keys := []anchor{{"", name}}
	if t.base != nil {
		keys = append(keys, anchor{t.base.id, name})
	}
	for _, key := range keys {
		if !has(d.index.byAnchor, key) {
			d.index.byAnchor[key] = t
		}
	}
}

func has[K comparable, V any](m map[K]V, key K) bool {
	_, ok := m[key]
	return ok
}
