package mcpclient

import (
	"math/rand/v2"
	"sync"
	"time"
)

// poolEntry is one key's place in a Pool: the connection, what the server lists,
// and what is known of its failures.
type poolEntry struct {
	pool   *Pool
	key    sessionKey
	server *server
	born   time.Time

	mu      sync.Mutex // never held across I/O
	used    time.Time
	holds   int // leases, steps that wait, and the flight
	leases  int
	retired bool // out of the pool: ends with the last hold
	killed  bool // has ended before its holds

	connection *connection // nil until the first success
	info       sessionInfo
	listing    *listing // nil until the first success
	listedAt   time.Time
	ttl        *time.Duration // of the list, as the server says; nil: it does not
	stale      bool           // the server says that its list has changed
	another    bool           // info has changed since listing
	costly     *listing       // one that could not be converted within a step's budget

	// catalogs are made under a lock of their own: it takes a while, and a
	// cleanup must not wait for it.
	catalogs struct {
		sync.Mutex
		known []namedCatalog
	}

	flight *poolFlight // nil: none
	misses struct {    // what is known of failures since the last success
		count   int
		until   time.Time // no try before it
		failure failure
		phase   string
		token   string // the credential that was refused
	}
}

// take gives the attempt its result where that costs nothing, or else a flight
// to wait for. It is false where the entry is out of the pool.
func (e *poolEntry) take(a *attempt) bool {
	e.mu.Lock()
	if e.retired {
		e.mu.Unlock()
		return false
	}
	now := a.started
	e.used = now
	known, failing := e.listing != nil, e.failing(now)
	refused := failing && e.misses.failure.outcome == ConnectOutcomeAuthRequired
	switch {
	case known && e.costly == e.listing && e.good(now):
		e.pool.stats.skipped.Add(1)
		e.mu.Unlock()
		a.skip(failure{text: "its tools could not be converted within the connect budget"}, "tools")
		return true
	case known && !refused && (failing || e.good(now)):
		e.pool.stats.hits.Add(1)
		e.holds++
		e.mu.Unlock()
		e.lend(a, true)
		return true
	case failing:
		e.pool.stats.skipped.Add(1)
		missed, phase := e.misses.failure, e.misses.phase
		e.mu.Unlock()
		a.skip(missed, phase)
		return true
	case e.flight == nil:
		e.takeOff(a)
	default:
		e.flight.extend(now.Add(flightTime(a)))
	}
	e.pool.stats.misses.Add(1)
	e.holds++
	a.flight = e.flight
	e.mu.Unlock()
	return true
}

// good says whether the list can be offered as it is.
func (e *poolEntry) good(now time.Time) bool {
	age := now.Sub(e.listedAt)
	if e.stale {
		return age < minListInterval
	}
	if e.ttl != nil {
		return age < max(*e.ttl, minListInterval)
	}
	return age < e.pool.opts.MaxListAge
}

// failing says whether the server failed a short while ago and is not to be
// tried now, or is being tried by somebody after that. An authorization that
// failed is tried again as soon as the credential is another one.
func (e *poolEntry) failing(now time.Time) bool {
	if e.misses.count == 0 {
		return false
	}
	if e.flight != nil {
		return true
	}
	if e.misses.failure.outcome == ConnectOutcomeAuthRequired && e.misses.token != tokenOf(e.server) {
		return false
	}
	return now.Before(e.misses.until)
}

// tokenOf is the credential as far as it is known without asking anybody.
func tokenOf(s *server) string {
	if known, ok := s.credential.(interface{ known() string }); ok {
		return known.known()
	}
	return ""
}

// learn takes what a flight has brought. e.mu is held.
func (e *poolEntry) learn(s *session, listed *listing) {
	if s != nil {
		e.info = s.info
		e.connection = newConnection(s, listed.headerTools())
		e.connection.renewed, e.connection.suspect = e.renewed, e.changed
	}
	e.ttl, e.listedAt = listed.ttl, time.Now()
	if e.listing == nil || e.another || !e.listing.same(listed) { // equal content changes nothing
		e.listing = listed
	}
	e.another = false
	e.misses.count = 0
}

// renewed takes what the server says on a new session of the connection: it may
// be another version of it.
func (e *poolEntry) renewed(info sessionInfo) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stale = true
	if e.info != info {
		e.info, e.another = info, true
	}
}

