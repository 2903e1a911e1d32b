package mcpclient

import (
	"cmp"
	"context"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"charm.land/fantasy"
	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpclient-go/mcpclient/internal/redact"
	"github.com/mcpclient-go/mcpclient/internal/toollist"
	"github.com/mcpclient-go/mcpclient/internal/toolresult"
	"github.com/mcpclient-go/mcpclient/internal/toolschema"
)

// tool is one tool of one server in one step. Everything but the two fields at
// the end is written once, before it is handed out.
type tool struct {
	connection *connection
	listed     toollist.Tool
	schema     *toolschema.Schema
	info       fantasy.ToolInfo

	options    atomic.Pointer[fantasy.ProviderOptions]
	definition struct {
		once sync.Once
		tool *mcp.Tool
	}
}

var _ Tool = (*tool)(nil)

// describe fills in what Info returns. The maps in it are shared by all who
// ask: they are a fixpoint of fantasy's schema.Normalize, which otherwise
// writes into them.
func (t *tool) describe(name string) {
	secrets, limits := t.connection.server.redactor(), t.connection.server.opts.Limits
	text := cmp.Or(t.listed.Description, t.listed.Title)
	if text == "" && t.listed.Annotations != nil {
		text = t.listed.Annotations.Title
	}
	t.info = fantasy.ToolInfo{
		Name:        name,
		Description: redact.CutRunes(secrets.Text(text, 0), limits.DescriptionLength),
		Parameters:  t.schema.Properties,
		Required:    t.schema.Required,
		// A hint is no promise, and a tool without one may write.
		Parallel: t.listed.Annotations != nil && t.listed.Annotations.ReadOnlyHint,
	}
}

func (t *tool) Info() fantasy.ToolInfo { return t.info }

func (t *tool) ServerID() uuid.UUID { return t.connection.server.config.ID }
func (t *tool) ServerSlug() string  { return t.connection.server.config.Slug }

func (t *tool) Definition() *mcp.Tool {
	t.definition.once.Do(func() { t.definition.tool = t.listed.Definition() })
	return t.definition.tool
}

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
			t.connection.server.logPanic(ctx, p, debug.Stack())
			response, err = t.failed("The call failed inside the client: "+errPanic.Error()), nil
		}
	}()
	return t.run(ctx, call), nil
}

func (t *tool) run(ctx context.Context, call fantasy.ToolCall) (response fantasy.ToolResponse) {
	started, stats, outcome := time.Now(), callStats{}, ToolCallRejected
	defer func() { t.observed(ctx, call.ID, started, stats, outcome) }()
	s := t.connection.server
	if !newFilter(s.config).keeps(t.listed.Name) {
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
	raw, stats, err := t.connection.call(ctx, k)
	if err != nil {
		outcome = callOutcome(ctx, err)
		return t.failed(callFailure(ctx, err))
	}
	response = toolresult.Convert(raw, toolresult.Options{
		TextBytes:    s.opts.Limits.ResultBytes,
		MediaBytes:   s.opts.Limits.MediaBytes,
		ImagesAsText: imagesAsText(ctx, s.opts.Images),
		Hide:         s.redactor().Redact,
		Server:       s.config.Slug,
		Tool:         t.listed.Name,
	})
	outcome = ToolCallOK
	if response.IsError {
		outcome = ToolCallToolError
	}
	return response
}

// repeatable says whether the server promises that a second run does no harm.
func (t *tool) repeatable() bool {
	a := t.listed.Annotations
	return a != nil && (a.ReadOnlyHint || a.IdempotentHint)
}

// failed is an error response. Its text is never empty: providers and stored
// conversations do not survive an empty one.
func (t *tool) failed(text string) fantasy.ToolResponse {
	text = t.connection.server.redactor().Text(text, maxFailureBytes)
	return fantasy.NewTextErrorResponse(cmp.Or(text, "The call failed."))
}

const maxFailureBytes = 2048
