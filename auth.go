package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/google/uuid"
	"golang.org/x/net/http/httpguts"
	"golang.org/x/oauth2"
)

// Auth is how requests to one server are authenticated. It is a closed set:
// OAuth2, APIKey, CustomHeaders and UserOIDC.
//
// Whatever the kind, credentials are put on a request when it is sent, and only
// if it goes to the scheme, host and port of ServerConfig.URL. They win over
// user information in the URL, which wins over forwarded headers.
//
// A header that HTTP does not allow, or that is the connection's or the
// protocol's own (Host, Content-Length, Mcp-* and the like), is a mistake in the
// config: the server's outcome is ConnectOutcomeError, and its text names the
// header and never the value.
type Auth interface {
	// credential resolves the kind for one server of one step. An error is a
	// mistake in the config.
	credential(s *server, tokens []UserToken) (credential, error)
	// secrets are the configured values that nobody else may see.
	secrets() []string
	// identify writes what must be the same for two servers to be one.
	identify(k *identity, c *ServerConfig, tokens []UserToken)
}

// OAuth2 sends the user's token for the server, from the tokens given to
// ConnectAll. Without a usable token the server is connected without one, and
// reported as auth_required if it refuses that.
//
// With Config, a token that expires within 30 seconds (or half of its life, if
// that is shorter and known) is refreshed before it is used, and one that a
// server refuses with 401 is refreshed once and the request sent again, unless
// such a refresh gave it less than 30 seconds ago. Where that fails for a reason
// that may pass, the server is ConnectOutcomeError. All servers, sessions and
// calls of ConnectAll in a process that hold the same grant share one refresh,
// and Options.OnTokenRefresh has the new token before any request does.
type OAuth2 struct {
	// Config is the OAuth2 client that the token was issued to; it is not
	// modified. Nil means that tokens are sent as they are; so is a token
	// without a refresh token in any case.
	Config *oauth2.Config
}

func isNilPointer(a Auth) bool {
	v := reflect.ValueOf(a)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// APIKey sends one fixed header, with Value as it is: a scheme such as "Bearer"
// is part of it. Value is a secret.
type APIKey struct{ Header, Value string }

// CustomHeaders sends fixed headers, by name. Two names that differ in case alone
// are a mistake. All values are secrets. The map must not be modified before
// cleanup.
type CustomHeaders map[string]string

// UserOIDC sends the user's own OIDC access token, from Options.OIDCTokens, as
// a bearer token. The source is asked for every request, and once more after a
// 401. Without a token the server is connected without one.
type UserOIDC struct{}

// UserToken is a user's OAuth2 token for one server.
type UserToken struct {
	// ServerID is the ID of the ServerConfig that the token is for.
	ServerID uuid.UUID
	// Token is the token as it is stored. A zero Expiry means that it is not
	// known to expire.
	Token oauth2.Token
	// NeedsReconnect says that the grant is dead: nothing of it is sent, and
	// the user has to connect again.
	NeedsReconnect bool
}

// OIDCTokenSource gives a user's own access token. It must be safe for
// concurrent use and obey ctx; it is asked often and is expected to cache. An
// empty token without an error means that the user has none. After an error the
// request goes out without a token; the log has the reason (a debug record for
// each request), and so have the summary of a server that refuses that and the
// response to a call that it refuses with 401. A server that answers 401 then is
// ConnectOutcomeError: the user has no part in it.
type OIDCTokenSource interface {
	OIDCAccessToken(ctx context.Context, userID uuid.UUID) (string, error)
}

// credential is what authenticates one server's requests in one step.
type credential interface {
	// headers are to be set on a request that is about to be sent. An error is
	// a reason to send it without, unless it is errUnresolved.
	headers(ctx context.Context) (http.Header, error)
	// renew is asked after a 401 to a request with the rejected Authorization
	// header, and says whether headers has others now. An error says why not.
	renew(ctx context.Context, rejected string) (bool, error)
}

// errUnresolved says that there is a credential which can't be had right now.
// The request must not go out without it: the server's refusal would look as if
// the user had to connect again.
var errUnresolved = errors.New("the credentials can't be resolved")

// errNoToken and its kin say why a request goes out without a credential.
var (
	errNoToken        = errors.New("the user has no token for this server")
	errNeedsReconnect = errors.New("the user has to connect this server again")
	errIllegalToken   = errors.New("the token is no legal header value")
)

func (a APIKey) credential(*server, []UserToken) (credential, error) {
	return fixedHeaders(map[string]string{a.Header: a.Value})
}

func (a CustomHeaders) credential(*server, []UserToken) (credential, error) {
	return fixedHeaders(a)
}

func (a OAuth2) credential(s *server, tokens []UserToken) (credential, error) {
	token := tokenFor(s.config.ID, tokens)
	if a.refreshes(token) {
		return refreshing{grants.of(a.Config, token), refresher{s, a.Config}}, nil
	}
	return newBearer(token), nil
}

func (a OAuth2) refreshes(token UserToken) bool {
	return a.Config != nil && !token.NeedsReconnect && token.Token.RefreshToken != ""
}

func (UserOIDC) credential(s *server, _ []UserToken) (credential, error) {
	return oidc{server: s}, nil
}

func (a APIKey) secrets() []string        { return []string{a.Value} }
func (a CustomHeaders) secrets() []string { return slices.Collect(maps.Values(a)) }
func (UserOIDC) secrets() []string        { return nil }

func (a OAuth2) secrets() []string {
	if a.Config == nil {
		return nil
	}
	return []string{a.Config.ClientSecret}
}

// fixed is a credential that is part of the config.
type fixed http.Header

func (f fixed) headers(context.Context) (http.Header, error) { return http.Header(f), nil }
func (fixed) renew(context.Context, string) (bool, error)    { return false, nil }

// fixedHeaders checks configured headers. An error names the header and never
// the value.
func fixedHeaders(configured map[string]string) (fixed, error) {
	h := make(http.Header, len(configured))
	for name, value := range configured {
		if err := checkHeader(name, value); err != nil {
			return nil, err
		}
		key := http.CanonicalHeaderKey(name)
		if _, twice := h[key]; twice {
			return nil, fmt.Errorf("header %q is configured twice", key)
		}
		h.Set(key, value)
	}
	return fixed(h), nil
}

// ownHeaders can't be configured: the connection's own (RFC 9110 section
// 7.6.1), and those by which the protocol frames and negotiates.
var ownHeaders = map[string]bool{
	"Connection": true, "Keep-Alive": true, "Proxy-Authenticate": true, "Proxy-Authorization": true,
	"Proxy-Connection": true, "Te": true, "Trailer": true, "Transfer-Encoding": true, "Upgrade": true,
	"Host": true, "Content-Length": true, "Content-Type": true, "Content-Encoding": true,
	"Accept": true, "Accept-Encoding": true, "Last-Event-Id": true,
}

func checkHeader(name, value string) error {
	key := http.CanonicalHeaderKey(name)
	switch {
	case !httpguts.ValidHeaderFieldName(name):
		return fmt.Errorf("header name %q is not allowed in HTTP", name)
	case ownHeaders[key] || strings.HasPrefix(key, "Mcp-"):
		return fmt.Errorf("header %q belongs to the connection and can't be configured", key)
	case !httpguts.ValidHeaderFieldValue(value):
		return fmt.Errorf("the value of header %q is not allowed in HTTP", key)
	}
	return nil
}

// bearer is an OAuth2 access token that can't be refreshed here. The host may
// bring another one of the same grant.
type bearer struct{ token atomic.Pointer[UserToken] }

func newBearer(token UserToken) *bearer {
	b := new(bearer)
	b.token.Store(&token)
	return b
}

func (b *bearer) adopt(token UserToken) {
	if b.token.Load().Token.AccessToken != token.Token.AccessToken {
		b.token.Store(&token)
	}
}

func (b *bearer) known() string { return b.token.Load().Token.AccessToken }

func (b *bearer) headers(context.Context) (http.Header, error) {
	switch token := b.token.Load(); {
	case token.NeedsReconnect:
		return nil, errNeedsReconnect
	default:
		return token.header()
	}
}

func (b *bearer) renew(ctx context.Context, _ string) (bool, error) {
	_, err := b.headers(ctx)
	return false, err
}

// header spells Bearer so whatever case was stored: some servers compare the
// scheme byte by byte.
func (t UserToken) header() (http.Header, error) {
	if t.Token.AccessToken == "" {
		return nil, errNoToken
	}
	return authorization(t.Token.Type(), t.Token.AccessToken)
}

// refreshing is an OAuth2 grant with a refresh token.
type refreshing struct {
	grant *grant
	by    refresher
}

func (r refreshing) headers(ctx context.Context) (http.Header, error) {
	token, err := r.grant.current(ctx, r.by)
	if errors.Is(err, ErrGrantRevoked) {
		return nil, fmt.Errorf("%w: %w", errNeedsReconnect, err)
	}
	if err != nil {
		err = fmt.Errorf("%w: %w", errUnresolved, err)
		return nil, &plainError{err.Error(), err}
	}
	return r.header(token)
}

// kept are headers with the token that is there: no refresh is begun for them.
func (r refreshing) kept() (http.Header, error) {
	token, err := r.grant.kept()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNeedsReconnect, err)
	}
	return r.header(token)
}

