package mcpclient

import (
	"path"
	"slices"
)

// filter decides by raw tool names which tools of a server are offered.
type filter struct {
	allow, deny []string
	matched     map[string]bool
}

func newFilter(c ServerConfig) *filter {
	return &filter{allow: c.ToolAllowList, deny: c.ToolDenyList, matched: map[string]bool{}}
}

// keeps says whether a tool is offered: a deny always wins, and an empty allow
// list allows all.
func (f *filter) keeps(name string) bool {
	denied := f.matches(f.deny, name)
	allowed := f.matches(f.allow, name)
	return !denied && (allowed || len(f.allow) == 0)
}

func (f *filter) matches(patterns []string, name string) (any bool) {
	for _, pattern := range patterns {
		if matches(pattern, name) {
			f.matched[pattern] = true
			any = true
		}
	}
	return any
}

// matches: a raw name matches itself also where it happens to be a pattern, or
// a malformed one.
func matches(pattern, name string) bool {
	if pattern == name {
		return true
	}
	ok, err := path.Match(pattern, name)
	return err == nil && ok
}

// unmatched are the patterns that no name has matched.
func (f *filter) unmatched() []string {
	all := slices.Concat(f.allow, f.deny)
	return slices.DeleteFunc(all, func(p string) bool { return f.matched[p] })
}
