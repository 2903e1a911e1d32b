package wire

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/stretchr/testify/require"
)

// callOnce posts one call with an exchange, reads the SDK's side of the answer and returns both.
func callOnce(t *testing.T, s *Session, o ExchangeOptions, text string) (e *Exchange, sdk string, err error) {
	t.Helper()
	ctx, e := NewExchange(t.Context(), o)
	t.Cleanup(e.Close)
	resp, err := postTo(ctx, s, s.config.Endpoint, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"text":"`+text+`"}}}`)
	if err != nil {
		return e, "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return e, string(body), err
}

func TestExchangeCapturesTheResult(t *testing.T) {
	for name, events := range map[string]bool{"JSON": false, "events": true} {
		t.Run(name, func(t *testing.T) {
			bubble(t, &fake{events: events}, func(t *testing.T, base *http.Transport) {
				s, err := New(Config{Endpoint: testURL, Base: base})
				require.NoError(t, err)
				var reused []bool
				options := ExchangeOptions{
					Stub:   func([]byte) []byte { return []byte("{\n}") },
					OnConn: func(r bool) { reused = append(reused, r) },
				}
				e, sdk, err := callOnce(t, s, options, "x")
				require.NoError(t, err)
				require.Contains(t, sdk, `{"jsonrpc":"2.0","id":7,"result":{ }}`)
				require.NoError(t, e.Err())
				require.True(t, e.Done())
				require.True(t, e.Sent())
				require.Equal(t, `{"content":[{"type":"text","text":"x"}]}`, string(e.Result()))
				require.Greater(t, e.BytesIn(), int64(len(e.Result())))
				require.Greater(t, e.BytesOut(), int64(90))
				first := bytes.Clone(e.Result())

				_, _, err = callOnce(t, s, options, "another")
				require.NoError(t, err)
				require.Equal(t, []bool{false, true}, reused)
				require.Equal(t, first, e.Result(), "a result stays as it is")

				_, sdk, err = callOnce(t, s, ExchangeOptions{}, "x")
				require.NoError(t, err)
				require.Contains(t, sdk, `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"x"}]}}`)
			})
		})
	}
}

func TestExchangeKeepsTheServersError(t *testing.T) {
	f := &fake{bad: with("application/json", `{"jsonrpc":"2.0","id":ID,"error":{"code":-32003,"message":"no","data":[1]}}`)}
	bubble(t, f, func(t *testing.T, base *http.Transport) {
		s, err := New(Config{Endpoint: testURL, Base: base})
		require.NoError(t, err)
		e, sdk, err := callOnce(t, s, ExchangeOptions{Stub: func(r []byte) []byte { t.Error("no result"); return r }}, "bad")
		require.NoError(t, err)
		require.Equal(t, `{"jsonrpc":"2.0","id":7,"error":{"code":-32003,"message":"no","data":[1]}}`, sdk)
		require.Equal(t, &jsonrpc.Error{Code: -32003, Message: "no", Data: []byte("[1]")}, e.Err())
		require.Nil(t, e.Result())
	})
}

// failing is a base that isn't an *http.Transport.
type failing struct{ err error }

func (f failing) RoundTrip(*http.Request) (*http.Response, error) { return nil, f.err }

func TestExchangeKnowsWhatWasSent(t *testing.T) {
	refused := &net.OpError{Op: "dial", Err: io.ErrUnexpectedEOF}
	for name, c := range map[string]struct {
		base    http.RoundTripper
		headers error
		ended   bool
		sent    bool
	}{
		"dial fails":     {base: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return nil, refused }}},
		"no credentials": {base: failing{}, headers: io.ErrNoProgress},
		"session over":   {base: failing{}, ended: true},
		"other base":     {base: failing{refused}, sent: true},
	} {
		t.Run(name, func(t *testing.T) {
			life, kill := context.WithCancel(context.Background())
			defer kill()
			if c.ended {
				kill()
			}
			s, err := New(Config{Endpoint: testURL, Base: c.base, Life: life, Headers: func(context.Context, *http.Request) error { return c.headers }})
			require.NoError(t, err)
			e, _, err := callOnce(t, s, ExchangeOptions{}, "x")
			require.Error(t, err)
			require.ErrorIs(t, err, e.Err())
			require.Equal(t, c.sent, e.Sent())
		})
	}
}

// A kept connection that the server has closed is not a request that was sent, if no other can be had.
func TestStaleConnectionSendsNothing(t *testing.T) {
	bubble(t, &fake{}, func(t *testing.T, base *http.Transport) {
		dial, dials := base.DialContext, 0
		var conn net.Conn
		base.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
			if dials++; dials > 1 {
				return nil, net.ErrClosed
			}
			c, err := dial(ctx, network, addr)
			conn = broken{c, new(bool)}
			return conn, err
		}
		s, err := New(Config{Endpoint: testURL, Base: base})
		require.NoError(t, err)
		_, _, err = callOnce(t, s, ExchangeOptions{}, "x")
		require.NoError(t, err)
		*conn.(broken).down = true
		e, _, err := callOnce(t, s, ExchangeOptions{}, "x")
		require.Error(t, err)
		require.False(t, e.Sent())
	})
}

// broken is a connection that can fail before it takes the first byte of a request.
type broken struct {
	net.Conn
	down *bool
}

func (b broken) Write(p []byte) (int, error) {
	if *b.down {
		_ = b.Close()
		return 0, io.ErrClosedPipe
	}
	return b.Conn.Write(p)
}

func TestExchangeFollowsItsOwnRequestOnly(t *testing.T) {
	f := &fake{bad: status(500, "", ""), other: func(w http.ResponseWriter, _ *http.Request, m message) bool {
		if m.ID != nil && m.Method != "" {
			return false
		}
		w.WriteHeader(http.StatusBadRequest)
		return true
	}}
	bubble(t, f, func(t *testing.T, base *http.Transport) {
		s, err := New(Config{Endpoint: testURL, Base: base})
		require.NoError(t, err)
		ctx, e := NewExchange(t.Context(), ExchangeOptions{})
		defer e.Close()
		for _, body := range []string{
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
			`{"jsonrpc":"2.0","id":1,"result":{}}`,
		} {
			resp, err := post(ctx, s, body)
			require.NoError(t, err)
			require.Equal(t, http.StatusAccepted, resp.StatusCode)
		}
		require.False(t, e.Done())
		_, err = post(ctx, s, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
		require.NoError(t, err)
		require.NoError(t, e.Err())
		require.NotEmpty(t, e.Result())
		_, err = post(ctx, s, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"arguments":{"text":"bad"}}}`)
		require.Error(t, err)
		require.NoError(t, e.Err())
	})
}

