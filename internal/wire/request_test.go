package wire

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestRequestIsWhatTheSDKWouldSend(t *testing.T) {
	var bodies []string
	f := &fake{events: true}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies = append(bodies, string(body))
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		f.ServeHTTP(w, r)
	})
	bubble(t, handler, func(t *testing.T, base *http.Transport) {
		c, err := connect(t.Context(), Config{Endpoint: testURL, Base: base})
		require.NoError(t, err)
		defer c.end()
		_, err = c.echo(t.Context(), "x")
		require.NoError(t, err)
		synctest.Wait() // the connection is idle
		var conns []bool
		q := echo("x")
		q.OnConn = func(reused bool) { conns = append(conns, reused) }
		e := c.wire.Request(t.Context(), q)
		require.Equal(t, `{"content":[{"type":"text","text":"x"}]}`, string(e.Result()))
		require.NoError(t, e.Err())
		require.True(t, e.Done())
		require.True(t, e.Sent())
		require.Equal(t, []bool{true}, conns)

		bySDK, past := f.headers[2], f.headers[3]
		bySDK.Del("Content-Length")
		past.Del("Content-Length")
		require.Equal(t, bySDK, past)
		require.Equal(t, `{"jsonrpc":"2.0","id":`+f.ids[2]+`,"method":"tools/call","params":`+string(q.Params)+`}`, bodies[3])
		require.EqualValues(t, len(bodies[3]), e.BytesOut())
		require.Greater(t, e.BytesIn(), int64(len(e.Result())))
	})
}

func TestRequestIsSentAgainWithNewCredentials(t *testing.T) {
	token := "old"
	var bodies []string
	f := &fake{other: func(w http.ResponseWriter, r *http.Request, m message) bool {
		if m.Method != "tools/call" {
			return false
		}
		bodies = append(bodies, r.Header.Get("Authorization")+" "+m.text())
		if r.Header.Get("Authorization") == "new" {
			return false
		}
		w.WriteHeader(http.StatusUnauthorized)
		return true
	}}
	bubble(t, f, func(t *testing.T, base *http.Transport) {
		c, err := connect(t.Context(), Config{
			Endpoint: testURL, Base: base,
			Headers: func(_ context.Context, r *http.Request) error {
				r.Header.Set("Authorization", token)
				return nil
			},
			Renew: func(context.Context, http.Header) (bool, error) {
				token = "new"
				return true, nil
			},
		})
		require.NoError(t, err)
		defer c.end()
		c.past = true
		said, err := c.echo(t.Context(), "x")
		require.NoError(t, err)
		require.Equal(t, "x", said)
		require.Equal(t, []string{"old x", "new x"}, bodies)
	})
}

func TestNotificationsBesideARequestAreTold(t *testing.T) {
	const prefix = `data: {"jsonrpc":"2.0","method":"notifications/`
	f := &fake{bad: func(w http.ResponseWriter, _ *http.Request, m message) {
		sendEvents(w, prefix+`message","params":{}}`+"\n\n"+prefix+`progress","params":{"progress":1}}`+"\n\n"+
			prefix+`tools/list_changed"}`+"\n\n"+prefix+`cancelled","params":{"requestId":1}}`+"\n\ndata: "+m.answer()+"\n\n")
	}}
	bubble(t, f, func(t *testing.T, base *http.Transport) {
		var told []string
		c, err := connect(t.Context(), Config{Endpoint: testURL, Base: base, Notified: func(method string, params []byte) {
			told = append(told, method+" "+string(params))
		}})
		require.NoError(t, err)
		defer c.end()
		c.past = true
		_, err = c.echo(t.Context(), "bad")
		require.NoError(t, err)
		require.Equal(t, []string{`notifications/progress {"progress":1}`, "notifications/tools/list_changed ", `notifications/cancelled {"requestId":1}`}, told)
	})
}

// The ids of a server's requests come back as they were, also those that a float64 does not hold.
func TestRequestsOfTheServerAreRefusedBesideARequest(t *testing.T) {
	var mu sync.Mutex
	var replies []string
	f := &fake{bad: func(w http.ResponseWriter, r *http.Request, m message) {
		sendEvents(w, `data: {"jsonrpc":"2.0","id":"p","method":"ping"}`+"\n\n"+
			`data: {"jsonrpc":"2.0","id":9007199254740993,"method":"sampling/createMessage","params":{}}`+"\n\n"+
			`data: {"jsonrpc":"2.0","id":1.5,"method":"roots/list"}`+"\n\n")
		pause(r, time.Second)
		sendEvents(w, "data: "+m.answer()+"\n\n")
	}}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		var m message
		if json.Unmarshal(body, &m) == nil && r.Method == http.MethodPost && m.Method == "" {
			mu.Lock()
			replies = append(replies, r.Header.Get("Mcp-Session-Id")+" "+r.Header.Get("Mcp-Protocol-Version")+" "+string(body))
			mu.Unlock()
		}
		f.ServeHTTP(w, r)
	})
	bubble(t, handler, func(t *testing.T, base *http.Transport) {
		c, err := connect(t.Context(), Config{Endpoint: testURL, Base: base})
		require.NoError(t, err)
		defer c.end()
		c.past = true
		_, err = c.echo(t.Context(), "bad")
		require.NoError(t, err)
		synctest.Wait()
		slices.Sort(replies)
		const from = `session-1 2025-11-25 {"jsonrpc":"2.0","id":`
		require.Equal(t, []string{
			from + `"p","result":{}}`,
			from + `1.5,"error":{"code":-32601,"message":"the client does not offer roots/list"}}`,
			from + `9007199254740993,"error":{"code":-32601,"message":"the client does not offer sampling/createMessage"}}`,
		}, replies)
	})
}

