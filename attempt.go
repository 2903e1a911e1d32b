package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"cdr.dev/slog/v3"

	"github.com/mcpclient-go/mcpclient/internal/redact"
	"github.com/mcpclient-go/mcpclient/internal/toollist"
	"github.com/mcpclient-go/mcpclient/internal/toolschema"
)

// resolveCredentials asks for the credential once before anything is sent, so
// that a slow look-up is seen as what it is. Why there is none is kept for the
// attempt's one record; an error is a reason to end the attempt.
func (a *attempt) resolveCredentials() error {
	if a.server.credential == nil {
		return nil
	}
	_, err := a.server.credential.headers(a.ctx)
	switch {
	case a.ctx.Err() != nil:
		return context.Cause(a.ctx)
	case errors.Is(err, errUnresolved), errors.Is(err, errPanic):
		return err
	case err != nil:
		a.note.Store(a.server.redactor().Line(err.Error(), maxErrorBytes))
	}
	return nil
}

// offer makes tools of what the server lists.
func (a *attempt) offer(s *session, l *listing) attemptResult {
	summary := a.connected(s)
	summary.Truncated = l.truncated
	for _, d := range l.dropped {
		a.drop(&summary, d.Name, d.Reason)
	}
	raw := make([]string, len(l.tools))
	for i, t := range l.tools {
		raw[i] = t.Name
	}
	names := a.step.names.Names(a.server.index, raw)
	filter := newFilter(a.server.config)
	c := newConnection(s)
	var offers []*offered
	for i, listed := range l.tools {
		if !filter.keeps(listed.Name) {
			summary.Filtered++
			a.debug("mcp tool filtered", slog.F("tool", a.line(listed.Name)))
			continue
		}
		o, reason := a.convert(listed, names[i])
		if reason != "" {
			a.drop(&summary, listed.Name, reason)
			continue
		}
		offers = append(offers, o)
		c.headerTools = c.headerTools || listed.HeaderParams()
	}
	for _, pattern := range filter.unmatched() {
		a.debug("mcp tool pattern matched nothing", slog.F("pattern", pattern))
	}
	summary.ToolCount = len(offers)
	if len(offers) == 0 {
		summary.Outcome = ConnectOutcomeNoTools
		return attemptResult{summary: summary}
	}
	return attemptResult{summary: summary, offers: offers, lease: newLease(c, a.server.opts)}
}

// convert makes a tool of one entry of the server's list, or says why not.
func (a *attempt) convert(listed toollist.Tool, name string) (o *offered, reason string) {
	opts := &a.server.opts
	if listed.TaskRequired {
		return nil, "it only runs as a task, which this client does not support"
	}
	if size := listed.Size(); size > opts.Limits.ToolBytes {
		return nil, fmt.Sprintf("its definition has %d bytes, more than the limit of %d", size, opts.Limits.ToolBytes)
	}
	o = &offered{server: a.server, listed: listed}
	if reason := a.askFilter(o); reason != "" {
		return nil, reason
	}
	schema, err := toolschema.Convert(listed.InputSchema, toolschema.Options{
		Intent: a.server.config.ModelIntent,
		Clean:  func(text string) string { return a.server.redactor().Text(text, 0) },
	})
	if err != nil {
		return nil, a.server.redactor().Line(err.Error(), maxErrorBytes)
	}
	o.schema = schema
	o.describe(name)
	return o, ""
}

// askFilter gives the reason for which the host's own filter drops a tool.
func (a *attempt) askFilter(o *offered) (reason string) {
	hook := a.server.opts.ToolFilter
	if hook == nil {
		return ""
	}
	defer func() {
		if p := recover(); p != nil {
			a.logPanic(p, debug.Stack())
			reason = "the tool filter panicked"
		}
	}()
	keep, why := hook(a.server.config, o.Definition())
	if keep {
		return ""
	}
	if why = a.line(why); why == "" {
		why = "the tool filter refused it"
	}
	return why
}

func (a *attempt) drop(summary *ConnectSummary, name, reason string) {
	summary.drop(a.server.redactor().Line(name, maxNameBytes), reason)
	a.debug("mcp tool dropped", slog.F("tool", a.line(name)), slog.F("reason", reason))
}

