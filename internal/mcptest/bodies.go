package mcptest

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Drip sends the body one byte at a time with a pause before each.
func Drip(contentType, body string, pause time.Duration) Behaviour {
	return Do(func(x *Exchange) {
		text := x.Expand(body)
		x.nameSession()
		x.W.Header().Set("Content-Type", contentType)
		x.flush()
		for i := range len(text) {
			if sleep(x.ctx, x.s.done, pause) != nil {
				return
			}
			x.write([]byte(text[i : i+1]))
		}
	})
}

// Endless sends the head and then the filler for ever.
func Endless(code int, contentType, head, filler string) Behaviour {
	block := []byte(strings.Repeat(filler, 1+(32<<10)/len(filler)))
	return Do(func(x *Exchange) {
		x.W.Header().Set("Content-Type", contentType)
		x.W.WriteHeader(code)
		_, err := x.W.Write([]byte(x.Expand(head)))
		for err == nil && !x.closing() {
			_, err = x.W.Write(block)
		}
	})
}

// EndlessStream sends the head and then the filler for ever on an event stream.
func EndlessStream(head, filler string) Behaviour {
	block := strings.Repeat(filler, 1+(32<<10)/len(filler))
	return OnStream(func(x *Exchange) {
		x.Send(x.Expand(head))
		for !x.closing() && x.alive() {
			x.Send(block)
		}
	})
}

// alive says that the client still takes what is sent.
func (x *Exchange) alive() bool { return x.posted() || !x.broken }

// EndlessHeader sends header fields for ever.
var EndlessHeader = Do(func(x *Exchange) {
	c, _, err := http.NewResponseController(x.W).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer func() { _ = c.Close() }()
	x.s.onClose(func() { _ = c.Close() }) // no one else closes a hijacked connection that its client does not read
	_, err = c.Write([]byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"))
	field := []byte("X-Filler: " + strings.Repeat("a", 4000) + "\r\n")
	for err == nil && !x.closing() {
		_, err = c.Write(field)
	}
})

// LateAnswer waits until the client cancels the request, and answers it then.
var LateAnswer = OnStream(func(x *Exchange) {
	x.openStream()
	ctx, forget := x.session.call(x.ctx, x.ID)
	defer forget()
	<-ctx.Done() // the session and the server end it as well
	x.Message(x.Answer())
})

// CutJSON promises the whole answer and ends the connection in the middle of it.
var CutJSON = Do(func(x *Exchange) {
	answer := x.Answer()
	x.W.Header().Set("Content-Type", "application/json")
	x.W.Header().Set("Content-Length", fmt.Sprint(len(answer)))
	x.write(answer[:len(answer)/2])
	panic(http.ErrAbortHandler)
})

// CutStream sends raw text on an event stream and drops the connection.
func CutStream(raw string) Behaviour {
	return OnStream(func(x *Exchange) {
		x.Send(x.Expand(raw))
		x.endStream()
	})
}

// endStream ends the stream that answers the request, without the end that HTTP wants where it is the response of this request.
func (x *Exchange) endStream() {
	if x.posted() {
		x.s.state.drop(x.session.id)
		return
	}
	panic(http.ErrAbortHandler)
}

// Encoded answers with a body in a content encoding, which is named but, other than gzip, not applied.
func Encoded(encoding, body string) Behaviour {
	return Do(func(x *Exchange) {
		data := []byte(x.Expand(body))
		if encoding == "gzip" {
			data = compress(data)
		}
		x.W.Header().Set("Content-Type", "application/json")
		x.W.Header().Set("Content-Encoding", encoding)
		_, _ = x.W.Write(data)
	})
}

// GzipBomb answers with a text of so many MiB that takes about a thousandth of that on the wire.
func GzipBomb(mib int) Behaviour {
	return Do(func(x *Exchange) {
		x.W.Header().Set("Content-Type", "application/json")
		x.W.Header().Set("Content-Encoding", "gzip")
		x.bomb(`{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"`, mib, `"}]}}`)
	})
}

// bomb writes gzip: the head, so many MiB, the tail. A gzip file may be several, one behind the other, so that one MiB is
// compressed once and sent many times.
func (x *Exchange) bomb(head string, mib int, tail string) {
	_, err := x.W.Write(compress([]byte(x.Expand(head))))
	member := compress(bytes.Repeat([]byte("a"), 1<<20))
	for i := 0; i < mib && err == nil && !x.closing(); i++ {
		_, err = x.W.Write(member)
	}
	_, _ = x.W.Write(compress([]byte(tail)))
}

func compress(data []byte) []byte {
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	_, _ = w.Write(data)
	_ = w.Close()
	return buf.Bytes()
}
