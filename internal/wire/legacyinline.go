package wire

import (
	"bytes"
	"io"
	"net/http"
	"strconv"

	"github.com/mcpclient-go/mcpclient/internal/wire/rpc"
	"github.com/mcpclient-go/mcpclient/internal/wire/sse"
)

// inlineAnswer looks for the answer to a call in the response to its POST, which accepts it. nil: it is not there, and may come on the
// stream. The error is of a response that no server sends which is going to answer.
func (s *Session) inlineAnswer(line *lifeline, resp *http.Response, out *outgoing) (*rpc.Message, error) {
	body, err := decoded(resp)
	if err != nil {
		line.drain(resp.Body)
		return nil, nil
	}
	accepted := resp.StatusCode == http.StatusAccepted
	events := mediaType(resp) == eventStream
	var head []byte
	if !events || accepted {
		// A server that accepts a call may leave the response open and empty while it works: the SDK waits for the end of the POST.
		stop := func() bool { return true }
		if accepted {
			stop = line.within(drainTime)
		}
		head, err = readHead(body)
		stop()
	}
	if err != nil {
		_ = resp.Body.Close()
		return nil, nil
	}
	body = io.MultiReader(bytes.NewReader(head), body)
	switch {
	case startsJSON(head):
		return s.inlineJSON(resp, body, out)
	case events, len(head) > 0 && kindOf(head) == rpc.ErrEvents:
		return s.inlineEvents(resp, body, out)
	}
	line.drain(resp.Body)
	return nil, s.inlineText(resp, head, out)
}

// inlineJSON finds the answer in a body of JSON. Whatever else is there has no meaning.
func (s *Session) inlineJSON(resp *http.Response, body io.Reader, out *outgoing) (*rpc.Message, error) {
	data, err := readAll(body, resp.ContentLength, s.config.BodyBytes)
	_ = resp.Body.Close()
	if err != nil {
		return nil, brokenOff(err)
	}
	messages, err := rpc.Parse(data)
	if err != nil && resp.StatusCode != http.StatusAccepted {
		out.exchange.note(strconv.Quote(s.excerpt(data, maxExcerpt, false)))
	}
	return s.inlineOwn(messages, out, len(data)), nil
}

// inlineEvents finds the answer among the events of a response. What else is among them is served too.
func (s *Session) inlineEvents(resp *http.Response, body io.Reader, out *outgoing) (*rpc.Message, error) {
	defer func() { _ = resp.Body.Close() }()
	for events := sse.NewReader(body, s.config.BodyBytes); ; {
		event, err := events.Next()
		if err != nil {
			return nil, nil // the answer may be on the stream all the same
		}
		if !event.IsMessage() {
			continue
		}
		messages, _ := rpc.Parse(bytes.Clone(event.Data)) // the answer outlives the event
		if m := s.inlineOwn(messages, out, len(event.Data)); m != nil {
			return m, nil
		}
		for _, m := range messages {
			s.aside(m)
		}
	}
}

// aside serves a message beside the answer to a call. The SDK gets requests only, as those are answered one by one: whatever is put
// into its stream waits there without a bound.
func (s *Session) aside(m rpc.Message) {
	switch {
	case m.Kind == rpc.Request && s.admit(m):
		s.deliver(rpc.AppendClean(nil, m))
	case m.Kind == rpc.Notification && s.admit(m) && s.config.Notified != nil:
		s.config.Notified(m.Method, m.Params)
	}
}

// inlineOwn is the answer to the call among messages. An error without an id can only be meant for the call that it answers.
func (s *Session) inlineOwn(messages []rpc.Message, out *outgoing, size int) *rpc.Message {
	for _, m := range messages {
		if m.Kind == rpc.Response && (&call{wire: out.wire}).owns(m) {
			out.exchange.received(size)
			return &m
		}
	}
	return nil
}

// inlineText judges a response that is no answer: "Accepted" means nothing. A page is what a login or a proxy sends, and nobody who
// goes on to answer, unless the status says that the call was accepted.
func (s *Session) inlineText(resp *http.Response, head []byte, out *outgoing) error {
	err := kindOf(head)
	if err == rpc.ErrHTML && resp.StatusCode != http.StatusAccepted {
		return s.unusable(err, mediaType(resp), nil, false)
	}
	switch {
	case err == rpc.ErrHTML:
		out.exchange.note(err.Error())
	case err == rpc.ErrText && resp.StatusCode != http.StatusAccepted:
		out.exchange.note(strconv.Quote(s.excerpt(head, maxExcerpt, len(head) == headBytes)))
	}
	return nil
}
