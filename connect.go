package mcpclient

import (
	"cmp"
	"context"
	"errors"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"cdr.dev/slog/v3"
	"charm.land/fantasy"
	"github.com/google/uuid"

	"github.com/mcpclient-go/mcpclient/internal/toolname"
)

// This is the only file of the package, beside pool.go, that starts goroutines:
//
//   - one for each attempt (attempt.start): ends by itself when its budget ends,
//     since that kills its session; nobody waits for it but Options.Background.
//   - one for each session that cleanup closes (Options.outlive, from lease.end):
//     ends within closeTimeout; Options.Background waits for it.
//   - those of a session (spawn), its notifications/initialized and its listener:
//     end with the session, and session.end waits for them.
//   - one for each attempt of a Pool's step that waits (Pool.run): ends with the
//     flight or with the budget, and the step waits for it.
//   - one for each renewal or end of a lost session, each refresh of a token,
//     each question to the host's source of tokens and each call whose progress
//     is reported (server.detach): bounded by a context, or by the call;
//     Options.Background waits.

// step is one ConnectAll.
type step struct {
	ctx      context.Context
	logger   slog.Logger
	opts     Options
	attempts []*attempt
	closed   atomic.Bool

	// open ends with cleanup: calls of the step's tools that run then are
	// cancelled, later ones are refused.
	open context.Context
	shut context.CancelFunc

	slugs []string               // of the list that decides on names
	space func() *toolname.Space // made when the first name is needed
	named struct {               // of the list; see naming
		once sync.Once
		key  sessionKey
	}
}

// newStep checks the config list. Nothing is sent and nothing started.
func newStep(ctx context.Context, logger slog.Logger, configs []ServerConfig, opts Options) *step {
	s := &step{ctx: ctx, logger: logger, opts: opts}
	s.open, s.shut = context.WithCancel(context.Background())
	enabled := make([]ServerConfig, 0, len(configs))
	slugs := make([]string, 0, len(configs))
	for _, c := range configs {
		if !c.Disabled {
			enabled, slugs = append(enabled, c), append(slugs, c.Slug)
		}
	}
	s.slugs = slugs
	s.space = sync.OnceValue(func() *toolname.Space { return toolname.New(slugs, opts.ReservedNames) })
	s.attempts = make([]*attempt, len(enabled))
	for i, c := range enabled {
		var err error
		if isNilPointer(c.Auth) { // a mistake that no method of Auth survives
			c.Auth, err = nil, errors.New("config: auth: a nil pointer")
		}
		s.attempts[i] = newAttempt(s, c, i)
		s.attempts[i].err = err
	}
	s.checkDistinct()
	return s
}

// checkDistinct makes a mistake of every config that repeats the slug or the ID
// of one before it.
func (s *step) checkDistinct() {
	seenSlug, seenID := make(map[string]bool, len(s.attempts)), make(map[uuid.UUID]bool, len(s.attempts))
	for _, a := range s.attempts {
		switch c := a.config; {
		case a.err != nil:
		case c.Slug == "":
			a.err = errors.New("config: the slug is empty")
		case seenSlug[c.Slug]:
			a.err = errors.New("config: another server has the same slug")
		case seenID[c.ID]:
			a.err = errors.New("config: another server has the same ID")
		}
		seenSlug[a.config.Slug], seenID[a.config.ID] = true, true
	}
}

// naming identifies what decides on the names of tools.
func (s *step) naming() sessionKey {
	s.named.once.Do(func() {
		var k identity
		k.list(s.slugs)
		k.list(s.opts.ReservedNames)
		s.named.key = k.sum()
	})
	return s.named.key
}

// run attempts all servers and returns when each is settled.
func (s *step) run(tokens []UserToken) {
	for _, a := range s.attempts {
		a.prepare(tokens)
		a.start()
	}
	// Each wait is bounded by the attempt's own deadline, and all deadlines
	// run at the same time, so that one after the other is soon enough.
	for _, a := range s.attempts {
		a.await()
	}
}

func (s *step) tools() []fantasy.AgentTool {
	count := 0
	for _, a := range s.attempts {
		count += len(a.result.offers)
	}
	all := make([]fantasy.AgentTool, 0, count)
	for _, a := range s.attempts {
		if l := a.result.lease; l != nil {
			all = l.append(all, a.result.offers)
		}
	}
	slices.SortFunc(all, func(a, b fantasy.AgentTool) int {
		return cmp.Compare(a.(*tool).info.Name, b.(*tool).info.Name)
	})
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
	s.shut()
	for _, a := range s.attempts {
		if l := a.result.lease; l != nil {
			l.end()
		}
	}
}

// spawn starts a goroutine of a session, which the session's end awaits.
func spawn(f func()) { go f() }

// outlive starts a goroutine that may outlive the call that wants it.
func (o *Options) outlive(f func()) { o.Background.Go(f) }

// detach does so for what belongs to a server: what a shared session starts is
// its pool's.
func (s *server) detach(f func()) {
	if s.crew != nil {
		s.crew.run(f)
		return
	}
	s.opts.outlive(f)
}

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
