package rpc

import (
	"math"
	"strconv"
	"strings"
)

// codeInternal is JSON-RPC's "internal error", for errors that bring no usable code.
const codeInternal = -32603

const (
	noMessage = "error without a message"
	noResult  = "the answer has neither a result nor an error"
)

// maxForeignMessage bounds, in bytes, a message that is made of JSON which should have been a string.
const maxForeignMessage = 512

// fault has the members of an error object.
type fault struct {
	code, message, data []byte
	extra               bool // there are others
	bad                 bool // a code or message, perhaps one that a later duplicate replaced, isn't what the SDK decodes
}

func scanFault(raw []byte) (f fault, ok bool) {
	s := scanner{data: raw}
	if s.peek() != '{' {
		return f, false
	}
	err := s.object(1, func(key, value []byte) {
		switch string(key) {
		case "code":
			_, err := strconv.ParseInt(string(value), 10, 64)
			f.code, f.bad = value, f.bad || err != nil
		case "message":
			f.message, f.bad = value, f.bad || value[0] != '"'
		case "data":
			f.data = value
		default:
			f.extra = true
		}
	})
	return f, err == nil
}

// emptyError reports an error that only says that there is none, as encoders of plain structs write it.
func emptyError(raw []byte) bool {
	switch string(raw) {
	case "false", `""`, "0", "[]":
		return true
	}
	f, ok := scanFault(raw)
	if !ok || f.extra || text(f.message) != "" || f.message != nil && f.message[0] != '"' && !isNull(f.message) {
		return false
	}
	code, exact := looseInt(f.code)
	return (f.code == nil || isNull(f.code) || exact && code == 0) && (f.data == nil || isNull(f.data))
}

// DecodeError decodes the Error of a Message. A code that is a string or a float becomes the integer, one that is
// unusable -32603; a bare string or other value is the message; a message that is missing or of another type becomes
// some text. data is nil where it is absent.
func DecodeError(raw []byte) (code int64, message string, data []byte) {
	f, ok := scanFault(raw)
	if !ok {
		return codeInternal, looseText(raw), nil
	}
	code, ok = looseInt(f.code)
	if !ok {
		code = codeInternal
	}
	if message = looseText(f.message); message == noMessage {
		if said := text(f.data); said != "" {
			message = said
		}
	}
	return code, message, f.data
}

func looseInt(raw []byte) (int64, bool) {
	if len(raw) > 0 && raw[0] == '"' {
		raw = []byte(strings.TrimSpace(text(raw)))
	}
	if n, ok := exactInt(raw); ok {
		return n, true
	}
	const exact = 1 << 53
	x, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || math.IsNaN(x) || math.Abs(x) > exact {
		return 0, false
	}
	return int64(x), true
}

// looseText is the text of a string, or JSON of another type as it stands.
func looseText(raw []byte) string {
	if len(raw) == 0 || isNull(raw) {
		return noMessage
	}
	if raw[0] != '"' {
		if len(raw) > maxForeignMessage {
			return noMessage // half of it may be half a secret
		}
		return strings.ToValidUTF8(string(raw), "")
	}
	if s := text(raw); s != "" {
		return s
	}
	return noMessage
}

// appendFault appends the error object for the SDK: as it came where the SDK can decode it, else made anew.
func appendFault(dst, raw []byte) []byte {
	f, ok := scanFault(raw)
	if ok && !f.bad && f.code != nil && f.message != nil {
		return append(dst, raw...)
	}
	code, message, data := DecodeError(raw)
	dst = appendFaultHead(dst, code, message)
	if data != nil {
		dst = append(dst, `,"data":`...)
		dst = append(dst, data...)
	}
	return append(dst, '}')
}

// appendFaultHead leaves the object open.
func appendFaultHead(dst []byte, code int64, message string) []byte {
	dst = append(dst, `{"code":`...)
	dst = strconv.AppendInt(dst, code, 10)
	dst = append(dst, `,"message":`...)
	return AppendString(dst, message)
}