func TestClosedExchangeStaysAsItIs(t *testing.T) {
	bubble(t, &fake{}, func(t *testing.T, base *http.Transport) {
		s, err := New(Config{Endpoint: testURL, Base: base})
		require.NoError(t, err)
		ctx, e := NewExchange(t.Context(), ExchangeOptions{
			Stub:   func(r []byte) []byte { t.Error("called"); return r },
			OnConn: func(bool) { t.Error("called") },
		})
		e.Close()
		require.ErrorIs(t, ctx.Err(), context.Canceled)
		_, err = post(context.WithoutCancel(ctx), s, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
		require.NoError(t, err)
		require.False(t, e.Done())
		require.Nil(t, e.Result())
		require.Zero(t, e.BytesOut())
	})
}

// The connection of a call serves the next one although the caller's context ends with the answer.
func TestConnectionsAreReused(t *testing.T) {
	bothWays(t, func(t *testing.T, past bool) {
		for name, events := range map[string]bool{"JSON": false, "events": true} {
			t.Run(name, func(t *testing.T) {
				f := &fake{events: events, bad: func(w http.ResponseWriter, r *http.Request, m message) {
					sendEvents(w, "data: "+m.answer()+"\n\n")
					pause(r, 100*time.Millisecond) // the stream ends a little later
				}}
				bubble(t, f, func(t *testing.T, base *http.Transport) {
					dial, dials := base.DialContext, 0
					base.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
						dials++
						return dial(ctx, network, addr)
					}
					c, err := connect(t.Context(), Config{Endpoint: testURL, Base: base})
					require.NoError(t, err)
					defer c.end()
					c.past = past
					for range 20 {
						ctx, cancel := context.WithCancel(t.Context())
						_, err := c.echo(ctx, map[bool]string{true: "bad", false: "x"}[events])
						cancel()
						require.NoError(t, err)
						time.Sleep(time.Second)
					}
					// The request behind initialize may find its stream not quite at the end.
					require.LessOrEqual(t, dials, 2)
				})
			})
		}
	})
}
