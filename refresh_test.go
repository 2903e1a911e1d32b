package mcpclient_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"cdr.dev/slog/v3"
	"github.com/stretchr/testify/require"
	"golang.org/x/oauth2"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

// tokenServer is an OAuth2 token endpoint with rotating refresh tokens: a token
// that is used twice is refused, as is everything after it.
type tokenServer struct {
	mu       sync.Mutex
	issued   int
	reused   int
	revoked  []string
	fail     func(w http.ResponseWriter) bool // answers instead
	hang     bool
	noRotate bool
	name     string
}

func (s *tokenServer) refreshes() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.issued
}

func (s *tokenServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.hang {
		_, _ = io.Copy(io.Discard, r.Body) // only then the server sees that the client has gone
		<-r.Context().Done()
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := r.ParseForm(); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if r.URL.Path == "/revoke" {
		s.revoked = append(s.revoked, r.Form.Get("token_type_hint")+":"+r.Form.Get("token"))
		w.WriteHeader(http.StatusOK)
		return
	}
	if s.fail != nil && s.fail(w) {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if !s.noRotate && r.Form.Get("refresh_token") != s.refreshToken() {
		s.reused++
		w.WriteHeader(http.StatusBadRequest)
		_, _ = fmt.Fprint(w, `{"error":"invalid_grant","error_description":"used before"}`)
		return
	}
	s.issued++
	answer := fmt.Sprintf(`{"access_token":%q,"token_type":"bearer","expires_in":3600`, s.accessToken())
	if !s.noRotate {
		answer += fmt.Sprintf(`,"refresh_token":%q`, s.refreshToken())
	}
	_, _ = fmt.Fprint(w, answer+"}")
}

func (s *tokenServer) accessToken() string  { return s.access(s.issued) }
func (s *tokenServer) refreshToken() string { return s.refresh(s.issued) }

func (s *tokenServer) access(n int) string  { return fmt.Sprintf("access-%s-%d", s.name, n) }
func (s *tokenServer) refresh(n int) string { return fmt.Sprintf("refresh-%s-%d", s.name, n) }

// authorize puts a token server on the network. No other one has the same
// tokens: grants are shared in the whole process.
func (w *world) authorize(s *tokenServer) *oauth2.Config {
	s.name = rand.Text()
	listener := w.net.Listen("auth.test:80")
	server := &http.Server{Handler: s, BaseContext: func(net.Listener) context.Context { return context.Background() }}
	var done sync.WaitGroup
	done.Go(func() { _ = server.Serve(listener) })
	w.t.Cleanup(func() {
		_ = server.Close()
		done.Wait()
	})
	return &oauth2.Config{
		ClientID: "client", ClientSecret: "client-secret",
		Endpoint: oauth2.Endpoint{TokenURL: "http://auth.test/token", AuthStyle: oauth2.AuthStyleInParams},
	}
}

func (w *world) stale(s *tokenServer, slug string) {
	w.tokens = append(w.tokens, mcpclient.UserToken{ServerID: idOf(slug), Token: oauth2.Token{
		AccessToken: s.accessToken(), RefreshToken: s.refreshToken(), Expiry: time.Now().Add(-time.Minute),
	}})
}

func TestExpiredTokenIsRefreshedOnceForAll(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		auth := &tokenServer{}
		config := w.authorize(auth)
		servers := make([]*mcptest.Server, 10)
		for i := range servers {
			slug := fmt.Sprintf("s%d", i)
			servers[i] = &mcptest.Server{Token: auth.access(1)}
			w.serve(slug, servers[i]).Auth = mcpclient.OAuth2{Config: config}
			w.stale(auth, slug)
		}
		var mu sync.Mutex
		var persisted []mcpclient.UserToken
		w.opts.OnTokenRefresh = func(_ context.Context, token mcpclient.UserToken) error {
			mu.Lock()
			defer mu.Unlock()
			for _, s := range servers {
				require.Empty(t, s.Recorder.Requests(), "the host has the token before it is used")
			}
			persisted = append(persisted, token)
			return errors.New("the store is down")
		}
		var steps sync.WaitGroup
		for range 5 {
			steps.Go(func() {
				r := w.connect()
				for _, s := range r.summaries {
					require.Equal(t, mcpclient.ConnectOutcomeConnected, s.Outcome, s.Error)
				}
				r.cleanup()
			})
		}
		steps.Wait()
		w.background.Wait()
		require.Equal(t, 1, auth.refreshes())
		require.Len(t, persisted, 1)
		require.Equal(t, auth.refresh(1), persisted[0].Token.RefreshToken)

		r := w.connect() // the host still brings the old token: its store was down
		require.Equal(t, mcpclient.ConnectOutcomeConnected, r.of("s0").Outcome, r.of("s0").Error)
		r.cleanup()
		w.background.Wait()
		require.Equal(t, 1, auth.refreshes())
		require.Zero(t, auth.reused, "a rotating refresh token is never used twice")
	})
}

