package fake

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
)

// API is a running fake. It is safe for concurrent use.
type API struct {
	// URL is the base URL that the provider's client is given.
	URL string

	dialect dialect

	mu       sync.Mutex
	script   []Reply
	accepted []Request
	refusals []string
}

// Reply is one turn of the model: what it says, and which tools it calls.
type Reply struct {
	Text  string
	Calls []Call
}

// Call is one call of a tool. Arguments is JSON text; "" calls without any, in
// the way in which the API says so.
type Call struct{ ID, Tool, Arguments string }

// Request is what an accepted request holds.
type Request struct {
	Stream  bool
	Tools   []Tool
	Results []Result // of the whole conversation, in order
	Images  []Image  // of the whole conversation, in order
}

// Tool is one tool that the model may call.
type Tool struct {
	Name, Description string
	Schema            map[string]any
}

// Result is what the model sees of one call. IsError is false where the API has
// no mark for it.
type Result struct {
	Tool, Text string
	IsError    bool
}

// Image is one image that the model sees.
type Image struct {
	MediaType string
	Data      []byte
}

// dialect is one API's way of saying things.
type dialect interface {
	// read takes a request in, or says why the API refuses it.
	read(r *http.Request, body map[string]any) (Request, error)
	// answer sends one turn; n numbers it.
	answer(w http.ResponseWriter, n int, reply Reply, stream bool)
	// refusal is the body of an answer with status 400.
	refusal(message string) any
}

func start(t testing.TB, d dialect, script []Reply) *API {
	a := &API{dialect: d, script: script}
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	a.URL = server.URL
	return a
}

// Then adds turns to the script. After its end the model says "done".
func (a *API) Then(replies ...Reply) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.script = append(a.script, replies...)
}

// Accepted are the requests that were not refused, oldest first.
func (a *API) Accepted() []Request {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.accepted)
}

// Refusals say why requests were refused.
func (a *API) Refusals() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.refusals)
}

// ServeHTTP answers one request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	request, err := a.read(r)
	if err != nil {
		a.mu.Lock()
		a.refusals = append(a.refusals, err.Error())
		a.mu.Unlock()
		sendJSON(w, http.StatusBadRequest, a.dialect.refusal(err.Error()))
		return
	}
	a.mu.Lock()
	n := len(a.accepted)
	a.accepted = append(a.accepted, request)
	reply := Reply{Text: "done"}
	if n < len(a.script) {
		reply = a.script[n]
	}
	a.mu.Unlock()
	a.dialect.answer(w, n, reply, request.Stream)
}

func (a *API) read(r *http.Request) (Request, error) {
	if r.Method != http.MethodPost {
		return Request{}, fmt.Errorf("method %s", r.Method)
	}
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return Request{}, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var body map[string]any
	if err := d.Decode(&body); err != nil {
		return Request{}, fmt.Errorf("body: %w", err)
	}
	return a.dialect.read(r, body)
}

func sendJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// events is the answer as server-sent events.
type events struct{ w http.ResponseWriter }

func sendEvents(w http.ResponseWriter) events {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	return events{w}
}

// send sends one event; name may be "".
func (e events) send(name string, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // what this package makes can be marshalled
	}
	if name != "" {
		fmt.Fprintf(e.w, "event: %s\n", name)
	}
	fmt.Fprintf(e.w, "data: %s\n\n", data)
}
