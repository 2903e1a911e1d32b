package mcpclient_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"cdr.dev/slog/v3"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"golang.org/x/oauth2"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

// inPool runs a test in virtual time with a pool, which is closed at its end.
func inPool(t *testing.T, opts mcpclient.PoolOptions, test func(t *testing.T, w *world, p *mcpclient.Pool)) {
	t.Helper()
	inWorld(t, func(t *testing.T, w *world) {
		p := mcpclient.NewPool(opts)
		defer func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			for _, r := range w.results {
				r.cleanup()
			}
			require.NoError(t, p.Close(ctx))
		}()
		w.pool = p
		test(t, w, p)
	})
}

func TestWarmStepSendsNothing(t *testing.T) {
	for _, legacy := range bothTransports {
		t.Run(transportName(legacy), func(t *testing.T) {
			inPool(t, mcpclient.PoolOptions{}, func(t *testing.T, w *world, p *mcpclient.Pool) {
				w.net.Latency = 25 * time.Millisecond
				s := &mcptest.Server{LegacySSE: legacy}
				w.serve("s", s)
				first := w.connect()
				require.False(t, first.of("s").Reused)
				require.Positive(t, first.took)
				time.Sleep(time.Second)
				before := len(s.Recorder.Requests())
				second := w.connect()
				require.Zero(t, second.took)
				require.True(t, second.of("s").Reused)
				require.Equal(t, mcpclient.ConnectOutcomeConnected, second.of("s").Outcome)
				require.Equal(t, first.names(), second.names())
				require.Len(t, s.Recorder.Requests(), before)
				require.Equal(t, "hi", second.call("s__echo", `{"text":"hi"}`).Content)

				second.cleanup()
				require.True(t, second.call("s__echo", `{"text":"hi"}`).IsError, "its step is over")
				require.Equal(t, "hi", first.call("s__echo", `{"text":"hi"}`).Content, "this one's is not")
				stats := p.Stats()
				require.Equal(t, 1, stats.Sessions)
				require.Equal(t, 1, stats.Leases)
				require.Equal(t, int64(1), stats.Hits)
				require.Equal(t, int64(1), stats.Misses)
				require.Equal(t, int64(1), stats.Dials)
			})
		})
	}
}

func TestNoSessionIsSharedAcrossIdentities(t *testing.T) {
	inPool(t, mcpclient.PoolOptions{}, func(t *testing.T, w *world, p *mcpclient.Pool) {
		s := &mcptest.Server{}
		w.serve("s", s)
		w.opts.ForwardHeaders = map[string]string{"X-User": "one"}
		sessions := func() int {
			w.connect()
			opened, _ := s.Recorder.Sessions()
			return opened
		}
		require.Equal(t, 1, sessions())
		require.Equal(t, 1, sessions())
		want := 1
		changes := map[string]func(){
			"user":              func() { w.opts.UserID = uuid.New() },
			"auth":              func() { w.configs[0].Auth = mcpclient.APIKey{Header: "X-Key", Value: "one"} },
			"secret":            func() { w.configs[0].Auth = mcpclient.APIKey{Header: "X-Key", Value: "two"} },
			"header":            func() { w.configs[0].Auth = mcpclient.CustomHeaders{"X-Key": "two"} },
			"forwarding":        func() { w.configs[0].ForwardHeaders = true },
			"forwarded headers": func() { w.opts.ForwardHeaders = map[string]string{"X-User": "two"} },
			"grant": func() {
				w.configs[0].Auth = mcpclient.OAuth2{}
				w.tokens = []mcpclient.UserToken{{ServerID: idOf("s"), Token: oauth2.Token{AccessToken: "a", RefreshToken: "r1"}}}
			},
			"another grant": func() { w.tokens[0].Token.RefreshToken = "r2" },
			"deny list":     func() { w.configs[0].ToolDenyList = []string{"x"} },
			"intent":        func() { w.configs[0].ModelIntent = true },
			"url":           func() { w.configs[0].URL += "/" },
			"limits":        func() { w.opts.Limits.Tools = 3 },
		}
		for _, name := range []string{"user", "auth", "secret", "header", "forwarding", "forwarded headers", "grant", "another grant", "deny list", "intent", "url", "limits"} {
			changes[name]()
			want++
			require.Equal(t, want, sessions(), name)
			require.Equal(t, want, sessions(), name)
		}
		w.tokens[0].Token.AccessToken = "b"
		require.Equal(t, want, sessions(), "a refreshed token keeps its session")
		require.False(t, w.results[len(w.results)-1].call("s__echo", `{"text":"hi"}`).IsError)
		calls := slices.DeleteFunc(s.Recorder.Requests(), func(r mcptest.Request) bool { return r.RPC != "tools/call" })
		require.Len(t, calls, 1)
		require.Equal(t, "Bearer b", calls[0].Header.Get("Authorization"), "and is used on it")
		w.configs[0].CallTimeout = time.Second
		require.Equal(t, want, sessions(), "a time limit is each step's own")
	})
}

