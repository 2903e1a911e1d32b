package wire

import (
	"bytes"
	"io"
	"sync"

	"github.com/mcpclient-go/mcpclient/internal/wire/rpc"
	"github.com/mcpclient-go/mcpclient/internal/wire/sse"
)

// receiver gets what the event stream of a call brings. The bytes of a message change when the method has returned.
type receiver interface {
	// incoming is a request or notification of the server.
	incoming(m rpc.Message)
	// answered is the response to the call.
	answered(c *call, m rpc.Message)
	// failed is called instead where there is none.
	failed(c *call, err error)
}

// answers is the event stream of one call: messages of the server, then exactly one response, then the end. One goroutine pulls it;
// Close may be called by any.
type answers struct {
	*posted
	to       receiver
	body     io.Reader
	events   *sse.Reader // of body; nil until it is read
	place    resumption
	answered bool // the receiver has the response
	ended    bool // nothing comes any more

	foreign int  // answers to other requests
	junk    bool // an event that should have been a message

	mu       sync.Mutex
	upstream io.Closer // what body comes from
}

// Close ends the request at the server's side too, as far as it still runs.
func (a *answers) Close() error {
	a.line.end()
	return a.closeUpstream()
}

func (a *answers) closeUpstream() error {
	a.mu.Lock()
	upstream := a.upstream
	a.mu.Unlock()
	return upstream.Close()
}

func (a *answers) end() {
	a.ended = true
	_ = a.Close()
}

// finish is called when the receiver has its response. What follows is the end of the stream, if the server means well.
func (a *answers) finish() {
	a.line.drain(struct {
		io.Reader
		io.Closer
	}{a.body, a.upstream})
	a.end()
}

// pull reads one event. Its error is for a caller that has ended its request, knows it, and waits for nothing.
func (a *answers) pull() error {
	if a.events == nil {
		return a.start()
	}
	event, err := a.events.Next()
	if err != nil {
		return a.broken(err)
	}
	a.place.note(event)
	if !event.IsMessage() {
		return nil
	}
	messages, err := rpc.Parse(event.Data)
	if err != nil {
		a.junk = true
		return nil
	}
	for _, m := range messages {
		if a.take(m); a.answered {
			break
		}
	}
	return nil
}

// start looks at the first bytes: there are servers that announce a stream and send one JSON body.
func (a *answers) start() error {
	head, err := readHead(a.body)
	if err != nil {
		return a.broken(err)
	}
	rest := io.MultiReader(bytes.NewReader(head), a.body)
	if !startsJSON(head) {
		if err := kindOf(head); err == rpc.ErrHTML || err == rpc.ErrXML {
			a.fail(a.s.unusable(err, eventStream, nil, false))
			return nil
		}
		a.events = sse.NewReader(rest, a.s.config.BodyBytes)
		return nil
	}
	data, err := readAll(rest, 0, a.s.config.BodyBytes)
	if err != nil {
		return a.broken(err)
	}
	m, err := a.own(data, eventStream)
	if err != nil {
		a.fail(err)
		return nil
	}
	a.take(m)
	return nil
}

func (a *answers) take(m rpc.Message) {
	if m.Kind != rpc.Response {
		a.to.incoming(m)
		return
	}
	if !a.call.owns(m) {
		a.foreign++
		return
	}
	a.answered = true
	a.line.detach()
	a.s.calls.settle(a.call.wire)
	a.to.answered(a.call, m)
}

// broken goes on after the end of a stream that brought no answer, or ends the call.
func (a *answers) broken(err error) error {
	why := a.why(err)
	if a.s.over(a.ctx) == nil && a.resumable(err) {
		if why = a.resume(why); why == nil {
			return nil
		}
	}
	if ctx := a.ctx; a.s.ended() == nil && ctx.Err() != nil {
		return ctx.Err()
	}
	a.fail(a.s.reason(a.ctx, why))
	return nil
}

// why is the error of a call whose stream ended with err.
func (a *answers) why(err error) error {
	if err != io.EOF {
		return brokenOff(err)
	}
	switch {
	case a.foreign > 0:
		return &AnswerError{Reason: "the stream ended with answers to other requests only"}
	case a.junk:
		return &AnswerError{Reason: "the stream ended without an answer; it had an event that is no JSON-RPC message"}
	}
	return &AnswerError{Reason: "the stream ended without an answer"}
}

func (a *answers) fail(err error) {
	a.s.calls.settle(a.call.wire)
	a.to.failed(a.call, err)
	a.end()
}
