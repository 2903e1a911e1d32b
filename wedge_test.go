package mcpclient_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

const (
	budget = time.Second
	grace  = 100 * time.Millisecond
)

// wedges are the points at which a server can stop answering while it is being
// connected, with the phase that the summary must name.
var wedges = []struct {
	name   string
	legacy bool
	server *mcptest.Server
	silent bool // TCP is accepted, and that is all
	hole   bool // not even that
	phase  string
}{
	{name: "dial never ends", hole: true, phase: "connect"},
	{name: "accepts and is silent", silent: true, phase: "initialize"},
	{name: "initialize never answered", server: wedged(mcptest.Initialize, mcptest.Hang), phase: "initialize"},
	{name: "initialize without a body", server: wedged(mcptest.Initialize, mcptest.HangBody), phase: "initialize"},
	{name: "initialize on a silent stream", server: wedged(mcptest.Initialize, mcptest.HangStream), phase: "initialize"},
	{name: "initialize drips", server: wedged(mcptest.Initialize, mcptest.Drip("application/json", "$ANSWER", time.Second)), phase: "initialize"},
	{name: "first page never answered", server: wedged(mcptest.ListPage1, mcptest.Hang), phase: "list_tools"},
	{name: "first page without a body", server: wedged(mcptest.ListPage1, mcptest.HangBody), phase: "list_tools"},
	{name: "first page on a silent stream", server: wedged(mcptest.ListPage1, mcptest.HangStream), phase: "list_tools"},
	{name: "second page never answered", server: wedged(mcptest.ListPage2, mcptest.Hang), phase: "list_tools"},
	{name: "second page without a body", server: wedged(mcptest.ListPage2, mcptest.HangBody), phase: "list_tools"},
	{name: "every request hangs", server: wedged(mcptest.Every, mcptest.Hang), phase: "initialize"},

	{name: "dial never ends", legacy: true, hole: true, phase: "connect"},
	{name: "accepts and is silent", legacy: true, silent: true, phase: "connect"},
	{name: "stream without headers", legacy: true, server: wedged(mcptest.SSEGet, mcptest.Hang), phase: "connect"},
	{name: "stream without endpoint", legacy: true, server: wedged(mcptest.SSEEndpoint, mcptest.Hang), phase: "connect"},
	{name: "posts hang", legacy: true, server: wedged(mcptest.SSEPost, mcptest.Hang), phase: "initialize"},
	{name: "initialize never answered", legacy: true, server: wedged(mcptest.Initialize, mcptest.HangStream), phase: "initialize"},
	{name: "first page never answered", legacy: true, server: wedged(mcptest.ListPage1, mcptest.HangStream), phase: "list_tools"},
	{name: "first page's post hangs", legacy: true, server: wedged(mcptest.ListPage1, mcptest.Hang), phase: "list_tools"},
	{name: "second page never answered", legacy: true, server: wedged(mcptest.ListPage2, mcptest.HangStream), phase: "list_tools"},
}

func wedged(phase mcptest.Phase, b mcptest.Behaviour) *mcptest.Server {
	return &mcptest.Server{PageSize: 4, Wedges: map[mcptest.Phase]mcptest.Behaviour{phase: b}}
}

func transportName(legacy bool) string {
	if legacy {
		return "sse"
	}
	return "streamable"
}

// wedgedServer puts the server of a wedge on the network.
func (w *world) wedgedServer(i int) {
	wedge := wedges[i]
	switch {
	case wedge.silent:
		w.net.Silent("bad.test:80")
	case wedge.hole:
		w.net.Swallow("bad.test:80")
	default:
		s := &mcptest.Server{PageSize: wedge.server.PageSize, Wedges: wedge.server.Wedges, LegacySSE: wedge.legacy}
		w.serve("bad", s)
		return
	}
	c := w.add("bad", "http://bad.test/mcp")
	if wedge.legacy {
		c.Transport = mcpclient.TransportSSE
	}
}

func TestWedgedServerCostsItsBudgetAndLeavesNothing(t *testing.T) {
	for i, wedge := range wedges {
		t.Run(transportName(wedge.legacy)+"/"+wedge.name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.opts.ConnectTimeout = budget
				w.wedgedServer(i)
				start := time.Now()
				r := w.connect()
				require.Equal(t, budget, r.took, "in virtual time nothing comes on top of the budget")
				s := r.of("bad")
				require.Equal(t, mcpclient.ConnectOutcomeTimeout, s.Outcome, s.Error)
				require.Equal(t, wedge.phase, s.Phase)
				require.Empty(t, r.tools)

				w.background.Wait()
				require.LessOrEqual(t, time.Since(start), budget+grace, "the attempt's goroutine")
				synctest.Wait()
				w.opts.HTTPClient.CloseIdleConnections()
				require.Zero(t, w.net.Open(), "sockets")
				r.cleanup()
				t.Logf("| %s | %s | %.2f | 0 |", transportName(wedge.legacy), wedge.name, float64(r.took)/float64(budget))
			})
		})
	}
}

func TestCanceledParentEndsEveryAttemptAtOnce(t *testing.T) {
	for i, wedge := range wedges {
		t.Run(transportName(wedge.legacy)+"/"+wedge.name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.wedgedServer(i)
				ctx, cancel := context.WithTimeout(t.Context(), budget)
				defer cancel()
				r := w.connectContext(ctx)
				require.Equal(t, budget, r.took)
				require.Equal(t, mcpclient.ConnectOutcomeCanceled, r.of("bad").Outcome)
				w.background.Wait()
				require.LessOrEqual(t, r.took, budget+grace)
				require.Empty(t, w.logs.lines(4), "a cancellation is no server's failure")
				r.cleanup()
			})
		})
	}
}

func TestHangingInitializedDoesNotMatter(t *testing.T) {
	for _, legacy := range []bool{false, true} {
		t.Run(transportName(legacy), func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				s := wedged(mcptest.Initialized, mcptest.Hang)
				s.LegacySSE = legacy
				w.serve("slow", s)
				r := w.connect()
				require.Equal(t, mcpclient.ConnectOutcomeConnected, r.of("slow").Outcome, r.of("slow").Error)
				require.Zero(t, r.took)
				require.Equal(t, "hi", r.call("slow__echo", `{"text":"hi"}`).Content)
				r.cleanup()
				w.background.Wait()
			})
		})
	}
}

func TestCleanupIsBoundedWhenDeleteHangs(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("bad", wedged(mcptest.Delete, mcptest.Hang))
		r := w.connect()
		start := time.Now()
		r.cleanup()
		require.Zero(t, time.Since(start), "cleanup waits for nothing")
		w.background.Wait()
		require.Equal(t, 5*time.Second, time.Since(start), "one polite close, bounded")
		w.opts.HTTPClient.CloseIdleConnections()
		synctest.Wait()
		require.Zero(t, w.net.Open())
	})
}
