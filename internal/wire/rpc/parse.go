package rpc

import "bytes"

const bom = "\uFEFF"

// Parse scans one message, the members of a batch, or several of them in a row. Bytes behind the last whole value are
// ignored: a decoder that reads one value from a stream, like the SDK's, never sees them.
//
// It tolerates a byte order mark and white space around the value, a missing or wrong `jsonrpc`, members it doesn't know
// (names are compared exactly) and duplicate ones, of which the last counts. It repairs strings with control bytes,
// invalid UTF-8, unknown escapes or lone surrogates, and turns NaN and Infinity into null, as long as the message grows
// by less than a quarter and 64 KiB. Of a result and an error the error counts, unless it is null or plainly empty:
// false, "", 0, {}, [], or code 0 without a message.
//
// Members of a batch that are no messages are left out. There is at least one message, or an error, which is one of the
// Err values.
func Parse(data []byte) ([]Message, error) {
	data = trim(data)
	if err := foreign(data); err != nil {
		return nil, err
	}
	s := scanner{data: data}
	messages, err := s.messages()
	if err != nil {
		return nil, err
	}
	if s.dirty {
		if data, err = repair(data[:s.pos]); err != nil {
			return nil, err
		}
		s = scanner{data: data}
		if messages, err = s.messages(); err != nil {
			return nil, err
		}
	}
	if len(messages) == 0 {
		return nil, ErrNotRPC
	}
	return messages, nil
}

func trim(data []byte) []byte {
	for {
		data = bytes.TrimLeft(data, " \t\r\n")
		rest, found := bytes.CutPrefix(data, []byte(bom))
		if !found {
			return bytes.TrimRight(data, " \t\r\n")
		}
		data = rest
	}
}

// messages passes all values up to the end, or up to what is no JSON. It leaves pos and dirty as of the last whole value.
func (s *scanner) messages() ([]Message, error) {
	messages, err := s.value(nil)
	if err != nil {
		return nil, err
	}
	for {
		end, dirty := s.pos, s.dirty
		if c := s.peek(); c != '{' && c != '[' {
			s.pos = end
			return messages, nil
		}
		more, err := s.value(messages)
		if err == ErrBatch {
			return nil, err
		}
		if err != nil {
			s.pos, s.dirty = end, dirty
			return messages, nil
		}
		messages = more
	}
}

// value passes a message or a batch.
func (s *scanner) value(to []Message) ([]Message, error) {
	if s.peek() == '{' {
		return s.message(1, to)
	}
	if s.peek() != '[' {
		return to, s.skip(0)
	}
	s.pos++
	if s.peek() == ']' {
		s.pos++
		return to, nil
	}
	for {
		var err error
		if s.peek() == '{' {
			to, err = s.message(2, to)
		} else {
			err = s.skip(1)
		}
		if err != nil {
			return nil, err
		}
		switch s.peek() {
		case ',':
			s.pos++
		case ']':
			s.pos++
			return to, nil
		default:
			return nil, s.fail()
		}
	}
}

// envelope has the raw members of a message.
type envelope struct {
	id, method, params, result, fault []byte
	tagged                            bool
}

func (s *scanner) message(depth int, to []Message) ([]Message, error) {
	var e envelope
	s.deepest = 0
	err := s.object(depth, func(key, value []byte) {
		switch string(key) {
		case "jsonrpc":
			e.tagged = true
		case "id":
			e.id = value
		case "method":
			e.method = value
		case "params":
			e.params = value
		case "result":
			e.result = value
		case "error":
			e.fault = value
		}
	})
	if err != nil {
		return nil, err
	}
	m := e.message()
	m.Deep = s.deepest > sdkDepth
	if m.Kind == Invalid {
		return to, nil
	}
	if len(to) >= maxMessages {
		return nil, ErrBatch
	}
	return append(to, m), nil
}

// message decides what the members make. Serialisers that write every member, unused ones as null, are common.
func (e *envelope) message() Message {
	m := Message{ID: parseID(e.id), Tagged: e.tagged}
	method := text(e.method)
	hasResult := e.result != nil && !(isNull(e.result) && method != "")
	hasError := e.fault != nil && !isNull(e.fault)
	if hasError && (method != "" || hasResult && !isNull(e.result)) {
		hasError = !emptyError(e.fault)
	}
	switch {
	case hasError:
		m.Kind, m.Error = Response, e.fault
	case hasResult:
		m.Kind, m.Result = Response, e.result
	case method != "":
		m.Kind, m.Method, m.Params = Request, method, e.params
		if m.ID.IsAbsent() || m.ID.IsNull() {
			m.Kind = Notification
		}
	case e.tagged && !m.ID.IsAbsent() && !m.ID.IsNull():
		m.Kind = Response
	}
	return m
}

func isNull(raw []byte) bool { return string(raw) == "null" }
