package mcpclient

import (
	"cmp"
	"context"
	"runtime/debug"
	"sync/atomic"
	"time"

	"charm.land/fantasy"

	"github.com/mcpclient-go/mcpclient/internal/toolresult"
)

// tool is one tool of one server in one step.
type tool struct {
	*offered
	lease   *lease
	options atomic.Pointer[fantasy.ProviderOptions]
}

var _ Tool = (*tool)(nil)

func (t *tool) ProviderOptions() fantasy.ProviderOptions {
	if o := t.options.Load(); o != nil {
		return *o
	}
	return nil
}

func (t *tool) SetProviderOptions(o fantasy.ProviderOptions) { t.options.Store(&o) }

// Run calls the tool. See Tool for why there never is an error.
func (t *tool) Run(ctx context.Context, call fantasy.ToolCall) (response fantasy.ToolResponse, err error) {
	defer func() {
		if p := recover(); p != nil {
			t.server.logPanic(ctx, p, debug.Stack())
			response, err = t.failed("The call failed inside the client: "+errPanic.Error()), nil
		}
	}()
	return t.run(ctx, call), nil
}

func (t *tool) run(ctx context.Context, call fantasy.ToolCall) (response fantasy.ToolResponse) {
	started, stats, outcome := time.Now(), callStats{}, ToolCallRejected
	var err error
	defer func() { t.observed(ctx, call.ID, started, stats, outcome, err) }()
	opts := t.lease.opts
	if !t.server.config.keeps(t.listed.Name) {
		return t.failed("The tool was not run: it is not allowed.")
	}
	args, err := t.schema.Arguments(call.Input)
	if err != nil {
		return t.failed(err.Error())
	}
	k := toolCall{tool: t.listed.Name, args: args, id: call.ID, repeatable: t.repeatable()}
	onProgress, reported := t.report(ctx, call.ID)
	defer reported()
	k.onProgress = onProgress
	outcome = ToolCallUnknown // should it panic
	raw, stats, err := t.lease.call(ctx, k)
	if err != nil {
		outcome = callOutcome(ctx, err)
		return t.failed(callFailure(ctx, t.listed.Name, err))
	}
	response = toolresult.Convert(raw, toolresult.Options{
		TextBytes:    opts.Limits.ResultBytes,
		MediaBytes:   mediaBytes(ctx, opts.Limits.MediaBytes),
		ImagesAsText: imagesAsText(ctx, opts.Images),
		Hide:         t.server.redactor().Redact,
		Server:       t.server.config.Slug,
		Tool:         t.listed.Name,
	})
	outcome = ToolCallOK
	if response.IsError {
		outcome = ToolCallToolError
	}
	return response
}

// failed is an error response. Its text is never empty: providers and stored
// conversations do not survive an empty one.
func (t *tool) failed(text string) fantasy.ToolResponse {
	text = t.server.redactor().Text(text, maxFailureBytes)
	return fantasy.NewTextErrorResponse(cmp.Or(text, "The call failed."))
}

const maxFailureBytes = 2048
