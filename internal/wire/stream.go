package wire

import (
	"bytes"
	"io"
	"net/http"
	"sync"

	"github.com/mcpclient-go/mcpclient/internal/wire/rpc"
	"github.com/mcpclient-go/mcpclient/internal/wire/sse"
)

// stream answers a call with the events of the response, as they come.
func (p *posted) stream(resp *http.Response, body io.Reader) (*http.Response, error) {
	session, err := p.adopt(resp, true)
	if err != nil {
		return nil, err
	}
	answer := p.respond(eventStream, session, nil)
	answer.Body = &answerStream{posted: p, upstream: resp.Body, body: body}
	return answer, nil
}

// answerStream is the event stream of one call as the SDK reads it: messages of the server, then exactly one response, then the
// end. The SDK's goroutine for the call pulls it; Read isn't called concurrently, Close may be.
type answerStream struct {
	*posted
	body     io.Reader
	events   *sse.Reader // of body; nil until it is read
	place    resumption
	out      []byte // for the SDK
	answered bool   // the response is in out or was read
	ended    bool   // nothing comes after out

	foreign int  // answers to other requests
	junk    bool // an event that should have been a message

	mu       sync.Mutex
	upstream io.Closer // what body comes from
}

func (a *answerStream) Read(p []byte) (int, error) {
	for len(a.out) == 0 {
		if a.ended {
			return 0, io.EOF
		}
		if err := a.pull(); err != nil {
			a.end()
			return 0, err
		}
	}
	n := copy(p, a.out)
	a.out = a.out[n:]
	return n, nil
}

// Close ends the request at the server's side too, as far as it still runs.
func (a *answerStream) Close() error {
	a.line.end()
	return a.closeUpstream()
}

func (a *answerStream) closeUpstream() error {
	a.mu.Lock()
	upstream := a.upstream
	a.mu.Unlock()
	return upstream.Close()
}

func (a *answerStream) end() {
	a.ended = true
	_ = a.Close()
}

// pull reads one event. Its error is for a caller that has ended its request: the SDK knows it then and waits for nothing.
func (a *answerStream) pull() error {
	if a.answered {
		// The SDK has its answer by now. What follows is the end of the stream, if the server means well.
		drain(struct {
			io.Reader
			io.Closer
		}{a.body, a.upstream})
		a.end()
		return nil
	}
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
		a.s.dropped.Add(1)
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
func (a *answerStream) start() error {
	head, err := readHead(a.body)
	if err != nil {
		return a.broken(err)
	}
	whole := io.MultiReader(bytes.NewReader(head), a.body)
	if !startsJSON(head) {
		if err := kindOf(head); err == rpc.ErrHTML || err == rpc.ErrXML {
			a.fail(a.s.unusable(err, eventStream, nil, false))
			return nil
		}
		a.events = sse.NewReader(whole, a.s.config.BodyBytes)
		return nil
	}
	data, err := readAll(whole, 0, a.s.config.BodyBytes)
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

func (a *answerStream) take(m rpc.Message) {
	if m.Kind != rpc.Response {
		a.out = a.s.appendIncoming(a.out, m)
		return
	}
	if !a.call.owns(m) {
		a.s.dropped.Add(1)
		a.foreign++
		return
	}
	a.answered = true
	a.line.detach()
	a.s.calls.settle(a.call.wire)
	a.out = appendEvent(a.out, a.call.answer(m, false))
}

// broken goes on after the end of a stream that brought no answer, or ends the call.
func (a *answerStream) broken(err error) error {
	why := a.why(err)
	if a.s.over(a.request.Context()) == nil && a.resumable(err) {
		if why = a.resume(why); why == nil {
			return nil
		}
	}
	if ctx := a.request.Context(); a.s.ended() == nil && ctx.Err() != nil {
		return ctx.Err()
	}
	a.fail(a.s.reason(a.request.Context(), why))
	return nil
}

// why is the error of a call whose stream ended with err.
func (a *answerStream) why(err error) error {
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

func (a *answerStream) fail(err error) {
	a.s.calls.settle(a.call.wire)
	a.s.record.failure(err)
	a.out = appendEvent(a.out, a.call.fail(err))
	a.end()
}
