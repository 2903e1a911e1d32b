package mcpclient_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cdr.dev/slog/v3"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

type roundTripFunc func(*http.Request) (*http.Response, error)

func (f roundTripFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// brokenBody panics when it is read, and when it is closed.
type brokenBody struct{}

func (brokenBody) Read([]byte) (int, error) { panic("in the host's body") }
func (brokenBody) Close() error             { panic("in the host's body") }

const panicText = "the host's http.RoundTripper panicked; the log has it"

func TestSloppyTransportCostsItsRequestOnly(t *testing.T) {
	bare := func(status int) roundTripFunc {
		return func(*http.Request) (*http.Response, error) { return &http.Response{StatusCode: status}, nil }
	}
	for name, tt := range map[string]struct {
		do      roundTripFunc
		outcome mcpclient.ConnectOutcome
		text    string
	}{
		"nothing at all": {do: func(*http.Request) (*http.Response, error) { return nil, nil }, text: "neither a response nor an error"},
		"a bare 200":     {do: bare(200), text: "empty body"},
		"a bare 401":     {do: bare(401), text: "HTTP 401", outcome: mcpclient.ConnectOutcomeAuthRequired},
		"a bare 503":     {do: bare(503), text: "HTTP 503"},
		"a bare 307":     {do: bare(307), text: "HTTP 307"},
		"no status":      {do: bare(0), text: "HTTP 0"},
		"a panic":        {do: func(*http.Request) (*http.Response, error) { panic("secret-token-of-the-host") }, text: panicText},
		"a body that panics": {text: panicText, do: func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Body: brokenBody{}}, nil
		}},
		"both": {text: "failed in the host", do: func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Body: brokenBody{}}, errors.New("failed in the host")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			overBoth(t, func(t *testing.T, w *world, legacy bool) {
				base, sloppy := w.opts.HTTPClient.Transport, atomic.Bool{}
				w.opts.HTTPClient = &http.Client{Transport: roundTripFunc(func(r *http.Request) (*http.Response, error) {
					if sloppy.Load() {
						return tt.do(r)
					}
					return base.RoundTrip(r)
				})}
				w.serve("s", &mcptest.Server{LegacySSE: legacy, Tools: append(mcptest.DefaultTools(), mcptest.Tool{Name: "once"})})
				r := w.connect()
				w.background.Wait()
				sloppy.Store(true)
				start := time.Now()
				if !legacy || name != "a bare 200" && name != "a body that panics" { // where the answer may come on the stream
					got := r.call("s__once", `{}`)
					require.True(t, got.IsError)
					require.Contains(t, got.Content, tt.text)
					require.Equal(t, start, time.Now())
				}
				failed := w.connect().of("s")
				require.Equal(t, cmp.Or(tt.outcome, mcpclient.ConnectOutcomeError), failed.Outcome)
				require.Contains(t, failed.Error, tt.text)
				require.NotContains(t, failed.Error, "secret-token")
				sloppy.Store(false)
				require.False(t, r.call("s__echo", `{"text":"hi"}`).IsError)
			})
		})
	}
}

// What a session sends on the side runs on goroutines of its own, where a panic
// would be the end of the process.
func TestPanicOfTheHostsTransportBesideCallsIsLogged(t *testing.T) {
	for _, at := range []string{"notifications/initialized", "GET", "DELETE", "notifications/cancelled", `"result":{}`} {
		t.Run(at, func(t *testing.T) {
			inPool(t, mcpclient.PoolOptions{}, func(t *testing.T, w *world, p *mcpclient.Pool) {
				base := w.opts.HTTPClient.Transport
				w.opts.HTTPClient = &http.Client{Transport: roundTripFunc(func(r *http.Request) (*http.Response, error) {
					if r.Method == at || bytes.Contains(bodyOf(r), []byte(at)) {
						panic("in the host's transport")
					}
					return base.RoundTrip(r)
				})}
				s := &mcptest.Server{SSE: true, Tools: append(mcptest.DefaultTools(), mcptest.Tool{Name: "faulty"})}
				s.Wedges = map[mcptest.Phase]mcptest.Behaviour{mcptest.Faulty: mcptest.OnStream(func(x *mcptest.Exchange) {
					x.Send("data: {\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}\n\n")
					x.Hang()
				})}
				w.serve("s", s)
				r := w.connect()
				require.Equal(t, mcpclient.ConnectOutcomeConnected, r.of("s").Outcome, r.of("s").Error)
				time.Sleep(5 * time.Second)
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				require.True(t, r.callContext(ctx, "s__faulty", `{}`).IsError)
				require.Equal(t, "hi", r.call("s__echo", `{"text":"hi"}`).Content)
				r.cleanup()
				require.NoError(t, p.Close(t.Context()))
				logged := strings.Join(w.logs.lines(slog.LevelWarn), "\n")
				require.Contains(t, logged, "panic=in the host's transport")
				require.Contains(t, logged, "RoundTrip")
			})
		})
	}
}

// bodyOf reads the body of a request and puts it back.
func bodyOf(r *http.Request) []byte {
	if r.Body == nil {
		return nil
	}
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	return body
}