func TestHundredStepsMakeOneConnect(t *testing.T) {
	inPool(t, mcpclient.PoolOptions{}, func(t *testing.T, w *world, p *mcpclient.Pool) {
		s := &mcptest.Server{Delay: time.Second}
		w.serve("s", s)
		var steps sync.WaitGroup
		for range 100 {
			steps.Go(func() {
				require.Equal(t, mcpclient.ConnectOutcomeConnected, w.connect().of("s").Outcome)
			})
		}
		steps.Wait()
		require.Equal(t, 1, s.Recorder.Count("initialize"))
		require.Equal(t, int64(1), p.Stats().Dials)
	})
}

func TestStepThatGivesUpDoesNotEndTheConnectForOthers(t *testing.T) {
	inPool(t, mcpclient.PoolOptions{}, func(t *testing.T, w *world, p *mcpclient.Pool) {
		s := &mcptest.Server{Delay: time.Second}
		w.serve("s", s)
		ctx, cancel := context.WithCancel(t.Context())
		var steps sync.WaitGroup
		steps.Go(func() {
			require.Equal(t, mcpclient.ConnectOutcomeCanceled, w.connectContext(ctx).of("s").Outcome)
		})
		synctest.Wait()
		steps.Go(func() {
			require.Equal(t, mcpclient.ConnectOutcomeConnected, w.connect().of("s").Outcome)
		})
		synctest.Wait()
		cancel()
		steps.Wait()
		require.Equal(t, 1, s.Recorder.Count("initialize"))
	})
}

func TestLateConnectIsAdoptedByTheNextStep(t *testing.T) {
	inPool(t, mcpclient.PoolOptions{}, func(t *testing.T, w *world, p *mcpclient.Pool) {
		w.opts.ConnectTimeout = budget
		s := &mcptest.Server{Delay: 600 * time.Millisecond}
		w.serve("s", s)
		first := w.connect()
		require.Equal(t, mcpclient.ConnectOutcomeTimeout, first.of("s").Outcome)
		require.Equal(t, budget, first.took)
		time.Sleep(budget)
		second := w.connect()
		require.Zero(t, second.took)
		require.Equal(t, mcpclient.ConnectOutcomeConnected, second.of("s").Outcome)
		require.True(t, second.of("s").Reused)
		require.Equal(t, 1, s.Recorder.Count("initialize"))
	})
}

func TestFailedServerIsSkippedForAGrowingTime(t *testing.T) {
	inPool(t, mcpclient.PoolOptions{}, func(t *testing.T, w *world, p *mcpclient.Pool) {
		w.add("down", "http://nobody.test/mcp")
		first := w.connect()
		require.Equal(t, mcpclient.ConnectOutcomeError, first.of("down").Outcome)
		var tries []time.Duration
		start, last := time.Now(), w.net.Dials("")
		for time.Since(start) < 20*time.Minute {
			time.Sleep(time.Second)
			r := w.connect()
			require.Zero(t, r.took)
			if dials := w.net.Dials(""); dials > last {
				last = dials
				tries = append(tries, time.Since(start))
				require.Equal(t, mcpclient.ConnectOutcomeError, r.of("down").Outcome)
				continue
			}
			require.Equal(t, mcpclient.ConnectOutcomeSkipped, r.of("down").Outcome)
			require.Equal(t, first.of("down").Error, r.of("down").Error, "the reason of the real failure")
		}
		require.GreaterOrEqual(t, tries[0], 7*time.Second)
		require.LessOrEqual(t, tries[0], 14*time.Second)
		require.LessOrEqual(t, len(tries), 10)
		require.GreaterOrEqual(t, len(tries), 6, "at the latest every 5 minutes and a quarter")
		require.Len(t, w.logs.lines(slog.LevelWarn), 1+len(tries), "what is skipped is not warned of again")

		w.serveAt("nobody", &mcptest.Server{})
		time.Sleep(7 * time.Minute)
		require.Equal(t, mcpclient.ConnectOutcomeConnected, w.connect().of("down").Outcome)
	})
}

