package mcpclient_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"cdr.dev/slog/v3"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"golang.org/x/oauth2"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

func TestStaticCredentialsReachTheServerOnEveryRequest(t *testing.T) {
	token := func(kind, access string) []mcpclient.UserToken {
		return []mcpclient.UserToken{{ServerID: idOf("s"), Token: oauth2.Token{AccessToken: access, TokenType: kind}}}
	}
	for name, tt := range map[string]struct {
		auth    mcpclient.Auth
		tokens  []mcpclient.UserToken
		forward map[string]string
		header  string
		want    string
	}{
		"api key":                        {mcpclient.APIKey{Header: "x-api-key", Value: "k"}, nil, nil, "X-Api-Key", "k"},
		"custom":                         {mcpclient.CustomHeaders{"X-One": "1", "authorization": "Basic abc"}, nil, nil, "Authorization", "Basic abc"},
		"bearer":                         {mcpclient.OAuth2{}, token("Bearer", "t"), nil, "Authorization", "Bearer t"},
		"bearer of no stored type":       {mcpclient.OAuth2{}, token("", "t"), nil, "Authorization", "Bearer t"},
		"bearer stored in another case":  {mcpclient.OAuth2{}, token("bearer", "t"), nil, "Authorization", "Bearer t"},
		"another type is kept":           {mcpclient.OAuth2{}, token("DPoP", "t"), nil, "Authorization", "DPoP t"},
		"forwarded":                      {nil, nil, map[string]string{"X-User": "u"}, "X-User", "u"},
		"auth wins over forwarded":       {mcpclient.APIKey{Header: "x-user", Value: "mine"}, nil, map[string]string{"X-USER": "u"}, "X-User", "mine"},
		"a pointer to an auth works too": {&mcpclient.APIKey{Header: "X-Api-Key", Value: "k"}, nil, nil, "X-Api-Key", "k"},
	} {
		for _, legacy := range bothTransports {
			t.Run(name+"/"+transportName(legacy), func(t *testing.T) {
				inWorld(t, func(t *testing.T, w *world) {
					s := &mcptest.Server{LegacySSE: legacy}
					c := w.serve("s", s)
					c.Auth, c.ForwardHeaders = tt.auth, tt.forward != nil
					w.tokens, w.opts.ForwardHeaders = tt.tokens, tt.forward
					r := w.connect()
					require.Equal(t, mcpclient.ConnectOutcomeConnected, r.of("s").Outcome, r.of("s").Error)
					r.call("s__echo", `{"text":"x"}`)
					r.cleanup()
					w.background.Wait()
					requests := s.Recorder.Requests()
					require.NotEmpty(t, requests)
					for _, request := range requests {
						require.Equal(t, []string{tt.want}, request.Header.Values(tt.header), request.Method+" "+request.RPC)
					}
					require.Empty(t, w.logs.lines(slog.LevelWarn))
				})
			})
		}
	}
}

func TestForwardedHeadersGoToThoseWhoAskForThem(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		s := &mcptest.Server{}
		w.serve("s", s)
		w.opts.ForwardHeaders = map[string]string{"X-User": "u"}
		r := w.connect()
		r.cleanup()
		w.background.Wait()
		for _, request := range s.Recorder.Requests() {
			require.Empty(t, request.Header.Values("X-User"))
		}
	})
}

func TestUserInformationInTheURLIsBasicAuth(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		s := &mcptest.Server{}
		c := w.serve("s", s)
		c.URL = "http://user:p%40ss@s.test/mcp?x=%2F"
		r := w.connect()
		require.Equal(t, mcpclient.ConnectOutcomeConnected, r.of("s").Outcome, r.of("s").Error)
		r.cleanup()
		w.background.Wait()
		for _, request := range s.Recorder.Requests() {
			require.Equal(t, "Basic dXNlcjpwQHNz", request.Header.Get("Authorization"))
			require.Equal(t, "x=%2F", request.Query, "the rest is used byte for byte")
		}
	})
}

