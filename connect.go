package mcpclient

import (
	"cmp"
	"context"
	"errors"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"cdr.dev/slog/v3"
	"charm.land/fantasy"
	"github.com/google/uuid"

	"github.com/mcpclient-go/mcpclient/internal/toolname"
)

// This is the only file of the package, beside pool.go, that starts goroutines:
//
//   - one for each attempt (step.start): ends by itself when its budget ends,
//     since that kills its session; nobody waits for it but Options.Background.
//   - one for each session that cleanup closes (step.cleanup): ends within
//     closeTimeout; Options.Background waits for it.
//   - one for each session's notifications/initialized (spawn): ends with the
//     session, and session.end waits for it.
//   - one for each renewal or end of a lost session, each refresh of a token and
//     each question to the host's source of tokens (server.detach): bounded by a
//     context; Options.Background waits.

// step is one ConnectAll.
type step struct {
	ctx      context.Context
	logger   slog.Logger
	opts     Options
	names    *toolname.Space
	attempts []*attempt
	closed   atomic.Bool
}

// newStep checks the configs. Nothing is sent and nothing started.
func newStep(ctx context.Context, logger slog.Logger, configs []ServerConfig, tokens []UserToken, opts Options) *step {
	s := &step{ctx: ctx, logger: logger, opts: opts}
	enabled := slices.DeleteFunc(slices.Clone(configs), func(c ServerConfig) bool { return c.Disabled })
	slugs := make([]string, len(enabled))
	for i, c := range enabled {
		slugs[i] = c.Slug
	}
	s.names = toolname.New(slugs, opts.ReservedNames)
	seenSlug, seenID := map[string]bool{}, map[uuid.UUID]bool{}
	for i, c := range enabled {
		srv, err := newServer(c, i, logger, tokens, opts)
		switch {
		case err != nil:
		case seenSlug[c.Slug]:
			err = errors.New("config: another server has the same slug")
		case seenID[c.ID]:
			err = errors.New("config: another server has the same ID")
		}
		seenSlug[c.Slug], seenID[c.ID] = true, true
		s.attempts = append(s.attempts, newAttempt(s, srv, err))
	}
	return s
}

// run attempts all servers and returns when each is settled.
func (s *step) run() {
	for _, a := range s.attempts {
		a.start()
	}
	// Each wait is bounded by the attempt's own deadline, and all deadlines
	// run at the same time, so that one after the other is soon enough.
	for _, a := range s.attempts {
		a.await()
	}
}

func (s *step) tools() []fantasy.AgentTool {
	var all []fantasy.AgentTool
	for _, a := range s.attempts {
		if l := a.result.lease; l != nil {
			all = append(all, l.tools(a.result.offers)...)
		}
	}
	slices.SortFunc(all, func(a, b fantasy.AgentTool) int { return cmp.Compare(a.Info().Name, b.Info().Name) })
	return all
}

func (s *step) summaries() []ConnectSummary {
	summaries := make([]ConnectSummary, len(s.attempts))
	for i, a := range s.attempts {
		summaries[i] = a.result.summary
	}
	sortSummaries(summaries)
	return summaries
}

// cleanup ends the step: running calls are cancelled at once, sessions are
// closed in the background. Only the first call does anything; no call waits.
func (s *step) cleanup() {
	if !s.closed.CompareAndSwap(false, true) {
		return
	}
	for _, a := range s.attempts {
		l := a.result.lease
		if l == nil {
			continue
		}
		l.close()
		if end := l.connection.end(); end != nil {
			s.opts.Background.Go(end)
		}
	}
}

// attempt is one server's try to connect, under one budget.
//
// Its result has exactly one owner. The attempt's goroutine and the step race
// for state; the goroutine wins by delivering before the budget ends, and then
// the step owns the session. The step wins by abandoning, and then the
// goroutine ends what it holds.
type attempt struct {
	step   *step
	server *server
	err    error // a mistake in the config

	ctx     context.Context // the budget
	cancel  context.CancelFunc
	started time.Time
	phase   atomic.Value // string: where the attempt is
	note    atomic.Value // string: why it goes on without a credential
	state   atomic.Int32 // pending, delivered or abandoned
	done    chan struct{}
	result  attemptResult // written by the winner, read by the step after it
}