func TestOneProbeAtATimeAfterAFailure(t *testing.T) {
	inPool(t, mcpclient.PoolOptions{}, func(t *testing.T, w *world, p *mcpclient.Pool) {
		w.opts.ConnectTimeout = budget
		w.net.Silent("bad.test:80")
		w.add("bad", "http://bad.test/mcp")
		require.Equal(t, mcpclient.ConnectOutcomeTimeout, w.connect().of("bad").Outcome)
		time.Sleep(30 * time.Second)
		before := p.Stats()
		var steps sync.WaitGroup
		var mu sync.Mutex
		waited := 0
		for range 20 {
			steps.Go(func() {
				r := w.connect()
				mu.Lock()
				defer mu.Unlock()
				if r.took > 0 {
					waited++
				}
			})
		}
		steps.Wait()
		require.Equal(t, 1, waited, "the others are not taxed")
		require.Equal(t, before.Dials+1, p.Stats().Dials)
		require.Equal(t, before.Skipped+19, p.Stats().Skipped)
	})
}

func TestKnownToolsOfAServerThatIsDownAreOffered(t *testing.T) {
	inPool(t, mcpclient.PoolOptions{}, func(t *testing.T, w *world, p *mcpclient.Pool) {
		s := &mcptest.Server{}
		url := w.serve("s", s).URL
		first := w.connect()
		first.cleanup()
		w.net.Shut("s.test:80")
		w.net.Cut()
		time.Sleep(4 * time.Minute)
		w.connect().cleanup()
		time.Sleep(3 * time.Minute) // the list is old now
		r := w.connect()
		require.Equal(t, mcpclient.ConnectOutcomeConnected, r.of("s").Outcome, r.of("s").Error)
		require.True(t, r.of("s").Reused)
		require.Equal(t, first.names(), r.names())
		require.True(t, r.call("s__args", `{}`).IsError)

		w.net.Shut("s.test:80")
		require.Equal(t, url, mcptest.Start(t, w.net, "s.test:80", s))
		require.Equal(t, `{}`, r.call("s__args", `{}`).Content, "a call connects it")
	})
}

func TestListIsReadAgainAtOnceAlsoOnAConnectionThatWasWarm(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		s := &mcptest.Server{}
		w.serve("s", s)
		w.connect().cleanup()
		w.background.Wait()
		w.pool = mcpclient.NewPool(mcpclient.PoolOptions{MaxListAge: time.Minute})
		defer func() { require.NoError(t, w.pool.Close(t.Context())) }()
		w.connect().cleanup()
		time.Sleep(2 * time.Minute)
		r := w.connect()
		defer r.cleanup()
		require.Zero(t, r.took)
		require.Equal(t, 3, s.Recorder.Count("tools/list"))
	})
}

func TestHungListLosesNoKnownTools(t *testing.T) {
	inPool(t, mcpclient.PoolOptions{IdleTimeout: time.Hour}, func(t *testing.T, w *world, p *mcpclient.Pool) {
		w.opts.ConnectTimeout = budget
		var hang atomic.Bool
		s := &mcptest.Server{Fault: func(phase mcptest.Phase, _ http.ResponseWriter, r *http.Request) bool {
			if phase != mcptest.List || !hang.Load() {
				return false
			}
			<-r.Context().Done()
			return true
		}}
		w.serve("s", s)
		first := w.connect()
		hang.Store(true)
		time.Sleep(6 * time.Minute)
		second := w.connect()
		require.Equal(t, budget, second.took)
		require.Equal(t, mcpclient.ConnectOutcomeConnected, second.of("s").Outcome, second.of("s").Error)
		require.Equal(t, first.names(), second.names())
		third := w.connect()
		require.Zero(t, third.took, "the next one does not wait for it")
		require.Equal(t, "hi", third.call("s__echo", `{"text":"hi"}`).Content)
	})
}

