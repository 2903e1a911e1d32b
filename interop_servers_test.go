package mcpclient_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"charm.land/fantasy"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient"
)

// realServer is a published MCP server that the script named by MCP_REAL
// starts, and what is known of its tools.
type realServer struct {
	slug      string
	name      string // of the server, for the script
	bridge    string // where the server speaks stdio only
	transport mcpclient.Transport
	version   string     // of the protocol, to be pinned; the negotiated one if empty
	calls     []realCall // the last two may run at any time, and at the same time

	url     string            // filled in by start
	headers map[string]string // likewise
}

type realCall struct {
	tool, input string // the raw name, the model's JSON
	check       func(t *testing.T, r fantasy.ToolResponse)
}

var realServers = []*realServer{
	{slug: "http", name: "everything", calls: everythingCalls},
	{slug: "sse", name: "everything-sse", transport: mcpclient.TransportSSE, calls: everythingCalls},
	{slug: "bridged-http", name: "everything-stdio", bridge: "supergateway", calls: everythingCalls},
	{slug: "bridged-sse", name: "everything-stdio", bridge: "supergateway-sse", transport: mcpclient.TransportSSE, calls: everythingCalls},
	{slug: "files", name: "filesystem", bridge: "mcp-proxy", calls: filesystemCalls},
	{slug: "files-modern", name: "filesystem", bridge: "mcp-proxy", version: "2026-07-28", calls: filesystemCalls},
	{slug: "files-sse", name: "filesystem", bridge: "mcp-proxy-sse", transport: mcpclient.TransportSSE, calls: filesystemCalls},
	{slug: "memory", name: "memory", bridge: "supergateway-stateless", calls: memoryCalls},
	{slug: "thinking", name: "sequential-thinking", bridge: "supergateway", calls: thinkingCalls},
	{slug: "spaces", name: "gosdk-everything", calls: gosdkCalls},
	{slug: "bearer", name: "notion", calls: notionCalls},
}

var everythingCalls = []realCall{
	{"echo", `{"message":3}`, isError("expected string")},
	{"echo", `{}`, isError("message")},
	{"get-tiny-image", `{}`, isPNG},
	{"get-structured-content", `{"location":"New York"}`, hasJSON(`{"temperature":33,"conditions":"Cloudy","humidity":82}`)},
	{"get-structured-content", `{"location":"Nowhere"}`, isError("location")},
	{"trigger-long-running-operation", `{"duration":1,"steps":2}`, hasText("Long running operation completed. Duration: 1 seconds, Steps: 2.")},
	{"echo", `{"message":"grüß 🌍 9007199254740993"}`, hasText("Echo: grüß 🌍 9007199254740993")},
	{"get-sum", `{"a":2,"b":40}`, hasText("The sum of 2 and 40 is 42.")},
}

var filesystemCalls = []realCall{
	{"read_text_file", `{"path":3}`, isError("expected string")},
	{"write_file", `{"path":"new.txt","content":"of the test"}`, hasSome("new.txt")},
	{"read_text_file", `{"path":"new.txt"}`, hasSome("of the test")},
	{"read_text_file", `{"path":"hello.txt"}`, hasText("hello\n\n" + `{"content":"hello\n"}`)},
	{"read_text_file", `{"path":"/outside"}`, isError("Access denied")},
}

var memoryCalls = []realCall{
	{"create_entities", `{"entities":[{"name":"Ada","entityType":"person","observations":["counts"]}]}`, hasSome("entities")},
	{"create_entities", `{"entities":3}`, isError("expected array")},
	{"read_graph", `{}`, hasJSON(`{"entities":[{"name":"Ada","entityType":"person","observations":["counts"]}],"relations":[]}`)},
	{"search_nodes", `{"query":"nobody"}`, hasJSON(`{"entities":[],"relations":[]}`)},
}

var thinkingCalls = []realCall{
	{"sequentialthinking", `{"thought":"a","nextThoughtNeeded":true,"thoughtNumber":1,"totalThoughts":2}`,
		hasJSON(`{"thoughtNumber":1,"totalThoughts":2,"nextThoughtNeeded":true,"branches":[],"thoughtHistoryLength":1}`)},
	{"sequentialthinking", `{"thought":"b","nextThoughtNeeded":false,"thoughtNumber":2,"totalThoughts":2}`, hasSome(`"thoughtNumber": 2`)},
	{"sequentialthinking", `{}`, isError("expected string")},
}

// gosdkCalls are of a server that asks its client for a sample and for roots in
// the middle of a call; it is refused, and the session goes on.
var gosdkCalls = []realCall{
	{"greet", `{"name":3}`, isError("name")},
	{"sample", `{}`, isError("")},
	{"roots", `{}`, tellsNoRoots},
	{"greet (content with ResourceLink)", `{"name":"Ada"}`, hasSome("greeting")},
	{"greet", `{"name":"Bob"}`, hasText("Hi Bob")},
	{"greet (structured)", `{"name":"Ada"}`, hasJSON(`{"message":"Hi Ada"}`)},
}

// notionCalls fail with a JSON-RPC error, since the server has no network.
var notionCalls = []realCall{
	{"API-get-self", `{}`, isError("")},
	{"API-get-user", `{}`, isError("")},
}

