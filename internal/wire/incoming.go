package wire

import (
	"slices"

	"github.com/mcpclient-go/mcpclient/internal/wire/rpc"
	"github.com/mcpclient-go/mcpclient/internal/wire/sse"
)

// wanted are the notifications that a client without capabilities can have a use for. The SDK queues what it gets without a
// limit, so the rest, log messages above all, ends here.
var wanted = map[string]bool{
	methodCancelled:                            true,
	methodProgress:                             true,
	"notifications/tools/list_changed":         true,
	"notifications/prompts/list_changed":       true,
	"notifications/resources/list_changed":     true,
	"notifications/subscriptions/acknowledged": true,
}

// maxServerCalls is how many requests of the server are answered at a time, each with a POST of its own: a server that sends a flood
// of them gets no flood of connections.
const maxServerCalls = 32

// maxServerCall bounds, in bytes, the id and the method of a request of the server, which its answer holds again: a server that does
// not read the answers would have them kept.
const maxServerCall = 1 << 10

// admit reports whether a message that is no answer is taken: by the SDK, or by receive.
func (s *Session) admit(m rpc.Message) bool {
	if m.Kind != rpc.Request {
		return m.Kind == rpc.Notification && wanted[m.Method]
	}
	if m.ID.Size() > maxServerCall || len(m.Method) > maxServerCall {
		return false
	}
	if s.serverCalls.Add(1) > maxServerCalls {
		s.serverCalls.Add(-1)
		return false
	}
	return true
}

// replied is called when an answer to the server was sent, or could not be.
func (s *Session) replied() { s.serverCalls.Add(-1) }

// appendIncoming appends the event that hands a request or notification of the server to the SDK, or nothing. Progress goes to
// Config.Notified where that is set: the SDK drops a notification of which it can't decode a field, and a call that makes progress
// would be given up.
func (s *Session) appendIncoming(dst []byte, m rpc.Message) []byte {
	switch {
	case !s.admit(m):
		return dst
	case m.Kind == rpc.Notification && m.Method == methodProgress && s.config.Notified != nil:
		s.config.Notified(m.Method, m.Params)
		return dst
	}
	return appendEvent(dst, rpc.AppendClean(nil, m))
}

func appendEvent(dst, message []byte) []byte {
	return sse.AppendMessage(slices.Grow(dst, len(message)+len("event: message\ndata: \n\n")), message)
}
