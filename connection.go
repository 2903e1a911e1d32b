package mcpclient

import (
	"context"
	"errors"
)

// connection is one server's place in a step: what the step's tools of that
// server share. It owns the session from the moment the attempt hands it over.
type connection struct {
	server  *server
	session *session
	slots   chan struct{} // one for each call that may run at a time

	// open ends with cleanup: calls that run then are cancelled, later ones
	// are refused.
	open  context.Context
	close context.CancelFunc
}

var (
	errClosed = errors.New("the step is over")
	errNoSlot = errors.New("too many calls of this server are running")
)

func newConnection(s *session) *connection {
	open, shut := context.WithCancel(context.Background())
	return &connection{
		server: s.server, session: s, open: open, close: shut,
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
