package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// serveVariable makes of this program the process of the servers, and says how
// many there are.
const serveVariable = "MCPCLIENT_BENCH_SERVE"

// toolName is a tool that every server has. Its argument is the number of bytes
// that it returns.
const toolName = "tool_0"

// servers are MCP servers on ports of their own, in another process: what they
// cost is nobody's in the measurements.
type servers struct {
	child *exec.Cmd
	stdin io.Closer
	bases []string
}

// startServers starts the process. Its end is that of its standard input, so
// that it does not outlive this one.
func startServers(ctx context.Context, n int) (*servers, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	child := exec.CommandContext(ctx, program)
	child.Env = append(os.Environ(), serveVariable+"="+strconv.Itoa(n))
	child.Stderr = os.Stderr
	stdin, err := child.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start servers: %w", err)
	}
	stdout, err := child.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start servers: %w", err)
	}
	if err := child.Start(); err != nil {
		return nil, fmt.Errorf("start servers: %w", err)
	}
	s := &servers{child: child, stdin: stdin}
	lines := bufio.NewScanner(stdout)
	for len(s.bases) < n && lines.Scan() {
		s.bases = append(s.bases, lines.Text())
	}
	if len(s.bases) < n {
		return nil, errors.Join(errors.New("start servers: they did not come up"), s.stop())
	}
	return s, nil
}

// stop ends the process and waits for it.
func (s *servers) stop() error {
	_ = s.stdin.Close()
	return s.child.Wait()
}

// urls are endpoints of the first n servers, with so many tools, that take delay
// to answer a request.
func (s *servers) urls(n, tools int, delay time.Duration) []string {
	urls := make([]string, n)
	for i := range urls {
		urls[i] = fmt.Sprintf("%s/mcp?tools=%d&delay=%s", s.bases[i], tools, delay)
	}
	return urls
}

// Where a server stops answering.
const (
	never       = ""
	fromStart   = "start"
	inHandshake = "handshake" // it answers initialize, and nothing after that
)

// wedged is an endpoint of the nth server that accepts what it doesn't answer.
func (s *servers) wedged(n int, where string) string {
	return s.bases[n] + "/mcp?tools=10&wedged=" + where
}

// requests says how many requests all servers have had so far.
func (s *servers) requests(ctx context.Context) (int64, error) {
	text, err := s.ask(ctx, "/requests")
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(text, 10, 64)
}

// wedge lets wedged servers hang on requests, until release: then they refuse
// those that hang, and all others.
func (s *servers) wedge(ctx context.Context) error {
	_, err := s.ask(ctx, "/wedge")
	return err
}

func (s *servers) release(ctx context.Context) error {
	_, err := s.ask(ctx, "/release")
	return err
}

func (s *servers) ask(ctx context.Context, path string) (string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.bases[0]+path, nil)
	if err != nil {
		return "", err
	}
	transport := &http.Transport{DisableKeepAlives: true}
	resp, err := transport.RoundTrip(r)
	if err != nil {
		return "", err
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	return string(text), err
}

// serve is the process of the servers. It returns at the end of standard input.
func serve(n int) error {
	handler := newHandler()
	for range n {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return fmt.Errorf("listen: %w", err)
		}
		server := &http.Server{Handler: handler}
		go func() { _ = server.Serve(listener) }() // ends with the process
		fmt.Printf("http://%s\n", listener.Addr())
	}
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}

// handler serves what the query asks for.
type handler struct {
	requests   atomic.Int64
	streamable http.Handler
	known      map[string]*mcp.Server // by the number of tools

	mu       sync.Mutex    // guards the rest
	released chan struct{} // closed: wedged servers refuse
	open     bool          // it is not closed
}

func newHandler() http.Handler {
	h := &handler{known: map[string]*mcp.Server{}}
	for _, tools := range toolCounts {
		h.known[strconv.Itoa(tools)] = newServer(tools)
	}
	h.wedge()
	h.streamable = mcp.NewStreamableHTTPHandler(h.server, nil)
	mux := http.NewServeMux()
	mux.HandleFunc("/requests", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, h.requests.Load()) })
	mux.HandleFunc("/wedge", func(http.ResponseWriter, *http.Request) { h.wedge() })
	mux.HandleFunc("/release", func(http.ResponseWriter, *http.Request) { h.release() })
	mux.HandleFunc("/mcp", h.serve)
	return mux
}

func (h *handler) serve(w http.ResponseWriter, r *http.Request) {
	h.requests.Add(1)
	query := r.URL.Query()
	if where := query.Get("wedged"); where != never && !(where == inHandshake && initializes(r)) {
		h.hang(w, r)
		return
	}
	if delay, err := time.ParseDuration(query.Get("delay")); err == nil && delay > 0 {
		time.Sleep(delay)
	}
	h.streamable.ServeHTTP(w, r)
}

// hang gives no answer, until it is released.
func (h *handler) hang(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	released := h.released
	h.mu.Unlock()
	_, _ = io.Copy(io.Discard, r.Body)
	select {
	case <-r.Context().Done():
	case <-released:
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}

// initializes says whether a request is of the handshake up to the answer to
// initialize. It leaves the body as it was.
func initializes(r *http.Request) bool {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return false
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var message struct{ Method string }
	return json.Unmarshal(body, &message) == nil && (message.Method == "initialize" || message.Method == "server/discover")
}

func (h *handler) wedge() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.open {
		h.released, h.open = make(chan struct{}), true
	}
}

func (h *handler) release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.open {
		close(h.released)
		h.open = false
	}
}

// server has the number of tools that the query asks for.
func (h *handler) server(r *http.Request) *mcp.Server { return h.known[r.URL.Query().Get("tools")] }

// toolCounts are those that servers can have. They are made before there are
// sessions, which would be told that tools have been added.
var toolCounts = []int{1, 10, 50, 100}

func newServer(tools int) *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "bench", Version: "1.0.0"}, nil)
	for i := range tools {
		server.AddTool(&mcp.Tool{
			Name:        "tool_" + strconv.Itoa(i),
			Description: "Looks up records that match a query. " + strings.Repeat("Results are sorted by relevance, newest first. ", 3),
			Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true},
			InputSchema: json.RawMessage(inputSchema),
		}, fill)
	}
	return server
}

const inputSchema = `{"type":"object","properties":{"query":{"type":"string","description":"what to look for"},` +
	`"size":{"type":"integer","minimum":1,"description":"bytes of the answer"},"sort":{"type":"string","enum":["newest","oldest"]},` +
	`"tags":{"type":"array","items":{"type":"string"}}},"additionalProperties":false}`

// fill returns as many bytes of text as it is asked for.
func fill(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var in struct{ Size int }
	if err := json.Unmarshal(r.Params.Arguments, &in); err != nil {
		return nil, err
	}
	text := &mcp.TextContent{Text: strings.Repeat("x", in.Size)}
	return &mcp.CallToolResult{Content: []mcp.Content{text}}, nil
}
