package mcpclientotel_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"cdr.dev/slog/v3"
	"charm.land/fantasy"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.uber.org/goleak"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/mcptest"
	mcpclientotel "github.com/mcpclient-go/mcpclient/otel"
)

// noLog is a logger that is silent.
var noLog slog.Logger

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is servers on an in-memory network, a step on them, and what telemetry
// has been told of it.
type world struct {
	t          *testing.T
	net        *mcptest.Network
	background sync.WaitGroup
	configs    []mcpclient.ServerConfig
	opts       mcpclient.Options
	otel       mcpclientotel.Options

	spans    *tracetest.InMemoryExporter
	provider *sdktrace.TracerProvider
	reader   *sdkmetric.ManualReader
	tools    []fantasy.AgentTool
}

// inWorld runs a test in virtual time. When it ends, everything of it must be
// gone: a goroutine that is left fails the bubble.
func inWorld(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, net: mcptest.NewNetwork(), spans: tracetest.NewInMemoryExporter(), reader: sdkmetric.NewManualReader()}
		w.provider = sdktrace.NewTracerProvider(sdktrace.WithSyncer(w.spans))
		w.opts = mcpclient.Options{HTTPClient: w.net.Client(), Background: &w.background}
		w.otel = mcpclientotel.Options{
			TracerProvider: w.provider,
			MeterProvider:  sdkmetric.NewMeterProvider(sdkmetric.WithReader(w.reader)),
			Propagator:     propagation.TraceContext{},
		}
		defer w.background.Wait()
		defer w.net.Close()
		test(t, w)
	})
}

func (w *world) serve(slug string, s *mcptest.Server) *mcpclient.ServerConfig {
	url := mcptest.Start(w.t, w.net, slug+".test:8080", s)
	w.configs = append(w.configs, mcpclient.ServerConfig{ID: idOf(slug), Slug: slug, URL: url})
	return &w.configs[len(w.configs)-1]
}

func idOf(slug string) uuid.UUID { return uuid.NewSHA1(uuid.NameSpaceDNS, []byte(slug)) }

func (w *world) telemetry() *mcpclientotel.Telemetry {
	telemetry, err := mcpclientotel.New(w.otel)
	require.NoError(w.t, err)
	return telemetry
}

// connect runs a step to its connected state.
func (w *world) connect(ctx context.Context, telemetry *mcpclientotel.Telemetry) (cleanup func()) {
	connectAll := telemetry.Instrument(mcpclient.ConnectAll)
	w.tools, _, cleanup = connectAll(ctx, noLog, w.configs, nil, w.opts)
	return cleanup
}

func (w *world) tool(name string) fantasy.AgentTool {
	w.t.Helper()
	for _, tool := range w.tools {
		if tool.Info().Name == name {
			return tool
		}
	}
	require.Fail(w.t, "no tool", name)
	return nil
}

func (w *world) call(ctx context.Context, name, input string) fantasy.ToolResponse {
	w.t.Helper()
	response, err := w.tool(name).Run(ctx, fantasy.ToolCall{ID: "call-1", Name: name, Input: input})
	require.NoError(w.t, err)
	return response
}

// span is the one span of a name.
func (w *world) span(name string) tracetest.SpanStub {
	w.t.Helper()
	var found []tracetest.SpanStub
	for _, s := range w.spans.GetSpans() {
		if s.Name == name {
			found = append(found, s)
		}
	}
	require.Len(w.t, found, 1, "spans named %s", name)
	return found[0]
}

// points are what the histogram of a name holds.
func (w *world) points(name string) []metricdata.HistogramDataPoint[float64] {
	w.t.Helper()
	var all metricdata.ResourceMetrics
	require.NoError(w.t, w.reader.Collect(context.Background(), &all))
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			if m.Name == name {
				require.Equal(w.t, "s", m.Unit)
				return m.Data.(metricdata.Histogram[float64]).DataPoints
			}
		}
	}
	return nil
}

// point is the one series of a histogram.
func (w *world) point(name string) metricdata.HistogramDataPoint[float64] {
	w.t.Helper()
	points := w.points(name)
	require.Len(w.t, points, 1)
	return points[0]
}

// told is all text that telemetry holds, to be searched for what must not be in
// it.
func (w *world) told() string {
	var all metricdata.ResourceMetrics
	require.NoError(w.t, w.reader.Collect(context.Background(), &all))
	text := fmt.Sprintf("%+v", all)
	for _, s := range w.spans.GetSpans() {
		text += fmt.Sprintf("%+v", s)
	}
	return text
}

// asMap is attributes in a form that tests compare.
func asMap(list []attribute.KeyValue) map[string]any {
	m := make(map[string]any, len(list))
	for _, a := range list {
		m[string(a.Key)] = a.Value.AsInterface()
	}
	return m
}

// meta is the _meta of every tools/call that a server got, in order.
func meta(t *testing.T, s *mcptest.Server) (list []map[string]any) {
	t.Helper()
	for _, r := range s.Recorder.Requests() {
		if r.RPC != "tools/call" {
			continue
		}
		var message struct {
			Params struct {
				Meta map[string]any `json:"_meta"`
			} `json:"params"`
		}
		require.NoError(t, json.Unmarshal(r.Body, &message))
		list = append(list, message.Params.Meta)
	}
	return list
}
