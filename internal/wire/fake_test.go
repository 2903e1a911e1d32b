package wire

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// message is what a client sends, as the fake server reads it.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string                     `json:"name"`
		RequestID json.RawMessage            `json:"requestId"`
		Arguments map[string]json.RawMessage `json:"arguments"`
	} `json:"params"`
}

func (m message) text() string {
	var s string
	_ = json.Unmarshal(m.Params.Arguments["text"], &s)
	return s
}

// result is a good answer's text for an echo.
func (m message) result() string {
	return fmt.Sprintf(`{"content":[{"type":"text","text":%q}]}`, m.text())
}

// answer is a good answer.
func (m message) answer() string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, m.result())
}

// pause is a second of work that ends with the request.
func pause(r *http.Request, d time.Duration) {
	select {
	case <-time.After(d):
	case <-r.Context().Done():
	}
}

func sendJSON(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, body)
}

func sendEvents(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, body)
	_ = http.NewResponseController(w).Flush()
}

// fake is a stateful streamable server whose answers to calls of "bad" are up to the test. "slow" takes a second.
type fake struct {
	events bool                                                         // answers are event streams
	bad    func(w http.ResponseWriter, r *http.Request, m message)      // nil: as any other
	other  func(w http.ResponseWriter, r *http.Request, m message) bool // true: it has answered

	mu       sync.Mutex
	seen     []string // methods, GET and DELETE
	ids      []string // of requests
	canceled []string // ids that notifications/cancelled named
	headers  []http.Header
}

func (f *fake) note(r *http.Request, m message) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.headers = append(f.headers, r.Header.Clone())
	switch {
	case r.Method != http.MethodPost:
		f.seen = append(f.seen, r.Method)
	default:
		f.seen = append(f.seen, m.Method)
	}
	if m.Method != "" && m.ID != nil {
		f.ids = append(f.ids, string(m.ID))
	}
	if m.Method == methodCancelled {
		f.canceled = append(f.canceled, string(m.Params.RequestID))
	}
}

func (f *fake) methods() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.seen...)
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var m message
	body, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(body, &m)
	f.note(r, m)
	if f.other != nil && f.other(w, r, m) {
		return
	}
	switch {
	case r.Method != http.MethodPost:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case m.Method == methodInitialize:
		w.Header().Set("Mcp-Session-Id", "session-1")
		f.send(w, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, initResult))
	case m.ID == nil || m.Method == "":
		w.WriteHeader(http.StatusAccepted)
	case m.text() == "bad" && f.bad != nil:
		f.bad(w, r, m)
	case m.text() == "slow":
		pause(r, time.Second)
		f.send(w, m.answer())
	default:
		f.send(w, m.answer())
	}
}

const initResult = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"fake","version":"1"}}`

func (f *fake) send(w http.ResponseWriter, body string) {
	if f.events {
		sendEvents(w, "event: message\ndata: "+body+"\n\n")
		return
	}
	sendJSON(w, body)
}

func readerOf(s string) io.Reader { return strings.NewReader(s) }
