package mcpclient

import (
	"context"
	"crypto/sha256"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"cdr.dev/slog/v3"
	"golang.org/x/oauth2"

	"github.com/mcpclient-go/mcpclient/internal/wire"
)

// grant is one OAuth2 grant in this process. All who hold any of its tokens
// share it, across servers, sessions and calls of ConnectAll: two who refreshed
// at the same time would use a rotating refresh token twice, which ends the
// grant at many providers (RFC 9700 section 4.14.2).
type grant struct {
	id     int64         // no other grant has it
	mu     sync.Mutex    // never held across I/O
	token  UserToken     // the newest known
	early  time.Duration // how long before its expiry token counts as expired
	forced time.Time     // when a refresh that followed a refusal gave token; zero: none did
	seen   []tokenSum    // of the newest access tokens
	dead   error         // wraps ErrGrantRevoked: the refresh token is not to be tried any more
	spent  string        // the access token that the grant has died with
	flight *flight       // the refresh under way; nil: none
	used   time.Time
	keys   []grantKey
}

// tokenSum is an access token as far as it is to be known again.
type tokenSum [sha256.Size]byte

func sumOf(t UserToken) tokenSum { return sha256.Sum256([]byte(t.Token.AccessToken)) }

// maxSeen is more than a store, or a step that goes on, can be behind.
const maxSeen = 32

// flight is one refresh. Its goroutine ends when the server answers, when the
// last one who waits has gone, or after refreshTimeout.
type flight struct {
	done    chan struct{} // closed when token and err are written
	token   UserToken
	err     error
	cancel  context.CancelFunc
	refused bool // a server has refused the token that was there before

	waiting   int  // guarded by the grant's mu, as the next
	abandoned bool // all who waited have gone
}

// refresher is what a refresh needs of the server that asks for it.
type refresher struct {
	server *server
	config *oauth2.Config
}

const (
	// expiryDelta is how long before its expiry a token counts as expired: it
	// must not expire on its way.
	expiryDelta = 30 * time.Second
	// forcedAgain is how old a token is at least that is refreshed because a
	// server refuses it, if it came from a refresh with the same reason: a server
	// that refuses every token of a tool would else cost a refresh each call.
	forcedAgain = 30 * time.Second
)

// earliness is expiryDelta, or half of the life of a token that was issued just
// now: one that is issued for less would never be sent.
func earliness(fresh oauth2.Token) time.Duration {
	if fresh.Expiry.IsZero() {
		return expiryDelta
	}
	return min(expiryDelta, time.Until(fresh.Expiry)/2)
}

// current is the newest token, refreshed first where it has expired.
func (g *grant) current(ctx context.Context, r refresher) (UserToken, error) {
	return g.obtain(ctx, r, "")
}

// renewed is a token other than rejected, which a server has refused. It is
// rejected itself where that has just been renewed for the same reason.
func (g *grant) renewed(ctx context.Context, r refresher, rejected string) (UserToken, error) {
	return g.obtain(ctx, r, rejected)
}

// kept is the newest token, expired or not: nothing is refreshed.
func (g *grant) kept() (UserToken, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.lifeless() {
		return g.token, g.dead
	}
	return g.token, nil
}

// lifeless says whether the grant is dead, and no access token has come since.
// g.mu is held.
func (g *grant) lifeless() bool {
	return g.dead != nil && g.token.Token.AccessToken == g.spent
}

// good says whether the newest token can be sent: to a server that has refused
// rejected, or for the first time, if that is empty. g.mu is held.
func (g *grant) good(rejected string) bool {
	t := g.token.Token
	switch {
	case t.AccessToken == "" || g.lifeless():
		return false
	case rejected == "":
		return t.Expiry.IsZero() || time.Until(t.Expiry) >= g.early
	case rejected != t.AccessToken:
		return true
	}
	return !g.forced.IsZero() && time.Since(g.forced) < forcedAgain
}

// obtain gives the newest token if it is good, or waits for a refresh: the one
// under way, or a new one.
func (g *grant) obtain(ctx context.Context, r refresher, rejected string) (UserToken, error) {
	for ctx.Err() == nil {
		g.mu.Lock()
		g.used = time.Now()
		if good := g.good(rejected); good || g.dead != nil {
			defer g.mu.Unlock()
			if good {
				return g.token, nil
			}
			return g.token, g.dead
		}
		if g.flight == nil {
			g.flight = g.takeOff(ctx, r, rejected != "")
		}
		f := g.flight
		if !f.abandoned {
			f.waiting++
			g.mu.Unlock()
			return g.wait(ctx, f)
		}
		g.mu.Unlock()
		select { // it may still have used the refresh token: no second use beside it
		case <-f.done:
		case <-ctx.Done():
		}
	}
	return UserToken{}, context.Cause(ctx)
}

// known is the access token in use.
func (g *grant) known() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.token.Token.AccessToken
}

// takeOff starts a refresh, apart from the session whose request wants it: it is
// for all who hold the grant. g.mu is held.
func (g *grant) takeOff(ctx context.Context, r refresher, refused bool) *flight {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(wire.Apart(ctx)), refreshTimeout)
	f := &flight{done: make(chan struct{}), cancel: cancel, refused: refused}
	old := g.token
	r.server.detach(func() { g.refresh(ctx, f, r, old) })
	return f
}

