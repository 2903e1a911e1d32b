package mcpclientotel_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcpclient-go/mcpclient/internal/mcptest"
	mcpclientotel "github.com/mcpclient-go/mcpclient/otel"
)

// step connects some servers, calls each tool once and cleans up.
func (w *world) step(telemetry *mcpclientotel.Telemetry) {
	cleanup := w.connect(w.t.Context(), telemetry)
	defer cleanup()
	for _, tool := range w.tools {
		w.call(w.t.Context(), tool.Info().Name, `{}`)
	}
}

// series are the distinct values of a histogram's attribute.
func (w *world) series(name string, keys ...string) (list []string) {
	for _, p := range w.points(name) {
		text := ""
		for i, key := range keys {
			value, _ := p.Attributes.Value(attribute.Key(key))
			if i > 0 {
				text += " "
			}
			text += value.AsString()
		}
		list = append(list, text)
	}
	return list
}

func TestMetricsTellApartSoManyServersAndTools(t *testing.T) {
	tests := []struct {
		name             string
		servers, tools   int
		addresses, calls []string
		names            []string
	}{
		{
			"fewer tools than there are", 2, 3,
			[]string{"a a.test", "b b.test", "other "},
			[]string{"a one", "a two", "b one", "b other", "other other"},
			[]string{"call one|one", "call two|two", "call one|one", "call|two", "call|one", "call|two"},
		},
		{
			"fewer servers than there are", 1, 10,
			[]string{"a a.test", "other "},
			[]string{"a one", "a two", "other other"},
			[]string{"call one|one", "call two|two", "call|one", "call|two", "call|one", "call|two"},
		},
		{
			"no limit", -1, -1,
			[]string{"a a.test", "b b.test", "c c.test"},
			[]string{"a one", "a two", "b one", "b two", "c one", "c two"},
			[]string{"call one|one", "call two|two", "call one|one", "call two|two", "call one|one", "call two|two"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.otel.MaxServers, w.otel.MaxTools = test.servers, test.tools
				for _, slug := range []string{"a", "b", "c"} {
					w.serve(slug, &mcptest.Server{Tools: []mcptest.Tool{{Name: "one", Result: "1"}, {Name: "two", Result: "2"}}})
				}
				telemetry, all := w.telemetry(), w.configs
				for i := range all { // one server after the other, so that the order is known
					w.configs = all[i : i+1]
					w.step(telemetry)
				}

				var names []string
				for _, s := range w.spans.GetSpans() {
					if s.SpanKind == trace.SpanKindClient {
						names = append(names, fmt.Sprint(s.Name, "|", asMap(s.Attributes)["gen_ai.tool.name"]))
					}
				}
				for i := range test.names {
					test.names[i] = "tools/" + test.names[i]
				}
				require.Equal(t, test.names, names)
				require.ElementsMatch(t, test.addresses, w.series(connectDuration, "mcpclient.server.slug", "server.address"))
				require.ElementsMatch(t, test.calls, w.series(operationDuration, "mcpclient.server.slug", "gen_ai.tool.name"))
			})
		})
	}
}

func TestByDefaultMetricsTellApartFiftyServersAndTwoHundredTools(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		tools := make([]mcptest.Tool, 5)
		for i := range tools {
			tools[i] = mcptest.Tool{Name: fmt.Sprint("tool", i), Result: "fine"}
		}
		for i := range 60 {
			w.serve(fmt.Sprint("s", i), &mcptest.Server{Tools: tools})
		}
		telemetry := w.telemetry()
		w.step(telemetry)
		w.step(telemetry)

		require.Len(t, w.series(connectDuration, "mcpclient.server.slug"), 50+1)
		named := 0
		for _, tool := range w.series(operationDuration, "gen_ai.tool.name") {
			if tool != "other" {
				named++
			}
		}
		require.Equal(t, 200, named)
	})
}
