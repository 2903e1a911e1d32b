package mcpclient_test

import (
	"testing"
	"time"

	"cdr.dev/slog/v3"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient"
)

// In virtual time conversion takes none; a log that takes its time stands for it.
func TestListThatTakesTooLongToConvertCostsOneStep(t *testing.T) {
	inPool(t, mcpclient.PoolOptions{}, func(t *testing.T, w *world, p *mcpclient.Pool) {
		w.opts.ConnectTimeout = budget
		s := listing(`{"tools":[{"name":"a"},{"name":"b"},{"name":"c"},{"name":"d"}]}`)
		w.serve("s", s).ToolDenyList = []string{"[abc]"}
		w.logs.on = func(e slog.SinkEntry) {
			if e.Message == "mcp tool filtered" {
				time.Sleep(budget)
			}
		}
		first := w.connect()
		require.Equal(t, mcpclient.ConnectOutcomeTimeout, first.of("s").Outcome)
		require.Equal(t, "tools", first.of("s").Phase)
		require.LessOrEqual(t, first.took, 2*budget)
		second := w.connect()
		require.Equal(t, mcpclient.ConnectOutcomeSkipped, second.of("s").Outcome)
		require.Contains(t, second.of("s").Error, "converted")
		require.Zero(t, second.took)
		require.Equal(t, 1, s.Recorder.Count("tools/list"))
	})
}
