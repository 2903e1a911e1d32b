package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"github.com/mcpclient-go/mcpclient/internal/wire/address"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// wedge is a place where a request can hang.
var wedges = map[string]func(http.ResponseWriter, *http.Request, message){
	"headers never": hang,
	"body never": func(w http.ResponseWriter, r *http.Request, m message) {
		w.Header().Set("Content-Type", "application/json")
		_ = http.NewResponseController(w).Flush()
		hang(w, r, m)
	},
	"body drips": drip("application/json", "["),
	"stream never": func(w http.ResponseWriter, r *http.Request, m message) {
		sendEvents(w, ":\n\n")
		hang(w, r, m)
	},
	"error body never": func(w http.ResponseWriter, r *http.Request, m message) {
		w.WriteHeader(http.StatusBadRequest)
		_ = http.NewResponseController(w).Flush()
		hang(w, r, m)
	},
	"resuming": func(w http.ResponseWriter, _ *http.Request, _ message) {
		sendEvents(w, "retry: 20000\nid: 1\ndata:\n\n")
	},
}

func TestLifeEndsEverything(t *testing.T) {
	cause := errors.New("budget spent")
	for name, send := range wedges {
		t.Run(name, func(t *testing.T) {
			bubble(t, &fake{bad: send}, func(t *testing.T, base *http.Transport) {
				life, kill := context.WithCancelCause(context.Background())
				s, err := New(Config{Endpoint: testURL, Base: base, Life: life})
				require.NoError(t, err)
				type outcome struct {
					e   *Exchange
					err error
				}
				done := make(chan outcome, 1)
				go func() {
					e, _, err := callOnce(t, s, ExchangeOptions{}, "bad")
					done <- outcome{e, err}
				}()
				time.Sleep(100 * time.Millisecond)
				start := time.Now()
				kill(cause)
				o := <-done
				require.Equal(t, start, time.Now())
				if name != "error body never" {
					require.ErrorIs(t, o.e.Err(), cause)
				}
				_, err = post(t.Context(), s, `{"jsonrpc":"2.0","id":8,"method":"ping"}`)
				require.ErrorIs(t, err, cause)
			})
		})
	}
}

// A flood never lets virtual time pass: the server says when it is under way.
func TestLifeEndsAFlood(t *testing.T) {
	flooding := make(chan struct{})
	f := &fake{bad: func(w http.ResponseWriter, r *http.Request, _ message) {
		sendEvents(w, strings.Repeat(":\n\n", 1<<20))
		close(flooding)
		for block := strings.Repeat(":\n\n", 1<<14); r.Context().Err() == nil; {
			_, _ = io.WriteString(w, block)
		}
	}}
	server := httptest.NewServer(f)
	defer server.Close()
	life, kill := context.WithCancel(context.Background())
	base := DefaultTransport(address.Policy{})
	defer base.CloseIdleConnections()
	s, err := New(Config{Endpoint: server.URL, Base: base, Life: life})
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() {
		ctx, e := NewExchange(t.Context(), ExchangeOptions{})
		defer e.Close()
		resp, err := postTo(ctx, s, server.URL, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"text":"bad"}}}`)
		if err == nil {
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		}
		done <- e.Err()
	}()
	<-flooding
	kill()
	require.ErrorIs(t, <-done, ErrKilled)
}

func TestLifeEndsTheSDK(t *testing.T) {
	for _, method := range []string{"initialize", "notifications/initialized", "tools/call"} {
		t.Run(method, func(t *testing.T) {
			f := &fake{other: func(w http.ResponseWriter, r *http.Request, m message) bool {
				if m.Method == method {
					hang(w, r, m)
				}
				return m.Method == method
			}}
			bubble(t, f, func(t *testing.T, base *http.Transport) {
				life, kill := context.WithCancel(context.Background())
				config := Config{Endpoint: testURL, Base: base, Life: life}
				done := make(chan error, 1)
				go func() {
					c, err := connectLife(t.Context(), config)
					if err == nil {
						_, err = c.echo(t.Context(), "x")
						_ = c.Close()
					}
					done <- err
				}()
				synctest.Wait()
				start := time.Now()
				kill()
				require.ErrorIs(t, <-done, ErrKilled)
				require.Equal(t, start, time.Now())
			})
		})
	}
}

// A dial, and a handshake on what was dialled, outlive their request in http.Transport, but not their session.
func TestLifeEndsDials(t *testing.T) {
	for name, handshake := range map[string]bool{"dial": false, "TLS": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				base := DefaultTransport(address.Policy{})
				base.Proxy = nil
				base.TLSClientConfig = &tls.Config{InsecureSkipVerify: true}
				ended := make(chan error, 1)
				base.DialContext = Dial(func(ctx context.Context, _, _ string) (net.Conn, error) {
					if handshake {
						c, s := net.Pipe()
						go func() {
							var b [1]byte
							for err := error(nil); err == nil; {
								_, err = s.Read(b[:])
							}
							ended <- s.Close()
						}()
						return c, nil
					}
					<-ctx.Done()
					ended <- ctx.Err()
					return nil, ctx.Err()
				})
				life, kill := context.WithCancel(context.Background())
				s, err := New(Config{Endpoint: "https://mcp.test/", Base: base, Life: life})
				require.NoError(t, err)
				done := make(chan *Exchange, 1)
				go func() {
					e, _, _ := callOnce(t, s, ExchangeOptions{}, "x")
					done <- e
				}()
				synctest.Wait()
				start := time.Now()
				kill()
				e := <-done
				require.ErrorIs(t, e.Err(), ErrKilled)
				require.False(t, e.Sent())
				<-ended
				require.Equal(t, start, time.Now())
			})
		})
	}
}

// A connection that one session dialled and left to the pool isn't that session's to end.
func TestLifeLeavesReadyConnections(t *testing.T) {
	bubble(t, &fake{}, func(t *testing.T, base *http.Transport) {
		dial, dials := base.DialContext, 0
		base.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
			dials++
			return dial(ctx, network, addr)
		}
		for range 3 {
			c, err := connect(t.Context(), Config{Endpoint: testURL, Base: base})
			require.NoError(t, err)
			c.end()
		}
		require.Equal(t, 1, dials)
	})
}
