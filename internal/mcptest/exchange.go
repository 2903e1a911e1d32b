package mcptest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// Phase is a point at which a request can go wrong. A request passes several, from the widest to the narrowest.
type Phase string

// The phases. Each HTTP request is in Every; a POST of the older transport is also in SSEPost; a JSON-RPC message is also in the
// phase of its method.
const (
	Accept      Phase = "accept"      // a TCP connection is made; the only behaviour here is silence
	Every       Phase = "every"       // any HTTP request
	SSEGet      Phase = "sse get"     // GET of the older transport, before its headers
	SSEEndpoint Phase = "endpoint"    // the same, behind the headers: in place of the endpoint event
	SSEPost     Phase = "sse post"    // any POST of the older transport
	Get         Phase = "get"         // the optional GET of streamable HTTP
	Delete      Phase = "delete"      // the end of a session of streamable HTTP
	Discover    Phase = "discover"    // server/discover
	Initialize  Phase = "initialize"  // initialize
	Initialized Phase = "initialized" // notifications/initialized
	Cancelled   Phase = "cancelled"   // notifications/cancelled
	ClientReply Phase = "reply"       // the client's answer to a request of the server
	List        Phase = "list"        // tools/list, any page
	ListPage1   Phase = "list page 1" // tools/list without a cursor
	ListPage2   Phase = "list page 2" // tools/list with a cursor
	Call        Phase = "call"        // tools/call of any tool
	Faulty      Phase = "faulty"      // tools/call of the tool FaultyTool
)

// inSession says that requests of the phase need a session, without which they are refused and nothing else goes wrong.
func (p Phase) inSession() bool {
	switch p {
	case Initialized, Cancelled, ClientReply, List, ListPage1, ListPage2, Call, Faulty:
		return true
	}
	return false
}

// FaultyTool is the tool whose calls are in the phase Faulty.
const FaultyTool = "faulty"

// bodyLimit is the size of the largest request that is read.
const bodyLimit = 32 << 20

// Exchange is one HTTP request and what is answered to it. A [Behaviour] gets one.
type Exchange struct {
	W         http.ResponseWriter
	R         *http.Request
	Phase     Phase           // the one whose behaviour is at work
	Method    string          // of the JSON-RPC message, "" if it is none
	ID        json.RawMessage // as received; nil for notifications
	Params    json.RawMessage
	Tool      string // of tools/call
	Arguments json.RawMessage
	Nth       int // how often Phase has been reached on this server, with this time

	s         *Server
	session   *session // nil where the request names none
	ctx       context.Context
	entry     *entry
	body      []byte
	message   message
	legacy    bool
	streaming bool // the headers of an event stream are out
	endpoint  bool // the endpoint event is out
	admitted  bool // the form and the session of a POST have been looked at
	broken    bool // a write of the stream has failed: the client is gone
	detached  bool // the POST is answered, the rest rides on the session's stream; W is not to be used
}

func (s *Server) exchange(w http.ResponseWriter, r *http.Request) *Exchange {
	body, _ := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyLimit))
	x := &Exchange{R: r, s: s, ctx: r.Context(), body: body}
	_ = json.Unmarshal(body, &x.message)
	x.ID, x.Method, x.Params = x.message.ID, x.message.Method, x.message.Params
	if x.Method == "tools/call" {
		var params callParams
		_ = json.Unmarshal(x.Params, &params)
		x.Tool, x.Arguments = params.Name, params.Arguments
	}
	x.legacy = r.URL.Path == "/sse" || r.URL.Path == "/message"
	x.entry = s.Recorder.begin(r, x)
	x.W = &marking{ResponseWriter: w, mark: x.entry.responded}
	if id := x.sessionID(); id != "" {
		x.session = s.state.find(id)
	}
	return x
}

func (x *Exchange) sessionID() string {
	if x.legacy {
		return x.R.URL.Query().Get("sessionId")
	}
	return x.R.Header.Get("Mcp-Session-Id")
}

// Context ends when the request is abandoned, or, for what rides on a session's stream, when the session ends.
func (x *Exchange) Context() context.Context { return x.ctx }

// Server is the server that got the request.
func (x *Exchange) Server() *Server { return x.s }

