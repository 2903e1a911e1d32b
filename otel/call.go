package mcpclientotel

import (
	"cmp"
	"context"
	"maps"
	"strconv"
	"strings"

	"charm.land/fantasy"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcpclient-go/mcpclient"
)

// tool is a tool each of whose calls is a span. All but Run is the tool's own.
type tool struct {
	mcpclient.Tool
	origin *origin
}

// Unwrap gives the tool inside: mcpclient.Instructions looks for it there.
func (t *tool) Unwrap() fantasy.AgentTool { return t.Tool }

// origin is what the tools of one server have in common in a step.
type origin struct {
	telemetry *Telemetry
	server    server
	protocol  string // negotiated; "" where unknown
}

// traced gives the tools of a step in their order. A step on warm sessions has
// many tools and little time, so they are one allocation.
func (t *Telemetry) traced(tools []fantasy.AgentTool, known map[serverID]server, summaries []mcpclient.ConnectSummary) []fantasy.AgentTool {
	origins := make(map[serverID]*origin, len(summaries))
	for _, c := range summaries {
		id := serverID{c.ConfigID, c.Slug}
		origins[id] = &origin{telemetry: t, server: known[id], protocol: c.Protocol}
	}
	list, room := make([]fantasy.AgentTool, len(tools)), make([]tool, len(tools))
	for i, inner := range tools {
		list[i] = inner
		inner, ok := inner.(mcpclient.Tool)
		if !ok {
			continue
		}
		if o := origins[serverID{inner.ServerID(), inner.ServerSlug()}]; o != nil {
			room[i] = tool{Tool: inner, origin: o}
			list[i] = &room[i]
		}
	}
	return list
}

// callKey finds the call that is running in a context. Each Telemetry has its
// own, so that two of them may be around one tool.
type callKey struct{ telemetry *Telemetry }

// call is a call as its end is told of it.
type call struct {
	origin *origin
	span   trace.Span
	name   string // the tool's, as metrics show it
}

// Run runs the tool in a span of its own.
func (w *tool) Run(ctx context.Context, k fantasy.ToolCall) (fantasy.ToolResponse, error) {
	o, raw := w.origin, clean(w.Definition().Name)
	t := o.telemetry
	c := &call{origin: o, name: t.limitedTool(o.server, raw)}
	name := methodToolsCall
	if raw != "" && c.name == raw {
		name += " " + raw
	}
	attributes := append(o.server.attributes(), o.attributes(raw)...)
	if id := clean(k.ID); id != "" {
		attributes = append(attributes, keyToolCallID.String(id))
	}
	ctx, c.span = t.tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(attributes...))
	defer c.span.End()
	return w.Tool.Run(context.WithValue(ctx, callKey{t}, c), k)
}

// attributes are those of a call that spans and metrics share.
func (o *origin) attributes(name string) []attribute.KeyValue {
	list := []attribute.KeyValue{
		keyMethod.String(methodToolsCall),
		keyOperation.String(operationTool),
		keyToolName.String(name),
	}
	if o.protocol != "" {
		list = append(list, keyProtocolVersion.String(o.protocol))
	}
	return list
}

// onToolCall records how every call ended and tells the caller's own hook of
// it, also where recording fails.
func (t *Telemetry) onToolCall(told func(context.Context, mcpclient.ToolCallSummary)) func(context.Context, mcpclient.ToolCallSummary) {
	return func(ctx context.Context, s mcpclient.ToolCallSummary) {
		if told != nil {
			defer told(ctx, s)
		}
		if c, ok := ctx.Value(callKey{t}).(*call); ok {
			t.called(ctx, c, s)
		}
	}
}

// called records a call that has just ended; its span is still open.
func (t *Telemetry) called(ctx context.Context, c *call, s mcpclient.ToolCallSummary) {
	list := append(t.limited(c.origin.server).attributes(), c.origin.attributes(c.name)...)
	if failure, limited := callError(s); failure != "" {
		list = append(list, keyErrorType.String(limited))
		c.span.SetAttributes(keyErrorType.String(failure))
		c.span.SetStatus(codes.Error, "")
	}
	if code, ok := strings.CutPrefix(s.ErrorKind, kindRPC); ok {
		c.span.SetAttributes(keyRPCStatus.String(code))
	}
	if s.HTTPStatus != 0 {
		c.span.SetAttributes(keyHTTPStatus.Int(s.HTTPStatus))
	}
	c.span.SetAttributes(
		keyCallOutcome.String(string(s.Outcome)),
		keyAttempts.Int(s.Attempts),
		keyRenewed.Bool(s.Renewed),
		keyBytesIn.Int64(s.BytesIn),
		keyBytesOut.Int64(s.BytesOut),
	)
	t.calls.Record(ctx, s.Duration.Seconds(), metric.WithAttributes(list...))
}

// Prefixes of ToolCallSummary.ErrorKind.
const (
	kindRPC  = "rpc_"
	kindHTTP = "http_"
)

// callError is the error.type of a call, "" for one that did not fail: by the
// conventions the code that the server answered with, or tool_error. limited is
// the same for metrics, where a server can't make up values.
func callError(s mcpclient.ToolCallSummary) (failure, limited string) {
	switch s.Outcome {
	case mcpclient.ToolCallOK:
		return "", ""
	case mcpclient.ToolCallError, mcpclient.ToolCallUnknown:
	default:
		return string(s.Outcome), string(s.Outcome)
	}
	if code, ok := strings.CutPrefix(s.ErrorKind, kindRPC); ok {
		return code, reserved(code)
	}
	if status, ok := strings.CutPrefix(s.ErrorKind, kindHTTP); ok {
		return status, status
	}
	if s.Outcome == mcpclient.ToolCallUnknown {
		return string(s.Outcome), string(s.Outcome)
	}
	kind := cmp.Or(s.ErrorKind, errorOther)
	return kind, kind
}

// reserved is a code of JSON-RPC 2.0 itself or one of those that it leaves to
// implementations (section 5.1), or else a name for all others.
func reserved(code string) string {
	n, err := strconv.Atoi(code)
	if err != nil || n != -32700 && (n < -32603 || n > -32600) && (n < -32099 || n > -32000) {
		return errorOther
	}
	return code
}

// callMeta gives the trace context of a call beside what the caller's own hook
// gives, whose map is not written to. The keys are without a prefix, as SEP-414
// has them.
func (t *Telemetry) callMeta(own func(context.Context) map[string]any) func(context.Context) map[string]any {
	return func(ctx context.Context) map[string]any {
		meta := map[string]any{}
		if own != nil {
			maps.Copy(meta, own(ctx))
		}
		carrier := propagation.MapCarrier{}
		t.propagator.Inject(ctx, carrier)
		for key, value := range carrier {
			meta[key] = value
		}
		return meta
	}
}
