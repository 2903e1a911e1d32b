package sse

import "bytes"

// AppendMessage appends a "message" event whose data is one JSON value. Line ends, which valid JSON has only between its
// tokens, become spaces, so that the value is one `data` line and the same value for every reader.
func AppendMessage(dst, data []byte) []byte {
	dst = append(dst, "event: message\ndata: "...)
	for {
		end := lineEnd(data)
		if end < 0 {
			break
		}
		dst = append(dst, data[:end]...)
		dst = append(dst, ' ')
		data = data[end+1:]
	}
	dst = append(dst, data...)
	return append(dst, "\n\n"...)
}

// AppendEvent appends an event of any kind. A name of "" is left out, and a name ends at its first line end. Data of
// several lines becomes as many `data` lines; a reader joins them with LF, whatever separated them here.
func AppendEvent(dst []byte, name string, data []byte) []byte {
	if end := lineEnd([]byte(name)); end >= 0 {
		name = name[:end]
	}
	if name != "" {
		dst = append(dst, "event: "...)
		dst = append(dst, name...)
		dst = append(dst, '\n')
	}
	for {
		end := lineEnd(data)
		dst = append(dst, "data: "...)
		if end < 0 {
			break
		}
		dst = append(dst, data[:end]...)
		dst = append(dst, '\n')
		if bytes.HasPrefix(data[end:], []byte("\r\n")) {
			end++
		}
		data = data[end+1:]
	}
	dst = append(dst, data...)
	return append(dst, "\n\n"...)
}
