package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

const (
	redirectURL = "http://localhost:3000/callback"
	// clientDocument is where this client's metadata would be published; the
	// suite expects this address.
	clientDocument = "https://conformance-test.local/client-metadata.json"
	clientName     = "mcpclient conformance"
	offlineAccess  = "offline_access"
)

// login is a host's side of OAuth for one MCP server: the authorization code
// flow with PKCE of the MCP specification's section on authorization.
type login struct {
	resource string // the server's URL, RFC 8707
	given    given
	// http follows no redirect: the one of the authorization endpoint is the answer.
	http *http.Client

	clients map[string]client   // by issuer: credentials are good for their issuer only
	granted map[string][]string // scopes by issuer
}

// client is a registration with an authorization server.
type client struct {
	id, secret string
	style      oauth2.AuthStyle
}

func newLogin(resource string, g given) *login {
	return &login{
		resource: resource, given: g,
		http: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}},
		clients: map[string]client{}, granted: map[string][]string{},
	}
}

// run logs the user in as the challenge of a refused request asks for.
func (l *login) run(ctx context.Context, challenge string) (*oauth2.Config, *oauth2.Token, error) {
	wanted, err := parseChallenge(challenge)
	if err != nil {
		return nil, nil, err
	}
	place, err := l.discover(ctx, wanted.metadata)
	if err != nil {
		return nil, nil, err
	}
	c, err := l.client(ctx, place.server)
	if err != nil {
		return nil, nil, err
	}
	issuer := place.server.Issuer
	config := &oauth2.Config{
		ClientID: c.id, ClientSecret: c.secret, RedirectURL: redirectURL,
		Endpoint: oauth2.Endpoint{
			AuthURL: place.server.AuthorizationEndpoint, TokenURL: place.server.TokenEndpoint, AuthStyle: c.style,
		},
		Scopes: l.scopes(wanted.scopes, place),
	}
	token, err := l.authorize(ctx, config, place)
	if err != nil {
		return nil, nil, err
	}
	l.granted[issuer] = config.Scopes
	return config, token, nil
}

// wanted is what a challenge says, as far as it is about logging in.
type wanted struct {
	metadata string // URL of the protected resource metadata
	scopes   []string
}

func parseChallenge(text string) (wanted, error) {
	var w wanted
	if text == "" {
		return w, nil
	}
	parsed, err := oauthex.ParseWWWAuthenticate([]string{text})
	if err != nil {
		return w, fmt.Errorf("parse the challenge: %w", err)
	}
	for _, c := range parsed {
		if c.Scheme == "bearer" {
			w.metadata = cmp.Or(w.metadata, c.Params["resource_metadata"])
			w.scopes = append(w.scopes, strings.Fields(c.Params["scope"])...)
		}
	}
	return w, nil
}

