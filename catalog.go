package mcpclient

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"runtime/debug"
	"strings"

	"cdr.dev/slog/v3"

	"github.com/mcpclient-go/mcpclient/internal/redact"
	"github.com/mcpclient-go/mcpclient/internal/toollist"
	"github.com/mcpclient-go/mcpclient/internal/toolschema"
)

// catalog is what a server offers to one config list, which decides on names:
// its tools, and what became of those that are not among them. It is written
// once.
type catalog struct {
	offers       []*offered
	filtered     int
	dropped      []DroppedTool
	droppedCount int
	truncated    bool
	protocol     string
	serverName   string
}

// catalog makes tools of what the server lists, for the attempt's step; nil if
// that is late before it is done.
func (s *server) catalog(info sessionInfo, l *listing, a *attempt) *catalog {
	debug := a.debug
	c := &catalog{truncated: l.truncated}
	c.protocol, c.serverName = s.introduced(info)
	for _, d := range l.dropped {
		c.drop(s, d.Name, d.Reason, debug)
	}
	c.droppedCount += l.drops - len(l.dropped)
	raw := make([]string, len(l.tools))
	for i := range l.tools {
		raw[i] = s.nameable(l.tools[i].Name)
	}
	safe := a.names(raw)
	instructions := redact.Cut(strings.TrimSpace(s.redactor().Text(info.instructions, 0)), maxInstructions)
	for i, listed := range l.tools {
		if a.late() {
			return nil
		}
		if !s.config.keeps(listed.Name) {
			c.filtered++
			debug("mcp tool filtered", slog.F("tool", s.line(listed.Name)))
			continue
		}
		o, reason, err := s.offer(listed, safe[i], a)
		if err != nil {
			return nil
		}
		if reason != "" {
			c.drop(s, listed.Name, reason, debug)
			continue
		}
		o.instructions = instructions
		c.offers = append(c.offers, o)
	}
	a.logPatterns(l.tools)
	return c
}

// nameable is what a tool's name for models is made of: the raw name, or what is
// left of it without secrets and a hash that keeps it apart from others.
func (s *server) nameable(raw string) string {
	shown := s.redactor().Redact(raw)
	if shown == raw {
		return raw
	}
	sum := sha256.Sum256([]byte(raw))
	return shown + " " + hex.EncodeToString(sum[:8])
}

// debugLog writes one record about a tool.
type debugLog func(message string, fields ...slog.Field)

// introduced is how the server calls itself, fit to be shown.
func (s *server) introduced(info sessionInfo) (protocol, name string) {
	name = info.name
	if info.version != "" {
		name += "/" + info.version
	}
	return s.redactor().Line(info.protocol, maxNameBytes), s.redactor().Line(name, maxNameBytes)
}

// offer makes a tool of one entry of the server's list, or says why not. An error
// is that the attempt's step is late.
func (s *server) offer(listed toollist.Tool, name string, a *attempt) (o *offered, reason string, err error) {
	if listed.TaskRequired {
		return nil, "it only runs as a task, which this client does not support", nil
	}
	schema, err := toolschema.Convert(listed.InputSchema, toolschema.Options{
		Intent: s.config.ModelIntent,
		Clean:  func(text string) string { return s.redactor().Text(text, 0) },
		Secret: func(text string) bool { return s.redactor().Contains(redact.Clean(text)) },
		Stop:   a.late,

		DescriptionLength: s.opts.Limits.DescriptionLength,
	})
	if errors.Is(err, toolschema.ErrStopped) {
		return nil, "", err
	}
	if err != nil {
		return nil, s.line(err.Error()), nil
	}
	for _, note := range schema.Notes {
		a.debug("mcp tool schema changed", slog.F("tool", s.line(listed.Name)), slog.F("note", s.line(note)))
	}
	o = &offered{server: s, listed: listed, schema: schema}
	o.describe(name)
	return o, "", nil
}

func (c *catalog) drop(s *server, name, reason string, debug debugLog) {
	c.droppedCount++
	name = s.redactor().Line(name, maxNameBytes)
	if len(c.dropped) < maxDroppedTools {
		c.dropped = append(c.dropped, DroppedTool{Name: name, Reason: reason})
	}
	debug("mcp tool dropped", slog.F("tool", name), slog.F("reason", reason))
}

// withFilter gives what the host's own filter leaves of a catalog; without a
// filter, or a catalog, that is the catalog itself, and nil if the attempt's step
// is late before it is done.
func (c *catalog) withFilter(s *server, a *attempt) *catalog {
	opts := &a.step.opts
	if c == nil || opts.ToolFilter == nil {
		return c
	}
	left := *c
	left.offers = nil
	left.dropped = append([]DroppedTool(nil), c.dropped...)
	for _, o := range c.offers {
		if a.late() {
			return nil
		}
		if reason := s.askFilter(opts, o); reason != "" {
			left.drop(s, o.listed.Name, reason, a.debug)
			continue
		}
		left.offers = append(left.offers, o)
	}
	return &left
}

// askFilter gives the reason for which the host's own filter drops a tool.
func (s *server) askFilter(opts *Options, o *offered) (reason string) {
	defer func() {
		if p := recover(); p != nil {
			s.logPanic(s.host().ctx, p, debug.Stack())
			reason = "the tool filter panicked"
		}
	}()
	keep, why := opts.ToolFilter(s.config, o.Definition())
	if keep {
		return ""
	}
	if why = s.line(why); why == "" {
		why = "the tool filter refused it"
	}
	return why
}

// describe fills in what a summary says of a server that answered.
func (c *catalog) describe(summary *ConnectSummary) {
	summary.Outcome = ConnectOutcomeConnected
	if len(c.offers) == 0 {
		summary.Outcome = ConnectOutcomeNoTools
	}
	summary.ToolCount = len(c.offers)
	summary.Protocol = c.protocol
	summary.Server = c.serverName
	summary.Filtered = c.filtered
	summary.Dropped = c.dropped
	summary.DroppedCount = c.droppedCount
	summary.Truncated = c.truncated
}

// line makes text from or about the server fit to be shown.
func (s *server) line(text string) string { return s.redactor().Line(text, maxErrorBytes) }
