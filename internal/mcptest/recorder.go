package mcptest

import (
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"time"
)

// recordedBody is how much of a request's body is kept.
const recordedBody = 64 << 10

// Recorder keeps what a [Server] was asked. It is safe for concurrent use; its zero value is ready.
type Recorder struct {
	mu       sync.Mutex
	entries  []*entry
	inFlight int
	open     int
	closed   int
}

// Request is one recorded HTTP request.
type Request struct {
	Method, Path, Query string
	Host, RemoteAddr    string // RemoteAddr is the same for requests on one connection
	Header              http.Header
	Body                []byte // the first 64 KiB
	RPC                 string // JSON-RPC method, "" if none
	ID                  json.RawMessage
	Tool                string // of tools/call
	InFlight            int    // requests that were in work when this one began, with it
	Start               time.Time
	Answered            time.Time // of the answer's first byte; on the older transport, of the message on the stream. Zero: none
	End                 time.Time // zero: still in work
}

type entry struct {
	r        *Recorder
	req      Request
	deferred bool // the answer rides on a stream, not on the request
}

func (r *Recorder) begin(req *http.Request, x *Exchange) *entry {
	e := &entry{r: r, req: Request{
		Method: req.Method, Path: req.URL.Path, Query: req.URL.RawQuery, Host: req.Host, RemoteAddr: req.RemoteAddr,
		Header: req.Header.Clone(), Body: slices.Clone(x.body[:min(len(x.body), recordedBody)]),
		RPC: x.Method, ID: x.ID, Tool: x.Tool, Start: time.Now(),
	}}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.inFlight++
	e.req.InFlight = r.inFlight
	r.entries = append(r.entries, e)
	return e
}

// answered marks the first byte of the answer.
func (e *entry) answered() {
	e.r.mu.Lock()
	defer e.r.mu.Unlock()
	e.mark()
}

// responded marks the first byte of the HTTP response, which is the answer unless that rides on a stream.
func (e *entry) responded() {
	e.r.mu.Lock()
	defer e.r.mu.Unlock()
	if !e.deferred {
		e.mark()
	}
}

// mark is called with the lock held.
func (e *entry) mark() {
	if e.req.Answered.IsZero() {
		e.req.Answered = time.Now()
	}
}

// postpone says that the answer rides on a stream.
func (e *entry) postpone() {
	e.r.mu.Lock()
	defer e.r.mu.Unlock()
	e.deferred = true
}

func (e *entry) end() {
	e.r.mu.Lock()
	defer e.r.mu.Unlock()
	e.r.inFlight--
	e.req.End = time.Now()
}

func (r *Recorder) opened() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open++
}

func (r *Recorder) deleted() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed++
}

// Requests are all requests so far, in the order in which they came.
func (r *Recorder) Requests() []Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	requests := make([]Request, len(r.entries))
	for i, e := range r.entries {
		requests[i] = e.req
	}
	return requests
}

// Reset forgets all requests so far, and the count of sessions: for a test that begins with warm connections.
func (r *Recorder) Reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entries, r.open, r.closed = nil, 0, 0
}

// Sessions counts the sessions that were opened, on either transport, and those that a DELETE ended.
func (r *Recorder) Sessions() (opened, deleted int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.open, r.closed
}

// Count counts the requests with a JSON-RPC method, or with an HTTP method if it is spelled as one: "tools/call", "DELETE".
func (r *Recorder) Count(method string) int {
	n := 0
	for _, req := range r.Requests() {
		if req.RPC == method || req.Method == method {
			n++
		}
	}
	return n
}

// InFlight counts the requests that are in work.
func (r *Recorder) InFlight() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.inFlight
}

// Connections counts the connections that requests came on.
func (r *Recorder) Connections() int {
	seen := map[string]bool{}
	for _, req := range r.Requests() {
		seen[req.RemoteAddr] = true
	}
	return len(seen)
}

// InSeries is the number of round trips to the first answer to the JSON-RPC method: the longest chain of requests up to it, each of which
// began after the one before was answered. Requests that run beside each other count as one. To tell the two apart, time must
// pass on the way: give the network a latency or the server a delay. A client without an idle connection for each of two requests
// sends them in series, or dials; see [Recorder.Reset].
func (r *Recorder) InSeries(method string) int {
	requests := r.Requests()
	last := slices.IndexFunc(requests, func(q Request) bool { return q.RPC == method && !q.Answered.IsZero() })
	if last < 0 {
		return 0
	}
	depth := make([]int, last+1)
	for i := range depth {
		depth[i] = 1
		for j := range i {
			if !requests[j].Answered.IsZero() && requests[j].Answered.Before(requests[i].Start) {
				depth[i] = max(depth[i], depth[j]+1)
			}
		}
	}
	return depth[last]
}

// marking is a ResponseWriter that tells when the answer begins.
type marking struct {
	http.ResponseWriter
	mark func()
}

func (m *marking) WriteHeader(code int) {
	m.mark()
	m.ResponseWriter.WriteHeader(code)
}

func (m *marking) Write(p []byte) (int, error) {
	m.mark()
	return m.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController, which flushes and hijacks through it.
func (m *marking) Unwrap() http.ResponseWriter { return m.ResponseWriter }
