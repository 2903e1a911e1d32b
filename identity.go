package mcpclient

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"reflect"
	"slices"
)

// sessionKey identifies what may share a session: the same config for the same
// user with the same credential, the same forwarded headers, and the same
// options as far as they shape sessions and tools.
type sessionKey [sha256.Size]byte

// identity builds keys. Every field is written with its length, so that no two
// lists of fields have the same bytes.
type identity struct{ bytes []byte }

func (k *identity) text(fields ...string) {
	for _, f := range fields {
		k.bytes = binary.AppendUvarint(k.bytes, uint64(len(f)))
		k.bytes = append(k.bytes, f...)
	}
}

func (k *identity) list(values []string) {
	k.number(int64(len(values)))
	k.text(values...)
}

func (k *identity) number(n int64) { k.bytes = binary.AppendVarint(k.bytes, n) }

func (k *identity) pairs(m map[string]string) {
	k.number(int64(len(m)))
	if len(m) == 0 {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		k.text(name, m[name])
	}
}

func (k *identity) sum() sessionKey { return sha256.Sum256(k.bytes) }

// options writes what all servers of a step have in common.
func (k *identity) options(o *Options) {
	k.bytes = append(k.bytes, o.UserID[:]...)
	// Whoever holds a key holds the client that it names: the address is not
	// used again as long as the key is.
	k.number(int64(reflect.ValueOf(o.HTTPClient).Pointer()))
	k.text(o.AddressPolicy.key())
	k.text(o.ClientInfo.Name, o.ClientInfo.Version, o.ClientInfo.Title)
	l := &o.Limits
	for _, n := range [...]int64{int64(l.Tools), int64(l.Pages), int64(l.ParallelCalls), int64(l.DescriptionLength), l.ToolBytes, l.ListBytes, l.BodyBytes} {
		k.number(n)
	}
}

// config writes one server's own part, with the identity of its credential.
func (k *identity) config(c *ServerConfig, o *Options, tokens []UserToken) {
	k.bytes = append(k.bytes, c.ID[:]...)
	k.text(c.Slug, c.URL, string(c.Transport), c.ProtocolVersion)
	k.list(c.ToolAllowList)
	k.list(c.ToolDenyList)
	k.number(boolNumber(c.ModelIntent))
	k.number(boolNumber(c.ForwardHeaders))
	if c.ForwardHeaders {
		k.pairs(o.ForwardHeaders)
	}
	if c.Auth != nil {
		c.Auth.identify(k, c, tokens)
	}
}

func boolNumber(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func (a APIKey) identify(k *identity, _ *ServerConfig, _ []UserToken) {
	k.text("api key", a.Header, a.Value)
}

func (a CustomHeaders) identify(k *identity, _ *ServerConfig, _ []UserToken) {
	k.text("headers")
	k.pairs(a)
}

func (UserOIDC) identify(k *identity, _ *ServerConfig, _ []UserToken) { k.text("oidc") }

// identify writes which grant a token is of, not the token: a refreshed one
// keeps its session.
func (a OAuth2) identify(k *identity, c *ServerConfig, tokens []UserToken) {
	token := tokenFor(c.ID, tokens)
	k.text("oauth2", token.Token.TokenType)
	k.number(boolNumber(token.NeedsReconnect))
	switch {
	case token.NeedsReconnect:
	case a.refreshes(token):
		k.text(a.Config.ClientID, a.Config.ClientSecret, a.Config.Endpoint.TokenURL)
		k.number(grants.of(a.Config, token).id)
	case token.Token.RefreshToken != "":
		k.text("refresh", token.Token.RefreshToken)
	default:
		k.text("access", token.Token.AccessToken)
	}
}