// fail notes the failure of a flight and for how long the server is left alone.
// A flight fails once. e.mu is held.
func (e *poolEntry) fail(err error, f *poolFlight) {
	if e.pool.life.Err() != nil {
		return
	}
	m, phase := &e.misses, f.trial.at()
	m.failure, m.phase = classify(err, phase), phase
	if !f.overdue {
		m.count++
	}
	o := e.pool.opts
	pause := o.MinBackoff
	for n := 1; n < m.count && pause < o.MaxBackoff; n++ {
		pause = min(pause, o.MaxBackoff/2+1) * 2
	}
	pause = min(pause, o.MaxBackoff)
	if m.failure.outcome == ConnectOutcomeAuthRequired {
		// Waiting mends no credential; a new one is tried at once.
		m.token, pause = tokenOf(e.server), o.MaxBackoff
	}
	m.until = time.Now().Add(pause/4*3 + rand.N(pause/2+1))
}

// lend makes the attempt's result of what the server lists. The caller has
// taken a hold, which becomes the lease's.
func (e *poolEntry) lend(a *attempt, reused bool) {
	e.mu.Lock()
	info, listed, connection := e.info, e.listing, e.connection
	failing, missed, phase := e.misses.count > 0, e.misses.failure, e.misses.phase
	e.mu.Unlock()
	result := e.offer(a, info, listed, connection)
	if s := &result.summary; !s.Outcome.failed() {
		s.Reused = reused
		if failing {
			s.Error, s.Phase, s.HTTPStatus = e.server.line(missed.text), phase, missed.status
		}
	}
	a.result = a.settle(result)
	e.mu.Lock()
	defer e.mu.Unlock()
	if a.result.lease != nil {
		e.leases++
		return
	}
	e.unhold()
}

// offer is what the listing gives to the attempt.
func (e *poolEntry) offer(a *attempt, info sessionInfo, listed *listing, connection *connection) (result attemptResult) {
	defer func() {
		if p := recover(); p != nil {
			result = attemptResult{summary: a.refused(a.panicked(p))}
		}
	}()
	shown := e.catalogFor(a, info, listed).withFilter(e.server, a)
	if shown == nil {
		if a.step.ctx.Err() == nil {
			e.mu.Lock()
			e.costly = listed
			e.mu.Unlock()
		}
		return attemptResult{summary: a.ended()}
	}
	result.summary = a.summary()
	shown.describe(&result.summary)
	if len(shown.offers) > 0 {
		result.offers = shown.offers
		result.lease = a.lease(connection)
		result.lease.entry = e
	}
	return result
}

// returned is the end of a lease. It does not wait.
func (e *poolEntry) returned() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.leases--
	e.unhold()
}

// release gives a hold back.
func (e *poolEntry) release() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.unhold()
}

// unhold gives a hold back. The last hold of an entry that is out of the pool
// ends its session. e.mu is held.
func (e *poolEntry) unhold() {
	e.holds--
	e.used = time.Now()
	if e.retired && !e.killed && e.holds == 0 {
		e.pool.spawn(func() {
			e.end()
			e.pool.ended(e)
		})
	}
}

// retire takes the entry out of use, and says whether it can be ended at once;
// or else the last hold does that.
func (e *poolEntry) retire() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.retired = true
	return e.holds == 0
}

// end closes the session politely. Nothing holds the entry any more.
func (e *poolEntry) end() {
	if e.connection == nil {
		return
	}
	if end := e.connection.end(); end != nil {
		end()
	}
}

// kill ends the session and all calls on it.
func (e *poolEntry) kill() {
	e.mu.Lock()
	c := e.connection
	e.killed = true
	e.mu.Unlock()
	if c != nil {
		c.kill()
	}
}

func (e *poolEntry) usage() (used time.Time, held bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.used, e.holds > 0
}

// idle says whether nobody has used the entry for long.
func (e *poolEntry) idle(now time.Time) bool {
	used, held := e.usage()
	return !held && now.Sub(used) >= e.pool.opts.IdleTimeout
}

// expired says whether the entry is too old to be given out.
func (e *poolEntry) expired(now time.Time) bool {
	return e.pool.opts.MaxAge > 0 && now.Sub(e.born) >= e.pool.opts.MaxAge
}

// holdings is for Stats.
func (e *poolEntry) holdings() (connected bool, leases int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.connection != nil, e.leases
}

// changed marks the list stale: the next step asks for it again.
func (e *poolEntry) changed() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stale = true
}

// adopt takes what a new step brings: the host's hooks, and a token that is
// newer than the one in use.
func (e *poolEntry) adopt(h *hosting, tokens []UserToken) {
	e.server.hosting.Store(h)
	if b, ok := e.server.credential.(*bearer); ok {
		token := tokenFor(e.server.config.ID, tokens)
		e.server.hide(token.Token.AccessToken, token.Token.RefreshToken)
		b.adopt(token)
	}
}
