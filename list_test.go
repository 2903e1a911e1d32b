package mcpclient_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"cdr.dev/slog/v3"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

// listing makes a server whose list is the given JSON.
func listing(raw string) *mcptest.Server {
	return &mcptest.Server{Wedges: map[mcptest.Phase]mcptest.Behaviour{mcptest.List: mcptest.Result(raw)}}
}

func TestGiantDefinitionCostsItself(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		giant := func(size int) string { return `{"name":"giant","description":"` + strings.Repeat("x", size) + `"}` }
		w.serve("one", listing(`{"tools":[`+giant(5<<20)+`,{"name":"a"},{"name":"b"}]}`))
		w.serve("many", listing(`{"tools":[`+strings.Repeat(giant(130<<10)+",", 40)+`{"name":"a"},{"name":"b"}]}`))
		r := w.connect()
		require.Equal(t, []string{"many__a", "many__b", "one__a", "one__b"}, r.names())
		require.False(t, r.of("one").Truncated)
		require.Equal(t, "giant", r.of("one").Dropped[0].Name)
		require.Equal(t, 40, r.of("many").DroppedCount)
		require.Len(t, r.of("many").Dropped, 20)
	})
}

func TestAllowListChoosesFromTheWholeList(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var tools []string
		for i := range 600 {
			tools = append(tools, fmt.Sprintf(`{"name":"t%d"}`, i))
		}
		w.serve("s", listing(`{"tools":[`+strings.Join(tools, ",")+`]}`)).ToolAllowList = []string{"t590"}
		r := w.connect()
		require.Equal(t, []string{"s__t590"}, r.names())
		require.False(t, r.of("s").Truncated)
		require.Equal(t, 599, r.of("s").Filtered)
	})
}

func TestNumberAsCursorLeadsToTheNextPage(t *testing.T) {
	overBoth(t, func(t *testing.T, w *world, legacy bool) {
		pages := map[string]string{"": `{"tools":[{"name":"a"}],"nextCursor":1}`, "1": `{"tools":[{"name":"b"}]}`}
		s := &mcptest.Server{LegacySSE: legacy, Wedges: map[mcptest.Phase]mcptest.Behaviour{mcptest.List: mcptest.Do(func(x *mcptest.Exchange) {
			var params struct{ Cursor string }
			_ = json.Unmarshal(x.Params, &params)
			x.Message([]byte(`{"jsonrpc":"2.0","id":` + string(x.ID) + `,"result":` + pages[params.Cursor] + `}`))
		})}}
		w.serve("s", s)
		require.Equal(t, []string{"s__a", "s__b"}, w.connect().names())
	})
}

func TestListThatIsGoodForAgesIsGood(t *testing.T) {
	inPool(t, mcpclient.PoolOptions{IdleTimeout: time.Hour}, func(t *testing.T, w *world, p *mcpclient.Pool) {
		s := listing(`{"tools":[{"name":"a"}],"ttlMs":9223372036854775807}`)
		w.serve("s", s)
		w.connect()
		time.Sleep(30 * time.Minute)
		require.True(t, w.connect().of("s").Reused)
		require.Equal(t, 1, s.Recorder.Count("tools/list"))
	})
}

func TestDenyIsNotEscapedByASlash(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		s := listing(`{"tools":[{"name":"delete/all"},{"name":"a/b"},{"name":"get"}]}`)
		w.serve("some", s).ToolDenyList = []string{"delete*"}
		w.serve("all", listing(`{"tools":[{"name":"delete/all"},{"name":"a/b"},{"name":"get"}]}`)).ToolDenyList = []string{"*"}
		w.serve("literal", listing(`{"tools":[{"name":"a/b"},{"name":"a_b"}]}`)).ToolDenyList = []string{"a_b"}
		r := w.connect()
		require.Len(t, r.names(), 3)
		require.Equal(t, 1, r.of("some").Filtered)
		require.Equal(t, mcpclient.ConnectOutcomeNoTools, r.of("all").Outcome)
		require.Equal(t, 1, r.of("literal").Filtered)
	})
}

func TestMalformedDenyIsWarnedOf(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("s", listing(`{"tools":[{"name":"a"},{"name":"[draft"}]}`)).ToolDenyList = []string{"delete_[a-", "[draft", "nothing"}
		r := w.connect()
		require.Equal(t, []string{"s__a"}, r.names())
		warnings := w.logs.lines(slog.LevelWarn)
		require.Len(t, warnings, 1)
		require.Contains(t, warnings[0], "delete_[a-")
	})
}

// Conversion is work of this package alone: it ends with the budget too.
func TestConversionEndsWithTheStep(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var tools []string
		for i := range 500 {
			tools = append(tools, fmt.Sprintf(`{"name":"t%d"}`, i))
		}
		w.serve("s", listing(`{"tools":[`+strings.Join(tools, ",")+`]}`))
		ctx, cancel := context.WithCancel(t.Context())
		seen := 0
		w.logs.on = func(e slog.SinkEntry) {
			if e.Message == "mcp tool dropped" || e.Message == "mcp tool filtered" {
				if seen++; seen == 10 {
					cancel()
				}
			}
		}
		w.configs[0].ToolDenyList = []string{"t*"}
		s := w.connectContext(ctx).of("s")
		require.Equal(t, mcpclient.ConnectOutcomeCanceled, s.Outcome)
		w.background.Wait()
		require.Equal(t, 10, seen)
	})
}
