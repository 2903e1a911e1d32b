package mcpclient_test

import (
	"context"
	"testing"

	"cdr.dev/slog/v3"
	"charm.land/fantasy"
	"github.com/stretchr/testify/require"
	"golang.org/x/oauth2"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

func TestModelIsToldThatAToolHasVanishedOnlyWhereItHas(t *testing.T) {
	for message, tt := range map[string]struct {
		code     int
		vanished bool
	}{
		"Unknown tool: find":                              {-32602, true},
		`unknown tool "find"`:                             {-32602, true},
		"Tool find not found":                             {-32602, true},
		"Error: Tool not found":                           {-32603, false},
		"Tool not found: find":                            {-32603, true},
		"Tool execution failed: repository not found":     {-32603, false},
		"Tool execution failed: find: no file, not found": {-32603, false},
		"tool argument 'repo' is unknown":                 {-32602, false},
	} {
		t.Run(message, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				find := mcptest.Tool{Name: "find", Run: func(context.Context, *mcptest.Invocation) any {
					return mcptest.RPCError{Code: tt.code, Message: message}
				}}
				w.serve("s", &mcptest.Server{Tools: []mcptest.Tool{find}})
				response := w.connect().call("s__find", `{}`)
				require.True(t, response.IsError)
				require.Contains(t, response.Content, message)
				if tt.vanished {
					require.Contains(t, response.Content, "no longer offers this tool, so it was not run")
				} else {
					require.NotContains(t, response.Content, "not run")
				}
			})
		})
	}
}

func TestNameOfAToolReachesHooksClean(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var called mcpclient.ToolCallSummary
		w.opts.OnToolCall = func(_ context.Context, s mcpclient.ToolCallSummary) { called = s }
		w.serve("s", &mcptest.Server{Tools: []mcptest.Tool{{Name: "a\x1b[31mb\u202e.c", Run: func(context.Context, *mcptest.Invocation) any { return mcptest.Text("ok") }}}})
		r := w.connect()
		require.Len(t, r.tools, 1)
		require.Equal(t, "ok", r.call(r.names()[0], `{}`).Content)
		require.Equal(t, "ab.c", called.Tool)
	})
}

func TestNilPointerAsAuthIsAMistakeInTheConfig(t *testing.T) {
	pool := mcpclient.NewPool(mcpclient.PoolOptions{})
	for name, connect := range map[string]func(context.Context, slog.Logger, []mcpclient.ServerConfig, []mcpclient.UserToken, mcpclient.Options) ([]fantasy.AgentTool, []mcpclient.ConnectSummary, func()){"ConnectAll": mcpclient.ConnectAll, "Pool": pool.ConnectAll} {
		t.Run(name, func(t *testing.T) {
			_, summaries, cleanup := connect(t.Context(), slog.Make(), []mcpclient.ServerConfig{
				{ID: idOf("s"), Slug: "s", URL: "http://s.test/mcp", Auth: (*mcpclient.APIKey)(nil)},
			}, nil, mcpclient.Options{})
			defer cleanup()
			require.Len(t, summaries, 1)
			require.Equal(t, mcpclient.ConnectOutcomeError, summaries[0].Outcome)
			require.Equal(t, "config: auth: a nil pointer", summaries[0].Error)
		})
	}
	require.NoError(t, pool.Close(t.Context()))
}

// A host may have lost the access token, or never stored it.
func TestRefreshTokenAloneIsRefreshedFirst(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		auth := &tokenServer{}
		s := &mcptest.Server{}
		w.serve("s", s).Auth = mcpclient.OAuth2{Config: w.authorize(auth)}
		w.tokens = []mcpclient.UserToken{{ServerID: idOf("s"), Token: oauth2.Token{RefreshToken: auth.refreshToken()}}}
		require.Equal(t, mcpclient.ConnectOutcomeConnected, w.connect().of("s").Outcome)
		require.Equal(t, 1, auth.refreshes())
		for _, r := range s.Recorder.Requests() {
			require.Equal(t, "Bearer "+auth.access(1), r.Header.Get("Authorization"))
		}
	})
}

func TestDeadGrantIsNotSent(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		auth := &tokenServer{}
		dead := mcpclient.UserToken{ServerID: idOf("s"), Token: oauth2.Token{AccessToken: "a", RefreshToken: auth.refreshToken()}, NeedsReconnect: true}
		token, err := mcpclient.RefreshToken(t.Context(), w.opts.HTTPClient, w.authorize(auth), dead)
		require.ErrorIs(t, err, mcpclient.ErrGrantRevoked)
		require.Equal(t, dead, token)
		require.Zero(t, auth.refreshes())
	})
}
