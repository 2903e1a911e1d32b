package toolschema

import (
	"net/url"
	"strconv"
	"strings"
)

// Bounds of what a document's identifiers and references may cost. Real ones
// stay far below: the sum of all of a tool's is a few KB.
const (
	maxID      = 2 << 10   // bytes of one identifier; a longer one is ignored
	maxIDBytes = 256 << 10 // of identifiers read against one another
	maxTokens  = 100_000   // of the pointers of all references
)

// document is the schema that came in, the same for every attempt. What is
// found out about its parts is kept: one part may be inlined a thousand times.
type document struct {
	o       Options
	root    raw
	start   raw  // root, or the schema that it means
	isBare  bool // root is a map of properties
	found   map[refKey]*found
	bases   map[baseKey]*resource
	index   *index // made when a reference needs it
	idBytes int    // left of maxIDBytes
	tokens  int    // left of maxTokens

	outlines map[uintptr]outline

	steps   int  // left of maxWork
	unasked int  // steps until Options.Stop is asked again
	stopped bool // it said so
}

func newDocument(root raw, o Options) *document {
	d := &document{o: o, root: root, start: root, idBytes: maxIDBytes, tokens: maxTokens, steps: maxWork}
	if m, ok := root.(map[string]any); ok && isProperties(m) {
		d.start, d.isBare = map[string]any{"properties": m}, true
	}
	return d
}

// resource is a schema with an identifier of its own, to which the pointers
// below it are relative. There is one for each schema and resource around it.
type resource struct {
	id   string // absolute, or as written
	root map[string]any

	url    *url.URL // id, where it is one
	parsed bool
}

type baseKey struct {
	schema uintptr
	base   *resource
}

// baseOf is the resource in which the references of m are read.
func (d *document) baseOf(m map[string]any, base *resource) *resource {
	id := idOf(m)
	if id == "" || strings.HasPrefix(id, "#") || base != nil && sameMap(base.root, m) {
		return base
	}
	key := baseKey{identity(m), base}
	if r, ok := d.bases[key]; ok {
		return r
	}
	r := base
	if id := d.absolute(base, id); id != "" {
		r = &resource{id: id, root: m}
	}
	if d.bases == nil {
		d.bases = map[baseKey]*resource{}
	}
	d.bases[key] = r
	return r
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

// absolute is an identifier as it is read inside base; "" for one that is too
// long, or one too many.
func (d *document) absolute(base *resource, id string) string {
	if len(id) > maxID {
		return ""
	}
	if base == nil || base.id == "" {
		return id
	}
	if d.idBytes -= len(base.id) + len(id); d.idBytes < 0 {
		return ""
	}
	if !base.parsed {
		base.url, _ = url.Parse(base.id)
		base.parsed = true
	}
	r, err := url.Parse(id)
	if err != nil || base.url == nil {
		return id
	}
	if id = base.url.ResolveReference(r).String(); len(id) > maxID {
		return ""
	}
	return id
}

type target struct {
	schema raw
	base   *resource
}

// refKey is one reference, where it stands.
type refKey struct {
	schema  uintptr
	keyword string
	base    *resource
}

// found is what a reference points to, and how it is called.
type found struct {
	target
	ok   bool
	ref  string // for a note
	name string // for the model
}

// find resolves a reference of m.
func (d *document) find(m map[string]any, keyword string, base *resource) *found {
	key := refKey{identity(m), keyword, base}
	if f, ok := d.found[key]; ok {
		return f
	}
	ref, _ := m[keyword].(string)
	f := &found{ref: shorten(d.o.clean(ref), 64), name: d.refName(ref)}
	f.target, f.ok = d.resolve(strings.TrimSpace(ref), base)
	if d.found == nil {
		d.found = map[refKey]*found{}
	}
	d.found[key] = f
	return f
}

// refName is the last part of a reference, as a name for the model.
func (d *document) refName(ref string) string {
	if ref == "#" {
		return "the whole"
	}
	s := d.o.shown(strings.TrimRight(ref, "#/")) // whole: a part of a secret is not known as one
	if i := strings.LastIndexAny(s, "/#"); i >= 0 {
		s = s[i+1:]
	}
	s = shorten(d.o.clean(unescape(s)), 64)
	if s == "" {
		return "it"
	}
	return s
}

// resolve finds the schema a reference means: relative to the resource it
// stands in, else (as generators that bundle schemas write it) to the document.
func (d *document) resolve(ref string, base *resource) (target, bool) {
	file, fragment, _ := strings.Cut(ref, "#")
	if file == "" {
		if base != nil {
			if t, ok := d.within(target{base.root, base}, fragment); ok {
				return t, true
			}
		}
		return d.within(target{d.root, d.rootBase()}, fragment)
	}
	for _, id := range []string{file, d.absolute(base, file)} {
		if t, ok := d.byID(id); ok {
			return d.within(t, fragment)
		}
	}
	return target{}, false
}

func (d *document) rootBase() *resource {
	m, ok := d.root.(map[string]any)
	if !ok {
		return nil
	}
	return d.baseOf(m, nil)
}

// within resolves a fragment, a JSON pointer (RFC 6901, section 6) or an
// anchor, inside a resource.
func (d *document) within(t target, fragment string) (target, bool) {
	if fragment == "" {
		return t, true
	}
	if fragment[0] != '/' {
		return d.byAnchor(t.base, unescape(fragment))
	}
	for token := range strings.SplitSeq(fragment[1:], "/") {
		var ok bool
		if t, ok = d.step(t, unescape(token)); !ok {
			return target{}, false
		}
	}
	return t, true
}

// step goes to a member of an object or an entry of a list.
func (d *document) step(t target, token string) (target, bool) {
	if d.tokens--; d.tokens < 0 {
		return target{}, false
	}
	switch v := t.schema.(type) {
	case map[string]any:
		next, ok := v[token]
		if m, isMap := next.(map[string]any); isMap {
			t.base = d.baseOf(m, t.base)
		}
		return target{next, t.base}, ok
	case []any:
		i, err := strconv.Atoi(token)
		if err != nil || i < 0 || i >= len(v) {
			return target{}, false
		}
		return target{v[i], t.base}, true
	}
	return target{}, false
}

// unescape decodes one token of a pointer in a URI fragment: percent signs
// first, then ~1, then ~0.
func unescape(token string) string {
	if s, err := url.PathUnescape(token); err == nil {
		token = s
	}
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}
