package toolschema

import (
	"net/url"
	"strconv"
	"strings"
)

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
	left := maxFollowed
	f.target, f.ok = d.resolve(ref, base, &left)
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
// stands in, else (as generators that bundle schemas write it) to the document,
// else wherever a definition of that name is.
func (d *document) resolve(ref string, base *resource, left *int) (target, bool) {
	ref = strings.TrimSpace(ref)
	file, fragment, _ := strings.Cut(ref, "#")
	if file == "" {
		if base != nil {
			if t, ok := d.within(target{base.root, base}, fragment, left); ok {
				return t, true
			}
		}
		if t, ok := d.within(d.whole(), fragment, left); ok {
			return t, true
		}
	} else {
		for _, id := range []string{file, d.absolute(base, file)} {
			if t, ok := d.byID(id); ok {
				return d.within(t, fragment, left)
			}
		}
	}
	return d.definition(file, fragment, left)
}

// whole is the document itself.
func (d *document) whole() target {
	m, ok := d.root.(map[string]any)
	if !ok {
		return target{d.root, nil}
	}
	return target{m, d.baseOf(m, nil)}
}

// within resolves a fragment, a JSON pointer (RFC 6901, section 6) or an
// anchor, inside a resource.
func (d *document) within(t target, fragment string, left *int) (target, bool) {
	if fragment == "" || fragment[0] == '/' {
		return d.descend(t, fragment, left)
	}
	return d.byAnchor(t.base, unescape(fragment))
}

// definitions are where generators put definitions, as pointers.
var definitions = []string{"/$defs/", "/definitions/", "/components/schemas/"}

// definition finds what was moved to another place without its references, and
// what is referred to by its name alone.
func (d *document) definition(file, fragment string, left *int) (target, bool) {
	name := fragment
	switch {
	case file == "":
		for _, place := range definitions {
			if rest, ok := strings.CutPrefix(fragment, place); ok {
				name = rest
			}
		}
	case fragment == "" || fragment[0] == '/':
		name = file + fragment
	}
	if name == "" || name[0] == '/' || strings.ContainsAny(file, "/:") {
		return target{}, false
	}
	for _, place := range definitions {
		if t, ok := d.descend(d.whole(), place+name, left); ok {
			return t, true
		}
	}
	return target{}, false
}

// descend walks a pointer. Where a part of the way is a reference itself, the
// way goes on in what that points to, unless it does without.
func (d *document) descend(t target, pointer string, left *int) (target, bool) {
	for pointer != "" {
		token, rest := pointer[1:], ""
		if i := strings.IndexByte(token, '/'); i >= 0 {
			token, rest = token[:i], token[i:]
		}
		next, ok := d.step(t, unescape(token))
		if ref := refOf(t); ref != "" && *left > 0 {
			*left--
			if ok {
				if end, ok := d.descend(next, rest, left); ok {
					return end, true
				}
			}
			if t, ok = d.resolve(ref, t.base, left); !ok {
				return target{}, false
			}
			continue
		}
		if !ok {
			return target{}, false
		}
		t, pointer = next, rest
	}
	return t, true
}

func refOf(t target) string {
	m, _ := t.schema.(map[string]any)
	return textOf(m["$ref"])
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
