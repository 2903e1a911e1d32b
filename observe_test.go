package mcpclient_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

// calls keeps what OnToolCall hears.
type calls struct {
	mu   sync.Mutex
	seen []mcpclient.ToolCallSummary
}

func (c *calls) hook(_ context.Context, s mcpclient.ToolCallSummary) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen = append(c.seen, s)
}

func (c *calls) last() mcpclient.ToolCallSummary {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seen[len(c.seen)-1]
}

func TestOnToolCallHearsHowEachCallEnded(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var heard calls
		w.opts.OnToolCall = heard.hook
		w.opts.CallTimeout = time.Minute
		s := &mcptest.Server{
			Tools:  append(mcptest.DefaultTools(), mcptest.Tool{Name: mcptest.FaultyTool}, mcptest.Tool{Name: "rpc", Result: mcptest.RPCError{Code: -32000, Message: "no"}}),
			Wedges: map[mcptest.Phase]mcptest.Behaviour{mcptest.Faulty: mcptest.Reset},
		}
		w.serve("s", s)
		r := w.connect()
		expect := func(outcome mcpclient.ToolCallOutcome, tool string, attempts int) mcpclient.ToolCallSummary {
			t.Helper()
			got := heard.last()
			require.Equal(t, outcome, got.Outcome)
			require.Equal(t, tool, got.Tool)
			require.Equal(t, "s", got.ServerSlug)
			require.Equal(t, idOf("s"), got.ServerID)
			require.Equal(t, "call-1", got.CallID)
			require.Equal(t, attempts, got.Attempts)
			return got
		}
		r.call("s__echo", `{"text":"hi"}`)
		got := expect("ok", "echo", 1)
		require.Positive(t, got.BytesIn)
		require.Positive(t, got.BytesOut)
		require.False(t, got.Renewed)
		r.call("s__fail", `{}`)
		expect("tool_error", "fail", 1)
		r.call("s__echo", `[]`)
		expect("rejected", "echo", 0)
		r.call("s__slow", `{}`)
		require.Equal(t, time.Minute, expect("timeout", "slow", 1).Duration)
		r.call("s__faulty", `{}`)
		require.Equal(t, "network", expect("unknown", "faulty", 1).ErrorKind)
		r.call("s__rpc", `{}`)
		require.Equal(t, "rpc_-32000", expect("error", "rpc", 1).ErrorKind)
		s.Forget()
		r.call("s__echo", `{"text":"hi"}`)
		require.True(t, expect("ok", "echo", 2).Renewed)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		r.callContext(ctx, "s__echo", `{"text":"hi"}`)
		expect("canceled", "echo", 0)
		w.net.Shut("s.test:80")
		w.net.Cut()
		r.call("s__args", `{}`)
		expect("error", "args", 2)
		r.cleanup()
		r.call("s__echo", `{"text":"hi"}`)
		expect("canceled", "echo", 0)
	})
}

func TestOnProgressIsOrderedAndCannotDelayACall(t *testing.T) {
	for _, slow := range []bool{false, true} {
		t.Run(fmt.Sprintf("slow hook %v", slow), func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				var mu sync.Mutex
				var heard []float64
				w.opts.OnProgress = func(_ context.Context, p mcpclient.ToolProgress) {
					if slow {
						time.Sleep(time.Hour)
					}
					mu.Lock()
					defer mu.Unlock()
					require.Equal(t, "work", p.Tool)
					require.Equal(t, "call-1", p.CallID)
					require.Equal(t, 10.0, p.Total)
					require.Equal(t, "step", p.Message)
					heard = append(heard, p.Progress)
				}
				w.serve("s", &mcptest.Server{SSE: true, Tools: []mcptest.Tool{{Name: "work", Run: func(_ context.Context, c *mcptest.Invocation) any {
					for i := range 10 {
						time.Sleep(time.Second)
						c.Progress(float64(i+1), 10, "st\x1b[31mep\u202e")
					}
					return mcptest.Text("done")
				}}}})
				r := w.connect()
				start := time.Now()
				require.Equal(t, "done", r.call("s__work", `{}`).Content)
				require.Equal(t, 10*time.Second, time.Since(start))
				r.cleanup()
				w.background.Wait()
				mu.Lock()
				defer mu.Unlock()
				require.IsIncreasing(t, append([]float64{0}, heard...))
				if slow {
					require.LessOrEqual(t, len(heard), 2, "the newest of what came meanwhile")
					return
				}
				require.GreaterOrEqual(t, len(heard), 9)
			})
		})
	}
}

func TestPanickingHooksCostNothingElse(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.opts.OnProgress = func(context.Context, mcpclient.ToolProgress) { panic("progress") }
		w.opts.OnToolCall = func(context.Context, mcpclient.ToolCallSummary) { panic("call") }
		w.serve("s", &mcptest.Server{SSE: true})
		r := w.connect()
		require.False(t, r.call("s__progress", `{}`).IsError)
		require.Equal(t, "hi", r.call("s__echo", `{"text":"hi"}`).Content)
	})
}
