package mcptest

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
)

// state is what a server knows between requests.
type state struct {
	mu       sync.Mutex
	sessions map[string]*session
	count    int
	reached  map[Phase]int
	runs     map[string]int // calls of a tool that have begun
	running  map[string]int // calls of a tool that run now
	changed  chan struct{}  // closed and replaced when reached or running changes
	released chan struct{}  // closed and replaced by release
}

// session is one session of either transport, or, on a stateless server, one request.
type session struct {
	id     string
	ctx    context.Context // ends when the session is deleted, forgotten or the server closes
	cancel context.CancelFunc
	out    chan []byte // the event stream of the older transport; its GET handler takes from it

	mu          sync.Mutex
	initialized bool
	asked       int
	replies     map[string]chan []byte // answers of the client that a behaviour waits for, by request id
	calls       map[string]context.CancelFunc
}

func (st *state) init() {
	st.sessions = map[string]*session{}
	st.reached = map[Phase]int{}
	st.runs, st.running = map[string]int{}, map[string]int{}
	st.changed, st.released = make(chan struct{}), make(chan struct{})
}

func newSession() *session {
	ctx, cancel := context.WithCancel(context.Background())
	return &session{
		ctx: ctx, cancel: cancel, out: make(chan []byte),
		replies: map[string]chan []byte{}, calls: map[string]context.CancelFunc{},
	}
}

// open begins a session under an id of its own.
func (st *state) open() *session {
	se := newSession()
	st.mu.Lock()
	defer st.mu.Unlock()
	st.count++
	se.id = fmt.Sprintf("session-%d", st.count)
	st.sessions[se.id] = se
	return se
}

func (st *state) find(id string) *session {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.sessions[id]
}

// drop ends one session and says whether there was one.
func (st *state) drop(id string) bool {
	st.mu.Lock()
	se := st.sessions[id]
	delete(st.sessions, id)
	st.mu.Unlock()
	if se != nil {
		se.cancel()
	}
	return se != nil
}

func (st *state) dropAll() {
	st.mu.Lock()
	sessions := st.sessions
	st.sessions = map[string]*session{}
	st.mu.Unlock()
	for _, se := range sessions {
		se.cancel()
	}
}

// reach counts that a request has come to a phase.
func (st *state) reach(p Phase) int {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.reached[p]++
	st.wake()
	return st.reached[p]
}

// begin counts a call of the tool. released is closed by the next release, which may come before the caller looks at it.
func (st *state) begin(tool string) (released <-chan struct{}, end func()) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.runs[tool]++
	st.shift(tool, 1)
	return st.released, func() {
		st.mu.Lock()
		defer st.mu.Unlock()
		st.shift(tool, -1)
	}
}

// shift is called with the lock held.
func (st *state) shift(tool string, by int) {
	st.running[tool] += by
	st.wake()
}

// wake is called with the lock held.
func (st *state) wake() {
	close(st.changed)
	st.changed = make(chan struct{})
}

func (st *state) executed(tool string) int {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.runs[tool]
}

// wait waits until the count, which is called with the lock held, is n or more.
func (st *state) wait(ctx context.Context, what string, n int, count func() int) error {
	for {
		st.mu.Lock()
		have, changed := count(), st.changed
		st.mu.Unlock()
		if have >= n {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("mcptest: %s: %d of %d: %w", what, have, n, ctx.Err())
		}
	}
}

func (st *state) release() {
	st.mu.Lock()
	defer st.mu.Unlock()
	close(st.released)
	st.released = make(chan struct{})
}

// call registers a running request, so that notifications/cancelled can end it.
func (se *session) call(parent context.Context, id json.RawMessage) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(parent)
	se.mu.Lock()
	defer se.mu.Unlock()
	se.calls[string(id)] = cancel
	return ctx, func() {
		se.mu.Lock()
		defer se.mu.Unlock()
		delete(se.calls, string(id))
		cancel()
	}
}

func (se *session) cancelCall(id json.RawMessage) {
	se.mu.Lock()
	defer se.mu.Unlock()
	if cancel := se.calls[string(id)]; cancel != nil {
		cancel()
	}
}

// expect registers a request to the client and gives its id and where the client's answer will come.
func (se *session) expect() (id string, reply <-chan []byte) {
	se.mu.Lock()
	defer se.mu.Unlock()
	se.asked++
	id = fmt.Sprintf("%q", fmt.Sprintf("server-%d", se.asked))
	ch := make(chan []byte, 1)
	se.replies[id] = ch
	return id, ch
}

// reply hands an answer of the client to whoever expects it; one that nobody expects is lost.
func (se *session) reply(id json.RawMessage, body []byte) {
	se.mu.Lock()
	defer se.mu.Unlock()
	if ch := se.replies[string(id)]; ch != nil {
		delete(se.replies, string(id))
		ch <- body
	}
}

func (se *session) ready() {
	se.mu.Lock()
	defer se.mu.Unlock()
	se.initialized = true
}

func (se *session) isReady() bool {
	se.mu.Lock()
	defer se.mu.Unlock()
	return se.initialized
}
