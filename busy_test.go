package mcpclient_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

func TestWaitThatEndsBehindTheLimitIsNotBegun(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("s", &mcptest.Server{
			Tools:  []mcptest.Tool{{Name: mcptest.FaultyTool}},
			Wedges: map[mcptest.Phase]mcptest.Behaviour{mcptest.Faulty: mcptest.Reply(503, "", "", "Retry-After: 3600")},
		})
		r := w.connect()
		start := time.Now()
		response := r.call("s__faulty", `{}`)
		require.Zero(t, time.Since(start))
		require.Contains(t, response.Content, "not run")
		require.Contains(t, response.Content, "1h0m0s")
	})
}

func TestDialThatEndsWithTheLimitWasNotSent(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.opts.CallTimeout = 3 * time.Second
		w.serve("s", &mcptest.Server{})
		r := w.connect()
		w.net.Shut("s.test:80")
		w.net.Cut()
		w.net.Swallow("s.test:80")
		start := time.Now()
		response := r.call("s__args", `{}`)
		require.Equal(t, 3*time.Second, time.Since(start))
		require.Contains(t, response.Content, "given up")
		require.Contains(t, response.Content, "not run")
	})
}
