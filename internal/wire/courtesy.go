package wire

import (
	"context"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/mcpclient-go/mcpclient/internal/wire/rpc"
)

// courtesyTime bounds a message that nothing depends on: a notifications/cancelled, or an answer to the server.
const courtesyTime = 5 * time.Second

// courtesy posts such a message in the background. sent is called when that is over.
func (s *Session) courtesy(ctx context.Context, protocol string, message []byte, sent func()) {
	post := func() {
		defer sent()
		line := s.lifeline(context.WithoutCancel(ctx))
		defer line.end()
		defer line.within(courtesyTime)()
		r := s.newPost(line.ctx, protocol)
		setBody(r, message)
		if resp, err := s.dispatch(line, &trip{}, r); err == nil {
			line.drain(resp.Body)
		}
	}
	if !s.spawn(post) {
		sent()
	}
}

// giveUp tells the server that nobody waits for a request any more.
func (s *Session) giveUp(ctx context.Context, protocol string, id int64) {
	params := append([]byte(`{"requestId":`), strconv.FormatInt(id, 10)...)
	params = append(params, `,"reason":`...)
	params = append(rpc.AppendString(params, ctx.Err().Error()), '}')
	s.courtesy(ctx, protocol, rpc.AppendNotification(nil, methodCancelled, params), func() {})
}

// receive serves a request or notification of the server that the SDK has no part in.
func (s *Session) receive(ctx context.Context, protocol string, m rpc.Message) {
	if !s.admit(m) {
		return
	}
	if m.Kind == rpc.Notification {
		if s.config.Notified != nil {
			s.config.Notified(m.Method, m.Params)
		}
		return
	}
	var reply []byte
	if m.Method == "ping" {
		reply = rpc.AppendReply(nil, m.ID, "{}")
	} else {
		reply = rpc.AppendRefusal(nil, m.ID, jsonrpc.CodeMethodNotFound, "the client does not offer "+m.Method)
	}
	s.courtesy(ctx, protocol, reply, s.replied)
}