type attemptResult struct {
	summary ConnectSummary
	offers  []*offered
	lease   *lease // nil: there is nothing to offer
}

const (
	pending int32 = iota
	delivered
	abandoned
)

var errBudget = errors.New("the connect budget ran out")

func newAttempt(s *step, srv *server, err error) *attempt {
	return &attempt{step: s, server: srv, err: err, done: make(chan struct{})}
}

func (a *attempt) start() {
	a.started = time.Now()
	a.phase.Store("")
	budget := a.server.opts.ConnectTimeout
	a.ctx, a.cancel = context.WithTimeoutCause(a.step.ctx, budget, errBudget)
	a.step.opts.Background.Go(a.run)
}

// await returns when the attempt is settled, at the latest when its budget ends.
func (a *attempt) await() {
	defer a.cancel()
	select {
	case <-a.done:
		return
	case <-a.ctx.Done():
	}
	if !a.state.CompareAndSwap(pending, abandoned) {
		<-a.done // delivered at the same moment: the goroutine is about to say so
		return
	}
	a.result = a.settle(attemptResult{summary: a.failed(context.Cause(a.ctx))})
}

// run is the attempt's goroutine.
func (a *attempt) run() {
	result, session, err := a.try()
	if err != nil {
		result = attemptResult{summary: a.failed(err)}
	}
	if a.deliver(result) || session == nil {
		return
	}
	session.endPolitely()
}

// deliver hands the result to the step, unless that has given up, and says
// whether the step owns the session now.
func (a *attempt) deliver(result attemptResult) bool {
	if !a.state.CompareAndSwap(pending, delivered) {
		return false
	}
	defer close(a.done)
	a.result = a.settle(result)
	return a.result.lease != nil
}

// settle makes the outcome known: one record in the log, one call of the hook.
// A hook that panics makes it this server's error.
func (a *attempt) settle(result attemptResult) (settled attemptResult) {
	defer func() {
		if p := recover(); p != nil {
			settled = attemptResult{summary: a.failed(a.panicked(p))}
			a.log(settled.summary)
		}
	}()
	if hook := a.step.opts.OnConnect; hook != nil {
		hook(a.step.ctx, result.summary)
	}
	a.log(result.summary)
	return result
}

// try connects, lists and converts. The session is whatever of one is there,
// also beside an error; it lives on only with a lease in the result.
func (a *attempt) try() (result attemptResult, session *session, err error) {
	defer func() {
		if p := recover(); p != nil {
			result, err = attemptResult{}, a.panicked(p)
		}
	}()
	if a.err != nil {
		return result, nil, a.err
	}
	if err := a.ctx.Err(); err != nil {
		return result, nil, context.Cause(a.ctx)
	}
	a.phase.Store("credentials")
	if err := a.resolveCredentials(); err != nil {
		return result, nil, err
	}
	a.phase.Store("connect")
	session, release, err := open(a.ctx, a.server, a.server.config.ProtocolVersion, func() {
		a.phase.CompareAndSwap("connect", "initialize")
	})
	if err != nil {
		return result, session, err
	}
	defer release()
	a.phase.Store("list_tools")
	listed, err := session.list(session.life, spawn)
	if err != nil {
		return result, session, err
	}
	a.phase.Store("tools")
	result = a.offer(session, listed)
	if !release() {
		return attemptResult{}, session, context.Cause(a.ctx)
	}
	return result, session, nil
}

// spawn starts a goroutine of a session, which the session's end awaits.
func spawn(f func()) { go f() }

// detach starts a goroutine that may outlive the call that wants it.
func (s *server) detach(f func()) { s.opts.Background.Go(f) }

// await runs a function of the host, which may not obey ctx, and does not wait
// for it any longer than ctx lasts.
func await[T any](ctx context.Context, s *server, f func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	s.detach(func() {
		var o outcome
		defer func() {
			if p := recover(); p != nil {
				s.logPanic(ctx, p, debug.Stack())
				o.err = errPanic
			}
			done <- o
		}()
		o.value, o.err = f()
	})
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

// endPolitely ends a session within closeTimeout.
func (s *session) endPolitely() {
	ctx, cancel := context.WithTimeout(s.life, closeTimeout)
	defer cancel()
	s.end(ctx)
}
