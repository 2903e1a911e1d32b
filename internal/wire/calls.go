package wire

import (
	"bytes"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/mcpclient-go/mcpclient/internal/wire/rpc"
)

// codeLocal is the JSON-RPC code of errors that are made here. It is none that the SDK gives a meaning.
const codeLocal = -32000

// call is one request that the server has to answer.
type call struct {
	id       int64 // as the SDK counts; 0 where it has no part in it
	wire     int64 // as the server sees it
	method   string
	exchange *Exchange
	line     *lifeline // of its POST
}

// calls are the requests without an outcome. One whose caller gave up stays until the SDK's notifications/cancelled for it, which
// always follows, so that only a request that may be running is cancelled at the server.
type calls struct {
	mu   sync.Mutex
	open map[int64]*call // by id on the wire
}

func (cs *calls) add(c *call) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if cs.open == nil {
		cs.open = map[int64]*call{}
	}
	cs.open[c.wire] = c
}

// settle takes the call with that id out. It returns nil if there is none: exactly one caller gets to complete a call.
func (cs *calls) settle(wire int64) *call {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	c := cs.open[wire]
	if c != nil {
		delete(cs.open, wire)
	}
	return c
}

func (cs *calls) all() []*call {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	all := make([]*call, 0, len(cs.open))
	for _, c := range cs.open {
		all = append(all, c)
	}
	return all
}

// answer hands a response to the exchange and returns it as the SDK gets it. owned: the message's bytes stay as they are.
func (c *call) answer(m rpc.Message, owned bool) []byte {
	m = c.take(m, owned)
	return rpc.AppendResponse(make([]byte, 0, len(m.Result)+len(m.Error)+64), c.id, m)
}

// take hands a response to the exchange and returns what the SDK is to see of it.
func (c *call) take(m rpc.Message, owned bool) rpc.Message {
	switch {
	case m.Error != nil:
		c.exchange.fail(rpcError(m.Error))
	case m.Result == nil:
		c.exchange.fail(&AnswerError{Reason: "the answer has neither a result nor an error"})
	case m.Deep && !c.exchange.captures():
		c.exchange.fail(&AnswerError{Reason: rpc.ErrDepth.Error()})
	default:
		result := m.Result
		if c.exchange != nil && !owned {
			result = bytes.Clone(result)
		}
		m.Result = c.exchange.stub(result)
		m.Deep = false // of a captured result the SDK sees the stub
		c.exchange.answered(result[:len(result):len(result)])
	}
	return m
}

// fail does the same for a call without a usable response.
func (c *call) fail(err error) []byte {
	c.exchange.fail(err)
	return rpc.AppendError(nil, c.id, codeLocal, err.Error())
}

func rpcError(raw []byte) *jsonrpc.Error {
	code, message, data := rpc.DecodeError(raw)
	return &jsonrpc.Error{Code: code, Message: message, Data: bytes.Clone(data)}
}
