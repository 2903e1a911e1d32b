package mcpclient_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"charm.land/fantasy"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

const faultyHost = "faulty.test"

// TestFaultsOfServersCostWhatTheyMust runs the table of misbehaving servers: at
// connect, for the call that goes wrong, for one that runs beside it, and for
// the next one on the same session.
func TestFaultsOfServersCostWhatTheyMust(t *testing.T) {
	for _, c := range mcptest.Cases(mcptest.Faults) {
		t.Run(c.String(), func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.opts.ConnectTimeout, w.opts.CallTimeout = 2*time.Second, time.Minute
				w.opts.Limits.BodyBytes = 20 << 20
				canary := mcptest.Canary(t, w.net)
				s := w.faulty(c)
				r := w.connect()
				require.LessOrEqual(t, r.took, w.opts.ConnectTimeout+grace)
				requireConnected(t, c.Connect, r)
				if r.of("faulty").Outcome == mcpclient.ConnectOutcomeConnected && s != nil {
					callBesideOthers(t, w, c, s, r)
				}
				require.Empty(t, canary.Recorder.Requests(), "nothing goes to another origin")
				r.cleanup()
				w.background.Wait()
			})
		})
	}
}

// faulty puts the case's server on the network; nil where a host alone is the fault.
func (w *world) faulty(c mcptest.Case) *mcptest.Server {
	if c.Host == nil {
		s := c.NewServer()
		w.serve("faulty", s)
		return s
	}
	c.Host(w.net, faultyHost+":80")
	config := w.add("faulty", "http://"+faultyHost+"/mcp")
	if c.Way == mcptest.OverLegacy {
		config.Transport = mcpclient.TransportSSE
	}
	return nil
}

func requireConnected(t *testing.T, want mcptest.Connected, r *result) {
	t.Helper()
	s := r.of("faulty")
	outcome := want.Outcome
	if outcome == "" {
		outcome = "connected"
	}
	if outcome == "either" {
		return
	}
	require.Equal(t, outcome, string(s.Outcome), s.Error)
	require.Equal(t, want.Status, s.HTTPStatus, s.Error)
	require.Contains(t, strings.ToLower(s.Error), strings.ToLower(want.Text))
	require.Equal(t, want.Truncated, s.Truncated)
	require.LessOrEqual(t, len(s.Error), 512)
	for _, name := range want.Tools {
		require.Contains(t, r.rawNames(), name)
	}
	for _, name := range want.Dropped {
		require.NotContains(t, r.rawNames(), name)
		require.Positive(t, s.DroppedCount)
	}
	if s.Outcome != mcpclient.ConnectOutcomeConnected && s.Outcome != mcpclient.ConnectOutcomeNoTools {
		require.NotEmpty(t, s.Error)
		require.NotEmpty(t, s.Phase)
	}
}

func (r *result) rawNames() (names []string) {
	for _, tool := range r.tools {
		names = append(names, tool.(mcpclient.Tool).Definition().Name)
	}
	return names
}

func callBesideOthers(t *testing.T, w *world, c mcptest.Case, s *mcptest.Server, r *result) {
	t.Helper()
	args := c.Args
	if args == "" {
		args = "{}"
	}
	beside := make(chan fantasy.ToolResponse, 1)
	w.background.Go(func() { beside <- r.call("faulty__slow", `{}`) })
	require.NoError(t, s.Running(t.Context(), "slow", 1))

	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	requireExpected(t, ctx, c.Call, "fine", r.callContext(ctx, "faulty__faulty", args))
	s.Release()
	requireExpected(t, t.Context(), c.Running, "released", <-beside)
	requireExpected(t, t.Context(), c.Next, "hi", r.call("faulty__echo", `{"text":"hi"}`))
}

// patience is how long the call that goes wrong may take; those beside it have
// the time they need.
const patience = 40 * time.Second

func requireExpected(t *testing.T, ctx context.Context, want mcptest.Expectation, good string, got fantasy.ToolResponse) {
	t.Helper()
	require.Equal(t, want.Kind == mcptest.TimedOut, ctx.Err() != nil, "the end comes soon, unless nothing can end the call: %s", got.Content)
	switch want.Kind {
	case mcptest.OK:
		require.False(t, got.IsError, got.Content)
		require.Contains(t, got.Content, good)
	case mcptest.Repaired, mcptest.Renewed:
		require.False(t, got.IsError, got.Content)
		require.Contains(t, strings.ToLower(got.Content), strings.ToLower(want.Text))
	case mcptest.Failed:
		require.True(t, got.IsError, got.Content)
		require.Contains(t, strings.ToLower(got.Content), strings.ToLower(want.Text))
	case mcptest.TimedOut:
		require.True(t, got.IsError, got.Content)
	case mcptest.Limited:
		require.True(t, got.IsError, got.Content)
		require.Contains(t, got.Content, "limit")
	}
}
