package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// connection is the way to one server. It owns the live session from the moment
// the attempt hands it over, and replaces it when the server has lost it.
type connection struct {
	server      *server
	version     string        // of the protocol, as agreed on: a renewal asks for it first
	headerTools bool          // some tools have parameters that are mirrored in headers
	slots       chan struct{} // one for each call that may run at a time
	gate        gate

	renewed func(sessionInfo) // told of a new session, if not nil
	suspect func()            // told that the session may be of no use any more, if not nil

	// open ends with the connection, and any renewal with it.
	open  context.Context
	close context.CancelFunc

	mu      sync.Mutex // guards the rest; never held across I/O
	session *session   // nil after it was lost, until it is renewed
	renewal *renewal   // under way; nil: none
}

// renewal is one try to replace a lost session. Its goroutine ends with the
// connect budget or with the connection.
type renewal struct {
	done chan struct{} // closed when err is written
	err  error
}

var (
	errClosed = errors.New("the step is over")
	// errNotRenewed is of a session that was lost and could not be made anew.
	errNotRenewed = errors.New("the session has ended and could not be renewed")
	errNoSlot     = errors.New("too many calls of this server are running")
)

func newConnection(s *session, headerTools bool) *connection {
	open, shut := context.WithCancel(context.Background())
	return &connection{
		server: s.server, session: s, version: s.version, headerTools: headerTools, open: open, close: shut,
		slots: make(chan struct{}, min(s.server.opts.Limits.ParallelCalls, 1<<16)),
	}
}

// acquire takes a place for a call; release gives it back. Waiting counts
// against the call's own limit.
func (c *connection) acquire(ctx context.Context) (release func(), err error) {
	release = func() { <-c.slots }
	select {
	case c.slots <- struct{}{}:
		return release, nil
	default:
	}
	select {
	case c.slots <- struct{}{}:
		return release, nil
	case <-ctx.Done():
		return nil, errors.Join(errNoSlot, context.Cause(ctx))
	}
}

// use gives the live session, renewed first if it was lost; done gives it back.
func (c *connection) use(ctx context.Context) (s *session, done func(), renewed bool, err error) {
	for {
		c.mu.Lock()
		if c.open.Err() != nil {
			c.mu.Unlock()
			return nil, nil, renewed, errClosed
		}
		if s := c.session; s != nil {
			s.users.Add(1) // under the lock: nobody is added once it was lost
			c.mu.Unlock()
			return s, s.users.Done, renewed, nil
		}
		r := c.renewal
		if r == nil {
			r = &renewal{done: make(chan struct{})}
			c.renewal = r
			c.server.detach(func() { c.renew(r) })
		}
		c.mu.Unlock()
		select {
		case <-r.done:
		case <-ctx.Done():
			return nil, nil, renewed, context.Cause(ctx)
		}
		if r.err != nil {
			return nil, nil, renewed, fmt.Errorf("%w: %w: %w", errNotSent, errNotRenewed, r.err)
		}
		renewed = true
	}
}

// renew is the renewal's goroutine.
func (c *connection) renew(r *renewal) {
	defer close(r.done)
	ctx, cancel := context.WithTimeoutCause(c.open, c.server.opts.ConnectTimeout, errBudget)
	defer cancel()
	s, err := c.replace(ctx)
	c.mu.Lock()
	c.renewal, r.err = nil, err
	renewed := err == nil && c.open.Err() == nil
	if renewed {
		c.session = s
	}
	c.mu.Unlock()
	if renewed {
		if c.renewed != nil {
			c.renewed(s.info)
		}
		return
	}
	if s != nil {
		s.endPolitely()
	}
}

// replace makes a session like the one that was lost. The session is there also
// beside an error.
func (c *connection) replace(ctx context.Context) (s *session, err error) {
	defer func() {
		if p := recover(); p != nil {
			c.server.logPanic(ctx, p, nil)
			err = errPanic
		}
	}()
	s, release, err := open(ctx, c.server, c.version, func() {})
	if err != nil {
		return s, err
	}
	s.announce(ctx)
	if c.headerTools && s.stateless() {
		if _, err := s.list(ctx, spawn); err != nil {
			return s, err
		}
	}
	if !release() {
		return s, context.Cause(ctx)
	}
	return s, nil
}

// lose takes a session out of use that the server no longer knows. Calls that
// still run on it may finish.
func (c *connection) lose(s *session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session != s {
		return
	}
	c.session = nil
	c.server.detach(func() {
		s.users.Wait()
		s.kill(errSessionOver) // there is nothing to end politely
		s.endPolitely()
	})
}

// end closes the connection for cleanup. What it returns closes the session,
// within closeTimeout; nil if there is none.
func (c *connection) end() func() {
	c.close()
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.session
	c.session = nil
	if s == nil {
		return nil
	}
	return s.endPolitely
}

// kill ends the connection, its session and every call on it.
func (c *connection) kill() {
	c.close()
	c.mu.Lock()
	s := c.session
	c.session = nil
	c.mu.Unlock()
	if s != nil {
		s.kill(errSessionOver)
		c.server.detach(s.endPolitely)
	}
}

// announceTimeout bounds the wait for a server's answer to
// notifications/initialized where calls come next: some servers refuse them
// before it, and some never answer it.
const announceTimeout = 2 * time.Second

// announce sends notifications/initialized and waits for the answer.
func (s *session) announce(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, announceTimeout)
	defer cancel()
	s.ready.start(spawn)
	s.ready.waitWithin(ctx)
}
