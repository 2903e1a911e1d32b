package mcpclient_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"cdr.dev/slog/v3"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

func TestGoodServersOfEveryKindGiveTheirTools(t *testing.T) {
	for name, server := range map[string]func() *mcptest.Server{
		"stateful json":  func() *mcptest.Server { return &mcptest.Server{} },
		"stateful sse":   func() *mcptest.Server { return &mcptest.Server{SSE: true} },
		"stateless json": func() *mcptest.Server { return &mcptest.Server{Stateless: true} },
		"strict":         func() *mcptest.Server { return &mcptest.Server{StrictInit: true} },
		"pages":          func() *mcptest.Server { return &mcptest.Server{PageSize: 3} },
		"legacy":         func() *mcptest.Server { return &mcptest.Server{LegacySSE: true} },
		"legacy strict":  func() *mcptest.Server { return &mcptest.Server{LegacySSE: true, StrictInit: true} },
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				s := server()
				w.serve("good", s)
				r := w.connect()
				summary := r.of("good")
				require.Equal(t, mcpclient.ConnectOutcomeConnected, summary.Outcome, summary.Error)
				require.Equal(t, "2025-11-25", summary.Protocol)
				require.Equal(t, "mcptest/1.0.0", summary.Server)
				require.Equal(t, len(mcptest.DefaultTools()), summary.ToolCount)
				require.Len(t, r.tools, summary.ToolCount)
				require.Equal(t, "hi", r.call("good__echo", `{"text":"hi"}`).Content)
				require.JSONEq(t, `{"n":9007199254740993,"s":"<&>"}`, r.call("good__args", `{"n":9007199254740993,"s":"<&>"}`).Content)
				require.Equal(t, `{"n":9007199254740993,"s":"<&>"}`, r.call("good__args", `{"n":9007199254740993,"s":"<&>"}`).Content)
				image := r.call("good__image", `null`)
				require.Equal(t, "image/png", image.MediaType)
				require.NotEmpty(t, image.Data)
				require.Contains(t, r.call("good__structured", ``).Content, mcptest.BigInteger)
				require.True(t, r.call("good__fail", `{}`).IsError)
				r.cleanup()
				w.background.Wait()
				opened, deleted := s.Recorder.Sessions()
				require.Equal(t, opened, max(deleted, boolToInt(s.LegacySSE)*opened), "every session is ended politely")
				require.True(t, r.call("good__echo", `{"text":"hi"}`).IsError, "after cleanup a call is an error response")
			})
		})
	}
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestThreeGoodAmongFiveBad(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.opts.ConnectTimeout = budget
		for _, slug := range []string{"one", "two"} {
			w.serve(slug, &mcptest.Server{})
		}
		w.serve("three", &mcptest.Server{LegacySSE: true})
		w.add("refused", "http://nobody.test/mcp")
		w.net.Silent("silent.test:80")
		w.add("silent", "http://silent.test/mcp")
		w.serve("broken", &mcptest.Server{Wedges: map[mcptest.Phase]mcptest.Behaviour{mcptest.Initialize: mcptest.Answer("text/html", "<html>")}})
		w.serve("locked", &mcptest.Server{Token: "secret-token"})
		w.add("mistaken", "ftp://x")
		r := w.connect()
		require.Equal(t, budget, r.took)
		outcomes := map[string]mcpclient.ConnectOutcome{}
		for _, s := range r.summaries {
			outcomes[s.Slug] = s.Outcome
		}
		require.Equal(t, map[string]mcpclient.ConnectOutcome{
			"one": "connected", "two": "connected", "three": "connected",
			"refused": "error", "silent": "timeout", "broken": "error", "locked": "auth_required", "mistaken": "error",
		}, outcomes)
		require.Len(t, r.tools, 3*len(mcptest.DefaultTools()))
		require.True(t, slices.IsSorted(r.names()))
		require.True(t, slices.IsSortedFunc(r.summaries, func(a, b mcpclient.ConnectSummary) int {
			return slices.Compare([]byte(a.Slug), []byte(b.Slug))
		}))
		require.Len(t, w.logs.lines(slog.LevelWarn), 5, "one warning for each failed server")
		require.Equal(t, 401, r.of("locked").HTTPStatus)
		require.Contains(t, r.of("locked").AuthChallenge, "Bearer")
		r.cleanup()
		w.background.Wait()
	})
}

