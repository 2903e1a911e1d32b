package mcpclient

import (
	"context"
	"errors"
	"math"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/mcpclient-go/mcpclient/internal/wire"
)

// poolFlight is one connect or one list, for all steps that want it. Its
// goroutine is the pool's.
type poolFlight struct {
	trial trial
	fresh bool          // it makes a session
	done  chan struct{} // closed when err is written
	err   error

	// Guarded by the entry's mu.
	until   time.Time   // when timer ends it
	timer   *time.Timer // nil once it has landed
	overdue bool        // counted as a failure already, as a step gave up
}

// takeOff starts a flight. e.mu is held.
func (e *poolEntry) takeOff(a *attempt) {
	f := &poolFlight{done: make(chan struct{}), fresh: e.connection == nil}
	e.flight = f
	e.holds++
	e.stale = false // what is announced from now on may be news
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(a.step.ctx))
	f.until = a.started.Add(flightTime(a))
	f.timer = time.AfterFunc(time.Until(f.until), func() { cancel(errBudget) })
	stop := context.AfterFunc(e.pool.life, func() { cancel(errPoolClosed) })
	e.pool.spawn(func() {
		defer cancel(nil)
		defer stop()
		e.fly(ctx, f)
		e.release()
	})
}

// flightTime is how long an attempt lets a flight take: it outlives the step that
// wants it, and its budget, as what comes late is there for the next step.
func flightTime(a *attempt) time.Duration {
	return 2 * min(a.budget(), math.MaxInt64/2)
}

// extend gives the flight the time of who has most. e.mu is held.
func (f *poolFlight) extend(until time.Time) {
	if f.timer == nil || !until.After(f.until) || !f.timer.Stop() {
		return
	}
	f.until = until
	f.timer.Reset(time.Until(until))
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
	f.timer.Stop()
	f.timer = nil
	if f.err == nil {
		e.learn(s, listed)
		s = nil
	} else {
		e.fail(f.err, f)
	}
	e.mu.Unlock()
	close(f.done)
	if s != nil {
		s.endPolitely()
	}
}

// listAgain lists on the live session, once more on a new one if it was lost. A
// session on which that fails otherwise is not used any more: whatever is wrong,
// the next one may be good.
func (e *poolEntry) listAgain(ctx context.Context, f *poolFlight) (*listing, error) {
	for lost := false; ; lost = true {
		f.trial.enter("connect")
		s, done, renewed, err := e.connection.use(ctx)
		if err != nil {
			return nil, err
		}
		if !s.info.listsTools && !renewed && !lost {
			done()
			e.connection.lose(s) // only a new session can tell of tools
			continue
		}
		f.trial.enter("list_tools")
		listed, err := s.list(ctx, spawn)
		done()
		if err == nil || e.pool.life.Err() != nil {
			return listed, err
		}
		if servesStill(err) {
			return nil, err
		}
		e.connection.lose(s)
		if lost || !sessionLost(err) && !saysSession(err) {
			return nil, err
		}
	}
}

// servesStill says whether the error is the word of a server that knows the
// session: it has refused this request, or the user.
func servesStill(err error) bool {
	if sessionLost(err) {
		return false
	}
	if h, ok := errors.AsType[*wire.HTTPError](err); ok {
		return needsAuth(h.Status) && !h.SaysSession() || h.Status == http.StatusTooManyRequests
	}
	_, refused := errors.AsType[*jsonrpc.Error](err)
	return refused
}

// saysSession says whether a refusal speaks of the session, so that another one
// may be served. A list does no harm: it may be asked for again.
func saysSession(err error) bool {
	h, ok := errors.AsType[*wire.HTTPError](err)
	return ok && h.SaysSession()
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
		e.fail(errBudget, f)
		f.overdue = true
	}
	return false, e.listing != nil
}

// landed settles an attempt whose flight has ended. The attempt's hold is given
// back or becomes the lease's.
func (e *poolEntry) landed(a *attempt) {
	f := a.flight
	e.mu.Lock()
	known := e.listing != nil
	e.mu.Unlock()
	if f.err == nil || known && classify(f.err, "").outcome != ConnectOutcomeAuthRequired {
		e.lend(a, !f.fresh || f.err != nil)
		return
	}
	a.result = a.settle(attemptResult{summary: a.refused(f.err)})
	e.release()
}