func (g *grant) wait(ctx context.Context, f *flight) (UserToken, error) {
	select {
	case <-f.done:
		return f.token, f.err
	case <-ctx.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if f.waiting--; f.waiting == 0 {
		f.abandoned = true
		f.cancel()
	}
	return UserToken{}, context.Cause(ctx)
}

// refresh is the flight's goroutine.
func (g *grant) refresh(ctx context.Context, f *flight, r refresher, old UserToken) {
	defer f.cancel()
	client := plainClient(r.server.opts.HTTPClient, r.server.opts.AddressPolicy)
	token, err := refreshToken(ctx, client, r.config, old)
	early := earliness(token.Token)
	if err == nil {
		r.server.hide(token.Token.AccessToken, token.Token.RefreshToken)
		r.persist(context.WithoutCancel(ctx), token)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case err == nil:
		g.set(token, early)
		if f.refused {
			g.forced = time.Now()
		}
		grants.add(g, keyOf(r.config, token))
	case token.NeedsReconnect:
		g.dead, g.spent = err, old.Token.AccessToken
	}
	f.token, f.err = token, err
	g.flight = nil
	close(f.done)
}

// set replaces the newest token. g.mu is held, or nobody else has g.
func (g *grant) set(token UserToken, early time.Duration) {
	g.token, g.early, g.forced = token, early, time.Time{}
	sum := sumOf(token)
	if token.Token.AccessToken == "" || slices.Contains(g.seen, sum) {
		return
	}
	if len(g.seen) == maxSeen {
		g.seen = slices.Delete(g.seen, 0, 1)
	}
	g.seen = append(g.seen, sum)
}

// newer says whether a stored token is newer than what is known: it expires
// later or, where the grant is dead, has an access token that was not there
// before. That one is used as long as it is good; the refresh token stays dead.
// g.mu is held.
func (g *grant) newer(stored UserToken) bool {
	switch {
	case stored.Token.RefreshToken != g.token.Token.RefreshToken:
		return false
	case g.dead != nil:
		return stored.Token.AccessToken != "" && !slices.Contains(g.seen, sumOf(stored))
	}
	return stored.Token.Expiry.After(g.token.Token.Expiry)
}

// persist tells the host of a new token before anybody uses it. The token is
// not lost in memory where the host fails.
func (r refresher) persist(ctx context.Context, token UserToken) {
	hook := r.server.host().onTokenRefresh
	if hook == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, refreshTimeout)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			r.server.logPanic(ctx, p, nil)
		}
	}()
	if err := hook(ctx, token); err != nil {
		r.server.host().logger.Warn(ctx, "mcp token not persisted", slog.F("server_slug", r.server.config.Slug),
			slog.F("error", r.server.redactor().Line(err.Error(), maxErrorBytes)))
	}
}

// grantKey identifies a grant by a refresh token of it, and by the client and
// the endpoint it was issued to.
type grantKey [sha256.Size]byte

func keyOf(config *oauth2.Config, token UserToken) grantKey {
	return sha256.Sum256([]byte(strings.Join([]string{config.Endpoint.TokenURL, config.ClientID, token.Token.RefreshToken}, "\x00")))
}

// grantTable finds the grant of a stored token, also of one that has been
// replaced meanwhile: a host that read its store before the refresh brings it.
type grantTable struct {
	ids   atomic.Int64
	mu    sync.Mutex
	byKey map[grantKey]*grant
}

// grants is process-wide by its nature: see grant.
var grants grantTable

const (
	maxGrants    = 4096          // above it idle ones are forgotten
	grantMaxIdle = 2 * time.Hour // longer than any step
)

// of is the grant that the stored token belongs to. A stored token that is
// newer than what is known replaces it.
func (t *grantTable) of(config *oauth2.Config, stored UserToken) *grant {
	key := keyOf(config, stored)
	t.mu.Lock()
	g := t.byKey[key]
	t.mu.Unlock()
	if g == nil {
		g = &grant{id: t.ids.Add(1), used: time.Now()}
		g.set(stored, expiryDelta)
		return t.add(g, key)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case !g.newer(stored):
	case stored.Token.AccessToken == g.token.Token.AccessToken:
		g.token = stored // of which no more than the expiry is new
	default:
		g.set(stored, expiryDelta)
	}
	return g
}

// add makes g found by key, and returns the grant that is found by it now. g.mu
// may be held, that of other grants is not taken: forgetting looks at a grant
// only where nobody holds it.
func (t *grantTable) add(g *grant, key grantKey) *grant {
	t.mu.Lock()
	defer t.mu.Unlock()
	if other := t.byKey[key]; other != nil && other != g {
		if len(g.keys) == 0 {
			return other
		}
	}
	if t.byKey == nil {
		t.byKey = map[grantKey]*grant{}
	}
	t.byKey[key] = g
	g.keys = append(g.keys, key)
	if len(t.byKey) > maxGrants {
		t.forget()
	}
	return g
}

func (t *grantTable) forget() {
	for key, g := range t.byKey {
		if !g.mu.TryLock() {
			continue
		}
		if g.flight == nil && time.Since(g.used) > grantMaxIdle {
			delete(t.byKey, key)
		}
		g.mu.Unlock()
	}
}
