package mcpclientotel_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"

	"cdr.dev/slog/v3"
	"charm.land/fantasy"
	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/propagation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/mcpclient-go/mcpclient"
	mcpclientotel "github.com/mcpclient-go/mcpclient/otel"
)

// A step whose connects and calls are spans of one trace, which goes on in the
// server.
func ExampleTelemetry_Instrument() {
	server := httptest.NewServer(tracedGreeter())
	defer server.Close()
	spans := tracetest.NewInMemoryExporter()

	// Once in the process; without options, otel's globals are used.
	telemetry, err := mcpclientotel.New(mcpclientotel.Options{
		TracerProvider: sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans)),
		Propagator:     propagation.TraceContext{},
	})
	if err != nil {
		panic(err)
	}
	connectAll := telemetry.Instrument(mcpclient.ConnectAll)

	// In every step, in place of mcpclient.ConnectAll.
	ctx := context.Background()
	var background sync.WaitGroup
	configs := []mcpclient.ServerConfig{{ID: uuid.New(), Slug: "greeter", URL: server.URL}}
	tools, _, cleanup := connectAll(ctx, slog.Make(), configs, nil, mcpclient.Options{Background: &background})
	defer background.Wait()
	defer cleanup()
	for _, tool := range tools {
		response, _ := tool.Run(ctx, fantasy.ToolCall{ID: "call_1", Name: tool.Info().Name, Input: `{}`})
		fmt.Println(response.Content)
	}
	for _, span := range spans.GetSpans() {
		fmt.Println(span.SpanKind, span.Name)
	}
	// Output:
	// Hello! I was sent a traceparent: true.
	// internal mcpclient.connect
	// client tools/call hello
}

// tracedGreeter is an MCP server that says whether it could go on with the
// caller's trace.
func tracedGreeter() http.Handler {
	server := mcp.NewServer(&mcp.Implementation{Name: "greeter", Version: "1.0.0"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "hello", Description: "Greet someone."},
		func(_ context.Context, r *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
			_, traced := r.Params.Meta["traceparent"]
			text := fmt.Sprintf("Hello! I was sent a traceparent: %v.", traced)
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
		})
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
}
