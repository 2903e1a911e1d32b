package mcpclient

import (
	"path"
	"slices"
)

// keeps decides by its raw name whether a tool of the server is offered: a deny
// always wins, and an empty allow list allows all.
func (c *ServerConfig) keeps(name string) bool {
	matching := func(pattern string) bool { return matches(pattern, name) }
	if slices.ContainsFunc(c.ToolDenyList, matching) {
		return false
	}
	return len(c.ToolAllowList) == 0 || slices.ContainsFunc(c.ToolAllowList, matching)
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

// unmatched are the patterns that match none of the names.
func (c *ServerConfig) unmatched(names []string) []string {
	all := slices.Concat(c.ToolAllowList, c.ToolDenyList)
	return slices.DeleteFunc(all, func(pattern string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return matches(pattern, name) })
	})
}
