package mcptest

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// Server is an MCP server for tests. Its zero value is a good one: stateful streamable HTTP that answers in JSON, with
// [DefaultTools]. Fields are set before the first request and not changed after it. It is safe for concurrent use.
//
// One server speaks both transports: the older one at /sse and /message, streamable HTTP at every other path. With LegacySSE it
// knows the older one only.
type Server struct {
	LegacySSE bool // the older transport, whose URL Start and its kin return
	Stateless bool // streamable HTTP without session ids
	SSE       bool // answers to POST are event streams, not JSON

	Name, Version string   // "mcptest", "1.0.0"
	Instructions  string   // none
	Protocols     []string // what it speaks, newest first; nil: all up to 2025-11-25. Asked for another, it answers with the first

	Tools    []Tool                // nil: DefaultTools
	RawTools []string              // further entries of the list, sent as they are
	NoTools  bool                  // neither the capability nor tools/list
	PageSize int                   // tools on one page; 0: all on one
	Cursor   func(page int) string // what points to a page that is not the first; nil: a number

	// StrictInit refuses requests until notifications/initialized has come, as Python servers do.
	StrictInit bool
	// Delay is waited before each HTTP request is looked at.
	Delay time.Duration

	Token         string            // a bearer token that every request must carry; "": none
	RequireHeader map[string]string // headers that every request must carry
	Scope         string            // set: a good token gets 403 insufficient_scope that asks for this scope

	// Fault sees each request first, once for each phase the request is in; true: the answer has been written.
	Fault func(phase Phase, w http.ResponseWriter, r *http.Request) (handled bool)
	// Wedges say what happens in a phase instead of the good answer.
	Wedges map[Phase]Behaviour
	// UnknownSession answers a request that names a session which there is not. Zero: 404, as TypeScript servers say it
	UnknownSession Behaviour
	// Canary is the origin of another server, where redirects and endpoints lead that leave this one. "": CanaryOrigin
	Canary string

	Recorder Recorder

	once    sync.Once
	ready   sync.WaitGroup // handlers and the goroutines of calls of the older transport; Close waits for them
	mu      sync.Mutex
	closed  bool
	done    chan struct{} // closed by Close; everything that waits in this server waits for it as well
	closers []func()      // ends of listeners that serve this server
	state   state
}

// CanaryOrigin is where faults lead a client that would follow anywhere; see [Server.Canary] and [Canary].
const CanaryOrigin = "http://canary.test"

func (s *Server) init() {
	s.once.Do(func() {
		s.done = make(chan struct{})
		s.state.init()
	})
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.init()
	if !s.enter() {
		http.Error(w, "server closed", http.StatusServiceUnavailable)
		return
	}
	defer s.ready.Done()
	x := s.exchange(w, r)
	defer x.entry.end()
	if sleep(x.ctx, s.done, s.Delay) != nil {
		return
	}
	s.serve(x)
}

// enter counts a handler, so that Close can wait for it; false once the server is closed.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.ready.Add(1)
	return true
}

// serve finds the first phase of the request that goes wrong; if there is none the answer is good.
func (s *Server) serve(x *Exchange) {
	for _, phase := range x.phases() {
		x.Phase, x.Nth = phase, s.state.reach(phase)
		if phase.inSession() && !x.admitted && !x.admit() {
			return
		}
		if s.Fault != nil && s.Fault(phase, x.W, x.R) {
			return
		}
		if b, found := s.Wedges[phase]; found {
			x.run(b)
			return
		}
		if phase == Every && x.denied() {
			return
		}
	}
	x.Serve()
}

// Close ends every open request, hanging or not, and the listeners that Start and its kin made, and waits for all handlers.
// It may be called again.
func (s *Server) Close() {
	s.init()
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		close(s.done)
	}
	closers := s.closers
	s.closers = nil
	s.mu.Unlock()
	s.state.dropAll()
	for _, c := range closers {
		c()
	}
	s.ready.Wait()
}

// onClose adds what Close does before it waits for handlers. On a closed server it is done at once.
func (s *Server) onClose(f func()) {
	s.init()
	s.mu.Lock()
	closed := s.closed
	if !closed {
		s.closers = append(s.closers, f)
	}
	s.mu.Unlock()
	if closed {
		f()
	}
}

// background runs f in a goroutine that Close waits for; f ends with the session or the server.
func (s *Server) background(f func()) {
	if !s.enter() {
		return
	}
	go func() {
		defer s.ready.Done()
		f()
	}()
}

// Release ends all calls of the tool slow that are running now.
func (s *Server) Release() {
	s.init()
	s.state.release()
}

// Forget drops all sessions, as a restart does. Requests that are running go on.
func (s *Server) Forget() {
	s.init()
	s.state.dropAll()
}

// Running waits until n calls of the tool are running at once.
func (s *Server) Running(ctx context.Context, tool string, n int) error {
	s.init()
	return s.state.wait(ctx, "running calls of "+tool, n, func() int { return s.state.running[tool] })
}

// Reached waits until n requests have come to the phase since the server began. A fault that is at work there may not have an
// end: with this a test goes on beside it.
func (s *Server) Reached(ctx context.Context, phase Phase, n int) error {
	s.init()
	return s.state.wait(ctx, "requests in phase "+string(phase), n, func() int { return s.state.reached[phase] })
}

// Executed counts the calls of the tool that have begun to run: its side effects.
func (s *Server) Executed(tool string) int {
	s.init()
	return s.state.executed(tool)
}
