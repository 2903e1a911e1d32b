package wire

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/mcpclient-go/mcpclient/internal/wire/rpc"
	"github.com/mcpclient-go/mcpclient/internal/wire/sse"
)

// openStream opens the event stream of an HTTP+SSE session. It returns when the server has named the endpoint for messages, so
// that whatever keeps it from that is the typed error of this request.
func (s *Session) openStream(r *http.Request) (*http.Response, error) {
	if err := s.over(r.Context()); err != nil {
		return nil, s.lose(nil, r.Context(), err)
	}
	line, t := s.lifeline(r.Context()), &trip{}
	resp, err := s.send(line, t, r, nil)
	if err != nil {
		line.end()
		return nil, s.lose(nil, r.Context(), err)
	}
	f, err := s.openFeed(line, t, resp)
	if err != nil {
		_ = resp.Body.Close()
		line.end()
		return nil, s.lose(nil, r.Context(), err)
	}
	if !s.spawn(f.run) {
		_ = f.Close()
		return nil, s.lose(nil, r.Context(), ErrKilled)
	}
	answer := local(r, http.StatusOK)
	answer.Header.Set("Content-Type", eventStream)
	answer.ContentLength = -1
	answer.Body = f
	return answer, nil
}

// openFeed reads up to the endpoint event.
func (s *Session) openFeed(line *lifeline, t *trip, resp *http.Response) (*feed, error) {
	if declines(resp) {
		return nil, s.httpError(line, resp, t, http.MethodGet, false)
	}
	body, err := decoded(resp)
	if err != nil {
		return nil, err
	}
	if body, err = s.eventsOnly(resp, counter{body, nil, line.ctx}); err != nil {
		return nil, err
	}
	events := sse.NewReader(body, s.config.BodyBytes)
	endpoint, err := s.awaitEndpoint(resp, events)
	if err != nil {
		return nil, err
	}
	f := newFeed(s, line, resp.Body, events, sse.AppendEvent(nil, "endpoint", []byte(endpoint)))
	s.mu.Lock()
	s.feed = f
	s.mu.Unlock()
	return f, nil
}

// eventsOnly tells a body that can't be an event stream at once: otherwise it would be read until the caller's time is up.
func (s *Session) eventsOnly(resp *http.Response, body io.Reader) (io.Reader, error) {
	if mediaType(resp) == eventStream {
		return body, nil
	}
	head, err := readHead(body)
	if err != nil {
		return nil, brokenOff(err)
	}
	err = kindOf(head)
	if startsJSON(head) {
		err = rpc.ErrNotRPC
	}
	if err != rpc.ErrEvents {
		return nil, s.unusable(err, mediaType(resp), nil, false)
	}
	return io.MultiReader(bytes.NewReader(head), body), nil
}

func (s *Session) awaitEndpoint(resp *http.Response, events *sse.Reader) (string, error) {
	for {
		event, err := events.Next()
		if err == io.EOF {
			return "", &AnswerError{Reason: "the event stream ended before it named an endpoint"}
		}
		if err != nil {
			return "", brokenOff(err)
		}
		if event.Name != "endpoint" || len(event.Data) == 0 {
			continue
		}
		return s.resolve(resp.Request.URL, strings.TrimSpace(string(event.Data)))
	}
}

// spelled is a URL of the origin with scheme and host as they are configured, so that connections are shared, and without the parts
// that aren't sent.
func (s *Session) spelled(u *url.URL) *url.URL {
	same := *u
	same.Scheme, same.Host, same.User, same.Fragment, same.RawFragment = s.endpoint.Scheme, s.endpoint.Host, nil, "", ""
	return &same
}

// resolve makes an absolute URL of what an endpoint event says. The origin is checked here and again when something is sent.
func (s *Session) resolve(stream *url.URL, endpoint string) (string, error) {
	target, err := stream.Parse(endpoint)
	if err != nil {
		return "", &AnswerError{Reason: "the endpoint event has no usable URL"}
	}
	if to, err := originOf(target); err != nil || to != s.origin {
		return "", &OriginError{Origin: originName(target)}
	}
	return s.spelled(target).String(), nil
}
