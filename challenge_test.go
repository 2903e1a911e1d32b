package mcpclient_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

func TestAuthChallengeKeepsWhatAHostCanActOn(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("https://auth.test/scopes/read.everything ", 60))
	for name, tt := range map[string]struct{ header, want string }{
		"bare":      {`Bearer`, `Bearer`},
		"all":       {`bearer realm="r", error="invalid_token", error_description="x", scope="a b", resource_metadata="https://s.test/m"`, `Bearer error="invalid_token", scope="a b", resource_metadata="https://s.test/m"`},
		"long text": {`Bearer error_description="` + strings.Repeat("x", 5000) + `", resource_metadata="https://s.test/m"`, `Bearer resource_metadata="https://s.test/m"`},
		"scopes":    {`Bearer scope="` + long + `", resource_metadata="https://s.test/m"`, `Bearer scope="` + long[:25*41-1] + `", resource_metadata="https://s.test/m"`},
		"two":       {`Basic realm="x", Bearer error="invalid_token"`, `Basic, Bearer error="invalid_token"`},
		"nonsense":  {`"`, ``},
		"hostile":   {"Bearer scope=\"a\u202eb\u200b\"", `Bearer scope="ab"`},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.serve("s", &mcptest.Server{Wedges: map[mcptest.Phase]mcptest.Behaviour{
					mcptest.Initialize: mcptest.Reply(401, "", "", "WWW-Authenticate: "+tt.header),
				}})
				s := w.connect().of("s")
				require.Equal(t, mcpclient.ConnectOutcomeAuthRequired, s.Outcome)
				require.Equal(t, tt.want, s.AuthChallenge)
			})
		})
	}
}

func TestInsufficientScopeNamesTheScopes(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("s", &mcptest.Server{Token: "good", Scope: "files:write"}).Auth = mcpclient.APIKey{Header: "Authorization", Value: "Bearer good"}
		s := w.connect().of("s")
		require.Equal(t, mcpclient.ConnectOutcomeAuthRequired, s.Outcome)
		require.Equal(t, 403, s.HTTPStatus)
		require.Contains(t, s.AuthChallenge, `error="insufficient_scope"`)
		require.Contains(t, s.AuthChallenge, "files:write")
	})
}