func TestAuthFailureIsTriedAgainWhenTheCredentialChanges(t *testing.T) {
	inPool(t, mcpclient.PoolOptions{}, func(t *testing.T, w *world, p *mcpclient.Pool) {
		s := &mcptest.Server{Token: "good"}
		w.serve("s", s).Auth = mcpclient.OAuth2{}
		token := mcpclient.UserToken{ServerID: idOf("s"), Token: oauth2.Token{AccessToken: "bad", RefreshToken: "r"}}
		w.tokens = []mcpclient.UserToken{token}
		require.Equal(t, mcpclient.ConnectOutcomeAuthRequired, w.connect().of("s").Outcome)
		asked := len(s.Recorder.Requests())
		r := w.connect()
		require.Equal(t, mcpclient.ConnectOutcomeAuthRequired, r.of("s").Outcome)
		require.Equal(t, 401, r.of("s").HTTPStatus)
		require.Len(t, s.Recorder.Requests(), asked)
		w.tokens[0].Token.AccessToken = "good"
		require.Equal(t, mcpclient.ConnectOutcomeConnected, w.connect().of("s").Outcome)
	})
}

func TestChangedListIsReadAgainByTheNextStep(t *testing.T) {
	inPool(t, mcpclient.PoolOptions{}, func(t *testing.T, w *world, p *mcpclient.Pool) {
		announce := mcptest.Tool{Name: "announce", Run: func(_ context.Context, c *mcptest.Invocation) any {
			for range 200 {
				c.Notify("notifications/tools/list_changed", nil)
			}
			return mcptest.Text("done")
		}}
		s := &mcptest.Server{SSE: true, Tools: append(mcptest.DefaultTools(), announce)}
		w.serve("s", s)
		first := w.connect()
		time.Sleep(time.Minute)
		require.Equal(t, "done", first.call("s__announce", `{}`).Content)
		synctest.Wait()
		require.Equal(t, 1, s.Recorder.Count("tools/list"), "200 notifications ask for nothing by themselves")
		second := w.connect()
		require.Equal(t, 2, s.Recorder.Count("tools/list"))
		require.Equal(t, first.names(), second.names())
		w.connect()
		require.Equal(t, 2, s.Recorder.Count("tools/list"))
		require.Equal(t, int64(1), p.Stats().ListRefreshes)
	})
}

func TestOldListIsReadAgain(t *testing.T) {
	for name, tt := range map[string]struct {
		ttl string
		age time.Duration
	}{
		"no ttl": {``, 5 * time.Minute},
		"ttl":    {`,"ttlMs":30000`, 30 * time.Second},
		"ttl 0":  {`,"ttlMs":0`, 5 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			inPool(t, mcpclient.PoolOptions{IdleTimeout: time.Hour}, func(t *testing.T, w *world, p *mcpclient.Pool) {
				s := &mcptest.Server{Wedges: map[mcptest.Phase]mcptest.Behaviour{mcptest.List: mcptest.Result(`{"tools":[{"name":"echo"}]` + tt.ttl + `}`)}}
				w.serve("s", s)
				w.connect()
				time.Sleep(tt.age - time.Second)
				w.connect()
				require.Equal(t, 1, s.Recorder.Count("tools/list"))
				time.Sleep(2 * time.Second)
				w.connect()
				require.Equal(t, 2, s.Recorder.Count("tools/list"))
			})
		})
	}
}

func TestIdleSessionsAreClosedPolitely(t *testing.T) {
	inPool(t, mcpclient.PoolOptions{}, func(t *testing.T, w *world, p *mcpclient.Pool) {
		s := &mcptest.Server{}
		w.serve("s", s)
		r := w.connect()
		time.Sleep(time.Hour)
		require.Equal(t, 1, p.Stats().Sessions, "a session in use is not idle")
		require.Equal(t, "hi", r.call("s__echo", `{"text":"hi"}`).Content)
		r.cleanup()
		time.Sleep(10 * time.Minute)
		require.Zero(t, p.Stats().Sessions)
		_, deleted := s.Recorder.Sessions()
		require.Equal(t, 1, deleted)
	})
}

func TestEvictionLeavesTheToolsOfAStepAlone(t *testing.T) {
	inPool(t, mcpclient.PoolOptions{MaxSessions: 2}, func(t *testing.T, w *world, p *mcpclient.Pool) {
		servers := make([]*mcptest.Server, 5)
		var steps []*result
		for i := range servers {
			servers[i] = &mcptest.Server{}
			w.configs = nil
			w.serve(fmt.Sprintf("s%d", i), servers[i])
			steps = append(steps, w.connect())
			time.Sleep(time.Millisecond)
		}
		require.Equal(t, int64(3), p.Stats().Evictions)
		for i, r := range steps {
			require.Equal(t, "hi", r.call(fmt.Sprintf("s%d__echo", i), `{"text":"hi"}`).Content)
			r.cleanup()
		}
		time.Sleep(time.Second)
		for i, s := range servers {
			_, deleted := s.Recorder.Sessions()
			require.Equal(t, boolToInt(i < 3), deleted, "an evicted session is closed with its last step")
		}
	})
}

