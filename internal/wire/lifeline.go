package wire

import (
	"context"
	"errors"
	"time"
)

// values is a context that never ends, with the values of another one and what the chain keeps of a request.
type values struct {
	context.Context // of the request that came
	session         *Session
	trip            *trip
}

type (
	sessionKey struct{}
	tripKey    struct{}
)

func (*values) Deadline() (deadline time.Time, ok bool) { return time.Time{}, false }
func (*values) Done() <-chan struct{}                   { return nil }
func (*values) Err() error                              { return nil }

func (v *values) Value(key any) any {
	switch key.(type) {
	case sessionKey:
		return v.session
	case tripKey:
		return v.trip
	}
	return v.Context.Value(key)
}

// lifeline is the context of one HTTP request. It has the values of the context that the request came with and ends with that
// context, until it is detached, and with the life of the session.
type lifeline struct {
	ctx         context.Context
	values      values
	cancel      context.CancelCauseFunc
	stopRequest func() bool
	stopLife    func() bool
}

// lifeline makes one; its owner calls end when the response's body is no longer needed.
func (s *Session) lifeline(request context.Context) *lifeline {
	l := &lifeline{values: values{Context: request, session: s}}
	l.ctx, l.cancel = context.WithCancelCause(&l.values)
	l.stopRequest = context.AfterFunc(request, func() { l.cancel(request.Err()) })
	l.stopLife = context.AfterFunc(s.life, func() { l.cancel(s.ended()) })
	return l
}

// detach makes the request independent of the context that it came with. A caller ends its context as soon as it has its answer;
// without this that would close the connection instead of leaving it to the next request.
func (l *lifeline) detach() { l.stopRequest() }

func (l *lifeline) end() {
	l.stopRequest()
	l.stopLife()
	l.cancel(context.Canceled)
}

// within bounds what follows until stop is called: after d the request ends.
func (l *lifeline) within(d time.Duration) (stop func() bool) {
	return time.AfterFunc(d, func() { l.cancel(context.DeadlineExceeded) }).Stop
}

// ended is nil while the session lives, then the cause of its end.
func (s *Session) ended() error {
	if s.life.Err() == nil {
		return nil
	}
	if cause := context.Cause(s.life); !errors.Is(cause, context.Canceled) {
		return cause
	}
	return ErrKilled
}

// over is not nil if the session or the request has ended.
func (s *Session) over(request context.Context) error {
	if err := s.ended(); err != nil {
		return err
	}
	return request.Err()
}

// reason is why a request failed with err: the end of the session or of the request's own context come as errors of many
// texts from the transports below.
func (s *Session) reason(request context.Context, err error) error {
	if over := s.over(request); over != nil {
		return over
	}
	return err
}