// An answer is there when it has come, however long the server then keeps the stream open or takes for what it was told.
func TestAnswerIsNotHeldUp(t *testing.T) {
	f := &fake{
		bad: func(w http.ResponseWriter, r *http.Request, m message) {
			sendEvents(w, `data: {"jsonrpc":"2.0","id":"p","method":"ping"}`+"\n\ndata: "+m.answer()+"\n\n")
			hang(w, r, m)
		},
		other: func(w http.ResponseWriter, r *http.Request, m message) bool {
			if m.Method == "" && m.ID != nil {
				hang(w, r, m)
			}
			return false
		},
	}
	bubble(t, f, func(t *testing.T, base *http.Transport) {
		c, err := connect(t.Context(), Config{Endpoint: testURL, Base: base})
		require.NoError(t, err)
		c.past = true
		start := time.Now()
		said, err := c.echo(t.Context(), "bad")
		require.NoError(t, err)
		require.Equal(t, "bad", said)
		require.Equal(t, start, time.Now())
		c.end()
		require.Equal(t, start, time.Now(), "nothing outlives the session's life")
		require.False(t, c.wire.spawn(func() { t.Error("ran after the session") }))
	})
}

func TestLifeEndsARequest(t *testing.T) {
	cause := errors.New("budget spent")
	for name, send := range wedges {
		t.Run(name, func(t *testing.T) {
			bubble(t, &fake{bad: send}, func(t *testing.T, base *http.Transport) {
				life, kill := context.WithCancelCause(context.Background())
				s, err := New(Config{Endpoint: testURL, Base: base, Life: life})
				require.NoError(t, err)
				done := make(chan *Exchange, 1)
				go func() { done <- s.Request(t.Context(), echo("bad")) }()
				time.Sleep(100 * time.Millisecond)
				start := time.Now()
				kill(cause)
				e := <-done
				s.Wait()
				require.Equal(t, start, time.Now())
				if name != "error body never" {
					require.ErrorIs(t, e.Err(), cause)
				}
				require.ErrorIs(t, s.Request(t.Context(), echo("x")).Err(), cause)
			})
		})
	}
}

// The caller's end is the caller's to tell; the server is told where the request may be running.
func TestCallerEndsARequest(t *testing.T) {
	for name, send := range wedges {
		t.Run(name, func(t *testing.T) {
			f := &fake{bad: send}
			bubble(t, f, func(t *testing.T, base *http.Transport) {
				life, kill := context.WithCancel(context.Background())
				s, err := New(Config{Endpoint: testURL, Base: base, Life: life})
				require.NoError(t, err)
				ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
				defer cancel()
				start := time.Now()
				e := s.Request(ctx, echo("bad"))
				require.Equal(t, 100*time.Millisecond, time.Since(start))
				require.True(t, e.Sent())
				synctest.Wait()
				require.NoError(t, e.Err())
				require.Nil(t, e.Result())
				require.Equal(t, f.ids, f.canceled)
				kill()
				s.Wait()
			})
		})
	}
}

func TestRequestThatIsNotSentIsNotCancelled(t *testing.T) {
	refused := &net.OpError{Op: "dial", Err: io.ErrUnexpectedEOF}
	for name, dial := range map[string]func(context.Context, string, string) (net.Conn, error){
		"dial fails": func(context.Context, string, string) (net.Conn, error) { return nil, refused },
		"dial never ends": func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dials := 0
				life, kill := context.WithCancel(context.Background())
				s, err := New(Config{Endpoint: testURL, Life: life, Base: &http.Transport{DialContext: Dial(func(ctx context.Context, network, addr string) (net.Conn, error) {
					dials++
					return dial(ctx, network, addr)
				})}})
				require.NoError(t, err)
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				e := s.Request(ctx, echo("x"))
				require.False(t, e.Sent())
				if name == "dial fails" {
					require.ErrorIs(t, e.Err(), refused)
				}
				synctest.Wait()
				require.Equal(t, 1, dials)
				kill()
				s.Wait()
			})
		})
	}
}
