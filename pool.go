package mcpclient

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"cdr.dev/slog/v3"
	"charm.land/fantasy"
)

// Pool keeps sessions warm between steps. A step whose servers are all warm
// does no network I/O.
//
// A session is shared by steps that have the same config, user, credential and
// forwarded headers, and by no others. Its tools are listed again when the
// server says that they have changed, or when the list is old; the tools of a
// step never change under it. A server that failed is skipped for a growing
// time; where its tools are known they are offered all the same, unless it has
// refused the authorization, and a call connects it.
//
// All methods may be called concurrently. A Pool must not be copied; make one
// with NewPool.
//
// It starts goroutines, each bounded by itself: for connecting or listing a
// server (twice the longest connect budget of those who wait, or Close), for
// closing sessions (at most 5 seconds each), for the timer that looks for idle
// ones, and for what sessions do on the side, as renewals and refreshes. Close
// waits for them.
type Pool struct {
	opts PoolOptions
	crew crew
	life context.Context // ends with Close: nothing is connected any more
	stop context.CancelFunc
	dead context.Context // ends when Close has waited long enough, and every session with it
	kill context.CancelFunc

	mu      sync.RWMutex // guards the rest; never held across I/O
	entries map[sessionKey]*poolEntry
	leased  map[*poolEntry]struct{} // evicted with leases: closed with the last
	closed  bool
	drained chan struct{} // closed when nothing is leased any more, after closed
	timer   *time.Timer

	stats struct{ hits, misses, dials, evictions, skipped, lists atomic.Int64 }
}

// PoolOptions configure a Pool. The zero value works: each field that is zero or
// negative means the value that it documents.
type PoolOptions struct {
	// MaxSessions is how many sessions are kept: 1,024. Beyond it the one that
	// was used least recently gives way.
	MaxSessions int
	// IdleTimeout is how long a session is kept that no step uses, and up to half
	// as long again: 5 minutes.
	// MaxAge is how long one is given out at all: for ever. Steps that hold an
	// older one keep it.
	IdleTimeout, MaxAge time.Duration
	// MaxListAge is how long a list of tools counts as good where the server
	// does not say (ttlMs): 5 minutes. Whatever a server says or announces, its
	// list is read at most once a second.
	MaxListAge time.Duration
	// MinBackoff and MaxBackoff bound for how long a server is skipped that
	// failed: 10 seconds at first, twice as long after each further failure, up
	// to 5 minutes, and a quarter more or less by chance. A refused
	// authorization is tried again after MaxBackoff, or at once with another
	// OAuth2 token.
	MinBackoff, MaxBackoff time.Duration
}

// PoolStats is a snapshot of a Pool.
type PoolStats struct {
	Sessions int // connected servers, also those that gave way and that a step still uses
	Leases   int // servers in steps whose cleanup has not been called
	// Counters since NewPool, of servers in steps: Hits were warm, or had known
	// tools while the server fails, Misses had to wait, Skipped failed a short
	// while ago. Dials are sessions begun, but for those that replace a lost one,
	// Evictions sessions that gave way, ListRefreshes lists asked for again.
	Hits, Misses, Dials, Evictions, Skipped, ListRefreshes int64
}

// minListInterval is the least time between two lists of one session: a server
// that announces changes all the time is not asked all the time.
const minListInterval = time.Second

// parallelCloses is how many sessions are closed at a time.
const parallelCloses = 16

var errPoolClosed = errors.New("the pool is closed")

// NewPool returns an empty Pool. Nothing is connected and no goroutine started
// before a step asks for it. Close it when it is no longer needed.
func NewPool(opts PoolOptions) *Pool {
	if opts.MaxSessions <= 0 {
		opts.MaxSessions = 1024
	}
	opts.IdleTimeout = max(orDefault(opts.IdleTimeout, 5*time.Minute), time.Millisecond) // a timer runs twice in it
	opts.MaxListAge = orDefault(opts.MaxListAge, 5*time.Minute)
	opts.MinBackoff = orDefault(opts.MinBackoff, 10*time.Second)
	opts.MaxBackoff = max(orDefault(opts.MaxBackoff, 5*time.Minute), opts.MinBackoff)
	p := &Pool{opts: opts, entries: map[sessionKey]*poolEntry{}, leased: map[*poolEntry]struct{}{}}
	p.life, p.stop = context.WithCancel(context.Background())
	p.dead, p.kill = context.WithCancel(context.Background())
	return p
}

