package mcptest

import (
	"net/http"
	"strings"
)

// Serve answers as a good server does.
func (x *Exchange) Serve() {
	switch {
	case x.s.LegacySSE && !x.legacy:
		x.status(http.StatusNotFound, "text/plain", "404 page not found\n")
	case x.legacy && x.R.Method == http.MethodGet:
		x.serveStream()
	case x.R.Method == http.MethodPost:
		x.servePost()
	case x.R.Method == http.MethodDelete && !x.legacy && !x.s.Stateless:
		x.serveDelete()
	case x.R.Method == http.MethodGet && !x.s.Stateless && x.session != nil:
		x.openStream()
		x.pump()
	default:
		x.W.Header().Set("Allow", http.MethodPost)
		x.status(http.StatusMethodNotAllowed, "text/plain", "Method Not Allowed")
	}
}

// serveStream is the GET of the older transport: the endpoint event, then all messages of the session.
func (x *Exchange) serveStream() {
	x.openStream()
	if !x.endpoint {
		x.Send("event: endpoint\ndata: " + x.endpointPath() + "\n\n")
	}
	x.pump()
}

// pump writes what others send to the session, until the client leaves or the session ends. The session of the older transport
// ends with its stream.
func (x *Exchange) pump() {
	if x.legacy {
		defer x.s.state.drop(x.session.id)
	}
	for {
		select {
		case raw := <-x.session.out:
			x.write(raw)
		case <-x.session.ctx.Done():
			return
		case <-x.ctx.Done():
			return
		case <-x.s.done:
			return
		}
	}
}

func (x *Exchange) serveDelete() {
	if !x.s.state.drop(x.sessionID()) {
		x.status(http.StatusNotFound, "text/plain", "unknown session")
		return
	}
	x.s.Recorder.deleted()
	x.W.WriteHeader(http.StatusNoContent)
}

func (x *Exchange) servePost() {
	if !x.admitted && !x.admit() {
		return
	}
	if x.message.isReply() {
		x.session.reply(x.ID, x.body)
	}
	if x.ID == nil || x.message.isReply() {
		x.notified()
		x.status(http.StatusAccepted, "", "")
		return
	}
	if x.posted() {
		x.detach(func() { x.Message(x.Answer()) })
		return
	}
	if x.s.SSE {
		x.openStream()
	}
	x.Message(x.Answer())
}

// admit checks the form of a POST and finds or opens its session; false: it has been refused.
func (x *Exchange) admit() bool {
	x.admitted = true
	if x.Method == "" && !x.message.isReply() {
		x.status(http.StatusBadRequest, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`)
		return false
	}
	if !x.legacy && !accepts(x.R, "application/json", "text/event-stream") {
		x.status(http.StatusNotAcceptable, "application/json",
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Not Acceptable: Client must accept both application/json and text/event-stream"}}`)
		return false
	}
	x.join()
	if x.session != nil {
		return true
	}
	if x.sessionID() != "" {
		x.unknownSession()
		return false
	}
	x.status(http.StatusBadRequest, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: Mcp-Session-Id header is required"}}`)
	return false
}

func (x *Exchange) unknownSession() {
	if x.s.UnknownSession.do != nil {
		x.s.UnknownSession.do(x)
		return
	}
	x.status(http.StatusNotFound, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}`)
}

// join opens the session that an initialize of streamable HTTP begins, and gives each request of a stateless server one that
// lasts as long as the request.
func (x *Exchange) join() {
	if x.session != nil || x.legacy {
		return
	}
	if x.s.Stateless {
		x.session = newSession()
		x.session.cancel() // nothing waits for the end of a session that nobody can find
		return
	}
	if x.Method == "initialize" {
		x.session = x.s.openSession()
	}
}

func (s *Server) openSession() *session {
	s.Recorder.opened()
	return s.state.open()
}

func accepts(r *http.Request, types ...string) bool {
	accept := strings.Join(r.Header.Values("Accept"), ",")
	for _, t := range types {
		if !strings.Contains(accept, t) && !strings.Contains(accept, "*/*") {
			return false
		}
	}
	return true
}

// notified does what a notification asks for.
func (x *Exchange) notified() {
	switch x.Method {
	case "notifications/initialized":
		x.session.ready()
	case "notifications/cancelled":
		x.session.cancelCall(requestID(x.Params))
	}
}

// openStream sends the headers of an event stream, once. Of a GET of the older transport it opens the session as well.
func (x *Exchange) openStream() {
	if x.streaming || x.posted() {
		return
	}
	x.streaming = true
	if x.legacy && x.session == nil {
		x.session = x.s.openSession()
	}
	x.join()
	x.nameSession()
	h := x.W.Header()
	if h.Get("Content-Type") == "" {
		h.Set("Content-Type", "text/event-stream")
	}
	h.Set("Cache-Control", "no-cache")
	x.W.WriteHeader(http.StatusOK)
	x.flush()
}

// nameSession tells the client of streamable HTTP the session that its initialize opened.
func (x *Exchange) nameSession() {
	if x.Method == "initialize" && x.session != nil && x.session.id != "" {
		x.W.Header().Set("Mcp-Session-Id", x.session.id)
	}
}

// Send writes raw bytes to the event stream that answers the request. On the older transport that is the session's, which
// outlives the request.
func (x *Exchange) Send(raw string) {
	if !x.posted() {
		x.openStream()
		x.write([]byte(raw))
		return
	}
	if x.session == nil {
		return
	}
	x.entry.answered()
	select {
	case x.session.out <- []byte(raw):
	case <-x.session.ctx.Done():
	case <-x.s.done:
	}
}

func (x *Exchange) write(raw []byte) {
	if _, err := x.W.Write(raw); err != nil {
		x.broken = true
		return
	}
	x.flush()
}

func (x *Exchange) flush() { _ = http.NewResponseController(x.W).Flush() }

// Message sends one JSON-RPC message the way this server answers: as a JSON body, or as an event.
func (x *Exchange) Message(raw []byte) {
	if x.posted() || x.streaming || x.s.SSE {
		x.Send("event: message\ndata: " + string(raw) + "\n\n")
		return
	}
	x.join()
	x.nameSession()
	x.status(http.StatusOK, "application/json", string(raw))
}

// Notify sends a notification in front of the answer, where that is a stream.
func (x *Exchange) Notify(method string, params any) {
	if !x.posted() && !x.streaming {
		return
	}
	note := map[string]any{"jsonrpc": "2.0", "method": method}
	if params != nil {
		note["params"] = params
	}
	x.Send("event: message\ndata: " + string(mustMarshal(note)) + "\n\n")
}
