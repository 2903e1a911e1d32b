package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpclient-go/mcpclient/internal/wire"
)

var (
	errIdle    = errors.New("no answer and no progress")
	errMaxTime = errors.New("no answer")
	errNotSent = errors.New("not sent")
	// errRanBefore is of a call that an earlier try may have run.
	errRanBefore = errors.New("an earlier try may have run the tool, and another one failed")
)

// toolCall is one call of a tool, as its session is to send it.
type toolCall struct {
	tool       string // raw name
	args       json.RawMessage
	id         string         // the model's own
	meta       map[string]any // the host's; nil: none
	encoded    []byte         // meta as a JSON object
	repeatable bool           // the server says that running it twice does no harm
	deadline   time.Time      // no try begins after it
	onProgress func(*mcp.ProgressNotificationParams)
}

// callStats is what a call has cost so far.
type callStats struct {
	attempts int
	renewed  bool
	in, out  int64
}

// call runs one tool, within its limits, and returns the raw result. ctx is the
// caller's; its end, the limit's and the step's all end the call at once.
func (l *lease) call(ctx context.Context, k toolCall) (raw []byte, stats callStats, err error) {
	if ctx.Err() != nil {
		return nil, stats, fmt.Errorf("%w: %w", errNotSent, context.Cause(ctx))
	}
	if l.open.Err() != nil {
		return nil, stats, fmt.Errorf("%w: %w", errNotSent, errClosed)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := context.AfterFunc(l.open, func() { cancel(errClosed) })
	defer stop()
	clock := startClock(cancel, l.callTimeout, l.maxCallTimeout)
	defer clock.stop()
	k.deadline = time.Now().Add(min(l.callTimeout, l.maxCallTimeout))
	told := k.onProgress
	k.onProgress = func(p *mcp.ProgressNotificationParams) {
		clock.progress()
		if told != nil {
			told(p)
		}
	}
	if l.opts.CallMeta != nil {
		if err := k.addMeta(l.opts.CallMeta(ctx)); err != nil {
			return nil, stats, fmt.Errorf("%w: %w", errNotSent, err)
		}
	}

	release, err := l.connection.acquire(ctx)
	if err != nil {
		return nil, stats, err
	}
	defer release()
	return l.connection.send(ctx, k)
}

// send sends a call until it has an outcome: once, and once more where that
// can't make the tool run twice, or where running it twice does no harm. A lost
// session is renewed once.
func (c *connection) send(ctx context.Context, k toolCall) (raw []byte, stats callStats, err error) {
	lostBefore, repeated, mayHaveRun := false, false, false
	for {
		var lost bool
		raw, lost, err = c.attempt(ctx, k, &stats)
		if err == nil {
			return raw, stats, nil
		}
		if mayHaveRun && notRun(err) {
			err = fmt.Errorf("%w: %v", errRanBefore, err) // what is known of the last try is not all
		}
		mayHaveRun = mayHaveRun || !notRun(err)
		wait, _ := retryAfter(err)
		if ctx.Err() != nil || mayHaveRun && !(k.repeatable && broken(err)) || time.Now().Add(wait).After(k.deadline) {
			return nil, stats, err
		}
		switch {
		case lost && !lostBefore:
			lostBefore = true
		case lost || repeated:
			return nil, stats, err
		default:
			repeated = true
			if err := sleep(ctx, wait); err != nil {
				return nil, stats, err
			}
		}
	}
}

// attempt sends a call once. lost says that the session has ended, and was
// taken out of use.
func (c *connection) attempt(ctx context.Context, k toolCall, stats *callStats) (raw []byte, lost bool, err error) {
	t, err := c.gate.enter(ctx)
	if err != nil {
		return nil, false, fmt.Errorf("%w: %w", errNotSent, err)
	}
	defer c.gate.giveUp(t) // where a panic has kept it from being ended
	s, done, renewed, err := c.use(ctx)
	if err == nil {
		defer done()
		stats.attempts++
		stats.renewed = stats.renewed || renewed
		raw, err = s.call(ctx, k, stats, func() { c.gate.reached(t) })
	} else if !errors.Is(err, errNotSent) {
		err = fmt.Errorf("%w: %w", errNotSent, err)
	}
	c.judge(ctx, t, err)
	switch {
	case err == nil || s == nil:
	case sessionLost(err):
		c.lose(s)
		lost = true
	case c.suspect != nil && doubtful(ctx, err):
		c.suspect()
	}
	return raw, lost, err
}

// judge tells the gate what an attempt has shown of the server.
func (c *connection) judge(ctx context.Context, t *probe, err error) {
	switch {
	case ctx.Err() != nil || errors.Is(err, errClosed):
		c.gate.giveUp(t)
	case errors.Is(err, errNotSent) && !sessionLost(err):
		c.gate.failed(t, err)
	default:
		c.gate.reached(t)
	}
}

// sessionLost says whether an error shows that the session is over. The
// server's word counts as HTTP gives it, not as the SDK reads it: SDKs of
// servers differ in the body. Some answer 200 and say it in the code that the
// TypeScript SDK has for it; a tool may say the same of a session of its own, so
// that this says nothing of whether it has run.
func sessionLost(err error) bool {
	if saysSessionLost(err) {
		return true
	}
	if h, ok := errors.AsType[*wire.HTTPError](err); ok {
		return h.SessionLost()
	}
	return errors.Is(err, wire.ErrStreamEnded) || errors.Is(err, mcp.ErrConnectionClosed) || errors.Is(err, mcp.ErrSessionMissing) || errors.Is(err, wire.ErrKilled)
}

func saysSessionLost(err error) bool {
	const codeSessionNotFound = -32001
	e, ok := errors.AsType[*jsonrpc.Error](err)
	return ok && e.Code == codeSessionNotFound && strings.Contains(strings.ToLower(e.Message), "session")
}

// doubtful says whether a call failed in a way that a session which is of no use
// any more may be the reason for: no answer in time, or a refusal that is not
// about the call.
func doubtful(ctx context.Context, err error) bool {
	if cause := context.Cause(ctx); errors.Is(cause, errIdle) || errors.Is(cause, errMaxTime) {
		return true
	}
	h, ok := errors.AsType[*wire.HTTPError](err)
	return ok && (h.Status >= 500 || h.Status == http.StatusForbidden || h.Status == http.StatusGone)
}

// notRun says whether the tool provably has not run: nothing was sent, the
// session was unknown, or the server was not ready and says when it will be.
func notRun(err error) bool {
	if errors.Is(err, errNotSent) {
		return true
	}
	h, ok := errors.AsType[*wire.HTTPError](err)
	_, saysWhen := retryAfter(err)
	return ok && (h.SessionLost() || saysWhen)
}

// broken says whether a call failed on its way, and not by the server's word.
func broken(err error) bool {
	if _, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return false
	}
	h, ok := errors.AsType[*wire.HTTPError](err)
	return !ok || h.Status == http.StatusBadGateway || h.Status == http.StatusServiceUnavailable || h.Status == http.StatusGatewayTimeout
}