// ConnectAll is like the function ConnectAll, on the pool's sessions. Its
// cleanup gives them back without I/O. Summaries of servers for which no session
// was made say Reused; a server that failed a short while ago and has no known tools is
// ConnectOutcomeSkipped, with the reason of the real failure.
//
// Limits, ClientInfo, HTTPClient, AddressPolicy and UserID are part of what a
// session is shared by. Time limits, hooks, filters and names are each step's
// own. After Close every server's outcome is ConnectOutcomeError.
func (p *Pool) ConnectAll(
	ctx context.Context,
	logger slog.Logger,
	configs []ServerConfig,
	tokens []UserToken,
	opts Options,
) (tools []fantasy.AgentTool, summaries []ConnectSummary, cleanup func()) {
	s := newStep(ctx, logger, configs, opts.withDefaults())
	p.run(s, tokens)
	return s.tools(), s.summaries(), s.cleanup
}

// run finds or makes the session of each server, all at once, and returns when
// each attempt is settled.
func (p *Pool) run(s *step, tokens []UserToken) {
	if s.ctx.Err() != nil {
		s.run(tokens) // it says so, and sends nothing
		return
	}
	host := hostingOf(s.ctx, s.logger, &s.opts)
	var key identity
	key.options(&s.opts)
	common := len(key.bytes)
	for _, a := range s.attempts {
		a.started = time.Now()
		if a.err == nil {
			key.bytes = key.bytes[:common]
			key.config(&a.config, &s.opts, tokens)
			a.err = p.take(key.sum(), a, host, tokens)
		}
		if a.err != nil {
			a.reject(tokens)
		}
	}
	// Each is settled when its own flight has ended or its own budget has, so
	// that no server's summary depends on another's.
	var waits sync.WaitGroup
	for _, a := range s.attempts {
		if a.flight != nil {
			waits.Go(a.awaitFlight)
		}
	}
	waits.Wait()
}

// take gives the attempt what the key's place has: a result, or a flight to wait
// for. An error is a reason why there is no such place.
func (p *Pool) take(key sessionKey, a *attempt, host *hosting, tokens []UserToken) (err error) {
	for taken := false; !taken; {
		if a.entry, err = p.entry(key, a, tokens); err != nil {
			return err
		}
		a.server = a.entry.server
		a.entry.adopt(host, tokens)
		taken = a.entry.take(a) // false: it left the pool at this moment
	}
	return nil
}

// entry is the place of a key, made if there is none.
func (p *Pool) entry(key sessionKey, a *attempt, tokens []UserToken) (*poolEntry, error) {
	p.mu.RLock()
	e, closed := p.entries[key], p.closed
	p.mu.RUnlock()
	if closed {
		return nil, errPoolClosed
	}
	if e != nil && !e.expired(time.Now()) {
		return e, nil
	}
	srv, err := newServer(a.step.ctx, a.config, a.step.logger, tokens, a.step.opts)
	if err != nil {
		return nil, err
	}
	fresh := &poolEntry{pool: p, key: key, server: srv, born: time.Now(), used: time.Now()}
	srv.onListChanged, srv.dead, srv.crew = fresh.changed, p.dead, &p.crew
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, errPoolClosed
	}
	if other := p.entries[key]; other != nil {
		if !other.expired(time.Now()) {
			return other, nil
		}
		p.drop(other)
	}
	for len(p.entries) >= p.opts.MaxSessions {
		p.evict()
	}
	p.entries[key] = fresh
	p.schedule()
	return fresh, nil
}

// evict drops the entry that was used least recently, one that no step uses if
// there is any. p.mu is held.
func (p *Pool) evict() {
	var oldest *poolEntry
	var usedOldest time.Time
	var leasedOldest bool
	for _, e := range p.entries {
		used, leased := e.usage()
		if oldest == nil || leasedOldest && !leased || leasedOldest == leased && used.Before(usedOldest) {
			oldest, usedOldest, leasedOldest = e, used, leased
		}
	}
	p.stats.evictions.Add(1)
	p.drop(oldest)
}

