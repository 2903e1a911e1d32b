package mcpclient

import (
	"path"
	"slices"
	"strings"

	"cdr.dev/slog/v3"

	"github.com/mcpclient-go/mcpclient/internal/toollist"
)

// keeps decides by its raw name whether a tool of the server is offered: a deny
// always wins, and an empty allow list allows all.
func (c *ServerConfig) keeps(name string) bool {
	if slices.ContainsFunc(c.ToolDenyList, func(pattern string) bool { return denies(pattern, name) }) {
		return false
	}
	return len(c.ToolAllowList) == 0 || slices.ContainsFunc(c.ToolAllowList, func(pattern string) bool { return matches(pattern, name) })
}

// denies is wider than matches: for path.Match a slash is no character that a
// wildcard stands for, and whoever denies "delete*" means "delete/all" too.
func denies(pattern, name string) bool {
	return matches(pattern, name) || strings.Contains(name, "/") && matches(pattern, strings.ReplaceAll(name, "/", slashMark))
}

// slashMark is no character of a pattern, so that only a wildcard matches it.
const slashMark = "\uffff"

// matches: a raw name matches itself also where it happens to be a pattern, or
// a malformed one.
func matches(pattern, name string) bool {
	if pattern == name {
		return true
	}
	ok, err := path.Match(pattern, name)
	return err == nil && ok
}

// logPatterns tells of patterns that match none of the tools: at debug, as a
// server's list changes, but with a warning of a deny that can't match any, as
// somebody takes what it names for denied.
func (a *attempt) logPatterns(tools []toollist.Tool) {
	unmatched := func(pattern string, match func(pattern, name string) bool) bool {
		return !slices.ContainsFunc(tools, func(t toollist.Tool) bool { return match(pattern, t.Name) })
	}
	for _, pattern := range a.config.ToolAllowList {
		if unmatched(pattern, matches) {
			a.debug("mcp tool pattern matched nothing", slog.F("pattern", pattern))
		}
	}
	for _, pattern := range a.config.ToolDenyList {
		if !unmatched(pattern, denies) {
			continue
		}
		if _, err := path.Match(pattern, ""); err != nil {
			a.step.logger.Warn(a.step.ctx, "mcp tool pattern is malformed and denies nothing", slog.F("pattern", pattern), slog.F("server_slug", a.config.Slug))
			continue
		}
		a.debug("mcp tool pattern matched nothing", slog.F("pattern", pattern))
	}
}
