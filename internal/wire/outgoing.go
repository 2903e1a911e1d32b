package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/mcpclient-go/mcpclient/internal/wire/rpc"
)

const (
	methodInitialize = "initialize"
	methodCancelled  = "notifications/cancelled"
	methodProgress   = "notifications/progress"

	headerSession  = "Mcp-Session-Id"
	headerProtocol = "Mcp-Protocol-Version"
)

// outgoing is a message of the SDK, with the ids that it has on the wire.
type outgoing struct {
	kind      rpc.Kind
	method    string
	id        int64 // of a request, the SDK's own
	wire      int64
	cancelled int64 // the wire id that a notifications/cancelled names; 0: none
	body      []byte
	exchange  *Exchange
}

// outgoing reads the message that the SDK posts.
func (s *Session) outgoing(r *http.Request) (*outgoing, error) {
	if r.Body == nil {
		return nil, errors.New("wire: a request without a message")
	}
	data, err := readAll(r.Body, r.ContentLength, 0)
	closeBody(r)
	if err != nil {
		return nil, fmt.Errorf("wire: read request: %w", err)
	}
	m, err := rpc.ParseOutgoing(data)
	if err != nil {
		return nil, fmt.Errorf("wire: parse request: %w", err)
	}
	out := &outgoing{kind: m.Kind, method: m.Method, body: data, exchange: claim(r.Context(), m.Kind, m.Method)}
	if m.Kind == rpc.Request {
		id, ok := m.ID.Int()
		if !ok {
			return nil, errors.New("wire: a request id that is no number")
		}
		out.id, out.wire = id, s.idBase+id
		out.body = m.WithID(out.wire)
	} else if id, ok := m.RequestID.Int(); ok {
		out.cancelled = s.idBase + id
		out.body = m.WithRequestID(out.cancelled)
	}
	if p := r.Header.Get(headerProtocol); p != "" {
		s.mu.Lock()
		s.protocol = p
		s.mu.Unlock()
	}
	return out, nil
}

// begin registers a call.
func (s *Session) begin(out *outgoing, line *lifeline) *call {
	c := &call{id: out.id, wire: out.wire, method: out.method, exchange: out.exchange, line: line}
	s.calls.add(c)
	return c
}

// send passes a request down the chain, with the given body if that isn't nil. What it passes shares the header with r:
// credentials makes a copy before it sets any.
func (s *Session) send(line *lifeline, t *trip, r *http.Request, body []byte) (*http.Response, error) {
	out := r.WithContext(line.ctx)
	if body != nil {
		setBody(out, body)
	}
	return s.dispatch(line, t, out)
}

// dispatch passes a request down the chain that has the context of line.
func (s *Session) dispatch(line *lifeline, t *trip, r *http.Request) (*http.Response, error) {
	line.values.trip = t
	return s.chain.RoundTrip(r)
}

func setBody(r *http.Request, body []byte) {
	r.ContentLength = int64(len(body))
	r.Body = newMemory(body)
	r.GetBody = func() (io.ReadCloser, error) { return newMemory(body), nil }
}

// memory is a body that is there already.
type memory struct{ bytes.Reader }

func newMemory(body []byte) *memory {
	m := new(memory)
	m.Reset(body)
	return m
}

func (*memory) Close() error { return nil }
