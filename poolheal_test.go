package mcpclient_test

import (
	"context"
	"math"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"cdr.dev/slog/v3"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
	"golang.org/x/oauth2"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

// A session may be of no use any more without the server saying so. Steps that
// go on must not keep it for ever.
func TestUselessSessionIsReplaced(t *testing.T) {
	for name, answer := range map[string]func(http.ResponseWriter, *http.Request){
		"requests hang": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"500":           func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) },
		"410":           func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(410) },
		"403":           func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "invalid session", http.StatusForbidden) },
	} {
		t.Run(name, func(t *testing.T) {
			inPool(t, mcpclient.PoolOptions{}, func(t *testing.T, w *world, p *mcpclient.Pool) {
				var bad atomic.Bool
				w.serve("s", &mcptest.Server{Fault: func(phase mcptest.Phase, rw http.ResponseWriter, r *http.Request) bool {
					if phase != mcptest.Every || !bad.Load() || r.Header.Get("Mcp-Session-Id") != "session-1" {
						return false
					}
					answer(rw, r)
					return true
				}})
				w.opts.CallTimeout = 10 * time.Second
				w.connect().cleanup()
				bad.Store(true)
				good := 0
				for range 5 {
					r := w.connect()
					if !r.call("s__echo", `{"text":"hi"}`).IsError {
						good++
					}
					r.cleanup()
					time.Sleep(30 * time.Second)
				}
				require.GreaterOrEqual(t, good, 3)
			})
		})
	}
}

// The key was good when the session began, and may still be.
func TestSessionThatIsLostAsUnauthorizedIsRenewedWithTheSameCredential(t *testing.T) {
	for status, want := range map[int]string{200: "hi", 401: "the user has to connect the server again"} {
		inWorld(t, func(t *testing.T, w *world) {
			var restarted atomic.Bool
			w.serve("s", &mcptest.Server{Fault: func(phase mcptest.Phase, rw http.ResponseWriter, r *http.Request) bool {
				switch {
				case !restarted.Load() || phase != mcptest.Every:
					return false
				case r.Header.Get("Mcp-Session-Id") == "session-1":
					http.Error(rw, `{"error":"invalid session"}`, http.StatusUnauthorized)
				case status == 401:
					http.Error(rw, "who are you", http.StatusUnauthorized)
				default:
					return false
				}
				return true
			}}).Auth = mcpclient.APIKey{Header: "X-Key", Value: "the key of the user"}
			r := w.connect()
			restarted.Store(true)
			require.Contains(t, r.call("s__echo", `{"text":"hi"}`).Content, want)
		})
	}
}

// The answer may be the tool's own word: the call is not sent again for it.
func TestSessionThatAnAnswerCallsLostIsReplacedForTheNextCall(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var bad atomic.Bool
		s := &mcptest.Server{Wedges: map[mcptest.Phase]mcptest.Behaviour{mcptest.Call: mcptest.Do(func(x *mcptest.Exchange) {
			if bad.Load() && x.R.Header.Get("Mcp-Session-Id") == "session-1" {
				x.Message([]byte(`{"jsonrpc":"2.0","id":` + string(x.ID) + `,"error":{"code":-32001,"message":"Session not found"}}`))
				return
			}
			x.Serve()
		})}}
		w.serve("s", s)
		r := w.connect()
		bad.Store(true)
		require.Contains(t, r.call("s__add", `{"a":1,"b":2}`).Content, "Session not found")
		require.Equal(t, "3", r.call("s__add", `{"a":1,"b":2}`).Content)
		require.Equal(t, 2, s.Recorder.Count("tools/call"))
	})
}

func TestRevokedAuthorizationIsToldBesideKnownTools(t *testing.T) {
	inPool(t, mcpclient.PoolOptions{IdleTimeout: time.Hour}, func(t *testing.T, w *world, p *mcpclient.Pool) {
		var revoked atomic.Bool
		w.serve("s", &mcptest.Server{Token: "good", Fault: func(_ mcptest.Phase, rw http.ResponseWriter, _ *http.Request) bool {
			if revoked.Load() {
				rw.Header().Set("WWW-Authenticate", "Bearer error=\"invalid_token\"")
				rw.WriteHeader(401)
			}
			return revoked.Load()
		}}).Auth = mcpclient.OAuth2{}
		w.tokens = []mcpclient.UserToken{{ServerID: idOf("s"), Token: oauth2.Token{AccessToken: "good"}}}
		w.connect().cleanup()
		revoked.Store(true)
		time.Sleep(6 * time.Minute)
		for range 2 {
			got := w.connect().of("s")
			require.Equal(t, mcpclient.ConnectOutcomeAuthRequired, got.Outcome)
			require.Equal(t, 401, got.HTTPStatus)
			require.Contains(t, got.AuthChallenge, "invalid_token")
		}
	})
}

