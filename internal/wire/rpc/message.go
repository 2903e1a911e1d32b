// Package rpc scans and repairs JSON-RPC 2.0 messages as MCP servers send them.
//
// It works on bytes: a message is scanned once, its members are handed on as they came, and only a message that a
// strict JSON decoder would refuse is copied and repaired. The package is pure.
package rpc

import "errors"

// MaxDepth is how deep the arrays and objects of a message may be nested: a little less than the decoders of whoever gets the raw
// members take, which is 10,000.
const MaxDepth = 9000

// sdkDepth is how deep what the SDK gets may be nested. It ends the session at 1,000.
const sdkDepth = 900

// maxMessages bounds the messages of one body: each costs more memory than the two bytes of an empty one.
const maxMessages = 10_000

// Why bytes are no JSON-RPC message. The texts quote nothing of what was received.
var (
	ErrEmpty  = errors.New("empty body")
	ErrHTML   = errors.New("an HTML page")
	ErrXML    = errors.New("XML")
	ErrEvents = errors.New("server-sent events")
	ErrBinary = errors.New("binary or compressed data")
	ErrText   = errors.New("plain text")
	ErrCut    = errors.New("cut JSON")
	ErrSyntax = errors.New("broken JSON")
	ErrNotRPC = errors.New("JSON that is no JSON-RPC message")
	ErrDepth  = errors.New("JSON that is nested too deeply")
	ErrBatch  = errors.New("too many JSON-RPC messages at once")
)

// Kind is what a message is.
type Kind int

const (
	Invalid      Kind = iota // no message; Parse returns none of these
	Request                  // has a method and an id
	Notification             // has a method and no id
	Response                 // has a result or an error
)

func (k Kind) String() string {
	switch k {
	case Request:
		return "request"
	case Notification:
		return "notification"
	case Response:
		return "response"
	}
	return "invalid"
}

// Message is one JSON-RPC message. The raw members are valid JSON in valid UTF-8, nested at most MaxDepth deep; nil
// stands for absent, and a JSON null is "null". They alias the bytes given to Parse where nothing had to be repaired.
type Message struct {
	Kind   Kind
	ID     ID
	Method string // of a Request or Notification
	Params []byte // of a Request or Notification
	Result []byte // of a Response; nil beside an Error
	// Error is the error member of a Response, of any JSON type except null. A Response with neither Result nor Error
	// was sent without both; AppendResponse makes an error of it.
	Error []byte
	// Tagged reports a `jsonrpc` member. An untagged object with an `error` may be any HTTP API's error body.
	Tagged bool
	// Deep reports that the members are nested more deeply than the SDK takes. AppendResponse makes an error of such a response,
	// and AppendClean leaves the parameters out.
	Deep bool
}