func TestTokenThatExpiresDuringTheStepIsRefreshedBeforeTheNextCall(t *testing.T) {
	overBoth(t, func(t *testing.T, w *world, legacy bool) {
		auth := &tokenServer{}
		s := &mcptest.Server{LegacySSE: legacy}
		w.serve("s", s).Auth = mcpclient.OAuth2{Config: w.authorize(auth)}
		w.stale(auth, "s")
		r := w.connect()
		require.Equal(t, "hi", r.call("s__echo", `{"text":"hi"}`).Content)
		require.Equal(t, 1, auth.refreshes())
		time.Sleep(2 * time.Hour)
		require.Equal(t, "hi", r.call("s__echo", `{"text":"hi"}`).Content)
		require.Equal(t, 2, auth.refreshes())
		requests := s.Recorder.Requests()
		last := requests[len(requests)-1]
		require.Equal(t, "Bearer "+auth.access(2), last.Header.Get("Authorization"))
		r.cleanup()
		w.background.Wait()
	})
}

func TestRefusedTokenIsRefreshedAndTheRequestSentAgain(t *testing.T) {
	for _, legacy := range bothTransports {
		for _, phase := range []string{"initialize", "list", "call"} {
			t.Run(transportName(legacy)+"/"+phase, func(t *testing.T) {
				inWorld(t, func(t *testing.T, w *world) {
					auth := &tokenServer{}
					refusing := map[string]mcptest.Phase{"initialize": mcptest.Every, "list": mcptest.List, "call": mcptest.Call}[phase]
					s := &mcptest.Server{LegacySSE: legacy, Fault: func(p mcptest.Phase, rw http.ResponseWriter, r *http.Request) bool {
						if p != refusing || r.Header.Get("Authorization") != "Bearer "+auth.access(0) {
							return false
						}
						rw.WriteHeader(http.StatusUnauthorized)
						return true
					}}
					w.serve("s", s).Auth = mcpclient.OAuth2{Config: w.authorize(auth)}
					w.tokens = []mcpclient.UserToken{{ServerID: idOf("s"), Token: oauth2.Token{
						AccessToken: auth.accessToken(), RefreshToken: auth.refreshToken(), // it never says when it expires
					}}}
					r := w.connect()
					require.Equal(t, mcpclient.ConnectOutcomeConnected, r.of("s").Outcome, r.of("s").Error)
					var calls sync.WaitGroup
					for range 50 {
						calls.Go(func() { require.Equal(t, "hi", r.call("s__echo", `{"text":"hi"}`).Content) })
					}
					calls.Wait()
					require.Equal(t, 50, s.Executed("echo"))
					require.Equal(t, 1, auth.refreshes())
					r.cleanup()
					w.background.Wait()
				})
			})
		}
	}
}