func TestStepNeverGetsASessionThatIsBeingEvicted(t *testing.T) {
	inPool(t, mcpclient.PoolOptions{MaxSessions: 1}, func(t *testing.T, w *world, p *mcpclient.Pool) {
		for i := range 3 {
			w.serve(fmt.Sprintf("s%d", i), &mcptest.Server{})
		}
		var users sync.WaitGroup
		for user := range 6 {
			users.Go(func() {
				config := w.configs[user%3]
				for range 50 {
					tools, summaries, cleanup := p.ConnectAll(t.Context(), slog.Logger{}, []mcpclient.ServerConfig{config}, nil, w.opts)
					r := &result{t: t, tools: tools, summaries: summaries, cleanup: cleanup}
					require.Equal(t, mcpclient.ConnectOutcomeConnected, r.of(config.Slug).Outcome, r.of(config.Slug).Error)
					require.Equal(t, "hi", r.call(config.Slug+"__echo", `{"text":"hi"}`).Content)
					cleanup()
				}
			})
		}
		users.Wait()
	})
}

func TestCloseWaitsForStepsWithinItsContext(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.pool = mcpclient.NewPool(mcpclient.PoolOptions{})
		s := &mcptest.Server{}
		w.serve("s", s)
		r := w.connect()
		var closing sync.WaitGroup
		closing.Go(func() { require.NoError(t, w.pool.Close(t.Context())) })
		synctest.Wait()
		require.Equal(t, "hi", r.call("s__echo", `{"text":"hi"}`).Content, "a step that runs goes on")
		late := w.connect()
		require.Equal(t, mcpclient.ConnectOutcomeError, late.of("s").Outcome)
		require.Contains(t, late.of("s").Error, "closed")
		r.cleanup()
		closing.Wait()
		_, deleted := s.Recorder.Sessions()
		require.Equal(t, 1, deleted)
		require.NoError(t, w.pool.Close(t.Context()))
	})
}

func TestCloseKillsWhatIsLeftWhenItsContextEnds(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.pool = mcpclient.NewPool(mcpclient.PoolOptions{})
		s := &mcptest.Server{}
		w.serve("s", s)
		w.serve("hung", wedged(mcptest.Delete, mcptest.Hang))
		r := w.connect()
		var calls sync.WaitGroup
		calls.Go(func() { require.True(t, r.call("s__slow", `{}`).IsError) })
		require.NoError(t, s.Running(t.Context(), "slow", 1))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		require.ErrorIs(t, w.pool.Close(ctx), context.DeadlineExceeded)
		require.Equal(t, time.Second, time.Since(start))
		calls.Wait()
		r.cleanup()
	})
}

func TestUsersNeverSeeEachOthersCredentials(t *testing.T) {
	inPool(t, mcpclient.PoolOptions{}, func(t *testing.T, w *world, p *mcpclient.Pool) {
		s := &mcptest.Server{Fault: func(_ mcptest.Phase, rw http.ResponseWriter, r *http.Request) bool {
			if got := r.Header.Get("X-User"); r.Header.Get("Authorization") != "Bearer "+got {
				rw.WriteHeader(http.StatusTeapot)
				return true
			}
			return false
		}}
		w.serve("s", s)
		w.configs[0].Auth, w.configs[0].ForwardHeaders = mcpclient.OAuth2{}, true
		var users sync.WaitGroup
		for user := range 2 {
			users.Go(func() {
				name := fmt.Sprintf("user-%d", user)
				opts := w.opts
				opts.UserID, opts.ForwardHeaders = idOf(name), map[string]string{"X-User": name}
				tokens := []mcpclient.UserToken{{ServerID: idOf("s"), Token: oauth2.Token{AccessToken: name}}}
				for range 20 {
					tools, summaries, cleanup := p.ConnectAll(t.Context(), slog.Logger{}, w.configs, tokens, opts)
					r := &result{t: t, tools: tools, summaries: summaries, cleanup: cleanup}
					require.Equal(t, mcpclient.ConnectOutcomeConnected, r.of("s").Outcome, r.of("s").Error)
					require.Equal(t, name, r.call("s__echo", `{"text":"`+name+`"}`).Content)
					cleanup()
				}
			})
		}
		users.Wait()
		require.Equal(t, 2, p.Stats().Sessions)
	})
}