// drop takes an entry out of the pool. Its session ends when no step uses it.
// p.mu is held.
func (p *Pool) drop(e *poolEntry) {
	delete(p.entries, e.key)
	if e.retire() {
		p.spawn(e.end)
		return
	}
	p.leased[e] = struct{}{}
}

// ended is told that a dropped entry that was held has ended.
func (p *Pool) ended(e *poolEntry) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.leased, e)
	p.checkDrained()
}

func (p *Pool) checkDrained() {
	if p.drained != nil && len(p.leased) == 0 {
		close(p.drained)
		p.drained = nil
	}
}

// schedule sees to it that idle entries are looked for. p.mu is held.
func (p *Pool) schedule() {
	if p.timer != nil || len(p.entries) == 0 || p.closed {
		return
	}
	p.crew.join() // for the timer's own run, see sweep
	p.timer = time.AfterFunc(p.opts.IdleTimeout/2, p.sweep)
}

// sweep drops entries that are idle or too old.
func (p *Pool) sweep() {
	defer p.crew.leave()
	now := time.Now()
	p.mu.Lock()
	p.timer = nil
	var ends []func()
	for key, e := range p.entries {
		if !e.idle(now) && !e.expired(now) {
			continue
		}
		delete(p.entries, key)
		if e.retire() {
			ends = append(ends, e.end)
		} else {
			p.leased[e] = struct{}{}
		}
	}
	p.schedule()
	p.mu.Unlock()
	inParallel(ends, parallelCloses)
}

// spawn starts a goroutine that Close waits for.
func (p *Pool) spawn(f func()) { p.crew.run(f) }

// inParallel runs all functions, a few at a time, and waits for them.
func inParallel(functions []func(), at int) {
	var wg sync.WaitGroup
	slots := make(chan struct{}, at)
	for _, f := range functions {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			f()
		})
	}
	wg.Wait()
}

// Stats returns a snapshot. It may be called at any time, also after Close.
func (p *Pool) Stats() PoolStats {
	p.mu.RLock()
	defer p.mu.RUnlock()
	s := PoolStats{
		Hits: p.stats.hits.Load(), Misses: p.stats.misses.Load(), Dials: p.stats.dials.Load(),
		Evictions: p.stats.evictions.Load(), Skipped: p.stats.skipped.Load(), ListRefreshes: p.stats.lists.Load(),
	}
	count := func(e *poolEntry) {
		connected, leases := e.holdings()
		s.Leases += leases
		if connected {
			s.Sessions++
		}
	}
	for _, e := range p.entries {
		count(e)
	}
	for e := range p.leased {
		count(e)
	}
	return s
}

// Close ends the pool: no session is given out any more, those that no step
// uses are closed politely, and the others when their step's cleanup gives them
// back. Close waits for all of that, at most until ctx ends; then it ends the rest,
// running calls with it, and returns the error of ctx. It may be called again.
func (p *Pool) Close(ctx context.Context) error {
	p.mu.Lock()
	p.closed = true
	p.stop()
	if p.timer != nil && p.timer.Stop() {
		p.crew.leave() // it will not run
	}
	p.timer = nil
	var ends []func()
	for key, e := range p.entries {
		delete(p.entries, key)
		if e.retire() {
			ends = append(ends, e.end)
		} else {
			p.leased[e] = struct{}{}
		}
	}
	drained := make(chan struct{})
	if p.drained == nil {
		p.drained = drained
	} else {
		drained = p.drained
	}
	p.checkDrained()
	p.spawn(func() { inParallel(ends, parallelCloses) })
	p.mu.Unlock()

	finished := make(chan struct{})
	go func() { // ends when the pool's goroutines have; after kill that is at once
		defer close(finished)
		<-drained
		p.crew.wait()
	}()
	select {
	case <-finished:
		return nil
	case <-ctx.Done():
	}
	p.killLeased()
	select {
	case <-finished:
	case <-time.After(killTime): // a transport of the host that does not obey its contexts
	}
	return ctx.Err()
}

// killTime is how long what was killed may take to be gone.
const killTime = 100 * time.Millisecond

// killLeased ends what is left, without politeness.
func (p *Pool) killLeased() {
	p.kill()
	p.mu.Lock()
	defer p.mu.Unlock()
	for e := range p.leased {
		delete(p.leased, e)
		e.kill()
	}
	p.checkDrained()
}
