package mcpclient_test

import (
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

// Strict servers refuse a list that overtakes notifications/initialized, each in
// its own way.
func TestListThatCameTooSoonIsAskedForAgain(t *testing.T) {
	for code, want := range map[int]mcpclient.ConnectOutcome{
		400: mcpclient.ConnectOutcomeConnected, 404: mcpclient.ConnectOutcomeConnected, 409: mcpclient.ConnectOutcomeConnected,
		412: mcpclient.ConnectOutcomeConnected, 425: mcpclient.ConnectOutcomeConnected, 428: mcpclient.ConnectOutcomeConnected,
		429: mcpclient.ConnectOutcomeConnected, 503: mcpclient.ConnectOutcomeConnected,
		401: mcpclient.ConnectOutcomeAuthRequired, 403: mcpclient.ConnectOutcomeAuthRequired, 500: mcpclient.ConnectOutcomeError,
	} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				var ready atomic.Bool
				s := &mcptest.Server{Fault: func(phase mcptest.Phase, rw http.ResponseWriter, _ *http.Request) bool {
					switch {
					case phase == mcptest.Initialized:
						time.Sleep(100 * time.Millisecond)
						ready.Store(true)
					case phase == mcptest.List && !ready.Load():
						rw.WriteHeader(code)
						_, _ = io.WriteString(rw, "not ready")
						return true
					}
					return false
				}}
				w.serve("s", s)
				r := w.connect()
				require.Equal(t, want, r.of("s").Outcome, r.of("s").Error)
				if want != mcpclient.ConnectOutcomeConnected {
					require.Equal(t, 1, s.Recorder.Count("tools/list"))
					return
				}
				require.Equal(t, 1, s.Recorder.Count("initialize"))
				require.Equal(t, 2, s.Recorder.Count("tools/list"))
			})
		})
	}
}

func TestSessionThatIsLostBeforeTheListEndsIsReplacedOnce(t *testing.T) {
	for name, tt := range map[string]struct {
		at      mcptest.Phase
		times   int32 // how often the session is lost
		outcome mcpclient.ConnectOutcome
		opened  int
	}{
		"before the first page":  {mcptest.ListPage1, 2, mcpclient.ConnectOutcomeConnected, 2}, // the list is asked for twice on each
		"before the second page": {mcptest.ListPage2, 1, mcpclient.ConnectOutcomeConnected, 2},
		"again and again":        {mcptest.ListPage2, 1000, mcpclient.ConnectOutcomeError, 2},
	} {
		for _, pooled := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " pooled ", pooled), func(t *testing.T) {
				inPool(t, mcpclient.PoolOptions{}, func(t *testing.T, w *world, p *mcpclient.Pool) {
					if !pooled {
						w.pool = nil
					}
					var lost atomic.Int32
					s := &mcptest.Server{PageSize: 3}
					s.Fault = func(phase mcptest.Phase, rw http.ResponseWriter, _ *http.Request) bool {
						if phase != tt.at || lost.Add(1) > tt.times {
							return false
						}
						rw.WriteHeader(http.StatusNotFound)
						return true
					}
					w.serve("s", s)
					r := w.connect()
					require.Equal(t, tt.outcome, r.of("s").Outcome, r.of("s").Error)
					require.Equal(t, tt.opened, s.Recorder.Count("initialize"))
					if tt.outcome == mcpclient.ConnectOutcomeConnected {
						require.Len(t, r.tools, 8)
						require.Equal(t, "hi", r.call("s__echo", `{"text":"hi"}`).Content)
						return
					}
					require.Equal(t, "list_tools", r.of("s").Phase)
					require.Equal(t, 404, r.of("s").HTTPStatus)
				})
			})
		}
	}
}

// A lost session does not give the attempt more time.
func TestReplacedSessionKeepsToTheBudget(t *testing.T) {
	overBoth(t, func(t *testing.T, w *world, legacy bool) {
		w.opts.ConnectTimeout = 2 * time.Second
		s := &mcptest.Server{LegacySSE: legacy, PageSize: 3, Fault: func(phase mcptest.Phase, rw http.ResponseWriter, _ *http.Request) bool {
			if phase == mcptest.ListPage2 {
				time.Sleep(1500 * time.Millisecond)
				rw.WriteHeader(http.StatusNotFound)
				return true
			}
			return false
		}}
		w.serve("s", s)
		r := w.connect()
		require.Equal(t, mcpclient.ConnectOutcomeTimeout, r.of("s").Outcome, r.of("s").Error)
		require.Equal(t, 2*time.Second, r.took)
		require.Equal(t, 2, s.Recorder.Count("initialize"))
	})
}
