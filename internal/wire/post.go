package wire

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/mcpclient-go/mcpclient/internal/wire/rpc"
)

// post sends a message over streamable HTTP. An error that it returns is, to the SDK, that of this one request; a response which
// the SDK can't use would be the end of the session.
func (s *Session) post(r *http.Request) (*http.Response, error) {
	out, err := s.outgoing(r)
	if err != nil {
		return nil, err
	}
	if err := s.over(r.Context()); err != nil {
		return nil, s.lose(out.exchange, r.Context(), err)
	}
	if out.kind != rpc.Request {
		return s.notify(r, out)
	}
	line := s.lifeline(r.Context())
	p := &posted{
		s:       s,
		call:    s.begin(out, line),
		trip:    &trip{exchange: out.exchange, hadSession: r.Header.Get(headerSession) != ""},
		request: r,
		ctx:     r.Context(),
		line:    line,
	}
	resp, err := s.send(p.line, p.trip, r, out.body)
	if err != nil {
		return nil, p.refuse(err)
	}
	answer, err := p.answer(resp)
	if err != nil {
		_ = resp.Body.Close()
		return nil, p.refuse(err)
	}
	return answer, nil
}

// lose records why a request has no answer, and returns it. The end of the caller's own context is the caller's to tell.
func (s *Session) lose(e *Exchange, request context.Context, err error) error {
	err = s.reason(request, err)
	if s.ended() != nil || request.Err() == nil {
		e.fail(err)
	}
	return err
}

// notify sends a notification, or an answer to the server. The SDK learns only of a network that failed: what a server says to
// these changes nothing, and the SDK would end the session.
func (s *Session) notify(r *http.Request, out *outgoing) (*http.Response, error) {
	if out.kind == rpc.Response {
		defer s.replied()
	}
	line := s.lifeline(r.Context())
	defer line.end()
	if out.method == methodCancelled {
		if s.calls.settle(out.cancelled) == nil {
			return local(r, http.StatusAccepted), nil // it was never sent, or is answered
		}
		defer line.within(courtesyTime)()
	}
	t := &trip{exchange: out.exchange, hadSession: r.Header.Get(headerSession) != ""}
	resp, err := s.send(line, t, r, out.body)
	if err != nil {
		return nil, s.lose(out.exchange, r.Context(), err)
	}
	if err := s.taken(line, t, resp, out.method); err != nil {
		out.exchange.fail(err)
	}
	return local(r, http.StatusAccepted), nil
}

// posted is a call that was sent by POST.
type posted struct {
	s       *Session
	call    *call
	trip    *trip
	request *http.Request
	ctx     context.Context // the caller's
	line    *lifeline
}

// refuse ends a call whose POST brought nothing to read. A request that may be running is left open for its cancellation.
func (p *posted) refuse(err error) error {
	p.line.end()
	if p.ctx.Err() == nil || !p.trip.sent {
		p.s.calls.settle(p.call.wire)
	}
	return p.s.lose(p.call.exchange, p.ctx, err)
}

// answer makes the response that the SDK gets of the one that came.
func (p *posted) answer(resp *http.Response) (*http.Response, error) {
	events, m, err := p.content(resp)
	if err != nil {
		return nil, err
	}
	session, err := p.adopt(resp, events != nil || m.Result != nil)
	if err != nil {
		return nil, err
	}
	if events != nil {
		return p.stream(resp, session, events), nil
	}
	p.line.end()
	p.s.calls.settle(p.call.wire)
	return p.respond("application/json", session, p.call.answer(m, true)), nil
}

// content is what the response to a call holds: a stream of events that is yet to be read, or else the answer, which was read whole.
func (p *posted) content(resp *http.Response) (events io.Reader, m rpc.Message, err error) {
	switch {
	case declines(resp):
		return nil, m, p.s.httpError(p.line, resp, p.trip, p.call.method, p.trip.hadSession)
	case resp.StatusCode == http.StatusAccepted, resp.StatusCode == http.StatusNoContent:
		return nil, m, &AnswerError{Reason: fmt.Sprintf("the server accepted the request (HTTP %d) and gave no answer", resp.StatusCode)}
	}
	body, err := decoded(resp)
	if err != nil {
		return nil, m, err
	}
	body = counter{body, p.call.exchange, p.line.ctx}
	media := mediaType(resp)
	if media == eventStream {
		return body, m, nil
	}
	if limit := p.s.config.BodyBytes; limit > 0 && resp.ContentLength > limit {
		return nil, m, &LimitError{What: "answer", Limit: limit}
	}
	head, err := readHead(body)
	if err != nil {
		return nil, m, brokenOff(err)
	}
	rest := io.MultiReader(bytes.NewReader(head), body)
	if !startsJSON(head) {
		switch err := kindOf(head); err {
		case rpc.ErrEvents:
			return rest, m, nil
		case rpc.ErrHTML, rpc.ErrXML, rpc.ErrBinary, rpc.ErrText, rpc.ErrEmpty:
			return nil, m, p.s.unusable(err, media, head, len(head) == headBytes)
		}
	}
	m, err = p.whole(resp, media, rest)
	return nil, m, err
}
