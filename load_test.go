package mcpclient_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

var threeWays = []mcptest.Over{overJSON, overSSE, overLegacy}

// serverOver is a server that answers in one of the ways.
func serverOver(over mcptest.Over, tools ...mcptest.Tool) *mcptest.Server {
	return &mcptest.Server{SSE: over == overSSE, LegacySSE: over == overLegacy, Tools: tools}
}

// patient is a tool that returns its arguments after as many milliseconds as
// they say, and notes how many calls of it ran at the same time.
type patient struct {
	mu           sync.Mutex
	running, max int
}

func (p *patient) tool() mcptest.Tool {
	return mcptest.Tool{Name: "wait", Run: func(ctx context.Context, c *mcptest.Invocation) any {
		p.enter(1)
		defer p.enter(-1)
		var in struct{ MS int }
		if err := json.Unmarshal(c.Arguments, &in); err != nil {
			return mcptest.RPCError{Code: -32602, Message: err.Error()}
		}
		select {
		case <-time.After(time.Duration(in.MS) * time.Millisecond):
			return string(c.Arguments)
		case <-ctx.Done():
			return mcptest.RPCError{Code: -32000, Message: "cancelled"}
		}
	}}
}

func (p *patient) enter(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running += n
	p.max = max(p.max, p.running)
}

// TestCallsOnOneSessionGetTheirOwnResults lets the answers come in the reverse
// order of the calls.
func TestCallsOnOneSessionGetTheirOwnResults(t *testing.T) {
	const calls = 64
	for _, over := range threeWays {
		t.Run(over.String(), func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.opts.Limits.ParallelCalls = calls
				var p patient
				s := serverOver(over, p.tool())
				w.serve("good", s)
				r := w.connect()
				start := time.Now()
				var running sync.WaitGroup
				for i := range calls {
					running.Go(func() {
						args := fmt.Sprintf(`{"ms":%d,"call":%d}`, 10*(calls-i), i)
						require.Equal(t, args, r.call("good__wait", args).Content)
					})
				}
				running.Wait()
				require.Equal(t, calls*10*time.Millisecond, time.Since(start), "all run at the same time")
				require.Equal(t, calls, p.max)
				require.Equal(t, calls, s.Executed("wait"))
				require.Equal(t, 1, s.Recorder.Count("initialize"))
				r.cleanup()
				w.background.Wait()
			})
		})
	}
}

func TestThousandCallsOverHundredSessionsGetTheirOwnResults(t *testing.T) {
	const sessions, calls = 100, 10
	inWorld(t, func(t *testing.T, w *world) {
		servers := make([]*mcptest.Server, sessions)
		for i := range servers {
			servers[i] = serverOver(threeWays[i%len(threeWays)], mcptest.Tool{Name: "who", Result: func(args json.RawMessage) any {
				return fmt.Sprintf("server %d: %s", i, args)
			}})
			w.serve(fmt.Sprintf("s%d", i), servers[i])
		}
		r := w.connect()
		require.Len(t, r.tools, sessions)
		var running sync.WaitGroup
		for i := range sessions {
			for call := range calls {
				running.Go(func() {
					args := fmt.Sprintf(`{"call":%d}`, call)
					require.Equal(t, fmt.Sprintf("server %d: %s", i, args), r.call(fmt.Sprintf("s%d__who", i), args).Content)
				})
			}
		}
		running.Wait()
		for _, s := range servers {
			require.Equal(t, calls, s.Executed("who"))
		}
		r.cleanup()
		w.background.Wait()
	})
}

// TestServerThatHangsHoldsUpNoOther fills all places of one server with calls
// that hang.
func TestServerThatHangsHoldsUpNoOther(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.opts.CallTimeout = 30 * time.Second
		hanging := &mcptest.Server{Wedges: map[mcptest.Phase]mcptest.Behaviour{mcptest.Call: mcptest.Hang}}
		w.serve("hanging", hanging)
		for i := range 9 {
			w.serve(fmt.Sprintf("s%d", i), serverOver(threeWays[i%len(threeWays)]))
		}
		r := w.connect()
		start := time.Now()
		var hung, running sync.WaitGroup
		for range 40 {
			hung.Go(func() {
				require.True(t, r.call("hanging__echo", `{"text":"x"}`).IsError)
				require.Equal(t, 30*time.Second, time.Since(start), "waiting for a place counts")
			})
		}
		synctest.Wait()
		for i := range 9 {
			for call := range 20 {
				running.Go(func() {
					text := fmt.Sprintf("%d of %d", call, i)
					require.Equal(t, text, r.call(fmt.Sprintf("s%d__echo", i), fmt.Sprintf(`{"text":%q}`, text)).Content)
				})
			}
		}
		running.Wait()
		require.Zero(t, time.Since(start), "nobody waits for the server that hangs")
		require.Equal(t, 16, hanging.Recorder.Count("tools/call"))
		hung.Wait()
		r.cleanup()
		w.background.Wait()
	})
}

func TestServerIsGivenSoManyCallsAtATime(t *testing.T) {
	const calls = 64
	for _, over := range threeWays {
		for limit, want := range map[int]int{0: 16, 1: 1, 4: 4, -1: calls} {
			t.Run(fmt.Sprintf("%v/%d", over, limit), func(t *testing.T) {
				inWorld(t, func(t *testing.T, w *world) {
					w.opts.CallTimeout = 2 * time.Minute
					w.opts.Limits.ParallelCalls = limit
					var p patient
					w.serve("good", serverOver(over, p.tool()))
					r := w.connect()
					start := time.Now()
					var running sync.WaitGroup
					for range calls {
						running.Go(func() { require.False(t, r.call("good__wait", `{"ms":1000}`).IsError) })
					}
					running.Wait()
					require.Equal(t, want, p.max)
					require.Equal(t, time.Duration(calls/want)*time.Second, time.Since(start), "no place is left empty")
					r.cleanup()
					w.background.Wait()
				})
			})
		}
	}
}

// TestWaitingCallsCostNoGoroutines compares many waiting calls with few: beside
// the callers' own goroutines there are no more of them.
func TestWaitingCallsCostNoGoroutines(t *testing.T) {
	beside := func(t *testing.T, over mcptest.Over, calls int) (goroutines int) {
		inWorld(t, func(t *testing.T, w *world) {
			var p patient
			w.serve("good", serverOver(over, p.tool()))
			r := w.connect()
			synctest.Wait()
			before := runtime.NumGoroutine()
			ctx, cancel := context.WithCancel(t.Context())
			var running sync.WaitGroup
			for range calls {
				running.Go(func() { r.callContext(ctx, "good__wait", `{"ms":10000}`) })
			}
			synctest.Wait()
			goroutines = runtime.NumGoroutine() - before - calls
			cancel()
			running.Wait()
			r.cleanup()
			w.background.Wait()
		})
		return goroutines
	}
	for _, over := range threeWays {
		t.Run(over.String(), func(t *testing.T) {
			few, many := beside(t, over, 32), beside(t, over, 1024)
			t.Logf("%d goroutines for 32 calls, %d for 1,024", few, many)
			require.Less(t, many-few, 100, "1,008 more calls wait")
		})
	}
}
