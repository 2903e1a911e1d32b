package wire

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/stretchr/testify/require"
)

func TestNewRefusesBadURLs(t *testing.T) {
	for _, endpoint := range []string{"", "mcp.test", "/mcp", "ftp://mcp.test", "http://", "http://%zz/", "http://a b/?key=secret"} {
		_, err := New(Config{Endpoint: endpoint})
		require.Error(t, err, endpoint)
		require.NotContains(t, err.Error(), "secret")
	}
}

// The shapes are those of the three SDKs' servers and of others that were seen.
func TestSessionLost(t *testing.T) {
	bothWays(t, func(t *testing.T, past bool) {
		for name, c := range map[string]struct {
			status int
			body   string
			auth   bool // credentials are sent
			lost   bool
		}{
			"Python":                    {404, `{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Session not found"}}`, true, true},
			"TypeScript":                {404, `{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null}`, true, true},
			"Go":                        {404, "session not found\n", true, true},
			"404 without a body":        {404, "", true, true},
			"404 with the request's id": {404, `{"jsonrpc":"2.0","id":ID,"error":{"code":-32601,"message":"x"}}`, true, true},
			"TypeScript 400":            {400, `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}`, true, true},
			"400 in capitals":           {400, "INVALID SESSION", true, true},
			"400 about something else":  {400, `{"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"bad arguments"}}`, true, false},
			"401 with credentials":      {401, "session expired", true, true},
			"403 about a session":       {403, "invalid session", true, false},
			"410":                       {410, "", false, true},
			"401 without credentials":   {401, "session expired", false, true},
			"401 without a word":        {401, "", false, false},
			"500":                       {500, "session", true, false},
		} {
			t.Run(name, func(t *testing.T) {
				f := &fake{bad: status(c.status, "application/json", c.body)}
				bubble(t, f, func(t *testing.T, base *http.Transport) {
					config := Config{Endpoint: testURL, Base: base}
					if c.auth {
						config.Headers = secret
					}
					s, err := connect(t.Context(), config)
					require.NoError(t, err)
					defer s.end()
					s.past = past
					_, err = s.echo(t.Context(), "bad")
					var refused *HTTPError
					require.ErrorAs(t, err, &refused)
					require.True(t, refused.HadSession)
					require.Equal(t, c.lost, refused.SessionLost())
					before := len(f.methods())
					require.NoError(t, s.wire.Delete(t.Context()))
					require.Equal(t, c.lost, len(f.methods()) == before, "a lost session isn't deleted")
				})
			})
		}
	})
}

func TestHTTPErrorAtInitialize(t *testing.T) {
	for name, c := range map[string]struct {
		status      int
		allow, body string
		error       string
	}{
		"E4 404":            {404, "", "", "HTTP 404: no MCP endpoint at this path"},
		"405":               {405, "GET", "Method Not Allowed", "HTTP 405: no streamable HTTP here, looks like a legacy SSE endpoint"},
		"Go SSE server":     {400, "", "sessionid must be provided", "looks like a legacy SSE endpoint"},
		"406":               {406, "", "", "Accept"},
		"unknown version":   {400, "", `{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"Unsupported protocol version"}}`, "Unsupported protocol version"},
		"not a status line": {599, "", "", "HTTP 599: unknown status"},
	} {
		t.Run(name, func(t *testing.T) {
			handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if c.allow != "" {
					w.Header().Set("Allow", c.allow)
				}
				w.Header().Set("Retry-After", "7")
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			})
			bubble(t, handler, func(t *testing.T, base *http.Transport) {
				_, err := connect(t.Context(), Config{Endpoint: testURL, Base: base})
				require.ErrorContains(t, err, c.error)
				var refused *HTTPError
				require.ErrorAs(t, err, &refused)
				require.False(t, refused.SessionLost())
				require.Equal(t, 7*time.Second, refused.RetryAfter)
				if name == "unknown version" {
					var rpc *jsonrpc.Error
					require.ErrorAs(t, err, &rpc)
					require.EqualValues(t, -32022, rpc.Code)
				}
			})
		})
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC)
	for value, want := range map[string]struct {
		wait time.Duration
		says bool
	}{
		"":               {0, false},
		"-1":             {0, false},
		"0":              {0, true},
		"x":              {0, false},
		"99999999999999": {0, false},
		"120":            {2 * time.Minute, true},
		now.Add(time.Minute).Format(http.TimeFormat):  {time.Minute, true},
		now.Add(-time.Minute).Format(http.TimeFormat): {0, true},
	} {
		wait, says := retryAfter(value, now)
		require.Equal(t, want.wait, wait, value)
		require.Equal(t, want.says, says, value)
	}
}