func TestTwoRoundTripsOnAWarmConnection(t *testing.T) {
	for _, tt := range []struct {
		name   string
		server *mcptest.Server
		trips  int
	}{
		{"json", &mcptest.Server{}, 2},
		{"sse", &mcptest.Server{SSE: true}, 2},
		{"stateless", &mcptest.Server{Stateless: true}, 2},
		// The notification and the list race on two connections; where the list wins, it is asked for again.
		{"a server that waits for initialized", &mcptest.Server{StrictInit: true}, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.net.Latency = 25 * time.Millisecond
				w.serve("good", tt.server)
				first := w.connect()
				first.cleanup()
				w.background.Wait()
				second := w.connect()
				require.Equal(t, mcpclient.ConnectOutcomeConnected, second.of("good").Outcome)
				require.LessOrEqual(t, second.took, time.Duration(tt.trips)*50*time.Millisecond, "the plain SDK takes five")
				second.cleanup()
				w.background.Wait()
			})
		})
	}
}

func TestToolsOutliveTheConnectContext(t *testing.T) {
	for _, legacy := range []bool{false, true} {
		t.Run(transportName(legacy), func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.serve("good", &mcptest.Server{LegacySSE: legacy})
				ctx, cancel := context.WithCancel(t.Context())
				r := w.connectContext(ctx)
				cancel()
				time.Sleep(time.Hour)
				require.Equal(t, "hi", r.call("good__echo", `{"text":"hi"}`).Content)
				r.cleanup()
				w.background.Wait()
			})
		})
	}
}

func TestCleanupEndsRunningCalls(t *testing.T) {
	for _, legacy := range []bool{false, true} {
		t.Run(transportName(legacy), func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				s := &mcptest.Server{LegacySSE: legacy}
				w.serve("good", s)
				r := w.connect()
				var calls sync.WaitGroup
				for range 8 {
					calls.Go(func() {
						require.True(t, r.call("good__slow", `{}`).IsError)
					})
				}
				require.NoError(t, s.Running(t.Context(), "slow", 8))
				start := time.Now()
				var cleanups sync.WaitGroup
				for range 4 {
					cleanups.Go(r.cleanup)
				}
				cleanups.Wait()
				calls.Wait()
				require.Zero(t, time.Since(start))
				w.background.Wait()
			})
		})
	}
}

func TestNamesDoNotDependOnWhoAnswersNorWhen(t *testing.T) {
	var want []string
	for round := range 20 {
		inWorld(t, func(t *testing.T, w *world) {
			random := rand.New(rand.NewPCG(1, uint64(round)))
			for _, slug := range []string{"a.b", "a_b", "c"} {
				w.serve(slug, &mcptest.Server{Delay: time.Duration(random.IntN(1000)) * time.Millisecond})
			}
			r := w.connect()
			if want == nil {
				want = r.names()
			}
			require.Equal(t, want, r.names())
			r.cleanup()
			w.background.Wait()
		})
	}
	inWorld(t, func(t *testing.T, w *world) {
		w.opts.ConnectTimeout = budget
		w.add("a.b", "http://nobody.test")
		w.serve("a_b", &mcptest.Server{})
		w.add("c", "http://nobody.test")
		r := w.connect()
		require.Subset(t, want, r.names(), "a server's names are the same when it answers alone")
		require.NotEmpty(t, r.names())
		r.cleanup()
		w.background.Wait()
	})
}