func (r refreshing) header(token UserToken) (http.Header, error) {
	r.by.server.hide(token.Token.AccessToken, token.Token.RefreshToken)
	return token.header()
}

func (r refreshing) known() string { return r.grant.known() }

func (r refreshing) renew(ctx context.Context, rejected string) (bool, error) {
	_, token, _ := strings.Cut(rejected, " ")
	if token == "" { // it went out without
		_, err := r.headers(ctx)
		return err == nil, err
	}
	fresh, err := r.grant.renewed(ctx, r.by, token)
	if err != nil {
		return false, err
	}
	return fresh.Token.AccessToken != token, nil
}

// tokenFor is the user's token for a server: a usable one before one that is not.
func tokenFor(id uuid.UUID, tokens []UserToken) UserToken {
	best := UserToken{ServerID: id}
	for _, t := range tokens {
		if t.ServerID != id {
			continue
		}
		if !t.NeedsReconnect && t.Token.AccessToken != "" {
			return t
		}
		best = t
	}
	return best
}

func authorization(scheme, token string) (http.Header, error) {
	value := scheme + " " + token
	if !httpguts.ValidHeaderFieldValue(value) {
		return nil, errIllegalToken
	}
	return http.Header{"Authorization": {value}}, nil
}

// oidc asks the host for the user's token.
type oidc struct{ server *server }

func (o oidc) headers(ctx context.Context) (http.Header, error) {
	source := o.server.host().oidcTokens
	if source == nil {
		return nil, errNoToken
	}
	token, err := await(ctx, o.server, func() (string, error) {
		return source.OIDCAccessToken(ctx, o.server.opts.UserID)
	})
	if err != nil {
		return nil, fmt.Errorf("look up the user's token: %w", err)
	}
	if token == "" {
		return nil, errNoToken
	}
	o.server.hide(token)
	return authorization("Bearer", token)
}

// renew asks the host once more: its token may have expired meanwhile.
func (o oidc) renew(ctx context.Context, rejected string) (bool, error) {
	h, err := o.headers(ctx)
	if err != nil {
		return false, err
	}
	return h.Get("Authorization") != rejected, nil
}
