package wire

import (
	"net/http"

	"github.com/mcpclient-go/mcpclient/internal/wire/rpc"
)

// legacyPost sends a message of an HTTP+SSE session. The SDK is told 202 whatever happens, as it ends the session otherwise: the
// outcome of a call goes into the event stream, that of a notification to its exchange.
func (s *Session) legacyPost(r *http.Request) (*http.Response, error) {
	out, err := s.outgoing(r)
	if err != nil {
		return nil, err
	}
	accepted := local(r, http.StatusAccepted)
	if out.method == methodCancelled && s.calls.settle(out.cancelled) == nil {
		return accepted, nil
	}
	line := s.lifeline(r.Context())
	defer line.end()
	t := &trip{exchange: out.exchange, hadSession: true}
	if out.kind == rpc.Response {
		defer s.replied()
	}
	if out.kind != rpc.Request {
		if out.method == methodCancelled {
			defer line.within(courtesyTime)()
		}
		if _, err := s.legacySend(line, t, r, out); err != nil {
			_ = s.lose(out.exchange, r.Context(), err)
		}
		if err := r.Context().Err(); err != nil {
			return nil, err // the SDK knows, so it doesn't end the session
		}
		return accepted, nil
	}
	return s.legacyCall(line, t, r, out, accepted)
}

func (s *Session) legacyCall(line *lifeline, t *trip, r *http.Request, out *outgoing, accepted *http.Response) (*http.Response, error) {
	c := s.begin(out, line)
	s.mu.Lock()
	gone := s.feedErr
	s.mu.Unlock()
	if gone != nil {
		s.finish(c, gone)
		return accepted, nil
	}
	answer, err := s.legacySend(line, t, r, out)
	switch {
	case err == nil && answer != nil:
		if s.calls.settle(c.wire) != nil {
			s.deliver(c.answer(*answer, true))
		}
	case err != nil && (r.Context().Err() == nil || s.ended() != nil || !t.sent):
		s.finish(c, s.reason(r.Context(), err))
	}
	return accepted, nil
}

// finish fails a call that has no outcome yet.
func (s *Session) finish(c *call, err error) {
	if s.calls.settle(c.wire) == nil {
		return
	}
	s.deliver(c.fail(err))
}

// deliver hands a message to the SDK by the event stream.
func (s *Session) deliver(message []byte) {
	s.mu.Lock()
	f := s.feed
	s.mu.Unlock()
	if f != nil {
		f.inject(message)
	}
}

// legacySend posts a message. Some servers answer a call there and then, not on the stream; answer is nil where they don't.
func (s *Session) legacySend(line *lifeline, t *trip, r *http.Request, out *outgoing) (answer *rpc.Message, err error) {
	if err := s.over(r.Context()); err != nil {
		return nil, err
	}
	resp, err := s.send(line, t, r, out.body)
	if err != nil {
		return nil, err
	}
	if declines(resp) {
		return nil, s.httpError(line, resp, t, out.method, true)
	}
	if out.kind != rpc.Request || resp.StatusCode == http.StatusNoContent || resp.ContentLength == 0 {
		line.drain(resp.Body)
		return nil, nil
	}
	return s.inlineAnswer(line, resp, out)
}
