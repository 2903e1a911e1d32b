package wire

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient/internal/wire/address"
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

// A transport may have megabytes of a body when its request ends, and gigabytes of events in them.
func TestFloodEndsWithTheCaller(t *testing.T) {
	var member bytes.Buffer
	z, _ := gzip.NewWriterLevel(&member, gzip.BestCompression)
	event := `data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"x","progress":1}}` + "\n\n"
	_, _ = io.WriteString(z, strings.Repeat(event, 8<<20/len(event)))
	_ = z.Close()
	flood := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", eventStream)
		w.Header().Set("Content-Encoding", "gzip")
		for r.Context().Err() == nil {
			if _, err := w.Write(member.Bytes()); err != nil {
				return
			}
		}
	}
	f := &fake{
		bad: func(w http.ResponseWriter, r *http.Request, _ message) { flood(w, r) },
		other: func(w http.ResponseWriter, r *http.Request, _ message) bool {
			if r.Method == http.MethodGet {
				flood(w, r)
			}
			return r.Method == http.MethodGet
		},
	}
	server := httptest.NewUnstartedServer(f)
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	for name, do := range map[string]func(context.Context, *Session){
		"call":   func(ctx context.Context, s *Session) { s.Request(ctx, echo("bad")) },
		"listen": func(ctx context.Context, s *Session) { _ = s.Listen(ctx, "2025-11-25") },
	} {
		t.Run(name, func(t *testing.T) {
			base := DefaultTransport(address.Policy{})
			base.TLSClientConfig = server.Client().Transport.(*http.Transport).TLSClientConfig
			defer base.CloseIdleConnections()
			life, kill := context.WithCancel(context.Background())
			ctx, cancel := context.WithCancel(t.Context())
			told, later := 0, 0
			s, err := New(Config{Endpoint: server.URL, Base: base, Life: life, BodyBytes: 1 << 20, Notified: func(string, []byte) {
				if told++; told == 100 {
					cancel()
				} else if told > 100 {
					later++
				}
			}})
			require.NoError(t, err)
			do(ctx, s)
			require.ErrorIs(t, ctx.Err(), context.Canceled)
			require.Less(t, later, 1_000_000, "of the 40 million events that a transport may hold")
			kill()
			s.Wait()
		})
	}
}

// What the server asks comes back in the answer: it could be any number of megabytes that nobody reads.
func TestLongRequestsOfTheServerAreNotAnswered(t *testing.T) {
	long := strings.Repeat("x", 2<<10)
	f := &fake{bad: func(w http.ResponseWriter, _ *http.Request, m message) {
		sendEvents(w, `data: {"jsonrpc":"2.0","id":"`+long+`","method":"ping"}`+"\n\n"+`data: {"jsonrpc":"2.0","id":1,"method":"`+long+`"}`+"\n\n"+
			`data: {"jsonrpc":"2.0","id":2,"method":"ping"}`+"\n\ndata: "+m.answer()+"\n\n")
	}}
	bothWays(t, func(t *testing.T, past bool) {
		bubble(t, f, func(t *testing.T, base *http.Transport) {
			f.seen = nil
			c, err := connect(t.Context(), Config{Endpoint: testURL, Base: base})
			require.NoError(t, err)
			defer c.end()
			c.past = past
			said, err := c.echo(t.Context(), "bad")
			require.NoError(t, err)
			require.Equal(t, "bad", said)
			synctest.Wait()
			require.Equal(t, []string{"initialize", "notifications/initialized", "tools/call", ""}, f.methods())
			require.Zero(t, c.wire.serverCalls.Load())
		})
	})
}

func TestRequestIsOneLine(t *testing.T) {
	var body string
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		body = string(raw)
		w.WriteHeader(http.StatusBadRequest)
	})
	bubble(t, handler, func(t *testing.T, base *http.Transport) {
		s, err := New(Config{Endpoint: testURL, Base: base})
		require.NoError(t, err)
		s.Request(t.Context(), Request{Method: "tools/call", Params: []byte("{\n  \"a\": \"x\\ny\",\r\n  \"b\": 1.50\n}")})
		require.Contains(t, body, `"params":{   "a": "x\ny",    "b": 1.50 }}`)
	})
}
