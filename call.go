package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpclient-go/mcpclient/internal/wire"
)

// metaCallID is the _meta key of the model's own identifier of a call.
const metaCallID = "io.github.mcpclient-go/toolCallId"

var (
	errIdle    = errors.New("no answer and no progress")
	errMaxTime = errors.New("no answer")
	errNotSent = errors.New("not sent")
)

// call runs one tool, within its limits, and returns the raw result. ctx is the
// caller's; its end, the limit's and the step's all end the call at once.
func (c *connection) call(ctx context.Context, tool string, args json.RawMessage, callID string) ([]byte, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx) // nothing is sent
	}
	if c.open.Err() != nil {
		return nil, errClosed
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := context.AfterFunc(c.open, func() { cancel(errClosed) })
	defer stop()
	clock := startClock(cancel, c.server.opts.CallTimeout, c.server.opts.MaxCallTimeout)
	defer clock.stop()

	release, err := c.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	return c.session.call(ctx, tool, args, callID, clock.progress)
}

// call sends one tools/call and returns its raw result.
func (s *session) call(ctx context.Context, tool string, args json.RawMessage, callID string, onProgress func(*mcp.ProgressNotificationParams)) ([]byte, error) {
	token, forget := s.calls.register(onProgress)
	defer forget()
	// The SDK writes into params and Meta, so that both are this call's own.
	params := &mcp.CallToolParams{Name: tool, Arguments: args, Meta: mcp.Meta{"progressToken": token}}
	if callID != "" {
		params.Meta[metaCallID] = callID
	}
	ctx, ex := wire.NewExchange(ctx, wire.ExchangeOptions{Stub: func([]byte) []byte { return []byte(`{"content":[]}`) }})
	defer ex.Close()
	_, err := s.mcp.CallTool(ctx, params)
	if raw := ex.Result(); raw != nil {
		return raw, nil
	}
	return nil, callError(ctx, ex, err)
}

// callError is the most telling of what is known of a call without a result.
func callError(ctx context.Context, ex *wire.Exchange, err error) error {
	seen := ex.Err()
	if seen == nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if seen == nil {
		seen = err
	}
	if seen == nil {
		seen = errors.New("the answer has no result")
	}
	if !ex.Sent() {
		return fmt.Errorf("%w: %w", errNotSent, seen)
	}
	return seen
}

// clock ends a call that makes no progress, or that takes too long in spite of
// it. The context it ends is the call's own.
type clock struct {
	idle       time.Duration
	idleTimer  *time.Timer
	totalTimer *time.Timer
}

func startClock(cancel context.CancelCauseFunc, idle, total time.Duration) *clock {
	return &clock{
		idle:       idle,
		idleTimer:  time.AfterFunc(idle, func() { cancel(fmt.Errorf("%w for %v", errIdle, idle)) }),
		totalTimer: time.AfterFunc(total, func() { cancel(fmt.Errorf("%w for %v", errMaxTime, total)) }),
	}
}

// progress gives the call another idle period.
func (c *clock) progress(*mcp.ProgressNotificationParams) { c.idleTimer.Reset(c.idle) }

func (c *clock) stop() {
	c.idleTimer.Stop()
	c.totalTimer.Stop()
}

// progressTable brings progress notifications to the calls that they are about.
// The zero value needs a prefix, which makes tokens unique beyond the session:
// some bridges send the messages for one client to all of them.
type progressTable struct {
	prefix string

	mu      sync.Mutex // never held while a call is told
	last    int64
	waiting map[string]func(*mcp.ProgressNotificationParams)
}

// register makes a token whose notifications go to on until forget.
func (p *progressTable) register(on func(*mcp.ProgressNotificationParams)) (token string, forget func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last++
	token = p.prefix + "-" + strconv.FormatInt(p.last, 10)
	if p.waiting == nil {
		p.waiting = map[string]func(*mcp.ProgressNotificationParams){}
	}
	p.waiting[token] = on
	return token, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.waiting, token)
	}
}

// progress is the SDK's handler. It runs on the one goroutine that handles all
// notifications of the session, and must not block.
func (p *progressTable) progress(_ context.Context, n *mcp.ProgressNotificationClientRequest) {
	token, ok := n.Params.ProgressToken.(string)
	if !ok {
		return
	}
	p.mu.Lock()
	on := p.waiting[token]
	p.mu.Unlock()
	if on != nil {
		on(n.Params)
	}
}
