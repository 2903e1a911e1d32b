// Package mcpclientotel records what mcpclient does as OpenTelemetry spans and
// metrics, by the semantic conventions for MCP.
//
// [Telemetry].Instrument takes mcpclient.ConnectAll, or another function of its
// kind, and gives one that is used in its place:
//
//	telemetry, err := mcpclientotel.New(mcpclientotel.Options{})
//	connectAll := telemetry.Instrument(mcpclient.ConnectAll)
//
// Every call of a tool is then a client span, which is active while the call
// runs and whose context the server gets in the request's _meta; every server's
// attempt to connect is a span; and both are metrics. Neither holds arguments,
// results, headers or more of a URL than host and port.
package mcpclientotel

import (
	"context"
	"errors"
	"fmt"

	"cdr.dev/slog/v3"
	"charm.land/fantasy"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcpclient-go/mcpclient"
)

const scope = "github.com/mcpclient-go/mcpclient/otel"

// Options say where telemetry goes. The zero value takes the process's globals.
type Options struct {
	// TracerProvider and MeterProvider are where spans and metrics go. Nil
	// means otel's global ones.
	TracerProvider trace.TracerProvider
	MeterProvider  metric.MeterProvider
	// Propagator writes the call's trace context into the _meta of a tools/call,
	// for the server to see. Nil means otel's global one, which writes nothing
	// until the process sets it. One that carries baggage shows that baggage to
	// every server; propagation.TraceContext alone shows identifiers.
	Propagator propagation.TextMapPropagator

	// MaxServers is how many servers metrics tell apart (50), MaxTools how many
	// tools, of all servers (200): what comes first keeps its name for the life
	// of the Telemetry, all others are "other". Zero means the default, with
	// which an instrument stays below the 2,000 series that OpenTelemetry's SDK
	// keeps; a negative value means no limit. Spans are not limited, but for
	// their name, which has a tool's name only where metrics have it.
	MaxServers, MaxTools int
}

// Telemetry records connects and calls. Make one for the process with New: its
// limits hold for all that it instruments. It is safe for concurrent use.
type Telemetry struct {
	tracer     trace.Tracer
	propagator propagation.TextMapPropagator
	calls      metric.Float64Histogram
	connects   metric.Float64Histogram
	servers    quota[server]
	tools      quota[serverTool]
}

// serverTool is one tool of one server.
type serverTool struct {
	server server
	tool   string
}

// New makes the instruments. It fails only where the MeterProvider refuses one.
func New(o Options) (*Telemetry, error) {
	if o.TracerProvider == nil {
		o.TracerProvider = otel.GetTracerProvider()
	}
	if o.MeterProvider == nil {
		o.MeterProvider = otel.GetMeterProvider()
	}
	if o.Propagator == nil {
		o.Propagator = otel.GetTextMapPropagator()
	}
	t := &Telemetry{
		tracer:     o.TracerProvider.Tracer(scope),
		propagator: o.Propagator,
		servers:    quota[server]{max: limit(o.MaxServers, 50)},
		tools:      quota[serverTool]{max: limit(o.MaxTools, 200)},
	}
	meter := o.MeterProvider.Meter(scope)
	var errCalls, errConnects error
	t.calls, errCalls = meter.Float64Histogram(metricOperationDuration, metric.WithUnit("s"),
		metric.WithDescription("The duration of MCP requests as observed by the client."),
		metric.WithExplicitBucketBoundaries(durationBuckets...))
	t.connects, errConnects = meter.Float64Histogram(metricConnectDuration, metric.WithUnit("s"),
		metric.WithDescription("The duration of attempts to connect an MCP server and list its tools."),
		metric.WithExplicitBucketBoundaries(durationBuckets...))
	if err := errors.Join(errCalls, errConnects); err != nil {
		return nil, fmt.Errorf("make instruments: %w", err)
	}
	return t, nil
}

// ConnectFunc is a function like mcpclient.ConnectAll.
type ConnectFunc func(
	ctx context.Context,
	logger slog.Logger,
	configs []mcpclient.ServerConfig,
	tokens []mcpclient.UserToken,
	opts mcpclient.Options,
) (tools []fantasy.AgentTool, summaries []mcpclient.ConnectSummary, cleanup func())

// Instrument gives a function that does what connect does and records it. The
// caller's own OnConnect, OnToolCall and CallMeta stay in use; keys of the
// trace context win over CallMeta's. The tools it returns are mcpclient.Tool
// values as before. Instrument a function once: twice counts twice.
//
// Spans of attempts are children of the span in the function's context, spans
// of calls of the one in the context of Run.
func (t *Telemetry) Instrument(connect ConnectFunc) ConnectFunc {
	return func(
		ctx context.Context,
		logger slog.Logger,
		configs []mcpclient.ServerConfig,
		tokens []mcpclient.UserToken,
		opts mcpclient.Options,
	) ([]fantasy.AgentTool, []mcpclient.ConnectSummary, func()) {
		known := serversOf(configs)
		opts.OnConnect = t.onConnect(known, opts.OnConnect)
		opts.OnToolCall = t.onToolCall(opts.OnToolCall)
		opts.CallMeta = t.callMeta(opts.CallMeta)
		tools, summaries, cleanup := connect(ctx, logger, configs, tokens, opts)
		return t.traced(tools, known, summaries), summaries, cleanup
	}
}