// minWait is how long a server is left alone that says to come back at once.
const minWait = 100 * time.Millisecond

// retryAfter is how long the server asks to wait before the call is sent again
// (RFC 9110 section 10.2.3), and whether it asks.
func retryAfter(err error) (wait time.Duration, says bool) {
	h, ok := errors.AsType[*wire.HTTPError](err)
	if !ok || h.Status != http.StatusTooManyRequests && h.Status != http.StatusServiceUnavailable {
		return 0, false
	}
	if !h.SaysWhen {
		return 0, false
	}
	return max(h.RetryAfter, minWait), true
}

// clock ends a call that makes no progress, or that takes too long in spite of
// it. The context it ends is the call's own.
type clock struct {
	cancel context.CancelCauseFunc
	idle   time.Duration
	total  time.Duration
	start  time.Time
	last   atomic.Int64 // when progress was last made, from start
	timer  *time.Timer
}

func startClock(cancel context.CancelCauseFunc, idle, total time.Duration) *clock {
	c := &clock{cancel: cancel, idle: idle, total: total, start: time.Now()}
	c.timer = time.AfterFunc(total, c.ring)
	c.timer.Reset(min(idle, total)) // now that ring can see it
	return c
}

// progress gives the call another idle period.
func (c *clock) progress() { c.last.Store(int64(time.Since(c.start))) }

// ring looks whether time is up, and if it is not, when it will be.
func (c *clock) ring() {
	now := time.Since(c.start)
	idleFor := now - time.Duration(c.last.Load())
	switch {
	case now >= c.total:
		c.cancel(&limitError{errMaxTime, c.total})
	case idleFor >= c.idle:
		c.cancel(&limitError{errIdle, c.idle})
	default:
		c.timer.Reset(min(c.idle-idleFor, c.total-now))
	}
}

func (c *clock) stop() { c.timer.Stop() }

// limitError says which limit has ended a call.
type limitError struct {
	what  error
	limit time.Duration
}

func (e *limitError) Error() string { return fmt.Sprintf("%v for %v", e.what, e.limit) }
func (e *limitError) Unwrap() error { return e.what }
