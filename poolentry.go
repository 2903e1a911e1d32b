package mcpclient

import (
	"context"
	"math/rand/v2"
	"slices"
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

// poolFlight is one connect or one list, for all steps that want it. Its
// goroutine is the pool's.
type poolFlight struct {
	trial trial
	fresh bool          // it makes a session
	done  chan struct{} // closed when err is written
	err   error
}

// namedCatalog is the catalog of one listing for one list of configs.
type namedCatalog struct {
	naming  sessionKey
	listing *listing
	catalog *catalog
}

const maxCatalogs = 4

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
	switch {
	case known && (failing || e.good(now)):
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

// takeOff starts a flight. e.mu is held.
func (e *poolEntry) takeOff(a *attempt) {
	f := &poolFlight{done: make(chan struct{}), fresh: e.connection == nil}
	e.flight = f
	e.holds++
	e.stale = false // what is announced from now on may be news
	// A flight outlives the step that wants it, and its budget: what comes late
	// is there for the next step.
	budget := 2 * orDefault(a.config.ConnectTimeout, a.step.opts.ConnectTimeout)
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(a.step.ctx), budget, errBudget)
	stop := context.AfterFunc(e.pool.life, cancel)
	e.pool.spawn(func() {
		defer cancel()
		defer stop()
		e.fly(ctx, f)
		e.release()
	})
}

// fly is the flight's goroutine.
func (e *poolEntry) fly(ctx context.Context, f *poolFlight) {
	var s *session
	var listed *listing
	if f.fresh {
		e.pool.stats.dials.Add(1)
		s, listed, f.err = f.trial.run(ctx, e.server)
	} else {
		e.pool.stats.lists.Add(1)
		listed, f.err = e.listAgain(ctx, f)
	}
	e.mu.Lock()
	e.flight = nil
	if f.err == nil {
		e.learn(s, listed)
		s = nil
	} else {
		e.fail(f.err, f.trial.at())
	}
	e.mu.Unlock()
	close(f.done)
	if s != nil {
		s.endPolitely()
	}
}

// listAgain lists on the live session, once more on a new one if it was lost.
func (e *poolEntry) listAgain(ctx context.Context, f *poolFlight) (*listing, error) {
	for lost := false; ; lost = true {
		f.trial.enter("connect")
		s, done, _, err := e.connection.use(ctx)
		if err != nil {
			return nil, err
		}
		f.trial.enter("list_tools")
		listed, err := s.list(ctx, spawn)
		done()
		if err == nil || lost || !sessionLost(err) {
			return listed, err
		}
		e.connection.lose(s)
	}
}

// learn takes what a flight has brought. e.mu is held.
func (e *poolEntry) learn(s *session, listed *listing) {
	if s != nil {
		e.info = s.info
		e.connection = newConnection(s, listed.headerTools())
		e.connection.renewed = e.changed
	}
	e.ttl, e.listedAt = listed.ttl, time.Now()
	if e.listing == nil || !e.listing.same(listed) { // equal content changes nothing
		e.listing = listed
	}
	e.misses.count = 0
}

// fail notes a failure and for how long the server is left alone. e.mu is held.
func (e *poolEntry) fail(err error, phase string) {
	if e.pool.life.Err() != nil {
		return
	}
	m := &e.misses
	m.count++
	m.failure, m.phase = classify(err, phase), phase
	o := e.pool.opts
	pause := min(o.MinBackoff<<min(m.count-1, 20), o.MaxBackoff)
	if m.failure.outcome == ConnectOutcomeAuthRequired {
		// Waiting mends no credential; a new one is tried at once.
		m.token, pause = tokenOf(e.server), o.MaxBackoff
	}
	m.until = time.Now().Add(pause*3/4 + rand.N(pause/2))
}

// gaveUp is told that a step waits no longer for a flight, overdue if its budget
// has ended. It says whether the flight has landed all the same, and whether
// there are known tools to offer instead.
func (e *poolEntry) gaveUp(f *poolFlight, overdue bool) (landed, known bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.flight != f {
		return true, false
	}
	if overdue && e.misses.count == 0 {
		e.fail(errBudget, f.trial.at())
	}
	return false, e.listing != nil
}

// lend makes the attempt's result of what the server lists. The caller has
// taken a hold, which becomes the lease's.
func (e *poolEntry) lend(a *attempt, reused bool) {
	e.mu.Lock()
	info, listed, connection := e.info, e.listing, e.connection
	e.mu.Unlock()
	result := e.offer(a, info, listed, connection)
	result.summary.Reused = reused && !result.summary.Outcome.failed()
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
	shown := e.catalogFor(a, info, listed).withFilter(e.server, &a.step.opts, a.debug)
	if shown == nil {
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

// landed settles an attempt whose flight has ended. The attempt's hold is given
// back or becomes the lease's.
func (e *poolEntry) landed(a *attempt) {
	f := a.flight
	e.mu.Lock()
	known := e.listing != nil
	e.mu.Unlock()
	if f.err == nil || known {
		e.lend(a, !f.fresh || f.err != nil)
		return
	}
	a.result = a.settle(attemptResult{summary: a.refused(f.err)})
	e.release()
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

// catalogFor is the catalog of a listing under the names of the attempt's step;
// nil if that is late before it is made.
func (e *poolEntry) catalogFor(a *attempt, info sessionInfo, l *listing) *catalog {
	naming := a.step.naming()
	e.catalogs.Lock()
	defer e.catalogs.Unlock()
	for _, n := range e.catalogs.known {
		if n.naming == naming && n.listing == l {
			return n.catalog
		}
	}
	c := e.server.catalog(info, l, a)
	if c == nil {
		return nil
	}
	if len(e.catalogs.known) >= maxCatalogs {
		e.catalogs.known = slices.Delete(e.catalogs.known, 0, 1)
	}
	e.catalogs.known = append(e.catalogs.known, namedCatalog{naming, l, c})
	return c
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
