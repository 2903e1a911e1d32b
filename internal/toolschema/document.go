package toolschema

import (
	"net/url"
	"strings"
)

// Bounds of what a document's identifiers and references may cost. Real ones
// stay far below: the sum of all of a tool's is a few KB.
const (
	maxID       = 2 << 10   // bytes of one identifier; a longer one is ignored
	maxIDBytes  = 256 << 10 // of identifiers read against one another
	maxTokens   = 100_000   // of the pointers of all references
	maxFollowed = 16        // references that one reference leads through
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