// scopes are those that the challenge asks for, else those of the resource's
// metadata; with them all that were granted before, so that more for one
// operation is not less for another, and a refresh token where there may be one.
func (l *login) scopes(challenged []string, p *place) []string {
	scopes := challenged
	if len(scopes) == 0 {
		scopes = p.scopes
	}
	if slices.Contains(p.server.ScopesSupported, offlineAccess) {
		scopes = append(slices.Clone(scopes), offlineAccess)
	}
	all := slices.Clone(l.granted[p.server.Issuer])
	for _, s := range scopes {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// client is this host's registration with a server: one that it was given, its
// published metadata, or a new one; in the order of the MCP specification.
func (l *login) client(ctx context.Context, server *oauthex.AuthServerMeta) (client, error) {
	if c, ok := l.clients[server.Issuer]; ok {
		return c, nil
	}
	var c client
	switch {
	case l.given.ClientID != "":
		c = client{l.given.ClientID, l.given.ClientSecret, authStyle(server.TokenEndpointAuthMethodsSupported, l.given.ClientSecret)}
	case server.ClientIDMetadataDocumentSupported:
		c = client{id: clientDocument, style: oauth2.AuthStyleInParams}
	case server.RegistrationEndpoint != "":
		r, err := oauthex.RegisterClient(ctx, server.RegistrationEndpoint, &oauthex.ClientRegistrationMetadata{
			ClientName:      clientName,
			RedirectURIs:    []string{redirectURL},
			GrantTypes:      []string{"authorization_code", "refresh_token"},
			ResponseTypes:   []string{"code"},
			ApplicationType: "native",
		}, l.http)
		if err != nil {
			return client{}, fmt.Errorf("register: %w", err)
		}
		methods := server.TokenEndpointAuthMethodsSupported
		if r.TokenEndpointAuthMethod != "" {
			methods = []string{r.TokenEndpointAuthMethod}
		}
		c = client{r.ClientID, r.ClientSecret, authStyle(methods, r.ClientSecret)}
	default:
		return client{}, errors.New("the authorization server offers no way to register")
	}
	l.clients[server.Issuer] = c
	return c, nil
}

// authStyle is how a client authenticates to the token endpoint. Without a
// secret its ID is a parameter; with one, the header is what RFC 6749 section
// 2.3.1 has every server understand.
func authStyle(methods []string, secret string) oauth2.AuthStyle {
	basic := len(methods) == 0 || slices.Contains(methods, "client_secret_basic")
	if secret != "" && basic {
		return oauth2.AuthStyleInHeader
	}
	return oauth2.AuthStyleInParams
}

// authorize sends the user to the authorization endpoint and exchanges the code
// that comes back.
func (l *login) authorize(ctx context.Context, config *oauth2.Config, p *place) (*oauth2.Token, error) {
	verifier, state := oauth2.GenerateVerifier(), rand.Text()
	resource := oauth2.SetAuthURLParam("resource", p.resource)
	answer, err := l.browse(ctx, config.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier), resource))
	if err != nil {
		return nil, err
	}
	if err := checkAnswer(answer, state, p.server); err != nil {
		return nil, err
	}
	ctx = context.WithValue(ctx, oauth2.HTTPClient, l.http)
	token, err := config.Exchange(ctx, answer.Get("code"), oauth2.VerifierOption(verifier), resource)
	if err != nil {
		return nil, fmt.Errorf("exchange the code: %w", err)
	}
	return token, nil
}

// browse stands for the user's browser: the mock asks nobody and redirects at
// once. It returns the parameters that the redirect brings.
func (l *login) browse(ctx context.Context, to string) (url.Values, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, to, nil)
	if err != nil {
		return nil, fmt.Errorf("authorization endpoint: %w", err)
	}
	resp, err := l.http.Do(r)
	if err != nil {
		return nil, fmt.Errorf("authorization endpoint: %w", err)
	}
	defer resp.Body.Close()
	back, err := resp.Location()
	if err != nil {
		return nil, fmt.Errorf("authorization endpoint: status %d without a redirect", resp.StatusCode)
	}
	if !strings.HasPrefix(back.String(), redirectURL+"?") {
		return nil, errors.New("authorization endpoint: it redirects elsewhere")
	}
	return back.Query(), nil
}

// checkAnswer refuses an authorization response that is not the one to this
// request (RFC 6749 section 10.12) or not of this server (RFC 9207 section 2.4:
// the issuer is compared as a string, without any normalization).
func checkAnswer(answer url.Values, state string, server *oauthex.AuthServerMeta) error {
	if answer.Get("state") != state {
		return errors.New("the answer of the authorization endpoint is to another request")
	}
	if answer.Has("iss") || server.AuthorizationResponseIssParameterSupported {
		if got := answer.Get("iss"); got != server.Issuer {
			return fmt.Errorf("the answer of the authorization endpoint is of issuer %q, not of %q", got, server.Issuer)
		}
	}
	if code := answer.Get("error"); code != "" {
		return fmt.Errorf("the authorization server refused: %s", code)
	}
	return nil
}
