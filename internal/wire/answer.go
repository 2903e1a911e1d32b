package wire

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"unicode/utf8"

	"github.com/mcpclient-go/mcpclient/internal/wire/rpc"
	"github.com/mcpclient-go/mcpclient/internal/wire/sse"
)

// whole reads an answer that is one body.
func (p *posted) whole(resp *http.Response, media string, body io.Reader) (rpc.Message, error) {
	data, err := readAll(body, resp.ContentLength, p.s.config.BodyBytes)
	if err != nil {
		return rpc.Message{}, brokenOff(err)
	}
	_ = resp.Body.Close()
	return p.own(data, media)
}

// respond is a response that the SDK can use.
func (p *posted) respond(contentType, session string, body []byte) *http.Response {
	resp := local(p.request, http.StatusOK)
	resp.Header["Content-Type"] = []string{contentType}
	if session != "" {
		resp.Header.Set(headerSession, session)
	}
	if body != nil {
		resp.ContentLength = int64(len(body))
		resp.Body = newMemory(body)
	} else {
		resp.ContentLength = -1
	}
	return resp
}

// own finds the answer to the call in a body that can only be meant for it. What else is in a batch is dropped.
func (p *posted) own(body []byte, media string) (rpc.Message, error) {
	messages, err := rpc.Parse(body)
	if err != nil {
		return rpc.Message{}, p.s.unusable(err, media, body, false)
	}
	responses := 0
	for _, m := range messages {
		if m.Kind != rpc.Response {
			continue
		}
		if p.call.owns(m) {
			return m, nil
		}
		responses++
	}
	if responses == 0 {
		return rpc.Message{}, &AnswerError{Reason: "the server sent a message that is no answer"}
	}
	return rpc.Message{}, &AnswerError{Reason: "the server sent the answer to another request"}
}

// owns reports that a response is the one to c. An error without an id is what servers answer to a request that they couldn't
// read; it is taken as an answer where only c can be meant.
func (c *call) owns(m rpc.Message) bool {
	if id, ok := m.ID.Int(); ok {
		return id == c.wire
	}
	return m.Error != nil && (m.ID.IsNull() || m.ID.IsAbsent())
}

const maxSessionID = 4 << 10

// adopt keeps the session id that comes with a successful initialize, and returns the one that the SDK is to see. It sees that
// one only: the SDK ends a session whose id changes.
func (p *posted) adopt(resp *http.Response, success bool) (string, error) {
	id := resp.Header.Get(headerSession)
	if p.call.method != methodInitialize || id == "" || !success {
		return "", nil
	}
	if len(id) > maxSessionID {
		return "", &AnswerError{Reason: "the server's session id is too long"}
	}
	for i := range len(id) {
		// See the specification's section on session management: visible ASCII. net/http refuses to send control bytes.
		if id[i] < '!' || id[i] > '~' {
			return "", &AnswerError{Reason: "the server's session id has illegal characters"}
		}
	}
	s := p.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sessionID == "" {
		s.sessionID = id
	}
	return s.sessionID, nil
}

// brokenOff is what became of a body that failed with err while it was read.
func brokenOff(err error) error {
	var limit *LimitError
	var event *sse.LimitError
	switch {
	case errors.As(err, &limit):
		return limit
	case errors.As(err, &event):
		return &LimitError{What: "event", Limit: event.Limit}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &AnswerError{Reason: "the answer was cut off"}
	}
	return &AnswerError{Reason: "the answer broke off", Cause: err}
}

// unusable is the error for a body that isn't JSON-RPC.
func (s *Session) unusable(err error, media string, body []byte, cut bool) error {
	reason := "the server answered with " + err.Error()
	if media = whole(media, 60); media != "" && media != "application/json" {
		reason += " (" + media + ")"
	}
	if err == rpc.ErrText || err == rpc.ErrNotRPC || err == rpc.ErrSyntax || err == rpc.ErrCut {
		if said := s.excerpt(body, maxExcerpt, cut); said != "" {
			reason += ": " + said
		}
	}
	return &AnswerError{Reason: reason}
}

const (
	headBytes = 512
	headKnown = 8 // bytes that tell what a body is
)

// readHead reads as much of a body as tells what it is. It is shorter than that only where the body is.
func readHead(r io.Reader) ([]byte, error) {
	head := make([]byte, 0, headBytes)
	for len(head) < headBytes {
		n, err := r.Read(head[len(head):headBytes])
		head = head[:len(head)+n]
		if err == io.EOF {
			return head, nil
		}
		if err != nil {
			return nil, err
		}
		if startsJSON(head) || len(trimHead(head)) >= headKnown {
			return head, nil
		}
	}
	return head, nil
}

// kindOf is the error of rpc.Parse that tells what a body is which doesn't start like JSON.
func kindOf(head []byte) error {
	for range utf8.UTFMax - 1 { // the last character may not be there as a whole
		if r, n := utf8.DecodeLastRune(head); r != utf8.RuneError || n != 1 {
			break
		}
		head = head[:len(head)-1]
	}
	_, err := rpc.Parse(head)
	return err
}

func trimHead(head []byte) []byte { return bytes.TrimLeft(head, "\uFEFF \t\r\n") }

func startsJSON(head []byte) bool {
	head = trimHead(head)
	return len(head) > 0 && (head[0] == '{' || head[0] == '[')
}
