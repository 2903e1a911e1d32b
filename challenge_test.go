package mcpclient_test

import (
	"net/http"
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

func TestAuthChallengeIsReadAsFarAsItCanBe(t *testing.T) {
	const metadata, want = `resource_metadata="https://s.test/m"`, `Bearer resource_metadata="https://s.test/m"`
	for name, tt := range map[string]struct {
		headers []string
		want    string
	}{
		"another header's token68":     {[]string{`NTLM TlRMTVNTUAACAAAA`, `Bearer ` + metadata}, `NTLM, ` + want},
		"a token68 in the same header": {[]string{`Negotiate YII/abc+def==, Bearer ` + metadata}, `Negotiate, ` + want},
		"no challenge beside it":       {[]string{`=bad=`, `"open`, ``, `Bearer ` + metadata}, want},
		"no comma":                     {[]string{`Bearer realm="x" error="invalid_token" ` + metadata}, `Bearer error="invalid_token", resource_metadata="https://s.test/m"`},
		"a leading comma":              {[]string{`Bearer ,` + metadata + `,`}, want},
		"commas before the scheme":     {[]string{` , ,Bearer ` + metadata}, want},
		"spaces around":                {[]string{`bearer resource_metadata = "https://s.test/m"`}, want},
		"no quotes":                    {[]string{`BEARER resource_metadata=https://s.test/m, error=invalid_token`}, `Bearer error="invalid_token", resource_metadata="https://s.test/m"`},
		"no quotes and words":          {[]string{`Bearer error_description=it is over, ` + metadata}, want},
		"names in another case":        {[]string{`Bearer Resource_Metadata="https://s.test/m"`}, want},
		"quotes in quotes":             {[]string{`Bearer scope="a \"b\" \\c", ` + metadata}, `Bearer scope="a \"b\" \\c", resource_metadata="https://s.test/m"`},
		"a quote that does not end":    {[]string{`Bearer ` + metadata + `, realm="x, error="`}, want},
		"commas in quotes":             {[]string{`Digest realm="a, b", nonce="abc==", qop="auth,auth-int", Bearer ` + metadata}, `Digest, ` + want},
		"twice":                        {[]string{`Bearer ` + metadata + `, resource_metadata="https://evil.test"`}, want},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.serve("s", &mcptest.Server{Fault: func(_ mcptest.Phase, rw http.ResponseWriter, _ *http.Request) bool {
					rw.Header()["Www-Authenticate"] = tt.headers
					rw.WriteHeader(http.StatusUnauthorized)
					return true
				}})
				s := w.connect().of("s")
				require.Equal(t, mcpclient.ConnectOutcomeAuthRequired, s.Outcome)
				require.Equal(t, tt.want, s.AuthChallenge)
			})
		})
	}
}
