package wire

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestResume(t *testing.T) {
	bothWays(t, func(t *testing.T, past bool) {
		answer := func(m message) string { return "id: 9\ndata: " + m.answer() + "\n\n" }
		for name, c := range map[string]struct {
			first string
			get   func(w http.ResponseWriter, r *http.Request, call message, n int)
			error string
			took  time.Duration
			gets  int
		}{
			"G15 cut": {"id: 1\ndata: " + progress + "\n\n", func(w http.ResponseWriter, r *http.Request, call message, _ int) {
				sendEvents(w, answer(call))
			}, "", time.Second, 1},
			"polling with retry": {"id: 0\nretry: 5000\ndata:\n\n", func(w http.ResponseWriter, r *http.Request, call message, n int) {
				if n < 6 {
					sendEvents(w, "id: "+string(rune('0'+n))+"\ndata:\n\n")
					return
				}
				sendEvents(w, answer(call))
			}, "", 30 * time.Second, 6},
			"E13 refused": {"id: 1\ndata:\n\n", func(w http.ResponseWriter, _ *http.Request, _ message, _ int) {
				w.WriteHeader(http.StatusMethodNotAllowed)
			}, "could not be resumed: HTTP 405", time.Second, 1},
			"passing failure": {"id: 1\ndata:\n\n", func(w http.ResponseWriter, _ *http.Request, call message, n int) {
				if n == 1 {
					w.WriteHeader(http.StatusServiceUnavailable)
					return
				}
				sendEvents(w, answer(call))
			}, "", 2 * time.Second, 2},
			"no progress": {"id: 1\ndata:\n\n", func(w http.ResponseWriter, _ *http.Request, _ message, _ int) {
				sendEvents(w, "id: 1\ndata:\n\n")
			}, "could not be resumed: the stream ended without an answer", 3 * time.Second, 3},
			"page": {"id: 1\ndata:\n\n", func(w http.ResponseWriter, _ *http.Request, _ message, _ int) {
				w.Header().Set("Content-Type", "text/html")
			}, "no event stream", time.Second, 1},
			"resumed with the answer to another": {"id: 1\ndata:\n\n", func(w http.ResponseWriter, _ *http.Request, _ message, n int) {
				sendEvents(w, "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n")
			}, "other requests only", 3 * time.Second, 3},
			"no ids": {"data: " + progress + "\n\n", nil, "ended without an answer", 0, 0},
		} {
			t.Run(name, func(t *testing.T) {
				var call message
				var last []string
				f := &fake{}
				f.bad = func(w http.ResponseWriter, _ *http.Request, m message) {
					call = m
					sendEvents(w, c.first)
				}
				f.other = func(w http.ResponseWriter, r *http.Request, _ message) bool {
					if r.Method != http.MethodGet {
						return false
					}
					last = append(last, r.Header.Get("Last-Event-ID"))
					require.Equal(t, "session-1", r.Header.Get("Mcp-Session-Id"))
					require.Equal(t, eventStream, r.Header.Get("Accept"))
					c.get(w, r, call, len(last))
					return true
				}
				bubble(t, f, func(t *testing.T, base *http.Transport) {
					s, err := connect(t.Context(), Config{Endpoint: testURL, Base: base})
					require.NoError(t, err)
					defer s.end()
					s.past = past
					start := time.Now()
					said, err := s.echo(t.Context(), "bad")
					require.Equal(t, c.took, time.Since(start))
					require.Len(t, last, c.gets)
					if c.error != "" {
						require.ErrorContains(t, err, c.error)
					} else {
						require.NoError(t, err)
						require.Equal(t, "bad", said)
					}
					_, err = s.echo(t.Context(), "next")
					require.NoError(t, err)
				})
			})
		}
	})
}

func TestResumeEndsWithTheCaller(t *testing.T) {
	bothWays(t, func(t *testing.T, past bool) {
		f := &fake{bad: func(w http.ResponseWriter, _ *http.Request, _ message) {
			sendEvents(w, "id: 1\nretry: 600000\ndata:\n\n")
		}}
		bubble(t, f, func(t *testing.T, base *http.Transport) {
			s, err := connect(t.Context(), Config{Endpoint: testURL, Base: base})
			require.NoError(t, err)
			defer s.end()
			s.past = past
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			start := time.Now()
			_, err = s.echo(ctx, "bad")
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.Equal(t, 2*time.Second, time.Since(start))
			synctest.Wait()
			require.Len(t, f.canceled, 1)
		})
	})
}
