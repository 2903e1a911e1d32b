package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"cdr.dev/slog/v3"
)

// attempt is one server's part in a step: the try to connect it, under one
// budget, and what came of it.
//
// Its result has exactly one owner. The goroutine that connects and the step
// race for state; the goroutine wins by delivering before the budget ends, and
// then the step owns what it made. The step wins by abandoning, and then the
// goroutine ends what it holds.
type attempt struct {
	step   *step
	config ServerConfig
	index  int // in the list that decides on names
	server *server
	err    error // a mistake in the config

	entry  *poolEntry  // of a Pool
	flight *poolFlight // what the attempt waits for; nil: nothing

	ctx     context.Context // the budget; nil where nothing had to be waited for
	cancel  context.CancelFunc
	started time.Time
	trial   trial
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

func newAttempt(s *step, config ServerConfig, index int) *attempt {
	return &attempt{step: s, config: config, index: index, done: make(chan struct{})}
}

// prepare checks the attempt's own config.
func (a *attempt) prepare(tokens []UserToken) {
	var err error
	a.server, err = newServer(a.step.ctx, a.config, a.step.logger, tokens, a.step.opts)
	if a.err == nil {
		a.err = err
	}
}

// start begins the budget and the goroutine that connects.
func (a *attempt) start() {
	a.started = time.Now()
	a.begin()
	a.step.opts.outlive(a.run)
}

// begin makes the budget's context, which has run since started.
func (a *attempt) begin() {
	a.ctx, a.cancel = context.WithDeadlineCause(a.step.ctx, a.started.Add(a.budget()), errBudget)
}

func (a *attempt) budget() time.Duration {
	return orDefault(a.config.ConnectTimeout, a.step.opts.ConnectTimeout)
}

// awaitFlight settles the attempt when the flight has ended or the budget has.
func (a *attempt) awaitFlight() {
	a.begin()
	defer a.cancel()
	select {
	case <-a.flight.done:
		a.entry.landed(a)
		return
	case <-a.ctx.Done():
	}
	overdue := errors.Is(context.Cause(a.ctx), errBudget)
	switch landed, known := a.entry.gaveUp(a.flight, overdue); {
	case landed: // at the same moment
		a.entry.landed(a)
	case overdue && known:
		a.entry.lend(a, true)
	default:
		a.result = a.settle(attemptResult{summary: a.ended()})
		a.entry.release()
	}
}

// reject settles an attempt at a config that can't be connected.
func (a *attempt) reject(tokens []UserToken) {
	err := a.err
	a.prepare(tokens)
	a.result = a.settle(attemptResult{summary: a.refused(err)})
}

// skip settles an attempt at a server that failed a short while ago.
func (a *attempt) skip(f failure, phase string) {
	if f.outcome != ConnectOutcomeAuthRequired {
		f.outcome = ConnectOutcomeSkipped
	}
	a.result = a.settle(attemptResult{summary: a.failure(f, phase)})
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
	a.result = a.settle(attemptResult{summary: a.ended()})
}

// run is the attempt's goroutine.
func (a *attempt) run() {
	if a.err != nil {
		a.deliver(attemptResult{summary: a.failed(a.err)})
		return
	}
	session, listed, err := a.trial.run(a.ctx, a.server)
	if err != nil {
		a.deliver(attemptResult{summary: a.failed(err)})
	} else if a.deliver(a.offer(session, listed)) {
		return
	}
	if session != nil {
		session.endPolitely()
	}
}

// offer is the result of a success: a lease on the session, if there is
// anything to offer.
func (a *attempt) offer(s *session, l *listing) (result attemptResult) {
	defer func() {
		if p := recover(); p != nil {
			result = attemptResult{summary: a.failed(a.panicked(p))}
		}
	}()
	c := a.server.catalog(s.info, l, a).withFilter(a.server, a)
	if c == nil || a.ctx.Err() != nil {
		return attemptResult{summary: a.ended()}
	}
	result.summary = a.summary()
	c.describe(&result.summary)
	if len(c.offers) > 0 {
		result.offers = c.offers
		result.lease = a.lease(newConnection(s, l.headerTools()))
	}
	return result
}

// lateBy is how long after its budget an attempt may go on to convert what it
// has: a known list that is nearly done is better than none.
const lateBy = 50 * time.Millisecond

// late says whether the attempt has to stop what it does by itself, without
// waiting for anybody.
func (a *attempt) late() bool {
	if a.step.ctx.Err() != nil {
		return true
	}
	return time.Since(a.started)-lateBy > a.budget()
}

func (a *attempt) names(raw []string) []string { return a.step.space().Names(a.index, raw) }

// lease is the step's hold on a connection, with the limits in time that the
// step and the config give.
func (a *attempt) lease(c *connection) *lease {
	l := &lease{connection: c, opts: &a.step.opts, open: a.step.open}
	l.callTimeout = orDefault(a.config.CallTimeout, a.step.opts.CallTimeout)
	l.maxCallTimeout = max(a.step.opts.MaxCallTimeout, l.callTimeout)
	return l
}

// deliver hands the result to the step, unless that has given up, and says
// whether the step has taken a lease.
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

func (a *attempt) summary() ConnectSummary {
	return ConnectSummary{
		ConfigID:   a.config.ID,
		Slug:       a.config.Slug,
		DurationMS: time.Since(a.started).Milliseconds(),
	}
}

// tried is the trial whose outcome is the attempt's.
func (a *attempt) tried() *trial {
	if a.flight != nil {
		return &a.flight.trial
	}
	return &a.trial
}

// failed is the summary of a failure of the attempt's own trial. err is why that
// ended, as far as the attempt's context did not end it.
func (a *attempt) failed(err error) ConnectSummary {
	if a.ctx != nil && a.ctx.Err() != nil {
		return a.ended()
	}
	return a.refused(err)
}

// ended is the summary of an attempt that its context has ended, or that is
// late.
func (a *attempt) ended() ConnectSummary {
	why := errBudget
	if a.ctx != nil && a.ctx.Err() != nil {
		why = context.Cause(a.ctx)
	} else if a.step.ctx.Err() != nil {
		why = context.Cause(a.step.ctx)
	}
	f := classify(why, a.tried().at())
	if a.step.ctx.Err() != nil && f.outcome != ConnectOutcomeTimeout {
		f = failure{outcome: ConnectOutcomeCanceled, text: "canceled by the caller"}
	}
	return a.described(f)
}

// refused is the summary of a failure that is err, whatever became of the
// attempt's context since.
func (a *attempt) refused(err error) ConnectSummary {
	return a.described(classify(err, a.tried().at()))
}

// described adds to a failure what the trial knows.
func (a *attempt) described(f failure) ConnectSummary {
	t := a.tried()
	if note := t.why(); note != "" && f.outcome == ConnectOutcomeAuthRequired {
		f.text += " (" + note + ")"
	}
	summary := a.failure(f, t.at())
	if info := t.info.Load(); info != nil {
		summary.Protocol, summary.Server = a.server.introduced(*info)
	}
	return summary
}

func (a *attempt) failure(f failure, phase string) ConnectSummary {
	summary := a.summary()
	summary.Outcome = f.outcome
	summary.Phase = phase
	summary.HTTPStatus = f.status
	summary.Error = a.server.line(f.text)
	summary.AuthChallenge = a.server.redactor().Line(f.challenge, maxChallengeBytes)
	return summary
}

// log writes the attempt's one record: a warning of a failure or of a slow
// success. That a credential was missing is part of it.
func (a *attempt) log(s ConnectSummary) {
	if s.Outcome == ConnectOutcomeSkipped || s.Reused && (s.Error == "" || a.flight == nil) {
		return // the log has what it is a repetition of
	}
	fields := []slog.Field{
		slog.F("server_slug", s.Slug), slog.F("server_id", s.ConfigID),
		slog.F("outcome", string(s.Outcome)), slog.F("duration_ms", s.DurationMS),
	}
	note := a.tried().why()
	if note != "" {
		fields = append(fields, slog.F("credential", note))
	}
	logger, took := a.step.logger, time.Duration(s.DurationMS)*time.Millisecond
	if s.Error != "" {
		fields = append(fields, slog.F("phase", s.Phase), slog.F("error", s.Error), slog.F("http_status", s.HTTPStatus))
	}
	switch {
	case s.Outcome.failed():
		logger.Warn(a.step.ctx, "mcp server failed", fields...)
	case s.Error != "" && s.Outcome != ConnectOutcomeCanceled:
		logger.Warn(a.step.ctx, "mcp server failed, its known tools are offered", fields...)
	case s.Outcome == ConnectOutcomeCanceled:
		logger.Debug(a.step.ctx, "mcp server settled", fields...)
	case note != "":
		logger.Warn(a.step.ctx, "mcp server connected without a credential", fields...)
	case took > slowConnect:
		logger.Warn(a.step.ctx, "mcp server connected slowly", fields...)
	default:
		logger.Debug(a.step.ctx, "mcp server settled", fields...)
	}
}

func (a *attempt) debug(message string, fields ...slog.Field) {
	a.step.logger.Debug(a.step.ctx, message, append(fields, slog.F("server_slug", a.config.Slug))...)
}

// panicked makes an error of a recovered panic. Its text is for the log alone:
// it may hold anything.
func (a *attempt) panicked(p any) error {
	a.server.logPanic(a.step.ctx, p, debug.Stack())
	return errPanic
}

func (s *server) logPanic(ctx context.Context, p any, stack []byte) {
	if ctx == nil { // a caller of Run that gave none
		ctx = s.host().ctx
	}
	s.host().logger.Warn(ctx, "mcp client recovered a panic", slog.F("server_slug", s.config.Slug),
		slog.F("panic", s.line(fmt.Sprint(p))), slog.F("stack", s.redactor().Text(string(stack), 0)))
}
