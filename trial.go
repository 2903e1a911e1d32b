package mcpclient

import (
	"context"
	"errors"
	"runtime/debug"
	"sync/atomic"
)

// trial is one try to connect a server and list its tools. Where it is can be
// asked at any time, by anybody.
type trial struct {
	phase atomic.Pointer[string]
	note  atomic.Pointer[string] // why it goes on without a credential
	info  atomic.Pointer[sessionInfo]
}

func (t *trial) enter(phase string) { t.phase.Store(&phase) }

func (t *trial) at() string {
	if p := t.phase.Load(); p != nil {
		return *p
	}
	return ""
}

func (t *trial) why() string {
	if n := t.note.Load(); n != nil {
		return *n
	}
	return ""
}

// run connects and lists, all of it bounded by ctx. A session that the server
// loses before it has listed its tools is replaced, once. The session is
// whatever of one is there, also beside an error, for whoever ends it; without
// an error it no longer ends with ctx.
func (t *trial) run(ctx context.Context, s *server) (session *session, listed *listing, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.logPanic(ctx, p, debug.Stack())
			err = errPanic
		}
	}()
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	t.enter("credentials")
	if err := t.resolveCredentials(ctx, s); err != nil {
		return nil, nil, err
	}
	session, listed, err = t.connect(ctx, s)
	if err != nil && session != nil && t.at() == "list_tools" && sessionLost(err) && session.life.Err() == nil {
		// A server that restarts, or one of several that do not share their
		// sessions: the tools are those of the next one.
		lost := session
		session = nil
		lost.kill(errSessionOver) // there is nothing to end politely
		s.detach(lost.endPolitely)
		return t.connect(ctx, s)
	}
	return session, listed, err
}

// connect is one session of the trial, and its list.
func (t *trial) connect(ctx context.Context, s *server) (*session, *listing, error) {
	connecting, handshaking := "connect", "initialize"
	t.phase.Store(&connecting)
	session, release, err := open(ctx, s, s.config.ProtocolVersion, func() {
		t.phase.CompareAndSwap(&connecting, &handshaking)
	})
	if err != nil {
		return session, nil, err
	}
	defer release()
	info := session.info
	t.info.Store(&info)
	t.enter("list_tools")
	var listed *listing
	err = session.guarded(func() (err error) {
		listed, err = session.list(session.life, spawn)
		return err
	})
	if err != nil {
		return session, nil, err
	}
	t.enter("tools")
	if !release() {
		return session, nil, context.Cause(ctx)
	}
	return session, listed, nil
}

// resolveCredentials asks for the credential once before anything is sent, so
// that a slow look-up is seen as what it is. Why there is none is kept for the
// attempt's one record; an error is a reason to end the attempt.
func (t *trial) resolveCredentials(ctx context.Context, s *server) error {
	if s.credential == nil {
		return nil
	}
	_, err := s.credential.headers(ctx)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, errUnresolved), errors.Is(err, errPanic):
		return err
	case err != nil:
		note := s.line(err.Error())
		t.note.Store(&note)
	}
	return nil
}
