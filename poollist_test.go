package mcpclient_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"cdr.dev/slog/v3"
	"github.com/stretchr/testify/require"
	"golang.org/x/oauth2"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

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
