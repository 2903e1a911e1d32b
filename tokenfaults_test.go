package mcpclient_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"cdr.dev/slog/v3"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"golang.org/x/oauth2"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

// unknownExpiry is a token that does not say when it expires.
func (w *world) unknownExpiry(s *tokenServer, slug string) {
	w.tokens = []mcpclient.UserToken{{ServerID: idOf(slug), Token: oauth2.Token{
		AccessToken: s.accessToken(), RefreshToken: s.refreshToken(),
	}}}
}

// refusingToken refuses the first access token of a token server in one phase.
func refusingToken(phase mcptest.Phase, s *tokenServer) func(mcptest.Phase, http.ResponseWriter, *http.Request) bool {
	return func(p mcptest.Phase, rw http.ResponseWriter, r *http.Request) bool {
		if p != phase || r.Header.Get("Authorization") != "Bearer "+s.access(0) {
			return false
		}
		rw.WriteHeader(http.StatusUnauthorized)
		return true
	}
}

func TestRefusedTokenThatCannotBeRenewedNowIsAnErrorAndNotTheUsersConcern(t *testing.T) {
	for name, phase := range map[string]mcptest.Phase{"initialize": mcptest.Every, "list_tools": mcptest.List} {
		for _, legacy := range bothTransports {
			t.Run(name+"/"+transportName(legacy), func(t *testing.T) {
				inWorld(t, func(t *testing.T, w *world) {
					down := true
					auth := &tokenServer{fail: func(rw http.ResponseWriter) bool {
						if down {
							rw.WriteHeader(http.StatusServiceUnavailable)
						}
						return down
					}}
					w.serve("s", &mcptest.Server{LegacySSE: legacy, Fault: refusingToken(phase, auth)}).Auth = mcpclient.OAuth2{Config: w.authorize(auth)}
					w.unknownExpiry(auth, "s")
					s := w.connect().of("s")
					require.Equal(t, mcpclient.ConnectOutcomeError, s.Outcome)
					require.Equal(t, "HTTP 401: the server wants another token, which could not be had: refresh token: HTTP 503", s.Error)
					require.Equal(t, 401, s.HTTPStatus)
					require.Empty(t, s.AuthChallenge)
					down = false
					require.Equal(t, mcpclient.ConnectOutcomeConnected, w.connect().of("s").Outcome)
				})
			})
		}
	}
}

func TestCallWhoseTokenCannotBeRenewedNowWasNotRun(t *testing.T) {
	overBoth(t, func(t *testing.T, w *world, legacy bool) {
		down := true
		auth := &tokenServer{fail: func(rw http.ResponseWriter) bool {
			if down {
				rw.WriteHeader(http.StatusServiceUnavailable)
			}
			return down
		}}
		var called mcpclient.ToolCallSummary
		w.opts.OnToolCall = func(_ context.Context, s mcpclient.ToolCallSummary) { called = s }
		w.serve("s", &mcptest.Server{LegacySSE: legacy, Fault: refusingToken(mcptest.Call, auth)}).Auth = mcpclient.OAuth2{Config: w.authorize(auth)}
		w.unknownExpiry(auth, "s")
		r := w.connect()
		refused := r.call("s__echo", `{"text":"hi"}`)
		require.True(t, refused.IsError)
		require.Contains(t, refused.Content, "the tool was not run")
		require.Contains(t, refused.Content, "refresh token: HTTP 503")
		require.NotContains(t, refused.Content, "connect the server again")
		require.Equal(t, mcpclient.ToolCallError, called.Outcome)
		down = false
		require.Equal(t, "hi", r.call("s__echo", `{"text":"hi"}`).Content)
	})
}

// A refresh that a request waits for is not that request: its connection says
// nothing of whether the tool may have run.
func TestCallWhoseExpiredTokenCannotBeRefreshedWasNotSent(t *testing.T) {
	overBoth(t, func(t *testing.T, w *world, legacy bool) {
		down := false
		auth := &tokenServer{fail: func(rw http.ResponseWriter) bool {
			if down {
				panic(http.ErrAbortHandler) // the connection is reset
			}
			return false
		}}
		var called mcpclient.ToolCallSummary
		w.opts.OnToolCall = func(_ context.Context, s mcpclient.ToolCallSummary) { called = s }
		s := &mcptest.Server{LegacySSE: legacy}
		w.serve("s", s).Auth = mcpclient.OAuth2{Config: w.authorize(auth)}
		w.stale(auth, "s")
		r := w.connect()
		time.Sleep(2 * time.Hour)
		down = true
		refused := r.call("s__echo", `{"text":"hi"}`)
		require.Contains(t, refused.Content, "The tool was not run: the credentials can't be resolved: refresh token: ")
		require.Contains(t, refused.Content, "EOF")
		require.Equal(t, mcpclient.ToolCallError, called.Outcome)
		require.Zero(t, s.Executed("echo"))
		down = false
		require.Equal(t, "hi", r.call("s__echo", `{"text":"hi"}`).Content)
	})
}

