package main

import (
	"net/url"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/oauth2"
)

func TestCheckAnswer(t *testing.T) {
	const issuer = "https://as.example.test"
	for _, tt := range []struct {
		name, query string
		says        bool // that it sends its issuer
		refused     string
	}{
		{"an answer without an issuer", "state=s&code=c", false, ""},
		{"the issuer, announced", "state=s&code=c&iss=https://as.example.test", true, ""},
		{"the issuer, not announced", "state=s&code=c&iss=https://as.example.test", false, ""},
		{"an announced issuer is missing", "state=s&code=c", true, "issuer"},
		{"another issuer", "state=s&code=c&iss=https://evil.example.test", false, "issuer"},
		{"an empty issuer", "state=s&code=c&iss=", false, "issuer"},
		{"an issuer that is the same when normalized", "state=s&code=c&iss=https://as.example.test/", true, "issuer"},
		{"another state", "state=x&code=c", false, "another request"},
		{"no state", "code=c", false, "another request"},
		{"a refusal", "state=s&error=access_denied", false, "access_denied"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			answer, err := url.ParseQuery(tt.query)
			require.NoError(t, err)
			err = checkAnswer(answer, "s", &oauthex.AuthServerMeta{
				Issuer: issuer, AuthorizationResponseIssParameterSupported: tt.says,
			})
			if tt.refused == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, tt.refused)
		})
	}
}

func TestParseChallenge(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       wanted
	}{
		{"none", "", wanted{}},
		{"bearer", `Bearer scope="a b", resource_metadata="https://h.test/m"`, wanted{"https://h.test/m", []string{"a", "b"}}},
		{"beside another scheme", `Basic realm="x", Bearer resource_metadata="https://h.test/m"`, wanted{"https://h.test/m", nil}},
		{"no bearer", `Basic realm="x"`, wanted{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := parseChallenge(tt.text)
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
		})
	}
	_, err := parseChallenge(`Bearer scope="a`)
	assert.Error(t, err)
}

func TestScopes(t *testing.T) {
	const issuer = "https://as.example.test"
	for _, tt := range []struct {
		name                                     string
		challenged, ofResource, ofServer, before []string
		want                                     []string
	}{
		{"nobody says any", nil, nil, nil, nil, nil},
		{"of the challenge before the resource's", []string{"a"}, []string{"b"}, nil, nil, []string{"a"}},
		{"of the resource", nil, []string{"b"}, nil, nil, []string{"b"}},
		{"beside those granted before", []string{"a", "c"}, nil, nil, []string{"b", "a"}, []string{"b", "a", "c"}},
		{"a refresh token where there may be one", []string{"a"}, nil, []string{"x", offlineAccess}, nil, []string{"a", offlineAccess}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := newLogin("https://mcp.example.test", given{})
			l.granted[issuer] = tt.before
			got := l.scopes(tt.challenged, &place{
				scopes: tt.ofResource, server: &oauthex.AuthServerMeta{Issuer: issuer, ScopesSupported: tt.ofServer},
			})
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestAuthStyle(t *testing.T) {
	for _, tt := range []struct {
		name    string
		methods []string
		secret  string
		want    oauth2.AuthStyle
	}{
		{"nothing is said", nil, "s", oauth2.AuthStyleInHeader},
		{"basic is possible", []string{"client_secret_post", "client_secret_basic"}, "s", oauth2.AuthStyleInHeader},
		{"post alone", []string{"client_secret_post"}, "s", oauth2.AuthStyleInParams},
		{"no secret", []string{"client_secret_basic"}, "", oauth2.AuthStyleInParams},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, authStyle(tt.methods, tt.secret)) })
	}
}

func TestRunRefuses(t *testing.T) {
	for _, tt := range []struct {
		name string
		args []string
		env  map[string]string
		want string
	}{
		{"no URL", nil, nil, "usage"},
		{"an unknown scenario", []string{"http://localhost"}, map[string]string{scenarioVariable: "auth/dpop"}, `"auth/dpop": not one`},
		{"a context that is no JSON", []string{"http://localhost"},
			map[string]string{scenarioVariable: "initialize", contextVariable: "{"}, contextVariable},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := play(tt.args, func(name string) string { return tt.env[name] })
			assert.ErrorContains(t, err, tt.want)
		})
	}
}