// phases are the phases of the request, the widest first.
func (x *Exchange) phases() []Phase {
	phases := []Phase{Every}
	switch {
	case x.legacy && x.R.Method == http.MethodGet:
		return append(phases, SSEGet, SSEEndpoint)
	case x.R.Method == http.MethodGet:
		return append(phases, Get)
	case x.R.Method == http.MethodDelete:
		return append(phases, Delete)
	case x.legacy:
		phases = append(phases, SSEPost)
	}
	switch x.Method {
	case "initialize":
		return append(phases, Initialize)
	case "notifications/initialized":
		return append(phases, Initialized)
	case "notifications/cancelled":
		return append(phases, Cancelled)
	case "server/discover":
		return append(phases, Discover)
	case "tools/list":
		if cursorOf(x.Params) == "" {
			return append(phases, List, ListPage1)
		}
		return append(phases, List, ListPage2)
	case "tools/call":
		phases = append(phases, Call)
		if x.Tool == FaultyTool {
			phases = append(phases, Faulty)
		}
	}
	if x.message.isReply() {
		phases = append(phases, ClientReply)
	}
	return phases
}

// Answer is the whole good answer to the request, as JSON. It runs the tool of a call.
func (x *Exchange) Answer() []byte {
	result, err := x.result()
	return response(x.ID, result, err)
}

// Expand replaces what begins with $ in the raw text of a behaviour:
//
//	$ID        the request's id as received
//	$ANSWER    the good answer
//	$RESULT    the result in the good answer
//	$TOOLS     all tools of the server, as an array
//	$METHOD    the request's method
//	$NTH       how often the phase has been reached
//	$ENDPOINT  where a session of the older transport posts to
//	$ORIGIN    scheme, host and port as the client wrote them
//	$HOST      the host alone
//	$CANARY    the origin of the canary
func (x *Exchange) Expand(raw string) string {
	var out strings.Builder
	for {
		before, after, found := strings.Cut(raw, "$")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		end := strings.IndexFunc(after, func(r rune) bool { return r < 'A' || r > 'Z' })
		if end < 0 {
			end = len(after)
		}
		value, known := x.variable(after[:end])
		if !known {
			value = "$" + after[:end]
		}
		out.WriteString(value)
		raw = after[end:]
	}
}

func (x *Exchange) variable(name string) (value string, known bool) {
	switch name {
	case "ID":
		return or(string(x.ID), "null"), true
	case "ANSWER":
		return string(x.Answer()), true
	case "RESULT":
		result, _ := x.result()
		return string(result), true
	case "TOOLS":
		return "[" + string(bytes.Join(x.s.entries(), []byte(","))) + "]", true
	case "METHOD":
		return x.Method, true
	case "NTH":
		return strconv.Itoa(x.Nth), true
	case "ENDPOINT":
		return x.endpointPath(), true
	case "ORIGIN":
		if x.R.TLS != nil {
			return "https://" + x.R.Host, true
		}
		return "http://" + x.R.Host, true
	case "HOST":
		return hostName(x.R.Host), true
	case "CANARY":
		return or(x.s.Canary, CanaryOrigin), true
	}
	return "", false
}

func (x *Exchange) endpointPath() string {
	if x.session == nil {
		return "/message"
	}
	return "/message?sessionId=" + x.session.id
}

// Hang waits until the client gives up or the server closes.
func (x *Exchange) Hang() {
	select {
	case <-x.ctx.Done():
	case <-x.s.done:
	}
}

// closing says that nothing more is to be sent.
func (x *Exchange) closing() bool {
	select {
	case <-x.ctx.Done():
		return true
	case <-x.s.done:
		return true
	default:
		return false
	}
}

// run lets a behaviour answer. On the older transport what goes to the stream does so behind the answer to the POST.
func (x *Exchange) run(b Behaviour) {
	if x.Phase == SSEEndpoint {
		x.openStream()
	}
	if x.posted() && b.stream {
		x.detach(func() { b.do(x) })
		return
	}
	b.do(x)
}

// posted says that the request is a POST of the older transport.
func (x *Exchange) posted() bool { return x.legacy && x.R.Method == http.MethodPost }

// detach accepts a POST of the older transport and goes on in the background, until f returns; f ends with the session.
func (x *Exchange) detach(f func()) {
	if x.detached {
		f()
		return
	}
	if x.session == nil {
		x.status(http.StatusNotFound, "text/plain", "unknown session")
		return
	}
	x.detached, x.ctx = true, x.session.ctx
	if x.ID != nil {
		x.entry.postpone()
	}
	x.status(http.StatusAccepted, "text/plain", "Accepted")
	x.s.background(f)
}

// status writes a whole plain answer.
func (x *Exchange) status(code int, contentType, body string) {
	if contentType != "" {
		x.W.Header().Set("Content-Type", contentType)
	}
	x.W.WriteHeader(code)
	_, _ = io.WriteString(x.W, body)
}