func TestInitializedMayBeAnsweredAnyhow(t *testing.T) {
	for name, send := range map[string]func(http.ResponseWriter, *http.Request, message){
		"E16 null":  with("application/json", "null"),
		"E16 empty": with("application/json", ""),
		"204":       status(204, "", ""),
		"202 text":  status(202, "text/plain", "Accepted"),
		"400":       status(400, "text/plain", "no"),
		"404":       status(404, "", ""),
		"500":       status(500, "", ""),
		"page":      with("text/html", page),
		"open stream": func(w http.ResponseWriter, r *http.Request, m message) {
			sendEvents(w, ":\n\n")
			hang(w, r, m)
		},
		"flood": func(w http.ResponseWriter, r *http.Request, _ message) { endless(w, r, eventStream, 200, ":", "a\n\n") },
	} {
		t.Run(name, func(t *testing.T) {
			f := &fake{other: func(w http.ResponseWriter, r *http.Request, m message) bool {
				if m.Method != "notifications/initialized" {
					return false
				}
				send(w, r, m)
				return true
			}}
			bubble(t, f, func(t *testing.T, base *http.Transport) {
				w, err := New(Config{Endpoint: testURL, Base: base})
				require.NoError(t, err)
				ctx, e := NewExchange(t.Context(), ExchangeOptions{})
				defer e.Close()
				resp, err := post(ctx, w, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
				require.NoError(t, err)
				require.Equal(t, http.StatusAccepted, resp.StatusCode)
				_, numeric := strconv.Atoi(name)
				var refused *HTTPError
				if numeric == nil && name != "204" {
					require.ErrorAs(t, e.Err(), &refused)
				} else {
					require.NoError(t, e.Err())
				}
			})
		})
	}
}

// post sends a message as the SDK does.
func post(ctx context.Context, s *Session, body string) (*http.Response, error) {
	return postTo(ctx, s, testURL, body)
}

func postTo(ctx context.Context, s *Session, url, body string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, readerOf(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	return s.Client().Do(r)
}

func TestRefusedCancellationIsHarmless(t *testing.T) {
	bothWays(t, func(t *testing.T, past bool) {
		for name, send := range map[string]func(http.ResponseWriter, *http.Request, message){
			"E10 hangs": hang,
			"400":       status(400, "", ""),
			"401":       status(401, "", ""),
			"404":       status(404, "", ""),
			"405":       status(405, "", ""),
			"closes":    abort,
			"page":      with("text/html", page),
		} {
			t.Run(name, func(t *testing.T) {
				f := &fake{bad: hang, other: func(w http.ResponseWriter, r *http.Request, m message) bool {
					if m.Method != methodCancelled {
						return false
					}
					send(w, r, m)
					return true
				}}
				bubble(t, f, func(t *testing.T, base *http.Transport) {
					c, err := connect(t.Context(), Config{Endpoint: testURL, Base: base})
					require.NoError(t, err)
					defer c.end()
					c.past = past
					ctx, cancel := context.WithTimeout(t.Context(), time.Second)
					defer cancel()
					start := time.Now()
					_, err = c.echo(ctx, "bad")
					require.ErrorIs(t, err, context.DeadlineExceeded)
					require.Equal(t, time.Second, time.Since(start))
					said, err := c.echo(t.Context(), "x")
					require.NoError(t, err)
					require.Equal(t, "x", said)
					synctest.Wait()
					// What is cancelled is the id that the server knows: the second one that it got.
					require.Equal(t, []string{f.ids[1]}, f.canceled)
				})
			})
		}
	})
}

func TestOnlyWhatMayRunIsCancelled(t *testing.T) {
	f := &fake{events: true}
	bubble(t, f, func(t *testing.T, base *http.Transport) {
		w, err := New(Config{Endpoint: testURL, Base: base})
		require.NoError(t, err)
		resp, err := post(t.Context(), w, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		require.NoError(t, err)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.Contains(t, string(body), `"id":1,`)
		for _, id := range []string{"1", "2"} { // answered, and never sent
			resp, err := post(t.Context(), w, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+id+`}}`)
			require.NoError(t, err)
			require.Equal(t, http.StatusAccepted, resp.StatusCode)
		}
		require.Equal(t, []string{"tools/list"}, f.methods())
	})
}

func TestRequestIDsAreUniqueBeyondTheSession(t *testing.T) {
	f := &fake{}
	bubble(t, f, func(t *testing.T, base *http.Transport) {
		seen := map[string]bool{}
		for range 20 {
			c, err := connect(t.Context(), Config{Endpoint: testURL, Base: base})
			require.NoError(t, err)
			_, err = c.echo(t.Context(), "x")
			require.NoError(t, err)
			c.end()
		}
		for _, id := range f.ids {
			require.False(t, seen[id])
			seen[id] = true
			n, err := strconv.ParseInt(id, 10, 64)
			require.NoError(t, err)
			require.Less(t, n, int64(1)<<53)
		}
		require.Len(t, seen, 40)
	})
}

// Requests of the server reach the SDK and its answers the server, during a call.
func TestServerRequests(t *testing.T) {
	const flood = 500
	bothWays(t, func(t *testing.T, past bool) {
		f := &fake{bad: func(w http.ResponseWriter, r *http.Request, m message) {
			events := ""
			for i := range flood {
				events += `data: {"jsonrpc":"2.0","id":"p` + strconv.Itoa(i) + `","method":"ping"}` + "\n\n"
			}
			sendEvents(w, events)
			pause(r, time.Second)
			sendEvents(w, "data: {\"jsonrpc\":\"2.0\",\"id\":\"last\",\"method\":\"ping\"}\n\ndata: "+m.answer()+"\n\n")
		}}
		bubble(t, f, func(t *testing.T, base *http.Transport) {
			c, err := connect(t.Context(), Config{Endpoint: testURL, Base: base})
			require.NoError(t, err)
			defer c.end()
			c.past = past
			said, err := c.echo(t.Context(), "bad")
			require.NoError(t, err)
			require.Equal(t, "bad", said)
			synctest.Wait()
			answers := 0
			for _, m := range f.methods() {
				if m == "" {
					answers++
				}
			}
			require.GreaterOrEqual(t, answers, 2)
			require.Less(t, answers, flood)
			require.Zero(t, c.wire.serverCalls.Load())
		})
	})
}

func TestDelete(t *testing.T) {
	t.Run("hangs", func(t *testing.T) {
		f := &fake{other: func(w http.ResponseWriter, r *http.Request, m message) bool {
			if r.Method == http.MethodDelete {
				hang(w, r, m)
			}
			return r.Method == http.MethodDelete
		}}
		bubble(t, f, func(t *testing.T, base *http.Transport) {
			c, err := connect(t.Context(), Config{Endpoint: testURL, Base: base})
			require.NoError(t, err)
			defer c.end()
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			start := time.Now()
			require.ErrorIs(t, c.wire.Delete(ctx), context.DeadlineExceeded)
			require.Equal(t, 5*time.Second, time.Since(start))
			failed := make(chan error, 1)
			go func() { failed <- c.wire.Delete(t.Context()) }()
			synctest.Wait()
			c.kill()
			require.ErrorIs(t, <-failed, ErrKilled)
			require.Equal(t, 5*time.Second, time.Since(start))
		})
	})
	t.Run("the SDK's is answered here", func(t *testing.T) {
		f := &fake{}
		bubble(t, f, func(t *testing.T, base *http.Transport) {
			c, err := connect(t.Context(), Config{Endpoint: testURL, Base: base})
			require.NoError(t, err)
			require.NoError(t, c.Close())
			require.NotContains(t, f.methods(), "DELETE")
		})
	})
}