func TestFailingServerWithKnownToolsSaysWhatFails(t *testing.T) {
	inPool(t, mcpclient.PoolOptions{IdleTimeout: time.Hour}, func(t *testing.T, w *world, p *mcpclient.Pool) {
		var broken atomic.Bool
		w.serve("s", &mcptest.Server{Fault: func(_ mcptest.Phase, rw http.ResponseWriter, _ *http.Request) bool {
			if broken.Load() {
				rw.WriteHeader(500)
			}
			return broken.Load()
		}})
		w.connect().cleanup()
		broken.Store(true)
		time.Sleep(6 * time.Minute)
		for range 3 {
			got := w.connect().of("s")
			require.Equal(t, mcpclient.ConnectOutcomeConnected, got.Outcome)
			require.True(t, got.Reused)
			require.NotZero(t, got.ToolCount)
			require.Equal(t, 500, got.HTTPStatus)
			require.Equal(t, "list_tools", got.Phase)
			require.Contains(t, got.Error, "HTTP 500")
		}
		require.Len(t, w.logs.lines(slog.LevelWarn), 1, "of the step that waited")
	})
}

func TestShortBudgetOfOneStepDoesNotDecideForAnother(t *testing.T) {
	inPool(t, mcpclient.PoolOptions{}, func(t *testing.T, w *world, p *mcpclient.Pool) {
		w.serve("s", &mcptest.Server{Delay: 300 * time.Millisecond})
		var steps sync.WaitGroup
		hurried, patient := w.opts, w.opts
		hurried.ConnectTimeout = 100 * time.Millisecond
		steps.Go(func() {
			_, summaries, cleanup := p.ConnectAll(t.Context(), slog.Make(), w.configs, nil, hurried)
			cleanup()
			require.Equal(t, mcpclient.ConnectOutcomeTimeout, summaries[0].Outcome)
		})
		time.Sleep(50 * time.Millisecond)
		_, summaries, cleanup := p.ConnectAll(t.Context(), slog.Make(), w.configs, nil, patient)
		cleanup()
		require.Equal(t, mcpclient.ConnectOutcomeConnected, summaries[0].Outcome, summaries[0].Error)
		steps.Wait()
	})
}

// The pause after the first failure is at most a quarter longer than MinBackoff.
func TestHungServerFailsOnceAFlight(t *testing.T) {
	inPool(t, mcpclient.PoolOptions{}, func(t *testing.T, w *world, p *mcpclient.Pool) {
		w.opts.ConnectTimeout = budget
		s := wedged(mcptest.Initialize, mcptest.Hang)
		w.serve("s", s)
		require.Equal(t, mcpclient.ConnectOutcomeTimeout, w.connect().of("s").Outcome)
		time.Sleep(2*budget + 13*time.Second)
		require.Equal(t, mcpclient.ConnectOutcomeTimeout, w.connect().of("s").Outcome)
		require.Equal(t, 2, s.Recorder.Count("initialize"))
	})
}

func TestServerThatGetsToolsIsSeenToHaveThem(t *testing.T) {
	inPool(t, mcpclient.PoolOptions{IdleTimeout: time.Hour}, func(t *testing.T, w *world, p *mcpclient.Pool) {
		s := &mcptest.Server{NoTools: true}
		w.serve("s", s)
		require.Equal(t, mcpclient.ConnectOutcomeNoTools, w.connect().of("s").Outcome)
		synctest.Wait()
		s.NoTools = false
		time.Sleep(6 * time.Minute)
		require.Equal(t, mcpclient.ConnectOutcomeConnected, w.connect().of("s").Outcome)
	})
}

