package mcpclient_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"time"

	"cdr.dev/slog/v3"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

// The server that all others might have to wait for comes first.
func TestSlowServerChangesNothingAboutTheOthersOfAPool(t *testing.T) {
	for name, first := range map[string]*mcptest.Server{
		"wedged": wedged(mcptest.Initialize, mcptest.Hang),
		"slow":   {Delay: 200 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			inPool(t, mcpclient.PoolOptions{}, func(t *testing.T, w *world, p *mcpclient.Pool) {
				w.opts.ConnectTimeout = budget
				var mu sync.Mutex
				var settled []string
				w.opts.OnConnect = func(_ context.Context, s mcpclient.ConnectSummary) {
					mu.Lock()
					defer mu.Unlock()
					settled = append(settled, s.Slug)
				}
				w.serve("first", first)
				w.serve("private", &mcptest.Server{Token: "secret", Delay: 5 * time.Millisecond})
				w.serve("broken", &mcptest.Server{Delay: 10 * time.Millisecond, Fault: func(_ mcptest.Phase, rw http.ResponseWriter, _ *http.Request) bool {
					rw.WriteHeader(http.StatusInternalServerError)
					return true
				}})
				w.serve("good", &mcptest.Server{Delay: 20 * time.Millisecond})
				r := w.connect()

				private := r.of("private")
				require.Equal(t, mcpclient.ConnectOutcomeAuthRequired, private.Outcome)
				require.Equal(t, 401, private.HTTPStatus)
				require.EqualValues(t, 5, private.DurationMS)
				broken := r.of("broken")
				require.Equal(t, mcpclient.ConnectOutcomeError, broken.Outcome)
				require.Equal(t, 500, broken.HTTPStatus)
				require.EqualValues(t, 10, broken.DurationMS)
				good := r.of("good")
				require.Equal(t, mcpclient.ConnectOutcomeConnected, good.Outcome)
				require.False(t, good.Reused)
				require.EqualValues(t, 40, good.DurationMS)
				require.Equal(t, []string{"private", "broken", "good", "first"}, settled)
			})
		})
	}
}

// What a flight has brought counts, also where the budget ends at that moment.
func TestFlightThatLandsAtTheLastMomentCounts(t *testing.T) {
	for range 20 {
		inPool(t, mcpclient.PoolOptions{}, func(t *testing.T, w *world, p *mcpclient.Pool) {
			w.opts.ConnectTimeout = budget
			w.serve("s", &mcptest.Server{Delay: budget / 2})
			s := w.connect().of("s")
			if s.Outcome == mcpclient.ConnectOutcomeConnected {
				require.False(t, s.Reused, "it has made a session")
			} else {
				require.Equal(t, mcpclient.ConnectOutcomeTimeout, s.Outcome)
			}
			require.EqualValues(t, budget.Milliseconds(), s.DurationMS)
		})
	}
}

func TestPoolLogsWhyThereIsNoCredential(t *testing.T) {
	inPool(t, mcpclient.PoolOptions{}, func(t *testing.T, w *world, p *mcpclient.Pool) {
		w.serve("s", &mcptest.Server{}).Auth = mcpclient.UserOIDC{}
		w.opts.OIDCTokens = tokenSource(func(context.Context, uuid.UUID) (string, error) {
			return "", errors.New("the issuer is on holiday")
		})
		require.Equal(t, mcpclient.ConnectOutcomeConnected, w.connect().of("s").Outcome)
		require.Len(t, w.logs.lines(slog.LevelWarn), 1)
		require.Contains(t, w.logs.lines(slog.LevelWarn)[0], "the issuer is on holiday")
	})
}
