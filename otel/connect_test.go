package mcpclientotel_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"cdr.dev/slog/v3"
	"charm.land/fantasy"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/mcptest"
	mcpclientotel "github.com/mcpclient-go/mcpclient/otel"
)

const connectDuration = "mcpclient.connect.duration"

func TestAnAttemptIsASpanAndAMetric(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("slow", &mcptest.Server{Delay: time.Second, RawTools: []string{`{"name":"bad","inputSchema":false}`}}).ToolDenyList = []string{"echo"}
		ctx, step := w.provider.Tracer("agent").Start(t.Context(), "step")
		defer w.connect(ctx, w.telemetry())()
		step.End()

		got := w.span("mcpclient.connect")
		assert.Equal(t, trace.SpanKindInternal, got.SpanKind)
		assert.Equal(t, step.SpanContext().SpanID(), got.Parent.SpanID())
		assert.Equal(t, codes.Unset, got.Status.Code)
		assert.Equal(t, 2*time.Second, got.EndTime.Sub(got.StartTime))
		attributes := asMap(got.Attributes)
		assert.Equal(t, int64(len(w.tools)), attributes["mcpclient.connect.tools"])
		delete(attributes, "mcpclient.connect.tools")
		delete(attributes, "mcpclient.connect.tools_dropped")
		assert.Equal(t, map[string]any{
			"mcp.protocol.version": "2025-11-25", "network.transport": "tcp", "network.protocol.name": "http",
			"server.address": "slow.test", "server.port": int64(8080),
			"mcpclient.server.slug": "slow", "mcpclient.connect.outcome": "connected",
			"mcpclient.connect.tools_filtered": int64(1), "mcpclient.connect.tools_truncated": false,
		}, attributes)

		point := w.point(connectDuration)
		assert.Equal(t, 2.0, point.Sum)
		assert.Equal(t, map[string]any{
			"network.transport": "tcp", "network.protocol.name": "http",
			"server.address": "slow.test", "server.port": int64(8080),
			"mcpclient.server.slug": "slow", "mcpclient.connect.outcome": "connected", "mcpclient.connect.reused": false,
		}, asMap(point.Attributes.ToSlice()))
	})
}

func TestAFailedAttemptSaysHowAndWhere(t *testing.T) {
	tests := []struct {
		name                    string
		server                  *mcptest.Server
		outcome, failure, phase string
		status                  any
	}{
		{"silent", &mcptest.Server{Wedges: map[mcptest.Phase]mcptest.Behaviour{mcptest.Initialize: mcptest.Hang}}, "timeout", "timeout", "initialize", nil},
		{"wants a token", &mcptest.Server{Token: "secret"}, "auth_required", "auth_required", "initialize", int64(401)},
		{"is broken", &mcptest.Server{Wedges: map[mcptest.Phase]mcptest.Behaviour{mcptest.List: mcptest.Status(500, "no")}}, "error", "_OTHER", "list_tools", int64(500)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.serve("s", test.server)
				defer w.connect(t.Context(), w.telemetry())()

				got := w.span("mcpclient.connect")
				assert.Equal(t, codes.Error, got.Status.Code)
				assert.NotEmpty(t, got.Status.Description)
				attributes := asMap(got.Attributes)
				assert.Equal(t, test.outcome, attributes["mcpclient.connect.outcome"])
				assert.Equal(t, test.failure, attributes["error.type"])
				assert.Equal(t, test.phase, attributes["mcpclient.connect.phase"])
				assert.Equal(t, test.status, attributes["http.response.status_code"])
				point := w.point(connectDuration)
				inMetric := asMap(point.Attributes.ToSlice())
				assert.Equal(t, test.outcome, inMetric["mcpclient.connect.outcome"])
				assert.Equal(t, test.failure, inMetric["error.type"])
				assert.Equal(t, test.phase, inMetric["mcpclient.connect.phase"])
			})
		})
	}
}

func TestNoSecretAndNoContentIsRecorded(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("s", &mcptest.Server{Token: "token-aaaaaaaa"})
		config := &w.configs[0]
		config.Auth = mcpclient.APIKey{Header: "Authorization", Value: "Bearer token-aaaaaaaa"}
		config.URL += "/path-bbbbbbbb?key=query-cccccccc"
		failing := *config
		failing.ID, failing.Slug = idOf("t"), "t"
		failing.URL = "http://user:password-dddddddd@gone.test/?key=query-cccccccc"
		failing.Auth = nil
		w.configs = append(w.configs, failing)
		defer w.connect(t.Context(), w.telemetry())()
		require.Equal(t, "argument-eeeeeeee", w.call(t.Context(), "s__echo", `{"text":"argument-eeeeeeee"}`).Content)

		told := w.told()
		require.Contains(t, told, "gone.test")
		for _, secret := range []string{"aaaaaaaa", "bbbbbbbb", "cccccccc", "dddddddd", "eeeeeeee"} {
			require.NotContains(t, told, secret)
		}
	})
}