func TestAnotherVersionOfAServerIsTakenWhole(t *testing.T) {
	inPool(t, mcpclient.PoolOptions{IdleTimeout: time.Hour}, func(t *testing.T, w *world, p *mcpclient.Pool) {
		s := &mcptest.Server{Version: "1.0", Instructions: "old"}
		w.serve("s", s)
		require.Equal(t, "mcptest/1.0", w.connect().of("s").Server)
		synctest.Wait()
		s.Version, s.Instructions = "2.0", "new"
		s.Forget()
		require.Equal(t, "hi", w.connect().call("s__echo", `{"text":"hi"}`).Content)
		time.Sleep(2 * time.Second)
		r := w.connect()
		require.Equal(t, "mcptest/2.0", r.of("s").Server)
		require.Contains(t, mcpclient.Instructions(r.tools), "new")
	})
}

func TestServerThatMovesToTheNewestProtocolIsFollowed(t *testing.T) {
	inPool(t, mcpclient.PoolOptions{}, func(t *testing.T, w *world, p *mcpclient.Pool) {
		server := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1"}, nil)
		addEcho(server, "echo")
		old := &mcptest.Server{}
		defer old.Close()
		modern := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true})
		var moved atomic.Bool
		w.serveSDK("s", http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			switch {
			case !moved.Load():
				old.ServeHTTP(rw, r)
			case r.Header.Get("Mcp-Session-Id") != "":
				rw.WriteHeader(http.StatusNotFound)
			case r.Header.Get("Mcp-Method") == "" && r.Method == http.MethodPost:
				rw.Header().Set("Content-Type", "application/json")
				rw.WriteHeader(http.StatusBadRequest)
				_, _ = rw.Write([]byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"Method not found"}}`))
			default:
				modern.ServeHTTP(rw, r)
			}
		}))
		r := w.connect()
		require.Equal(t, "hi", r.call("s__echo", `{"text":"hi"}`).Content)
		moved.Store(true)
		require.Equal(t, "hi", r.call("s__echo", `{"text":"hi"}`).Content)
	})
}

func TestFewConnectionsAreLeftToCalls(t *testing.T) {
	inPool(t, mcpclient.PoolOptions{}, func(t *testing.T, w *world, p *mcpclient.Pool) {
		w.opts.HTTPClient.Transport.(*http.Transport).MaxConnsPerHost = 1
		w.serve("s", &mcptest.Server{})
		r := w.connect()
		start := time.Now()
		require.Equal(t, "hi", r.call("s__echo", `{"text":"hi"}`).Content)
		require.Equal(t, start, time.Now())
	})
}

func TestOddPoolOptions(t *testing.T) {
	for name, opts := range map[string]mcpclient.PoolOptions{
		"tiny":  {MinBackoff: 1, MaxBackoff: 1, IdleTimeout: 1, MaxListAge: 1, MaxAge: 1, MaxSessions: 1},
		"giant": {MinBackoff: math.MaxInt64, MaxBackoff: math.MaxInt64, IdleTimeout: math.MaxInt64, MaxListAge: math.MaxInt64},
	} {
		t.Run(name, func(t *testing.T) {
			inPool(t, opts, func(t *testing.T, w *world, p *mcpclient.Pool) {
				w.opts.ConnectTimeout = math.MaxInt64
				w.serve("good", &mcptest.Server{})
				w.add("nobody", "http://nobody.test/mcp")
				for range 3 {
					r := w.connect()
					require.Equal(t, mcpclient.ConnectOutcomeConnected, r.of("good").Outcome)
					require.True(t, r.of("nobody").Outcome == mcpclient.ConnectOutcomeError || r.of("nobody").Outcome == mcpclient.ConnectOutcomeSkipped)
					r.cleanup()
					time.Sleep(time.Second)
				}
			})
		})
	}
}

func TestPoolMayBeClosedBesideCalls(t *testing.T) {
	for range 50 {
		inWorld(t, func(t *testing.T, w *world) {
			w.pool = mcpclient.NewPool(mcpclient.PoolOptions{})
			w.opts.OnProgress = func(context.Context, mcpclient.ToolProgress) {}
			w.serve("s", &mcptest.Server{})
			r := w.connect()
			var all sync.WaitGroup
			for range 20 {
				all.Go(func() {
					for range 5 {
						_ = r.call("s__echo", `{"text":"x"}`)
					}
				})
			}
			ended, cancel := context.WithCancel(context.Background())
			cancel()
			for range 2 {
				all.Go(func() { _ = w.pool.Close(ended) })
			}
			all.Wait()
			r.cleanup()
		})
	}
}
