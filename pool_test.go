package mcpclient_test

import (
	"context"
	"slices"
	"sync"
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
