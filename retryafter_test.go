package mcpclient_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

func TestServerThatSaysToComeBackAtOnceIsAskedAgain(t *testing.T) {
	for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
		overBoth(t, func(t *testing.T, w *world, legacy bool) {
			var calls atomic.Int32
			s := &mcptest.Server{LegacySSE: legacy, Fault: func(phase mcptest.Phase, rw http.ResponseWriter, _ *http.Request) bool {
				if phase != mcptest.Call || calls.Add(1) > 1 {
					return false
				}
				rw.Header().Set("Retry-After", "0")
				rw.WriteHeader(status)
				return true
			}}
			w.serve("s", s)
			r := w.connect()
			start := time.Now()
			require.Equal(t, "hi", r.call("s__echo", `{"text":"hi"}`).Content)
			require.Equal(t, 100*time.Millisecond, time.Since(start))
			require.Equal(t, 1, s.Executed("echo"))
		})
	}
}