func hasText(want string) func(*testing.T, fantasy.ToolResponse) {
	return func(t *testing.T, r fantasy.ToolResponse) {
		assert.False(t, r.IsError, r.Content)
		assert.Equal(t, want, r.Content)
	}
}

func hasSome(want string) func(*testing.T, fantasy.ToolResponse) {
	return func(t *testing.T, r fantasy.ToolResponse) {
		assert.False(t, r.IsError, r.Content)
		assert.Contains(t, r.Content, want)
	}
}

// hasJSON is for a tool whose text holds its structured content: the model sees
// it once, the host finds it in the metadata.
func hasJSON(want string) func(*testing.T, fantasy.ToolResponse) {
	return func(t *testing.T, r fantasy.ToolResponse) {
		assert.False(t, r.IsError, r.Content)
		assert.JSONEq(t, want, r.Content)
		var meta struct {
			Structured json.RawMessage `json:"structured_content"`
		}
		require.NoError(t, json.Unmarshal([]byte(r.Metadata), &meta))
		assert.JSONEq(t, want, string(meta.Structured))
	}
}

func isError(want string) func(*testing.T, fantasy.ToolResponse) {
	return func(t *testing.T, r fantasy.ToolResponse) {
		assert.True(t, r.IsError, r.Content)
		assert.NotEmpty(t, strings.TrimSpace(r.Content))
		assert.Contains(t, r.Content, want)
	}
}

func tellsNoRoots(t *testing.T, r fantasy.ToolResponse) { assert.NotContains(t, r.Content, "://") }

func isPNG(t *testing.T, r fantasy.ToolResponse) {
	assert.False(t, r.IsError, r.Content)
	assert.Equal(t, "image", r.Type)
	assert.Equal(t, "image/png", r.MediaType)
	_, err := png.DecodeConfig(bytes.NewReader(r.Data))
	assert.NoError(t, err, "the image's bytes are a PNG")
}

// startReal starts all servers, side by side, and has them stopped when the
// test ends. Configs that differ only in the protocol share a server.
func startReal(t *testing.T) {
	script := os.Getenv("MCP_REAL")
	require.NotEmpty(t, script, "MCP_INTEROP=1 needs MCP_REAL, the script that starts real servers")
	_, err := exec.LookPath(script)
	require.NoError(t, err, "MCP_REAL is no script that can be run")
	type process struct {
		name, bridge, port string
		out                []byte
		err                error
	}
	processes, port := map[string]*process{}, 7500
	var wg sync.WaitGroup
	for _, s := range realServers {
		key := s.name + " " + s.bridge
		if processes[key] != nil {
			continue
		}
		p := &process{name: s.name, bridge: s.bridge, port: strconv.Itoa(freePort(t, &port))}
		processes[key] = p
		noteStarted(t, p.name, p.port)
		t.Cleanup(func() {
			out, err := exec.Command(script, "stop", p.name, p.port).CombinedOutput()
			assert.NoError(t, err, "%s", out)
		})
		args := []string{"start", p.name, p.port}
		if p.bridge != "" {
			args = append(args, p.bridge)
		}
		wg.Go(func() { p.out, p.err = exec.CommandContext(t.Context(), script, args...).CombinedOutput() })
	}
	wg.Wait()
	for _, s := range realServers {
		p := processes[s.name+" "+s.bridge]
		require.NoError(t, p.err, "%s %s on %s could not be started: %s", p.name, p.bridge, p.port, p.out)
		s.url, s.headers = parseStarted(t, string(p.out))
		t.Logf("%-12s %s %s", s.slug, strings.TrimSpace(s.name+" "+s.bridge), s.url)
	}
}

// freePort returns the first port from next on that nobody listens on.
func freePort(t *testing.T, next *int) int {
	t.Helper()
	for ; *next < 7700; *next++ {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", *next))
		if err != nil {
			continue
		}
		require.NoError(t, l.Close())
		*next++
		return *next - 1
	}
	t.Fatal("no free port from 7500 up")
	return 0
}

// noteStarted tells whoever runs the tests what to stop if they end without
// their cleanup, as after a timeout.
func noteStarted(t *testing.T, name, port string) {
	path := os.Getenv("MCP_INTEROP_STARTED")
	if path == "" {
		return
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	_, err = fmt.Fprintln(f, name, port)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

// parseStarted reads what the script prints: the URL, then a request header a
// line.
func parseStarted(t *testing.T, out string) (url string, headers map[string]string) {
	lines := strings.Split(strings.TrimSpace(out), "\n")
	require.True(t, strings.HasPrefix(lines[0], "http://127.0.0.1:"), out)
	for _, line := range lines[1:] {
		name, value, ok := strings.Cut(line, ": ")
		require.True(t, ok, out)
		if headers == nil {
			headers = map[string]string{}
		}
		headers[name] = value
	}
	return lines[0], headers
}

func (s *realServer) config() mcpclient.ServerConfig {
	c := mcpclient.ServerConfig{ID: idOf(s.slug), Slug: s.slug, URL: s.url, Transport: s.transport, ProtocolVersion: s.version}
	if s.headers != nil {
		c.Auth = mcpclient.CustomHeaders(s.headers)
	}
	return c
}

func (s *realServer) wantVersion() string {
	if s.version != "" {
		return s.version
	}
	return "2025-11-25"
}