func TestTokenThatIsRefusedAfterARefreshIsAuthRequired(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		auth := &tokenServer{}
		w.serve("s", &mcptest.Server{Token: "never"}).Auth = mcpclient.OAuth2{Config: w.authorize(auth)}
		w.stale(auth, "s")
		r := w.connect()
		require.Equal(t, mcpclient.ConnectOutcomeAuthRequired, r.of("s").Outcome)
		require.Equal(t, 401, r.of("s").HTTPStatus)
		require.Equal(t, 2, auth.refreshes(), "one because it had expired, one because it was refused")
		r.cleanup()
		w.background.Wait()
	})
}

func TestRevokedGrantIsAuthRequiredInPlainWords(t *testing.T) {
	for _, code := range []string{"invalid_grant", "bad_refresh_token"} {
		t.Run(code, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				asked := 0
				auth := &tokenServer{fail: func(rw http.ResponseWriter) bool {
					asked++
					rw.WriteHeader(http.StatusBadRequest)
					_, _ = fmt.Fprintf(rw, `{"error":%q}`, code)
					return true
				}}
				s := &mcptest.Server{Token: "never"}
				w.serve("s", s).Auth = mcpclient.OAuth2{Config: w.authorize(auth)}
				w.stale(auth, "s")
				for range 3 {
					r := w.connect()
					require.Equal(t, mcpclient.ConnectOutcomeAuthRequired, r.of("s").Outcome)
					require.Contains(t, r.of("s").Error, "connect this server again")
					r.cleanup()
					w.background.Wait()
				}
				require.Equal(t, 1, asked, "a dead grant is not tried again")
				for _, request := range s.Recorder.Requests() {
					require.Empty(t, request.Header.Get("Authorization"), "nothing of it is sent")
				}
				_, err := mcpclient.RefreshToken(t.Context(), w.opts.HTTPClient, w.authorizeAgain(), w.tokens[0])
				require.ErrorIs(t, err, mcpclient.ErrGrantRevoked)
			})
		})
	}
}

// authorizeAgain is the config of a token server that is there already.
func (*world) authorizeAgain() *oauth2.Config {
	return &oauth2.Config{ClientID: "client", ClientSecret: "client-secret", Endpoint: oauth2.Endpoint{TokenURL: "http://auth.test/token", AuthStyle: oauth2.AuthStyleInParams}}
}

func TestPassingRefreshFailureIsAnErrorAndPasses(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		down := true
		auth := &tokenServer{fail: func(rw http.ResponseWriter) bool {
			if down {
				rw.WriteHeader(http.StatusServiceUnavailable)
			}
			return down
		}}
		s := &mcptest.Server{}
		w.serve("s", s).Auth = mcpclient.OAuth2{Config: w.authorize(auth)}
		w.stale(auth, "s")
		r := w.connect()
		require.Equal(t, mcpclient.ConnectOutcomeError, r.of("s").Outcome)
		require.Equal(t, "credentials", r.of("s").Phase)
		require.Contains(t, r.of("s").Error, "503")
		require.Empty(t, s.Recorder.Requests())
		require.Len(t, w.logs.lines(slog.LevelWarn), 1)
		r.cleanup()
		down = false
		r = w.connect()
		require.Equal(t, mcpclient.ConnectOutcomeConnected, r.of("s").Outcome, r.of("s").Error)
		r.cleanup()
		w.background.Wait()
	})
}

func TestHangingRefreshCostsItsServerOnly(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.opts.ConnectTimeout = budget
		auth := &tokenServer{hang: true}
		w.serve("s", &mcptest.Server{}).Auth = mcpclient.OAuth2{Config: w.authorize(auth)}
		w.serve("good", &mcptest.Server{})
		w.stale(auth, "s")
		start := time.Now()
		r := w.connect()
		require.Equal(t, budget, r.took)
		require.Equal(t, mcpclient.ConnectOutcomeTimeout, r.of("s").Outcome)
		require.Equal(t, "credentials", r.of("s").Phase)
		require.Equal(t, mcpclient.ConnectOutcomeConnected, r.of("good").Outcome)
		r.cleanup()
		w.background.Wait()
		require.Equal(t, budget, time.Since(start), "the refresh ends with the last one who waits for it")
	})
}

