package mcptest

import (
	"fmt"
	"net"
	"net/http"
	"strings"
)

// Behaviour is what a server does instead of the good answer. Raw texts in it go through [Exchange.Expand]. All that wait or
// go on without an end stop when the client gives up or the server closes.
type Behaviour struct {
	do     func(x *Exchange)
	stream bool // it answers on the session's stream, where the transport has one, and accepts the POST first
}

// Do is a behaviour that answers through x.W.
func Do(f func(x *Exchange)) Behaviour { return Behaviour{do: f} }

// OnStream is a behaviour that answers with x.Send, x.Message and x.Notify: in the response of streamable HTTP, on the stream of
// the older transport.
func OnStream(f func(x *Exchange)) Behaviour { return Behaviour{do: f, stream: true} }

// Good is the good answer.
var Good = Do((*Exchange).Serve)

// Hang never answers: there are not even headers.
var Hang = Do((*Exchange).Hang)

// HangBody sends headers that promise a body of JSON, and no body.
var HangBody = Answer("application/json", "").then((*Exchange).Hang, 1000)

// HangStream opens an event stream and sends nothing. On the older transport the POST is accepted and nothing is sent.
var HangStream = OnStream(func(x *Exchange) {
	x.openStream()
	x.Hang()
})

// then goes on behind a body of which more is promised than was sent.
func (b Behaviour) then(next func(x *Exchange), missing int) Behaviour {
	return Behaviour{stream: b.stream, do: func(x *Exchange) {
		x.W.Header().Set("Content-Length", fmt.Sprint(missing))
		b.do(x)
		x.flush()
		next(x)
	}}
}

// Reset drops the connection without an answer; on HTTP/2 it resets the stream.
var Reset = Do(func(x *Exchange) { x.reset() })

func (x *Exchange) reset() {
	c, _, err := http.NewResponseController(x.W).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	switch c := c.(type) {
	case *conn:
		c.Reset()
	case *net.TCPConn:
		_ = c.SetLinger(0) // a close with no linger is a reset
	}
	_ = c.Close()
}

// Status answers with an HTTP status and a plain body.
func Status(code int, body string) Behaviour { return Reply(code, "text/plain", body) }

// Answer answers 200 with a body. An empty content type sends none.
func Answer(contentType, body string) Behaviour { return Reply(http.StatusOK, contentType, body) }

// Reply answers with a status, a content type ("": none), a body, and header fields as "Name: value".
func Reply(code int, contentType, body string, headers ...string) Behaviour {
	return Do(func(x *Exchange) {
		text := x.Expand(body)
		h := x.W.Header()
		if code < 300 {
			x.join()
			x.nameSession()
		}
		h["Content-Type"] = nil // keeps net/http from guessing one
		if contentType != "" {
			h.Set("Content-Type", contentType)
		}
		for _, field := range headers {
			name, value, _ := strings.Cut(field, ": ")
			h.Set(name, x.Expand(value))
		}
		x.W.WriteHeader(code)
		_, _ = x.W.Write([]byte(text))
	})
}

// Message sends one raw JSON-RPC message the way the server answers: as a body, or as an event.
func Message(raw string) Behaviour {
	return OnStream(func(x *Exchange) { x.Message([]byte(x.Expand(raw))) })
}

// Result answers with a raw result.
func Result(raw string) Behaviour { return Message(`{"jsonrpc":"2.0","id":$ID,"result":` + raw + `}`) }

// Content answers a call with raw content blocks.
func Content(blocks string) Behaviour { return Result(`{"content":[` + blocks + `]}`) }

// Stream sends raw text on an event stream, each part on its own, and ends the stream if it belongs to this answer.
func Stream(parts ...string) Behaviour {
	return OnStream(func(x *Exchange) {
		for _, part := range parts {
			x.Send(x.Expand(part))
		}
	})
}

// EndpointEvent sends raw text in place of the endpoint event of the older transport, and goes on with the stream.
func EndpointEvent(parts ...string) Behaviour {
	return OnStream(func(x *Exchange) {
		for _, part := range parts {
			x.Send(x.Expand(part))
		}
		x.endpoint = true
		x.pump()
	})
}

// Once is a behaviour for the first time only; then answers are good.
func Once(b Behaviour) Behaviour {
	return OnStream(func(x *Exchange) {
		if x.Nth > 1 {
			x.Serve()
			return
		}
		b.do(x)
	}).on(b)
}

// on takes over from another behaviour where it answers.
func (b Behaviour) on(other Behaviour) Behaviour {
	b.stream = other.stream
	return b
}

// LoseSessions forgets all sessions the first time, as a restart does, and answers as one should who does not know the session.
var LoseSessions = Once(Do(func(x *Exchange) {
	x.s.state.dropAll()
	x.unknownSession()
}))

// Ask sends a request to the client in front of the answer, waits for the client's answer to it, and returns that as text.
func Ask(method, params string) Behaviour {
	return OnStream(func(x *Exchange) {
		id, reply := x.session.expect()
		x.Send(fmt.Sprintf("event: message\ndata: "+`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`+"\n\n", id, method, params))
		select {
		case answer := <-reply:
			x.Message(response(x.ID, mustMarshal(Text(string(answer))), nil))
		case <-x.ctx.Done():
		case <-x.s.done:
		}
	})
}

// Flood sends so many copies of a raw event in front of the good answer.
func Flood(count int, event string) Behaviour {
	return OnStream(func(x *Exchange) {
		event := x.Expand(event)
		for i := 0; i < count && !x.closing() && x.alive(); i++ {
			x.Send(event)
		}
		x.Message(x.Answer())
	})
}

// Raw takes over the connection, writes raw bytes and closes it. It is for HTTP/1.1.
func Raw(raw string) Behaviour {
	return Do(func(x *Exchange) {
		text := x.Expand(raw)
		c, _, err := http.NewResponseController(x.W).Hijack()
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		_, _ = c.Write([]byte(text))
		_ = c.Close()
	})
}

// Redirect leads to another URL, once: at the target of a redirect within the server the answer is good.
func Redirect(code int, target string) Behaviour {
	return Do(func(x *Exchange) {
		location := x.Expand(target)
		if location == x.R.URL.Path {
			x.Serve()
			return
		}
		x.W.Header().Set("Location", location)
		x.W.WriteHeader(code)
	})
}

// RedirectLoop leads to itself.
func RedirectLoop(code int) Behaviour {
	return Do(func(x *Exchange) {
		x.W.Header().Set("Location", x.R.URL.RequestURI())
		x.W.WriteHeader(code)
	})
}

// hostName is a host without its port.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return host
}
