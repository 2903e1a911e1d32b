package rpc

import "strconv"

// Outgoing is one message of the SDK, of which ids can be replaced.
type Outgoing struct {
	Kind      Kind
	Method    string // "" of a Response
	ID        ID     // absent of a Notification
	RequestID ID     // params.requestId of a notifications/cancelled, else absent

	body          []byte
	id, requestID span
}

type span struct{ start, end int }

// ParseOutgoing scans what the SDK sends: one message, which is valid JSON. body must not change afterwards. The error is
// one of the Err values.
func ParseOutgoing(body []byte) (Outgoing, error) {
	o := Outgoing{body: body}
	s := scanner{data: body}
	if s.peek() != '{' {
		return o, ErrNotRPC
	}
	var e envelope
	var params int
	err := s.object(1, func(key, value []byte) {
		switch string(key) {
		case "id":
			e.id, o.id = value, s.behind(value)
		case "method":
			e.method = value
		case "params":
			params = s.behind(value).start
			e.params = value
		case "result":
			e.result = value
		case "error":
			e.fault = value
		case "jsonrpc":
			e.tagged = true
		}
	})
	if err != nil {
		return o, err
	}
	m := e.message()
	if m.Kind == Invalid || s.dirty {
		return o, ErrNotRPC
	}
	o.Kind, o.Method, o.ID = m.Kind, m.Method, m.ID
	if m.Method == "notifications/cancelled" && len(m.Params) > 0 && m.Params[0] == '{' {
		err = o.scanRequestID(params)
	}
	return o, err
}

// behind is where the value is that the scanner has just passed.
func (s *scanner) behind(value []byte) span { return span{s.pos - len(value), s.pos} }

func (o *Outgoing) scanRequestID(params int) error {
	s := scanner{data: o.body, pos: params}
	return s.object(2, func(key, value []byte) {
		if string(key) == "requestId" {
			o.RequestID, o.requestID = parseID(value), s.behind(value)
		}
	})
}

// WithID returns a copy of the message with another id and every other byte as it is. A message without an id stays
// without one.
func (o Outgoing) WithID(id int64) []byte { return o.replace(o.id, id) }

// WithRequestID does the same to params.requestId.
func (o Outgoing) WithRequestID(id int64) []byte { return o.replace(o.requestID, id) }

func (o Outgoing) replace(at span, id int64) []byte {
	out := make([]byte, 0, len(o.body)+20) // an int64 has at most 20 characters
	if at.end == 0 {
		return append(out, o.body...)
	}
	out = append(out, o.body[:at.start]...)
	out = strconv.AppendInt(out, id, 10)
	return append(out, o.body[at.end:]...)
}