func TestAWarmSessionIsCountedAndNoSpan(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		s := &mcptest.Server{}
		w.serve("s", s)
		pool := mcpclient.NewPool(mcpclient.PoolOptions{})
		connectAll := w.telemetry().Instrument(pool.ConnectAll)
		for range 3 {
			var cleanup func()
			w.tools, _, cleanup = connectAll(t.Context(), noLog, w.configs, nil, w.opts)
			require.Equal(t, "hi", w.call(t.Context(), "s__echo", `{"text":"hi"}`).Content)
			cleanup()
		}
		require.NoError(t, pool.Close(t.Context()))

		w.span("mcpclient.connect")
		counts := map[bool]uint64{}
		for _, p := range w.points(connectDuration) {
			reused, _ := p.Attributes.Value("mcpclient.connect.reused")
			counts[reused.AsBool()] = p.Count
		}
		require.Equal(t, map[bool]uint64{false: 1, true: 2}, counts)
		traces := map[any]bool{}
		for _, m := range meta(t, s) {
			traces[m["traceparent"]] = true
		}
		require.Len(t, traces, 3, "calls of several steps on one session are spans of their own")
	})
}

func TestServerAddressIsHostAndPort(t *testing.T) {
	tests := []struct {
		url     string
		address any
		port    any
	}{
		{"http://gone.test/mcp", "gone.test", int64(80)},
		{"https://GONE.test/mcp", "gone.test", int64(443)},
		{"http://gone.test:8123", "gone.test", int64(8123)},
		{"http://[::1]:8123/mcp", "::1", int64(8123)},
		{"ftp://gone.test/mcp", "gone.test", nil},
		{"http://%zz/", nil, nil},
	}
	for _, test := range tests {
		t.Run(test.url, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.configs = []mcpclient.ServerConfig{{ID: idOf("s"), Slug: "s", URL: test.url}}
				defer w.connect(t.Context(), w.telemetry())()
				attributes := asMap(w.span("mcpclient.connect").Attributes)
				require.Equal(t, test.address, attributes["server.address"])
				require.Equal(t, test.port, attributes["server.port"])
			})
		})
	}
}

func TestZeroOptionsWork(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.otel = mcpclientotel.Options{}
		s := &mcptest.Server{}
		w.serve("s", s)
		defer w.connect(t.Context(), w.telemetry())()
		require.Equal(t, "hi", w.call(t.Context(), "s__echo", `{"text":"hi"}`).Content)
		require.NotContains(t, meta(t, s)[0], "traceparent")
	})
}

func TestToolsOfOtherKindsPassThrough(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		foreign := fantasy.NewAgentTool("own", "The host's own.", func(context.Context, struct{}, fantasy.ToolCall) (fantasy.ToolResponse, error) {
			return fantasy.NewTextResponse("own"), nil
		})
		connectAll := w.telemetry().Instrument(func(context.Context, slog.Logger, []mcpclient.ServerConfig, []mcpclient.UserToken, mcpclient.Options) ([]fantasy.AgentTool, []mcpclient.ConnectSummary, func()) {
			return []fantasy.AgentTool{foreign}, nil, func() {}
		})
		tools, _, _ := connectAll(t.Context(), noLog, nil, nil, mcpclient.Options{})
		require.Equal(t, []fantasy.AgentTool{foreign}, tools)
	})
}

// refusing is a meter that has no histograms.
type refusing struct{ noop.MeterProvider }

type refusingMeter struct{ noop.Meter }

func (refusing) Meter(string, ...metric.MeterOption) metric.Meter { return refusingMeter{} }

func (refusingMeter) Float64Histogram(name string, _ ...metric.Float64HistogramOption) (metric.Float64Histogram, error) {
	return nil, fmt.Errorf("no %s", name)
}

func TestNewSaysWhenAnInstrumentIsRefused(t *testing.T) {
	_, err := mcpclientotel.New(mcpclientotel.Options{MeterProvider: refusing{}})
	require.ErrorContains(t, err, "make instruments: no mcp.client.operation.duration")
	require.ErrorContains(t, err, connectDuration)
}
