package mcpclient_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"charm.land/fantasy"
	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

func TestFilters(t *testing.T) {
	for _, tt := range []struct {
		allow, deny []string
		want        []string
		filtered    int
	}{
		{nil, []string{"*"}, nil, 4},
		{[]string{"read_*"}, nil, []string{"f__read_a", "f__read_b"}, 2},
		{[]string{"read_*"}, []string{"read_b"}, []string{"f__read_a"}, 3},
		{[]string{"read_a", "nothing"}, nil, []string{"f__read_a"}, 3},
		{nil, []string{"[odd"}, []string{"f__read_a", "f__read_b", "f__write"}, 1},
	} {
		t.Run(fmt.Sprint(tt.allow, tt.deny), func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				c := w.serve("f", &mcptest.Server{Tools: []mcptest.Tool{{Name: "read_a"}, {Name: "read_b"}, {Name: "write"}, {Name: "[odd"}}})
				c.ToolAllowList, c.ToolDenyList = tt.allow, tt.deny
				r := w.connect()
				require.ElementsMatch(t, tt.want, r.names())
				require.Equal(t, tt.filtered, r.of("f").Filtered)
				r.cleanup()
				w.background.Wait()
			})
		})
	}
}

func TestToolFilterSeesTheDefinitionAndMayDrop(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("f", &mcptest.Server{Tools: []mcptest.Tool{
			{Name: "keep", InputSchema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"}}}`)}, {Name: "drop"}, {Name: "panic"},
		}})
		w.opts.ToolFilter = func(c mcpclient.ServerConfig, tool *mcp.Tool) (bool, string) {
			require.Equal(t, "f", c.Slug)
			if tool.Name == "panic" {
				panic("no")
			}
			schema, _ := tool.InputSchema.(map[string]any)
			properties, _ := schema["properties"].(map[string]any)
			return len(properties) > 0, "it takes nothing"
		}
		r := w.connect()
		require.Equal(t, []string{"f__keep"}, r.names())
		require.ElementsMatch(t, []mcpclient.DroppedTool{
			{Name: "drop", Reason: "it takes nothing"}, {Name: "panic", Reason: "the tool filter panicked"},
		}, r.of("f").Dropped)
		require.Equal(t, 2, r.of("f").DroppedCount)
		r.cleanup()
		w.background.Wait()
	})
}

func TestLimitsCutTheList(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.opts.Limits = mcpclient.Limits{Tools: 3, ToolBytes: 300}
		w.serve("many", &mcptest.Server{PageSize: 2})
		w.serve("large", &mcptest.Server{Tools: []mcptest.Tool{{Name: "small"}, {Name: "large", Description: string(make([]byte, 400))}}})
		r := w.connect()
		require.True(t, r.of("many").Truncated)
		require.LessOrEqual(t, r.of("many").ToolCount, 3)
		require.Equal(t, 1, r.of("large").ToolCount)
		require.Equal(t, 1, r.of("large").DroppedCount)
		r.cleanup()
		w.background.Wait()
	})
}

func TestToolCarriesItsServer(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("good", &mcptest.Server{Tools: []mcptest.Tool{{Name: "db.query", Description: "d", Annotations: map[string]any{"readOnlyHint": true}}, {Name: "x"}}})
		r := w.connect()
		tool := r.tool("good__db_query").(mcpclient.Tool)
		require.Equal(t, idOf("good"), tool.ServerID())
		require.Equal(t, "good", tool.ServerSlug())
		require.Equal(t, "db.query", tool.Definition().Name)
		require.True(t, tool.Info().Parallel)
		require.False(t, r.tool("good__x").Info().Parallel)
		require.NotNil(t, tool.Info().Parameters)
		require.NotNil(t, tool.Info().Required)
		tool.SetProviderOptions(fantasy.ProviderOptions{"p": nil})
		require.Contains(t, tool.ProviderOptions(), "p")
		r.cleanup()
		w.background.Wait()
	})
}

func TestOnConnectHearsOfEveryServerOnce(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.opts.ConnectTimeout = budget
		w.serve("good", &mcptest.Server{})
		w.net.Silent("bad.test:80")
		w.add("bad", "http://bad.test")
		w.serve("hooked", &mcptest.Server{})
		var mu sync.Mutex
		heard := map[string]int{}
		w.opts.OnConnect = func(_ context.Context, s mcpclient.ConnectSummary) {
			mu.Lock()
			heard[s.Slug]++
			mu.Unlock()
			if s.Slug == "hooked" {
				panic("in the host's hook")
			}
		}
		r := w.connect()
		require.Equal(t, map[string]int{"good": 1, "bad": 1, "hooked": 1}, heard)
		require.Equal(t, mcpclient.ConnectOutcomeConnected, r.of("good").Outcome)
		require.Equal(t, mcpclient.ConnectOutcomeError, r.of("hooked").Outcome, "a panic in a hook is that server's error")
		r.cleanup()
		w.background.Wait()
	})
}

func TestHistoryKeepsTheNewestHundred(t *testing.T) {
	t.Parallel()
	var h mcpclient.ConnectHistory
	raw, err := json.Marshal(&h)
	require.NoError(t, err)
	require.JSONEq(t, `{"mcp_connect":[]}`, string(raw))
	for batch := range 25 {
		var entries []mcpclient.ConnectSummary
		for i := range 5 {
			entries = append(entries, mcpclient.ConnectSummary{Slug: fmt.Sprint(batch*5 + i + 1)})
		}
		h.Record(entries...)
	}
	h.Record(mcpclient.ConnectSummary{Slug: "126"})
	entries := h.Entries()
	require.Len(t, entries, 100)
	require.Equal(t, 26, h.Dropped())
	require.Equal(t, "27", entries[0].Slug)
	require.Equal(t, "126", entries[99].Slug)
	raw, err = json.Marshal(&h)
	require.NoError(t, err)
	var decoded struct {
		Entries []mcpclient.ConnectSummary `json:"mcp_connect"`
		Dropped int                        `json:"mcp_connect_dropped"`
	}
	require.NoError(t, json.Unmarshal(raw, &decoded))
	require.Equal(t, entries, decoded.Entries)
	require.Equal(t, 26, decoded.Dropped)
}

func TestHistoryIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	var h mcpclient.ConnectHistory
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				h.Record(mcpclient.ConnectSummary{ConfigID: uuid.New()})
				require.LessOrEqual(t, len(h.Entries()), 100)
				_, err := h.MarshalJSON()
				require.NoError(t, err)
			}
		})
	}
	wg.Wait()
	require.Equal(t, 700, h.Dropped())
}
