package mcpclientotel_test

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"charm.land/fantasy"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

const operationDuration = "mcp.client.operation.duration"

func TestACallIsAClientSpanInTheCallersTrace(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		s := &mcptest.Server{Tools: []mcptest.Tool{{Name: "get-weather", Delay: 3 * time.Second, Result: "fine"}}}
		w.serve("weather", s)
		defer w.connect(t.Context(), w.telemetry())()
		ctx, agent := w.provider.Tracer("agent").Start(t.Context(), "invoke_agent")
		require.Equal(t, "fine", w.call(ctx, "weather__get-weather", `{}`).Content)
		agent.End()

		got := w.span("tools/call get-weather")
		assert.Equal(t, trace.SpanKindClient, got.SpanKind)
		assert.Equal(t, agent.SpanContext().SpanID(), got.Parent.SpanID())
		assert.Equal(t, agent.SpanContext().TraceID(), got.SpanContext.TraceID())
		assert.Equal(t, codes.Unset, got.Status.Code)
		assert.Equal(t, 3*time.Second, got.EndTime.Sub(got.StartTime))
		attributes := asMap(got.Attributes)
		assert.Positive(t, attributes["mcpclient.call.bytes_received"])
		assert.Positive(t, attributes["mcpclient.call.bytes_sent"])
		delete(attributes, "mcpclient.call.bytes_received")
		delete(attributes, "mcpclient.call.bytes_sent")
		assert.Equal(t, map[string]any{
			"mcp.method.name": "tools/call", "mcp.protocol.version": "2025-11-25",
			"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "get-weather", "gen_ai.tool.call.id": "call-1",
			"network.transport": "tcp", "network.protocol.name": "http",
			"server.address": "weather.test", "server.port": int64(8080),
			"mcpclient.server.slug": "weather", "mcpclient.call.outcome": "ok", "mcpclient.call.attempts": int64(1), "mcpclient.call.session_renewed": false,
		}, attributes)

		require.Len(t, meta(t, s), 1)
		assert.Equal(t, fmt.Sprintf("00-%s-%s-01", got.SpanContext.TraceID(), got.SpanContext.SpanID()), meta(t, s)[0]["traceparent"])
	})
}

func TestACallIsMeasuredInTheBucketsOfTheConventions(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("weather", &mcptest.Server{Tools: []mcptest.Tool{{Name: "get-weather", Delay: 3 * time.Second, Result: "fine"}}})
		defer w.connect(t.Context(), w.telemetry())()
		w.call(t.Context(), "weather__get-weather", `{}`)
		w.call(t.Context(), "weather__get-weather", `{}`)

		got := w.point(operationDuration)
		assert.Equal(t, uint64(2), got.Count)
		assert.Equal(t, 6.0, got.Sum)
		assert.Equal(t, []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300}, got.Bounds)
		assert.Equal(t, map[string]any{
			"mcp.method.name": "tools/call", "mcp.protocol.version": "2025-11-25",
			"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "get-weather",
			"network.transport": "tcp", "network.protocol.name": "http",
			"server.address": "weather.test", "server.port": int64(8080), "mcpclient.server.slug": "weather",
		}, asMap(got.Attributes.ToSlice()))
	})
}

func TestErrorTypeSaysHowACallFailed(t *testing.T) {
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	tests := []struct {
		name, tool, input string
		ctx               context.Context
		want, metric      string // metric: "" as want
		more              map[string]any
	}{
		{"none", "echo", `{"text":"hi"}`, context.Background(), "", "", nil},
		{"the tool says so", "fail", `{}`, context.Background(), "tool_error", "", nil},
		{"wrong arguments", "echo", `[]`, context.Background(), "rejected", "", nil},
		{"no answer in time", "slow", `{}`, context.Background(), "timeout", "", nil},
		{"canceled before", "echo", `{"text":"hi"}`, canceled, "canceled", "", nil},
		{"the connection breaks", mcptest.FaultyTool, `{}`, context.Background(), "unknown", "", nil},
		{"JSON-RPC error", "rpc", `{}`, context.Background(), "-32000", "", map[string]any{"rpc.response.status_code": "-32000"}},
		{"JSON-RPC error of the server's own", "odd", `{}`, context.Background(), "7", "_OTHER", map[string]any{"rpc.response.status_code": "7"}},
		{"HTTP error", "http", `{}`, context.Background(), "422", "", map[string]any{"http.response.status_code": int64(422)}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.serve("s", &mcptest.Server{
					Tools: append(mcptest.DefaultTools(), mcptest.Tool{Name: mcptest.FaultyTool},
						mcptest.Tool{Name: "http"},
						mcptest.Tool{Name: "odd", Result: mcptest.RPCError{Code: 7, Message: "no"}},
						mcptest.Tool{Name: "rpc", Result: mcptest.RPCError{Code: -32000, Message: "no"}}),
					Wedges: map[mcptest.Phase]mcptest.Behaviour{mcptest.Faulty: mcptest.Reset},
					Fault: func(phase mcptest.Phase, rw http.ResponseWriter, _ *http.Request) bool {
						if phase == mcptest.Call && test.tool == "http" {
							rw.WriteHeader(http.StatusUnprocessableEntity)
							return true
						}
						return false
					},
				})
				defer w.connect(t.Context(), w.telemetry())()
				response := w.call(test.ctx, "s__"+test.tool, test.input)
				require.Equal(t, test.want != "", response.IsError)

				span, point := w.span("tools/call "+test.tool), w.point(operationDuration)
				onSpan, spanHas := asMap(span.Attributes)["error.type"]
				inMetric, metricHas := point.Attributes.Value("error.type")
				if test.want == "" {
					assert.False(t, spanHas)
					assert.False(t, metricHas)
					assert.Equal(t, codes.Unset, span.Status.Code)
					return
				}
				assert.Equal(t, test.want, onSpan)
				assert.Equal(t, cmp.Or(test.metric, test.want), inMetric.AsString())
				for key, value := range test.more {
					assert.Equal(t, value, asMap(span.Attributes)[key], key)
				}
				assert.Equal(t, codes.Error, span.Status.Code)
			})
		})
	}
}

