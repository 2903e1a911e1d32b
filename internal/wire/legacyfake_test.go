package wire

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// legacyFake is an HTTP+SSE server. What it does wrong is up to the test.
type legacyFake struct {
	open string                                                                 // what the stream starts with; "": a good endpoint event
	bad  func(f *legacyFake, w http.ResponseWriter, r *http.Request, m message) // answers the POST of a "bad" call; nil: as any other

	mu       sync.Mutex
	streams  []chan string
	posts    []string // methods
	ids      []string // of requests
	canceled []string
	hosts    []string
}

const endpointEvent = "event: endpoint\ndata: /messages?session=1\n\n"

func (f *legacyFake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.hosts = append(f.hosts, r.Host)
	f.mu.Unlock()
	if r.Method == http.MethodGet {
		f.stream(w, r)
		return
	}
	var m message
	body, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(body, &m)
	f.mu.Lock()
	f.posts = append(f.posts, m.Method)
	if m.ID != nil && m.Method != "" {
		f.ids = append(f.ids, string(m.ID))
	}
	if m.Method == methodCancelled {
		f.canceled = append(f.canceled, string(m.Params.RequestID))
	}
	f.mu.Unlock()
	if m.Method == "tools/call" && m.text() == "bad" && f.bad != nil {
		f.bad(f, w, r, m)
		return
	}
	w.WriteHeader(http.StatusAccepted)
	_ = http.NewResponseController(w).Flush()
	if m.text() == "slow" {
		pause(r, time.Second)
	}
	f.reply(r, m)
}

func (f *legacyFake) reply(r *http.Request, m message) {
	switch {
	case m.ID == nil || m.Method == "":
	case m.Method == methodInitialize:
		f.say("event: message\ndata: " + fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, initResult) + "\n\n")
	default:
		f.say("event: message\ndata: " + m.answer() + "\n\n")
	}
}

// say puts bytes on all streams, as bridges do that know no sessions.
func (f *legacyFake) say(s string) {
	f.mu.Lock()
	streams := append([]chan string(nil), f.streams...)
	f.mu.Unlock()
	for _, c := range streams {
		c <- s
	}
}

// end ends all streams.
func (f *legacyFake) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.streams {
		close(c)
	}
	f.streams = nil
}

func (f *legacyFake) stream(w http.ResponseWriter, r *http.Request) {
	c := make(chan string, 1000)
	f.mu.Lock()
	f.streams = append(f.streams, c)
	f.mu.Unlock()
	if f.open == "" {
		sendEvents(w, endpointEvent)
	} else {
		sendEvents(w, f.open)
	}
	for {
		select {
		case s, ok := <-c:
			if !ok {
				return
			}
			_, _ = io.WriteString(w, s)
			_ = http.NewResponseController(w).Flush()
		case <-r.Context().Done():
			return
		}
	}
}