func TestSummaryOfAResetTokenEndpointSaysThatItWasTheRefresh(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		auth := &tokenServer{fail: func(http.ResponseWriter) bool { panic(http.ErrAbortHandler) }}
		w.serve("s", &mcptest.Server{}).Auth = mcpclient.OAuth2{Config: w.authorize(auth)}
		w.stale(auth, "s")
		s := w.connect().of("s")
		require.Equal(t, mcpclient.ConnectOutcomeError, s.Outcome)
		require.Contains(t, s.Error, "the credentials can't be resolved: refresh token: ")
		require.Contains(t, s.Error, "EOF")
	})
}

// A refresh that goes on for another step outlives the session that began it.
func TestRefreshOutlivesTheSessionThatBeganIt(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.net.Latency = 200 * time.Millisecond
		auth := &tokenServer{}
		w.serve("s", &mcptest.Server{}).Auth = mcpclient.OAuth2{Config: w.authorize(auth)}
		w.stale(auth, "s")
		first, second := w.connect(), w.connect()
		time.Sleep(2 * time.Hour)
		for _, r := range []*result{first, second} {
			w.background.Go(func() { r.call("s__echo", `{"text":"hi"}`) })
			time.Sleep(time.Millisecond)
		}
		first.cleanup() // while the endpoint is being dialled for both
		require.Equal(t, "hi", second.call("s__echo", `{"text":"hi"}`).Content)
		require.Equal(t, 2, auth.refreshes())
	})
}

func TestDeadGrantIsUsedAgainWithANewAccessTokenAndNotRefreshed(t *testing.T) {
	for _, life := range []time.Duration{0, time.Hour} {
		for name, run := range map[string]func(*testing.T, func(*testing.T, *world)){
			"ConnectAll": inWorld,
			"Pool": func(t *testing.T, test func(*testing.T, *world)) {
				inPool(t, mcpclient.PoolOptions{}, func(t *testing.T, w *world, _ *mcpclient.Pool) { test(t, w) })
			},
		} {
			t.Run(fmt.Sprintf("%s/%v", name, life), func(t *testing.T) {
				run(t, func(t *testing.T, w *world) { reviveGrant(t, w, life) })
			})
		}
	}
}

func reviveGrant(t *testing.T, w *world, life time.Duration) {
	asked := 0
	auth := &tokenServer{fail: func(rw http.ResponseWriter) bool {
		asked++
		rw.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(rw, `{"error":"invalid_grant"}`)
		return true
	}}
	s := &mcptest.Server{Token: "the-new-access-token"}
	w.serve("s", s).Auth = mcpclient.OAuth2{Config: w.authorize(auth)}
	w.unknownExpiry(auth, "s")
	dead := w.connect().of("s")
	require.Equal(t, mcpclient.ConnectOutcomeAuthRequired, dead.Outcome)
	require.Contains(t, dead.Error, mcpclient.ErrGrantRevoked.Error(), "also where the grant died on the way")

	old := w.tokens[0]
	w.tokens[0].Token.AccessToken = "the-new-access-token"
	if life > 0 {
		w.tokens[0].Token.Expiry = time.Now().Add(life)
	}
	r := w.connect()
	require.Equal(t, mcpclient.ConnectOutcomeConnected, r.of("s").Outcome, r.of("s").Error)
	require.Equal(t, "hi", r.call("s__echo", `{"text":"hi"}`).Content)
	r.cleanup()
	w.tokens[0] = old // of a store that is behind
	r = w.connect()
	require.Equal(t, mcpclient.ConnectOutcomeConnected, r.of("s").Outcome, r.of("s").Error)
	require.Equal(t, 1, asked)
	time.Sleep(2 * time.Hour)
	require.Equal(t, life > 0, r.call("s__echo", `{"text":"hi"}`).IsError, "it has expired, and the refresh token is dead")
	require.Equal(t, 1, asked, "a refresh token that is known to be dead is not used again")
}

func TestServerThatRefusesEveryTokenOfOneToolCostsOneRefresh(t *testing.T) {
	for name, same := range map[string]bool{"other tokens": false, "the same token again": true} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				asked := 0
				auth := &tokenServer{}
				auth.fail = func(rw http.ResponseWriter) bool {
					asked++
					if same {
						rw.Header().Set("Content-Type", "application/json")
						_, _ = fmt.Fprintf(rw, `{"access_token":%q,"expires_in":3600}`, auth.access(0))
					}
					return same
				}
				w.serve("s", &mcptest.Server{Wedges: map[mcptest.Phase]mcptest.Behaviour{mcptest.Call: mcptest.Status(401, "")}}).Auth = mcpclient.OAuth2{Config: w.authorize(auth)}
				w.unknownExpiry(auth, "s")
				r := w.connect()
				for range 10 {
					require.Contains(t, r.call("s__echo", `{"text":"hi"}`).Content, "has to connect the server again")
				}
				require.Equal(t, 1, asked)
				time.Sleep(31 * time.Second)
				r.call("s__echo", `{"text":"hi"}`)
				require.Equal(t, 2, asked, "it may have been revoked meanwhile")
			})
		})
	}
}