func TestUnusableTokensConnectWithoutAndWarnOnce(t *testing.T) {
	for name, tokens := range map[string][]mcpclient.UserToken{
		"none":            nil,
		"of another":      {{ServerID: uuid.New(), Token: oauth2.Token{AccessToken: "t"}}},
		"empty":           {{ServerID: idOf("s")}},
		"needs reconnect": {{ServerID: idOf("s"), Token: oauth2.Token{AccessToken: "t"}, NeedsReconnect: true}},
		"illegal":         {{ServerID: idOf("s"), Token: oauth2.Token{AccessToken: "t\n"}}},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				s := &mcptest.Server{}
				w.serve("s", s).Auth = mcpclient.OAuth2{}
				locked := &mcptest.Server{Token: "good"}
				w.serve("locked", locked).Auth = mcpclient.OAuth2{}
				w.tokens = tokens
				r := w.connect()
				require.Equal(t, mcpclient.ConnectOutcomeConnected, r.of("s").Outcome, r.of("s").Error)
				require.Equal(t, mcpclient.ConnectOutcomeAuthRequired, r.of("locked").Outcome)
				require.Equal(t, "initialize", r.of("locked").Phase)
				require.Len(t, w.logs.lines(slog.LevelWarn), 2, "one for each")
				r.cleanup()
				w.background.Wait()
				for _, request := range append(s.Recorder.Requests(), locked.Recorder.Requests()...) {
					require.Empty(t, request.Header.Values("Authorization"))
				}
			})
		})
	}
}

// tokenSource is a host's source of OIDC tokens.
type tokenSource func(ctx context.Context, user uuid.UUID) (string, error)

func (f tokenSource) OIDCAccessToken(ctx context.Context, user uuid.UUID) (string, error) {
	return f(ctx, user)
}

func TestUserOIDC(t *testing.T) {
	user := uuid.New()
	for name, tt := range map[string]struct {
		source  mcpclient.OIDCTokenSource
		want    []string
		outcome mcpclient.ConnectOutcome
		phase   string
		warn    int
	}{
		"token": {tokenSource(func(_ context.Context, u uuid.UUID) (string, error) {
			if u != user {
				return "", errors.New("another user")
			}
			return "oidc", nil
		}), []string{"Bearer oidc"}, "connected", "", 0},
		"none":   {tokenSource(func(context.Context, uuid.UUID) (string, error) { return "", nil }), nil, "connected", "", 1},
		"no one": {nil, nil, "connected", "", 1},
		"error":  {tokenSource(func(context.Context, uuid.UUID) (string, error) { return "", errors.New("down") }), nil, "connected", "", 1},
		"hangs": {tokenSource(func(ctx context.Context, _ uuid.UUID) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		}), nil, "timeout", "credentials", 1},
		"hangs for longer than it is asked to": {tokenSource(func(context.Context, uuid.UUID) (string, error) {
			time.Sleep(time.Minute)
			return "late", nil
		}), nil, "timeout", "credentials", 1},
		"panics": {tokenSource(func(context.Context, uuid.UUID) (string, error) { panic("source") }), nil, "error", "credentials", 2},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				s := &mcptest.Server{}
				w.serve("s", s).Auth = mcpclient.UserOIDC{}
				w.opts.UserID, w.opts.OIDCTokens = user, tt.source
				w.opts.ConnectTimeout = budget
				r := w.connect()
				require.LessOrEqual(t, r.took, budget)
				require.Equal(t, tt.outcome, r.of("s").Outcome, r.of("s").Error)
				require.Equal(t, tt.phase, r.of("s").Phase)
				require.Len(t, w.logs.lines(slog.LevelWarn), tt.warn)
				r.cleanup()
				w.background.Wait()
				for _, request := range s.Recorder.Requests() {
					require.Equal(t, tt.want, request.Header.Values("Authorization"))
				}
			})
		})
	}
}

func TestSecretsStayOutOfWhatIsSeen(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		const secret = "s3cr3t-canary-value"
		s := &mcptest.Server{Wedges: map[mcptest.Phase]mcptest.Behaviour{
			mcptest.Initialize: mcptest.Reply(401, "text/plain", "bad key "+secret, `WWW-Authenticate: Bearer error="`+secret+`"`),
		}}
		w.serve("s", s).Auth = mcpclient.APIKey{Header: "X-Key", Value: secret}
		r := w.connect()
		require.Equal(t, mcpclient.ConnectOutcomeAuthRequired, r.of("s").Outcome)
		require.NotContains(t, r.of("s").Error+r.of("s").AuthChallenge, secret)
		for _, level := range []slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn} {
			for _, line := range w.logs.lines(level) {
				require.NotContains(t, line, secret)
			}
		}
		r.cleanup()
		w.background.Wait()
	})
}
