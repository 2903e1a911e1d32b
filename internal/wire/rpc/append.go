package rpc

import (
	"bytes"
	"strconv"
)

// AppendResponse appends a Response on one line, under the given id. The result is as it came, apart from line ends
// between its tokens, which become spaces. So is an error that the SDK can decode; any other is made anew after
// DecodeError. A Response with neither becomes an error, as does one that is too deep for the SDK.
func AppendResponse(dst []byte, id int64, m Message) []byte {
	if m.Deep {
		return AppendError(dst, id, codeInternal, ErrDepth.Error())
	}
	start := len(dst)
	dst = appendHead(dst, id)
	switch {
	case m.Error != nil:
		dst = append(dst, `,"error":`...)
		dst = appendFault(dst, m.Error)
	case m.Result != nil:
		dst = append(dst, `,"result":`...)
		dst = append(dst, m.Result...)
	default:
		dst = append(dst, `,"error":`...)
		dst = appendFaultHead(dst, codeInternal, noResult)
		dst = append(dst, '}')
	}
	oneLine(dst[start:])
	return append(dst, '}')
}

// AppendError appends an error Response on one line.
func AppendError(dst []byte, id int64, code int64, message string) []byte {
	dst = appendHead(dst, id)
	dst = append(dst, `,"error":`...)
	dst = appendFaultHead(dst, code, message)
	return append(dst, "}}"...)
}

// AppendClean appends a Request or Notification of the server on one line, and nothing for any other Kind. Params that
// are neither an object nor an array, or too deep for the SDK, are left out. An id that the SDK would not send back as it is (a number that is no
// integer of up to 53 bits) becomes a string of the same text.
func AppendClean(dst []byte, m Message) []byte {
	if m.Kind != Request && m.Kind != Notification {
		return dst
	}
	start := len(dst)
	dst = append(dst, `{"jsonrpc":"2.0"`...)
	if m.Kind == Request {
		dst = append(dst, `,"id":`...)
		dst = appendRequestID(dst, m.ID)
	}
	dst = append(dst, `,"method":`...)
	dst = AppendString(dst, m.Method)
	if !m.Deep && len(m.Params) > 0 && (m.Params[0] == '{' || m.Params[0] == '[') {
		dst = append(dst, `,"params":`...)
		dst = append(dst, m.Params...)
	}
	oneLine(dst[start:])
	return append(dst, '}')
}

// appendRequestID appends an id that survives the SDK, which decodes numbers to float64 and cuts them to integers.
func appendRequestID(dst []byte, id ID) []byte {
	const exact = 1 << 53
	switch {
	case id.kind == idInt && (id.n > exact || id.n < -exact):
		return AppendString(dst, strconv.FormatInt(id.n, 10))
	case id.kind == idNumber:
		return AppendString(dst, id.text)
	}
	return id.append(dst)
}

func appendHead(dst []byte, id int64) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	return strconv.AppendInt(dst, id, 10)
}

// oneLine replaces line ends in place. Valid JSON has them only between tokens.
func oneLine(b []byte) {
	for _, end := range []byte{'\n', '\r'} {
		for rest := b; ; {
			i := bytes.IndexByte(rest, end)
			if i < 0 {
				break
			}
			rest[i] = ' '
			rest = rest[i+1:]
		}
	}
}