func TestTokenOfAShortLifeIsUsedForHalfOfIt(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		auth := &tokenServer{}
		auth.fail = func(rw http.ResponseWriter) bool {
			return auth.answered(rw, "application/json", `,"expires_in":20`)
		}
		w.serve("s", &mcptest.Server{}).Auth = mcpclient.OAuth2{Config: w.authorize(auth)}
		w.stale(auth, "s")
		w.opts.OnTokenRefresh = func(_ context.Context, token mcpclient.UserToken) error {
			w.tokens = []mcpclient.UserToken{token}
			return nil
		}
		r := w.connect()
		time.Sleep(9 * time.Second)
		w.connect()
		require.Equal(t, "hi", r.call("s__echo", `{"text":"hi"}`).Content)
		require.Equal(t, 1, auth.refreshes())
		time.Sleep(2 * time.Second)
		require.Equal(t, "hi", r.call("s__echo", `{"text":"hi"}`).Content)
		require.Equal(t, 2, auth.refreshes())
	})
}

func TestEndOfASessionRefreshesNothing(t *testing.T) {
	for name, strict := range map[string]bool{"expired": false, "refused": true} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				auth := &tokenServer{}
				s := &mcptest.Server{Fault: func(_ mcptest.Phase, rw http.ResponseWriter, r *http.Request) bool {
					if strict && r.Method == http.MethodDelete {
						rw.WriteHeader(http.StatusUnauthorized)
						return true
					}
					return false
				}}
				w.serve("s", s).Auth = mcpclient.OAuth2{Config: w.authorize(auth)}
				w.stale(auth, "s")
				told := 0
				w.opts.OnTokenRefresh = func(context.Context, mcpclient.UserToken) error { told++; return nil }
				r := w.connect()
				if !strict {
					time.Sleep(2 * time.Hour)
				}
				r.cleanup()
				w.background.Wait()
				require.Equal(t, 1, told)
				var sent []string
				for _, request := range s.Recorder.Requests() {
					if request.Method == http.MethodDelete {
						sent = append(sent, request.Header.Get("Authorization"))
					}
				}
				require.Equal(t, []string{"Bearer " + auth.access(1)}, sent, "what is there, once")
			})
		})
	}
}

func TestErrorOfTheOIDCSourceIsInTheLogAndInTheTextOfTheRefusal(t *testing.T) {
	overBoth(t, func(t *testing.T, w *world, legacy bool) {
		var down atomic.Bool
		w.serve("s", &mcptest.Server{LegacySSE: legacy, Token: "good"}).Auth = mcpclient.UserOIDC{}
		w.opts.OIDCTokens = tokenSource(func(context.Context, uuid.UUID) (string, error) {
			if down.Load() {
				return "", errors.New("the provider is down")
			}
			return "good", nil
		})
		r := w.connect()
		down.Store(true)
		refused := r.call("s__echo", `{"text":"hi"}`).Content
		require.Contains(t, refused, "so the tool was not run")
		require.Contains(t, refused, "look up the user's token: the provider is down")
		require.NotContains(t, refused, "connect the server again")
		logged := w.logs.lines(slog.LevelDebug)
		require.Contains(t, logged[len(logged)-1], "mcp request without a credential server_slug=s")
		require.Contains(t, logged[len(logged)-1], "the provider is down")
		failed := w.connect().of("s")
		require.Equal(t, mcpclient.ConnectOutcomeError, failed.Outcome)
		require.Contains(t, failed.Error, "the provider is down")
		down.Store(false)
		require.Equal(t, "hi", r.call("s__echo", `{"text":"hi"}`).Content)
	})
}

func TestUserWithoutATokenIsToldToConnectAndWhy(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var none atomic.Bool
		w.serve("s", &mcptest.Server{Token: "good"}).Auth = mcpclient.UserOIDC{}
		w.opts.OIDCTokens = tokenSource(func(context.Context, uuid.UUID) (string, error) {
			if none.Load() {
				return "", nil
			}
			return "good", nil
		})
		r := w.connect()
		none.Store(true)
		refused := r.call("s__echo", `{"text":"hi"}`).Content
		require.Contains(t, refused, "has to connect the server again")
		require.Contains(t, refused, "(the user has no token for this server)")
		failed := w.connect().of("s")
		require.Equal(t, mcpclient.ConnectOutcomeAuthRequired, failed.Outcome)
	})
}
