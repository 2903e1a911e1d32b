package rpc

import (
	"bytes"
	"unicode/utf8"
)

// foreign tells in the words of the error what data is that doesn't even start like a message. A JSON scalar is one of
// these: it can't be a message, whatever follows.
func foreign(data []byte) error {
	if len(data) == 0 {
		return ErrEmpty
	}
	head := data[:min(len(data), 512)]
	switch c := head[0]; {
	case c == '{', c == '[':
		return nil
	case c == '<':
		return markup(head)
	case c < ' ', !validHead(head, len(head) < len(data)):
		return ErrBinary
	case isEvents(head):
		return ErrEvents
	}
	return scalarOrText(data)
}

func markup(head []byte) error {
	if bytes.HasPrefix(head, []byte("<?xml")) && !bytes.Contains(bytes.ToLower(head), []byte("<html")) {
		return ErrXML
	}
	return ErrHTML
}

// validHead allows for a character that was cut off with the rest of the data.
func validHead(head []byte, cut bool) bool {
	if bytes.IndexByte(head, 0) >= 0 {
		return false
	}
	for len(head) > 0 {
		r, n := utf8.DecodeRune(head)
		if r == utf8.RuneError && n == 1 {
			return cut && !utf8.FullRune(head)
		}
		head = head[n:]
	}
	return true
}

// isEvents knows a stream of server-sent events by its first line.
func isEvents(head []byte) bool {
	line := head
	if end := bytes.IndexAny(line, "\r\n"); end >= 0 {
		line = line[:end]
	}
	name, _, colon := bytes.Cut(line, []byte(":"))
	switch string(name) {
	case "data", "event", "id", "retry", "":
		return colon
	}
	return false
}

// scalarOrText tells a whole JSON scalar and a cut string from text that isn't JSON.
func scalarOrText(data []byte) error {
	s := scanner{data: data}
	err := s.skip(0)
	switch {
	case err == nil && s.pos == len(data):
		return ErrNotRPC
	case err == ErrCut && data[0] == '"':
		return ErrCut
	}
	return ErrText
}