func TestParallelCallsEachCarryTheirOwnSpan(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		s := &mcptest.Server{}
		w.serve("s", s)
		defer w.connect(t.Context(), w.telemetry())()
		var calls sync.WaitGroup
		for range 64 {
			calls.Go(func() { w.call(t.Context(), "s__echo", `{"text":"hi"}`) })
		}
		calls.Wait()

		open := map[any]bool{}
		for _, span := range w.spans.GetSpans() {
			if span.SpanKind == trace.SpanKindClient {
				open[fmt.Sprintf("00-%s-%s-01", span.SpanContext.TraceID(), span.SpanContext.SpanID())] = true
			}
		}
		require.Len(t, open, 64)
		for _, m := range meta(t, s) {
			require.True(t, open[m["traceparent"]], m["traceparent"])
			delete(open, m["traceparent"])
		}
		require.Empty(t, open)
		require.Equal(t, uint64(64), w.point(operationDuration).Count)
	})
}

func TestTheHostsOwnHooksStayInUse(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var connects []mcpclient.ConnectSummary
		var calls []mcpclient.ToolCallSummary
		own := map[string]any{"example.com/tenant": "t1", "traceparent": "the host's"}
		w.opts.OnConnect = func(_ context.Context, s mcpclient.ConnectSummary) { connects = append(connects, s) }
		w.opts.OnToolCall = func(_ context.Context, s mcpclient.ToolCallSummary) { calls = append(calls, s); panic("the host's") }
		w.opts.CallMeta = func(context.Context) map[string]any { return own }
		s := &mcptest.Server{}
		w.serve("s", s)
		defer w.connect(t.Context(), w.telemetry())()
		require.Equal(t, "hi", w.call(t.Context(), "s__echo", `{"text":"hi"}`).Content)

		require.Len(t, connects, 1)
		require.Equal(t, mcpclient.ConnectOutcomeConnected, connects[0].Outcome)
		require.Len(t, calls, 1)
		require.Equal(t, mcpclient.ToolCallOK, calls[0].Outcome)
		require.Equal(t, uint64(1), w.point(operationDuration).Count, "a panic of the host's costs no record")
		sent := meta(t, s)[0]
		require.Equal(t, "t1", sent["example.com/tenant"])
		require.Contains(t, sent["traceparent"], w.span("tools/call echo").SpanContext.SpanID().String())
		require.Equal(t, map[string]any{"example.com/tenant": "t1", "traceparent": "the host's"}, own, "the host's map is the host's")
	})
}

func TestToolsAreWhatTheyWereBefore(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("s", &mcptest.Server{Instructions: "Use echo."})
		cleanup := w.connect(t.Context(), w.telemetry())
		defer cleanup()
		traced := w.tools
		plain, _, cleanup := mcpclient.ConnectAll(t.Context(), noLog, w.configs, nil, w.opts)
		defer cleanup()
		require.Len(t, traced, len(plain))
		require.Contains(t, mcpclient.Instructions(traced), "Use echo.")
		require.Equal(t, mcpclient.Instructions(plain), mcpclient.Instructions(traced))
		for i := range plain {
			got, ok := traced[i].(mcpclient.Tool)
			require.True(t, ok)
			want := plain[i].(mcpclient.Tool)
			require.Equal(t, want.Info(), got.Info())
			require.Equal(t, want.ServerID(), got.ServerID())
			require.Equal(t, want.ServerSlug(), got.ServerSlug())
			require.Equal(t, want.Definition(), got.Definition())
			got.SetProviderOptions(fantasy.ProviderOptions{"x": nil})
			require.Equal(t, fantasy.ProviderOptions{"x": nil}, got.ProviderOptions())
		}
	})
}

func TestNamesThatServersChooseAreBounded(t *testing.T) {
	long := strings.Repeat("é", 2000)
	for name, tool := range map[string]string{"long": long, "controls": "a\x1b[31m\u202eb\U000e0041c\n", "nothing visible": "\u200b"} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.serve("s", &mcptest.Server{Tools: []mcptest.Tool{{Name: tool, Result: "fine"}}})
				defer w.connect(t.Context(), w.telemetry())()
				require.Len(t, w.tools, 1)
				w.call(t.Context(), w.tools[0].Info().Name, `{}`)
				for _, span := range w.spans.GetSpans() {
					if span.SpanKind != trace.SpanKindClient {
						continue
					}
					got := asMap(span.Attributes)["gen_ai.tool.name"].(string)
					require.LessOrEqual(t, len(got), 128)
					require.Equal(t, strings.TrimSpace("tools/call "+got), span.Name)
					require.True(t, utf8.ValidString(got))
					require.NotContains(t, got, "\x1b")
					require.NotContains(t, got, "\u202e")
					require.NotContains(t, got, "\u200b")
				}
			})
		})
	}
}
