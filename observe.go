package mcpclient

import (
	"context"
	"errors"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpclient-go/mcpclient/internal/wire"
)

// ToolProgress is a sign of progress of one running call, as its server gives
// it. ServerID and ServerSlug are those of its ServerConfig. Message and Tool are
// cleaned and redacted, on one line, Message of at most 512 bytes; CallID is as
// the model gives it. Progress need not grow, and has no unit.
type ToolProgress struct {
	ServerID                          uuid.UUID
	ServerSlug, Tool, CallID, Message string  // Tool is the raw name; CallID the model's
	Progress, Total                   float64 // Total is zero where the server does not know it
}

// ToolCallOutcome is how one call of a tool ended.
type ToolCallOutcome string

const (
	// ToolCallOK: the tool ran and gave a result.
	ToolCallOK ToolCallOutcome = "ok"
	// ToolCallToolError: the tool ran and says that it failed.
	ToolCallToolError ToolCallOutcome = "tool_error"
	// ToolCallRejected: the call was not sent, for what it asked: its arguments
	// can't be sent, or the tool is not allowed.
	ToolCallRejected ToolCallOutcome = "rejected"
	// ToolCallTimeout: the call's own limit ended it, also while it waited for a
	// place.
	ToolCallTimeout ToolCallOutcome = "timeout"
	// ToolCallCanceled: the caller's context or cleanup ended it, or had ended
	// before it.
	ToolCallCanceled ToolCallOutcome = "canceled"
	// ToolCallError: the server refused the call or could not be reached.
	ToolCallError ToolCallOutcome = "error"
	// ToolCallUnknown: the call failed on its way, and nobody knows whether the
	// tool has run.
	ToolCallUnknown ToolCallOutcome = "unknown"
)

// ToolCallSummary is the record of one call. It holds no arguments and no
// results.
//
// ServerID and ServerSlug are those of the tool's ServerConfig. Duration is that
// of Run, with all waiting. BytesIn and BytesOut count bodies
// of the call's own requests, over all attempts: those of answers after
// decompression, and those of requests as often as they were sent. Tool is
// cleaned and redacted; CallID is as the model gives it: not cleaned.
type ToolCallSummary struct {
	ServerID                 uuid.UUID
	ServerSlug, Tool, CallID string // Tool is the raw name; CallID the model's
	Duration                 time.Duration
	Outcome                  ToolCallOutcome
	Attempts                 int  // how often it was handed to a session; 0: not at all
	Renewed                  bool // a lost session was replaced
	BytesIn, BytesOut        int64
	// HTTPStatus is that of the answer that refused the call, if one did, and
	// AuthChallenge what the server asked for then, as in ConnectSummary.
	HTTPStatus    int
	AuthChallenge string
	// ErrorKind says what kind of failure it was, in a form of few values:
	// "http_503", "rpc_-32602", "redirect", "limit", "answer", "network",
	// "no_slot" (all the time that the call had, others were running), "closed"
	// (by cleanup); empty where the tool gave a result, and where a limit or the
	// caller ended the call.
	ErrorKind string
}

// observed tells the hook how a call ended.
func (t *tool) observed(ctx context.Context, callID string, started time.Time, stats callStats, outcome ToolCallOutcome, err error) {
	s, hook := t.server, t.lease.opts.OnToolCall
	if hook == nil {
		return
	}
	defer func() {
		if p := recover(); p != nil {
			s.logPanic(ctx, p, debug.Stack())
		}
	}()
	summary := ToolCallSummary{
		ServerID: s.config.ID, ServerSlug: s.config.Slug, Tool: s.redactor().Line(t.listed.Name, 0), CallID: callID,
		Duration: time.Since(started), Outcome: outcome,
		Attempts: stats.attempts, Renewed: stats.renewed, BytesIn: stats.in, BytesOut: stats.out,
	}
	if err != nil && outcome != ToolCallRejected {
		summary.ErrorKind = errorKind(err)
	}
	if h, ok := errors.AsType[*wire.HTTPError](err); ok {
		summary.HTTPStatus = h.Status
		if needsAuth(h.Status) {
			summary.AuthChallenge = s.redactor().Line(challenge(h.Challenge), maxChallengeBytes)
		}
	}
	hook(ctx, summary)
}

