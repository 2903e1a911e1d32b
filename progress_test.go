package mcpclient_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

func TestProgressWithOddFieldsKeepsACallAlive(t *testing.T) {
	for name, fields := range map[string]string{
		"good": `"progress":1`, "none": `"total":3`, "a string": `"progress":"x"`, "too large": `"progress":1e999`, "a message of another type": `"progress":1,"message":7`,
	} {
		t.Run(name, func(t *testing.T) {
			overBoth(t, func(t *testing.T, w *world, legacy bool) {
				w.opts.CallTimeout = 2 * time.Second
				var reports atomic.Int32
				w.opts.OnProgress = func(context.Context, mcpclient.ToolProgress) { reports.Add(1) }
				s := &mcptest.Server{LegacySSE: legacy, SSE: !legacy, Tools: append(mcptest.DefaultTools(), mcptest.Tool{Name: mcptest.FaultyTool, Result: "fine"})}
				s.Wedges = map[mcptest.Phase]mcptest.Behaviour{mcptest.Faulty: mcptest.OnStream(func(x *mcptest.Exchange) {
					_, token, _ := strings.Cut(string(x.Params), `"progressToken":`)
					token = token[:strings.IndexAny(token, ",}")]
					for range 3 {
						time.Sleep(time.Second)
						x.Send(`data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + token + "," + fields + "}}\n\n")
					}
					x.Message(x.Answer())
				})}
				w.serve("s", s)
				r := w.connect()
				require.Equal(t, "fine", r.call("s__faulty", `{}`).Content)
				r.cleanup()
				w.background.Wait()
				require.EqualValues(t, 3, reports.Load())
			})
		})
	}
}