// connected is the summary of a success, so far.
func (a *attempt) connected(s *session) ConnectSummary {
	summary := a.summary(ConnectOutcomeConnected)
	info := s.mcp.InitializeResult()
	summary.Protocol = redact.Cut(redact.Line(info.ProtocolVersion), maxNameBytes)
	if info.ServerInfo != nil {
		server := info.ServerInfo.Name
		if info.ServerInfo.Version != "" {
			server += "/" + info.ServerInfo.Version
		}
		summary.Server = a.server.redactor().Line(server, maxNameBytes)
	}
	return summary
}

func (a *attempt) summary(outcome ConnectOutcome) ConnectSummary {
	return ConnectSummary{
		ConfigID:   a.server.config.ID,
		Slug:       a.server.config.Slug,
		Outcome:    outcome,
		DurationMS: time.Since(a.started).Milliseconds(),
	}
}

// failed is the summary of a failure. err is why the attempt ended, as far as
// its own context did not end it.
func (a *attempt) failed(err error) ConnectSummary {
	phase := a.phase.Load().(string)
	if a.ctx.Err() != nil {
		err = context.Cause(a.ctx)
	}
	f := classify(err, phase)
	if a.step.ctx.Err() != nil && a.ctx.Err() != nil && f.outcome != ConnectOutcomeTimeout {
		f = failure{outcome: ConnectOutcomeCanceled, text: "canceled by the caller"}
	}
	summary := a.summary(f.outcome)
	summary.Phase = phase
	summary.HTTPStatus = f.status
	if note, _ := a.note.Load().(string); note != "" && f.outcome == ConnectOutcomeAuthRequired {
		f.text += " (" + note + ")"
	}
	secrets := a.server.redactor()
	summary.Error = secrets.Line(f.text, maxErrorBytes)
	summary.AuthChallenge = secrets.Line(f.challenge, maxErrorBytes)
	return summary
}

// log writes the attempt's one record: a warning of a failure or of a slow
// success. That a credential was missing is part of it.
func (a *attempt) log(s ConnectSummary) {
	fields := []slog.Field{
		slog.F("server_slug", s.Slug), slog.F("server_id", s.ConfigID),
		slog.F("outcome", string(s.Outcome)), slog.F("duration_ms", s.DurationMS),
	}
	note, _ := a.note.Load().(string)
	if note != "" {
		fields = append(fields, slog.F("credential", note))
	}
	took := time.Duration(s.DurationMS) * time.Millisecond
	switch {
	case s.Outcome.failed():
		fields = append(fields, slog.F("phase", s.Phase), slog.F("error", s.Error), slog.F("http_status", s.HTTPStatus))
		a.step.logger.Warn(a.step.ctx, "mcp server failed", fields...)
	case s.Outcome == ConnectOutcomeCanceled:
		a.step.logger.Debug(a.step.ctx, "mcp server settled", fields...)
	case note != "":
		a.step.logger.Warn(a.step.ctx, "mcp server connected without a credential", fields...)
	case took > slowConnect:
		a.step.logger.Warn(a.step.ctx, "mcp server connected slowly", fields...)
	default:
		a.step.logger.Debug(a.step.ctx, "mcp server settled", fields...)
	}
}

func (a *attempt) debug(message string, fields ...slog.Field) {
	a.step.logger.Debug(a.step.ctx, message, append(fields, slog.F("server_slug", a.server.config.Slug))...)
}

func (a *attempt) line(text string) string { return a.server.redactor().Line(text, maxErrorBytes) }

// panicked makes an error of a recovered panic. Its text is for the log alone:
// it may hold anything.
func (a *attempt) panicked(p any) error {
	a.logPanic(p, debug.Stack())
	return errPanic
}

func (a *attempt) logPanic(p any, stack []byte) { a.server.logPanic(a.step.ctx, p, stack) }

func (s *server) logPanic(ctx context.Context, p any, stack []byte) {
	s.logger.Warn(ctx, "mcp client recovered a panic", slog.F("server_slug", s.config.Slug),
		slog.F("panic", s.redactor().Line(fmt.Sprint(p), maxErrorBytes)), slog.F("stack", s.redactor().Text(string(stack), 0)))
}