// errorKind is the kind of a call's error, for metrics.
func errorKind(err error) string {
	if h, ok := errors.AsType[*wire.HTTPError](err); ok {
		return "http_" + strconv.Itoa(h.Status)
	}
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return "rpc_" + strconv.FormatInt(e.Code, 10)
	}
	if _, ok := errors.AsType[*wire.RedirectError](err); ok {
		return "redirect"
	}
	if _, ok := errors.AsType[*wire.LimitError](err); ok {
		return "limit"
	}
	switch {
	case errors.Is(err, errClosed):
		return "closed"
	case errors.Is(err, errNoSlot):
		return "no_slot"
	case errors.Is(err, errIdle), errors.Is(err, errMaxTime), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return ""
	}
	if a, ok := errors.AsType[*wire.AnswerError](err); ok && a.Cause == nil {
		return "answer"
	}
	return "network"
}

// callOutcome classifies the error of a call as callFailure puts it in words.
func callOutcome(ctx context.Context, err error) ToolCallOutcome {
	switch {
	case errors.Is(err, errIdle), errors.Is(err, errMaxTime):
		return ToolCallTimeout
	case ctx.Err() != nil, errors.Is(err, errClosed):
		return ToolCallCanceled
	case errors.Is(err, errNotSent):
		return ToolCallError
	}
	if _, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return ToolCallError
	}
	if h, ok := errors.AsType[*wire.HTTPError](err); ok && !mayHaveRun(h) {
		return ToolCallError
	}
	return ToolCallUnknown
}

// reporter brings a call's progress to the host's hook: in order, the newest
// only where the hook is slower than the server, and never on a goroutine that
// anything waits for.
type reporter struct {
	tool   *tool
	callID string
	newest chan *mcp.ProgressNotificationParams // of size one
	stop   chan struct{}
}

// report gives the function that takes a call's progress, and the one that ends
// it; nil and a no-op without a hook.
func (t *tool) report(ctx context.Context, callID string) (on func(*mcp.ProgressNotificationParams), end func()) {
	if t.lease.opts.OnProgress == nil {
		return nil, func() {}
	}
	r := &reporter{tool: t, callID: callID, newest: make(chan *mcp.ProgressNotificationParams, 1), stop: make(chan struct{})}
	t.server.detach(func() { r.run(context.WithoutCancel(ctx)) })
	return r.put, func() { close(r.stop) }
}

// put replaces what the hook has not seen yet.
func (r *reporter) put(p *mcp.ProgressNotificationParams) {
	for {
		select {
		case r.newest <- p:
			return
		default:
		}
		select {
		case <-r.newest:
		default:
		}
	}
}

// run ends with the call, after the last progress that came before it.
func (r *reporter) run(ctx context.Context) {
	for {
		select {
		case p := <-r.newest:
			r.tell(ctx, p)
		case <-r.stop:
			select {
			case p := <-r.newest:
				r.tell(ctx, p)
			default:
			}
			return
		}
	}
}

func (r *reporter) tell(ctx context.Context, p *mcp.ProgressNotificationParams) {
	s := r.tool.server
	defer func() {
		if p := recover(); p != nil {
			s.logPanic(ctx, p, debug.Stack())
		}
	}()
	r.tool.lease.opts.OnProgress(ctx, ToolProgress{
		ServerID: s.config.ID, ServerSlug: s.config.Slug, Tool: s.redactor().Line(r.tool.listed.Name, 0), CallID: r.callID,
		Message: s.redactor().Line(p.Message, maxErrorBytes), Progress: p.Progress, Total: p.Total,
	})
}
