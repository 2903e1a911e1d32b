// Package toolname gives the tools of many servers names that every model
// provider accepts and that no two tools share.
//
// A plain name is slug__tool. A name that would be ambiguous, too long, empty
// or reserved is told apart by a hash instead: slug__tool_0123abcd.
//
// Why names of different servers never meet, although no server's names depend
// on the tools of another: the text before a name's first "__" is a prefix. A
// prefix never holds "__" nor ends in "_", so it is read back from a name
// without doubt, and it belongs to one server alone. The one exception, a
// prefix that several slugs come to, is used only for names that can be checked
// against the other slugs without knowing their tools (see Space.onShared).
package toolname

import (
	"slices"
	"strings"
)

const (
	// maxName is the longest name that all providers take: OpenAI's limit and
	// that of the servers compatible with it.
	maxName = 64
	// maxShort bounds a slug's part of a name that is too long, so that 33
	// characters are left for the tool's own name.
	maxShort  = 20
	separator = "__"
)

// modelWords are values of a provider's tool choice; a tool called so could
// never be chosen by name. No name with a prefix can equal one. They are kept
// here so that this doesn't rest on the shape of names alone.
var modelWords = [...]string{"auto", "none", "required"}

// Space fixes how raw tool names become model-safe names for one list of
// servers. It is immutable after New and safe for concurrent use.
type Space struct {
	slugs    []string
	prefixes []prefix
	reserved map[string]struct{} // in lower case
}

// New makes the space of the servers with these raw slugs, in the order of the
// host's list. No name will equal one of reserved, which may be any text and is
// compared without case. The order of slugs matters only among equal ones.
func New(slugs []string, reserved []string) *Space {
	s := &Space{
		slugs:    slices.Clone(slugs),
		prefixes: newPrefixes(slugs),
		reserved: make(map[string]struct{}, len(reserved)+len(modelWords)),
	}
	for _, name := range modelWords {
		s.reserved[name] = struct{}{}
	}
	for _, name := range reserved {
		s.reserved[strings.ToLower(name)] = struct{}{}
	}
	return s
}

// Names returns a name for each raw tool name of one server, in the same order.
// server is an index into the slugs given to New and panics beyond them. A
// raw name that occurs twice gets the same name twice; all others differ,
// compared without case, from each other and from every name of every other
// server of the space. The result depends on raw as a set: its order doesn't
// matter.
func (s *Space) Names(server int, raw []string) []string {
	tools := newTools(raw)
	named := s.nameAll(server, tools)
	out := make([]string, len(raw))
	for i, r := range raw {
		out[i] = named[r]
	}
	return out
}

// nameAll names distinct tools sorted by raw name. Plain names go first, so
// that no hash can take one from a tool that is really called so; hashed names
// follow in the order of raw names, the only order that all steps share.
func (s *Space) nameAll(server int, tools []tool) map[string]string {
	named := make(map[string]string, len(tools))
	taken := make(map[string]struct{}, len(tools))
	owners := s.plainOwners(server, tools)
	for folded, c := range owners {
		if c.owner == nil {
			continue
		}
		named[c.owner.raw] = plainName(s.prefixes[server].full, c.owner.text)
		taken[folded] = struct{}{}
	}
	for _, t := range tools {
		if _, ok := named[t.raw]; ok {
			continue
		}
		name := s.hashedName(server, t, taken)
		named[t.raw] = name
		taken[strings.ToLower(name)] = struct{}{}
	}
	return named
}

// claim is what the tools of one server that come to one plain name agree on.
type claim struct {
	owner *tool // nil: nobody may have it
	exact bool  // somebody is called exactly so
}

// plainOwners says which tool has which plain name, by the name in lower case.
// A tool that is called so without any change wins over those that were
// changed; of several that are equal in this, none gets the name.
func (s *Space) plainOwners(server int, tools []tool) map[string]claim {
	owners := make(map[string]claim, len(tools))
	p := s.prefixes[server]
	if p.isShared() {
		return owners
	}
	for i := range tools {
		t := &tools[i]
		if t.text == "" || len(p.full)+len(separator)+len(t.text) > maxName {
			continue
		}
		folded := strings.ToLower(plainName(p.full, t.text))
		if s.isReserved(folded) {
			continue
		}
		c, claimed := owners[folded]
		switch {
		case !claimed, t.exact && !c.exact:
			owners[folded] = claim{owner: t, exact: t.exact}
		case t.exact == c.exact:
			owners[folded] = claim{exact: c.exact}
		}
	}
	return owners
}

// hashedName returns the first name of t that is neither taken nor reserved.
// A server that lists names made to be in the way costs one more hash for each
// of them, so naming stays linear in the length of its list.
func (s *Space) hashedName(server int, t tool, taken map[string]struct{}) string {
	p := s.prefixes[server]
	for attempt := 0; ; attempt++ {
		hash := toolHash(s.slugs[server], t.raw, attempt)
		front := p.short
		if !p.isShared() || attempt == 0 && s.onShared(server, t, hash) {
			front = p.full
		}
		if len(front)+len(separator)+len(t.text)+1+len(hash) > maxName {
			front = p.short
		}
		room := maxName - len(front) - len(separator) - 1 - len(hash)
		name := plainName(front, t.text[:min(len(t.text), room)]+"_"+hash)
		folded := strings.ToLower(name)
		if _, ok := taken[folded]; !ok && !s.isReserved(folded) {
			return name
		}
	}
}

// onShared reports whether t may stand behind a prefix that other slugs come to
// as well. Their tools are unknown here, and somebody who is free to choose a
// raw name can make 32 bits of hash meet. A legal raw name in lower case is the
// only one of its kind that leads to its text, so it can meet only the same raw
// name of another slug, and those hashes are compared here. All other tools
// stand behind the server's own prefix.
func (s *Space) onShared(server int, t tool, hash string) bool {
	others := s.prefixes[server].sharers
	if !t.exact || t.text != strings.ToLower(t.text) || len(others) > maxSharers {
		return false
	}
	for _, slug := range others {
		if toolHash(slug, t.raw, 0) == hash {
			return false
		}
	}
	return true
}

func (s *Space) isReserved(folded string) bool {
	_, ok := s.reserved[folded]
	return ok
}

func plainName(prefix, text string) string { return prefix + separator + text }

// Legal reports whether every provider takes name as the name of a tool:
// ^[A-Za-z_][A-Za-z0-9_-]{0,63}$.
func Legal(name string) bool {
	if name == "" || len(name) > maxName {
		return false
	}
	if name[0] != '_' && !isLetter(rune(name[0])) {
		return false
	}
	for i := range len(name) {
		if !isNameRune(rune(name[i])) {
			return false
		}
	}
	return true
}