func TestProviderWithoutRotationKeepsTheRefreshToken(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		auth := &tokenServer{noRotate: true}
		config := w.authorize(auth)
		w.stale(auth, "s")
		fresh, err := mcpclient.RefreshToken(t.Context(), w.opts.HTTPClient, config, w.tokens[0])
		require.NoError(t, err)
		require.Equal(t, w.tokens[0].Token.RefreshToken, fresh.Token.RefreshToken)
		require.Equal(t, idOf("s"), fresh.ServerID)
		require.False(t, fresh.NeedsReconnect)
	})
}

func TestRefreshFollowsNoRedirectAndShowsNoSecret(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var auth *tokenServer
		auth = &tokenServer{fail: func(rw http.ResponseWriter) bool {
			rw.Header().Set("Location", "http://canary.test/token")
			rw.WriteHeader(http.StatusTemporaryRedirect)
			_, _ = fmt.Fprint(rw, "client-secret "+auth.refresh(0))
			return true
		}}
		config := w.authorize(auth)
		canary := mcptest.Canary(t, w.net)
		w.stale(auth, "s")
		_, err := mcpclient.RefreshToken(t.Context(), w.opts.HTTPClient, config, w.tokens[0])
		require.ErrorContains(t, err, "307")
		require.NotErrorIs(t, err, mcpclient.ErrGrantRevoked)
		require.NotContains(t, err.Error(), "client-secret")
		require.NotContains(t, err.Error(), auth.refresh(0))
		require.Empty(t, canary.Recorder.Requests())
	})
}

func TestRevokeToken(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		auth := &tokenServer{}
		config := w.authorize(auth)
		w.stale(auth, "s")
		revoke := func(target string, token mcpclient.UserToken) (bool, error) {
			return mcpclient.RevokeToken(t.Context(), w.opts.HTTPClient, config, target, token)
		}
		_, err := revoke("http://auth.test/revoke", w.tokens[0])
		require.ErrorContains(t, err, "neither https nor on a loopback address")
		require.Empty(t, auth.revoked)

		ok, err := revoke("http://localhost/revoke", mcpclient.UserToken{})
		require.NoError(t, err)
		require.False(t, ok, "there is nothing to revoke")

		w.net.Shut("auth.test:80")
	})
}

func TestRevokeTokenSendsTheRefreshTokenFirst(t *testing.T) {
	auth := &tokenServer{name: "revoke"}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := &http.Server{Handler: auth, ReadHeaderTimeout: time.Second}
	var done sync.WaitGroup
	done.Go(func() { _ = server.Serve(listener) })
	defer done.Wait()
	defer func() { _ = server.Close() }()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	target := "http://" + listener.Addr().String()
	config := &oauth2.Config{ClientID: "c", ClientSecret: "s3cr3t-s3cr3t"}
	for _, tt := range []struct {
		token mcpclient.UserToken
		want  string
	}{
		{mcpclient.UserToken{Token: oauth2.Token{AccessToken: "a", RefreshToken: "r"}}, "refresh_token:r"},
		{mcpclient.UserToken{Token: oauth2.Token{AccessToken: "a"}}, "access_token:a"},
	} {
		ok, err := mcpclient.RevokeToken(t.Context(), client, config, target+"/revoke", tt.token)
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, tt.want, auth.revoked[len(auth.revoked)-1])
	}
	auth.fail = func(w http.ResponseWriter) bool { w.WriteHeader(http.StatusInternalServerError); return true }
	_, err = mcpclient.RevokeToken(t.Context(), client, config, target+"/other?key=s3cr3t-s3cr3t", mcpclient.UserToken{Token: oauth2.Token{AccessToken: "a"}})
	require.ErrorContains(t, err, "500")
	require.NotContains(t, err.Error(), "s3cr3t")
}