func TestConfigMistakesAreThatServersError(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("good", &mcptest.Server{})
		w.serve("good2", &mcptest.Server{})
		good := w.configs[0]
		bad := func(slug, want string, change func(c *mcpclient.ServerConfig)) {
			c := good
			c.ID, c.Slug = idOf(slug), slug
			change(&c)
			w.configs = append(w.configs, c)
			defer func() { w.configs = w.configs[:2] }()
			r := w.connect()
			require.Len(t, r.summaries, 3)
			var failed []mcpclient.ConnectSummary
			for _, s := range r.summaries {
				if s.Outcome == mcpclient.ConnectOutcomeError {
					failed = append(failed, s)
				}
			}
			require.Len(t, failed, 1)
			require.Contains(t, failed[0].Error, want)
			require.NotContains(t, failed[0].Error, "hunter22")
			require.Empty(t, failed[0].Phase)
			require.Len(t, r.tools, 2*len(mcptest.DefaultTools()), "the others keep theirs")
			r.cleanup()
			w.background.Wait()
		}
		bad("u", "parsed", func(c *mcpclient.ServerConfig) { c.URL = "http://a:hunter22@[::1" })
		bad("v", "http", func(c *mcpclient.ServerConfig) { c.URL = "/relative" })
		bad("w", "host", func(c *mcpclient.ServerConfig) { c.URL = "http:///path?key=hunter22" })
		bad("x", "transport", func(c *mcpclient.ServerConfig) { c.Transport = "stdio" })
		bad("y", "slug", func(c *mcpclient.ServerConfig) { c.Slug = "" })
		bad("z", "same slug", func(c *mcpclient.ServerConfig) { c.Slug = "good2" })
		bad("i", "same ID", func(c *mcpclient.ServerConfig) { c.ID = good.ID })
		bad("h", `"X-Key"`, func(c *mcpclient.ServerConfig) {
			c.Auth = mcpclient.APIKey{Header: "X-Key", Value: "hunter22\r\nEvil: 1"}
		})
		bad("k", "bad name", func(c *mcpclient.ServerConfig) {
			c.Auth = mcpclient.CustomHeaders{"bad name": "hunter22"}
		})
		bad("m", "Mcp-Session-Id", func(c *mcpclient.ServerConfig) {
			c.Auth = mcpclient.CustomHeaders{"mcp-session-id": "hunter22"}
		})
	})
}

func TestDisabledServersAreLeftOut(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		s := &mcptest.Server{}
		w.serve("off", s).Disabled = true
		r := w.connect()
		require.Empty(t, r.tools)
		require.Empty(t, r.summaries)
		require.Empty(t, s.Recorder.Requests())
		r.cleanup()
	})
}

func TestNoServers(t *testing.T) {
	tools, summaries, cleanup := mcpclient.ConnectAll(t.Context(), slog.Logger{}, nil, nil, mcpclient.Options{})
	require.Empty(t, tools)
	require.Empty(t, summaries)
	cleanup()
	cleanup()
}

func TestEndedContextSendsNothing(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		s := &mcptest.Server{}
		w.serve("good", s)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		r := w.connectContext(ctx)
		require.Equal(t, mcpclient.ConnectOutcomeCanceled, r.of("good").Outcome)
		require.Empty(t, s.Recorder.Requests())
		r.cleanup()
		w.background.Wait()
	})
}

func TestServersWithoutTools(t *testing.T) {
	for name, s := range map[string]*mcptest.Server{
		"no capability": {NoTools: true},
		"unknown method": {Wedges: map[mcptest.Phase]mcptest.Behaviour{
			mcptest.List: mcptest.Message(`{"jsonrpc":"2.0","id":$ID,"error":{"code":-32601,"message":"Method not found"}}`),
		}},
		"empty list": {Tools: []mcptest.Tool{}},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.serve("empty", s)
				r := w.connect()
				require.Equal(t, mcpclient.ConnectOutcomeNoTools, r.of("empty").Outcome, r.of("empty").Error)
				require.Empty(t, r.of("empty").Error)
				require.Empty(t, w.logs.lines(slog.LevelWarn))
				r.cleanup()
				w.background.Wait()
			})
		})
	}
}
