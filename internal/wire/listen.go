package wire

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/mcpclient-go/mcpclient/internal/wire/rpc"
	"github.com/mcpclient-go/mcpclient/internal/wire/sse"
)

// How often a stream that the server ends is opened again: servers and proxies close idle ones all the time, and some answer a
// second GET with an error for ever.
const (
	relisten     = time.Second
	maxRelisten  = time.Minute
	maxRelistens = 5 // in a row that bring nothing
)

// Listen reads the stream that a streamable HTTP server of protocol 2025-03-26 to 2025-11-25 offers for messages outside of calls,
// until ctx or Life ends or the server offers no stream (any more), and serves them as those beside the answer to a Request: servers
// ask there whether the client is still alive. The SDK's own such stream is not used: a fault of it ends the session, while one of
// this stream is its own. protocol is the version that the session speaks.
func (s *Session) Listen(ctx context.Context, protocol string) error {
	l := &listener{s: s, protocol: protocol}
	for l.idle = 0; l.idle < maxRelistens; l.idle++ {
		again, err := l.once(ctx)
		if err != nil && !again {
			return err
		}
		pause := l.place.retry
		if pause == 0 {
			pause = relisten << l.idle
		}
		line := s.lifeline(ctx)
		err = sleep(line.ctx, min(max(pause, relisten), maxRelisten))
		line.end()
		if err != nil {
			return err
		}
	}
	return &AnswerError{Reason: "the server ends its stream again and again"}
}

type listener struct {
	s        *Session
	protocol string
	place    resumption
	idle     int // streams since one brought an event
}

// once reads one stream to its end. again: another one may be opened.
func (l *listener) once(ctx context.Context) (again bool, err error) {
	line := l.s.lifeline(ctx)
	defer line.end()
	r, err := http.NewRequestWithContext(line.ctx, http.MethodGet, l.s.config.Endpoint, nil)
	if err != nil {
		return false, err
	}
	headers := map[string]string{headerSession: l.s.SessionID(), headerProtocol: l.protocol, headerLastEvent: l.place.lastID}
	for name, value := range headers {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	r.Header.Set("Accept", eventStream)
	t := &trip{} // that the stream isn't there says nothing of the session
	resp, err := l.s.send(line, t, r, nil)
	if err != nil {
		return line.ctx.Err() == nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if declines(resp) {
		return resp.StatusCode >= 500, l.s.httpError(line, resp, t, http.MethodGet, false)
	}
	body, err := decoded(resp)
	if err != nil || mediaType(resp) != eventStream {
		return false, &AnswerError{Reason: "the server answered with no event stream"}
	}
	return line.ctx.Err() == nil, l.read(ctx, sse.NewReader(counter{body, nil, line.ctx}, l.s.config.BodyBytes))
}

func (l *listener) read(ctx context.Context, events *sse.Reader) error {
	for {
		event, err := events.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return brokenOff(err)
		}
		l.place.note(event)
		l.idle = 0
		if !event.IsMessage() {
			continue
		}
		messages, _ := rpc.Parse(event.Data) // what is no message says nothing
		for _, m := range messages {
			if m.Kind != rpc.Response {
				l.s.receive(ctx, l.protocol, m)
			}
		}
	}
}
