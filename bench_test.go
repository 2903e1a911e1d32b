//go:build unix

package mcpclient_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"cdr.dev/slog/v3"
	"charm.land/fantasy"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/toollist"
)

// The benchmarks come in pairs: a case of this package, and beside it "tuned",
// which is go-sdk alone with the settings that this package uses. Only ratios
// within one run mean anything. What the servers cost is not part of it: they
// run in a process of their own. user-ns/op is the process's user CPU time.

// BenchmarkConnectAll connects a server, lists its 100 tools, and closes.
func BenchmarkConnectAll(b *testing.B) {
	urls := startBenchServers(b, 1)
	url := urls[0] + "?tools=100"
	b.Run("mcpclient", func(b *testing.B) {
		configs := benchConfigs([]string{url})
		measure(b, func(b *testing.B) { connectOnce(b, mcpclient.ConnectAll, configs, 100) })
	})
	b.Run("tuned", func(b *testing.B) {
		measure(b, func(b *testing.B) { tunedOnce(b, []string{url}, 100) })
	})
}

// BenchmarkCall calls a tool on a live session.
func BenchmarkCall(b *testing.B) {
	url := startBenchServers(b, 1)[0] + "?tools=1"
	for _, size := range []int{100, 64 << 10} {
		b.Run(fmt.Sprintf("mcpclient/%d", size), func(b *testing.B) {
			var background sync.WaitGroup
			tools, _, cleanup := mcpclient.ConnectAll(b.Context(), slog.Make(), benchConfigs([]string{url}), nil, mcpclient.Options{Background: &background})
			require.Len(b, tools, 1)
			call := fantasy.ToolCall{ID: "call_1", Name: tools[0].Info().Name, Input: fmt.Sprintf(`{"size":%d}`, size)}
			measure(b, func(b *testing.B) {
				ctx, cancel := context.WithCancel(b.Context())
				defer cancel()
				response, err := tools[0].Run(ctx, call)
				if err != nil || response.IsError || len(response.Content) != size {
					b.Fatal(err, response.Content)
				}
			})
			cleanup()
			background.Wait()
		})
		b.Run(fmt.Sprintf("tuned/%d", size), func(b *testing.B) {
			session := tunedConnect(b, url)
			args := json.RawMessage(fmt.Sprintf(`{"size":%d}`, size))
			measure(b, func(b *testing.B) {
				ctx, cancel := context.WithCancel(b.Context())
				defer cancel()
				result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "tool_0", Arguments: args})
				if err != nil || result.IsError || len(result.Content[0].(*mcp.TextContent).Text) != size {
					b.Fatal(err)
				}
			})
			require.NoError(b, session.Close())
		})
	}
}

// BenchmarkPoolWarmStep is a step with 10 servers of 50 tools, each of which
// takes 5 ms to answer a request: with a warm Pool, without, and with the SDK.
func BenchmarkPoolWarmStep(b *testing.B) {
	urls := startBenchServers(b, 10)
	for i := range urls {
		urls[i] += "?tools=50&delay=5ms"
	}
	configs := benchConfigs(urls)
	b.Run("pool", func(b *testing.B) {
		pool := mcpclient.NewPool(mcpclient.PoolOptions{})
		base := &counted{base: http.DefaultTransport}
		opts := mcpclient.Options{HTTPClient: &http.Client{Transport: base}}
		step := func(b *testing.B) {
			tools, _, cleanup := pool.ConnectAll(b.Context(), slog.Make(), configs, nil, opts)
			if len(tools) != 500 {
				b.Fatal(len(tools))
			}
			cleanup()
		}
		step(b)
		before := base.requests.Load()
		measure(b, step)
		b.ReportMetric(float64(base.requests.Load()-before)/float64(b.N), "requests/op")
		require.NoError(b, pool.Close(context.Background()))
	})
	b.Run("fresh", func(b *testing.B) {
		measure(b, func(b *testing.B) { connectOnce(b, mcpclient.ConnectAll, configs, 500) })
	})
	b.Run("tuned", func(b *testing.B) {
		measure(b, func(b *testing.B) { tunedOnce(b, urls, 50) })
	})
}

// BenchmarkListDecode is what a list of 100 tools costs once its bytes are here:
// the package's own decoding with the empty list that the SDK is shown, and the
// SDK's.
func BenchmarkListDecode(b *testing.B) {
	raw, err := json.Marshal(&mcp.ListToolsResult{Tools: benchTools(100)})
	require.NoError(b, err)
	b.Run("mcpclient", func(b *testing.B) {
		session := cannedSession(b, json.RawMessage(`{"tools":[]}`))
		measure(b, func(b *testing.B) {
			page, err := toollist.Decode(raw, toollist.Limits{})
			if err != nil || len(page.Tools) != 100 {
				b.Fatal(err)
			}
			if _, err := session.ListTools(b.Context(), &mcp.ListToolsParams{}); err != nil {
				b.Fatal(err)
			}
		})
	})
	b.Run("sdk", func(b *testing.B) {
		session := cannedSession(b, raw)
		measure(b, func(b *testing.B) {
			list, err := session.ListTools(b.Context(), &mcp.ListToolsParams{})
			if err != nil || len(list.Tools) != 100 {
				b.Fatal(err)
			}
		})
	})
}

// measure is b.Loop with allocations and user CPU time.
func measure(b *testing.B, op func(*testing.B)) {
	b.Helper()
	op(b) // connections are open from here on
	b.ReportAllocs()
	var before time.Duration
	for first := true; b.Loop(); first = false {
		if first {
			before = userTime(b)
		}
		op(b)
	}
	b.ReportMetric(float64(userTime(b)-before)/float64(b.N), "user-ns/op")
}

func userTime(b *testing.B) time.Duration {
	var usage syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano())
}

type connectAll func(context.Context, slog.Logger, []mcpclient.ServerConfig, []mcpclient.UserToken, mcpclient.Options) (
	[]fantasy.AgentTool, []mcpclient.ConnectSummary, func())

// connectOnce is a step without calls, until its last session is closed.
func connectOnce(b *testing.B, connect connectAll, configs []mcpclient.ServerConfig, want int) {
	var background sync.WaitGroup
	tools, summaries, cleanup := connect(b.Context(), slog.Make(), configs, nil, mcpclient.Options{Background: &background})
	cleanup()
	background.Wait()
	if len(tools) != want {
		b.Fatal(summaries)
	}
}

// tunedOnce does the same with the SDK.
func tunedOnce(b *testing.B, urls []string, want int) {
	var wg sync.WaitGroup
	for _, url := range urls {
		wg.Go(func() {
			session := tunedConnect(b, url)
			list, err := session.ListTools(b.Context(), &mcp.ListToolsParams{})
			if err != nil || len(list.Tools) != want {
				b.Error(err)
			}
			if err := session.Close(); err != nil {
				b.Error(err)
			}
		})
	}
	wg.Wait()
}

func tunedConnect(b *testing.B, url string) *mcp.ClientSession {
	client := mcp.NewClient(&mcp.Implementation{Name: "tuned", Version: "1"}, nil)
	transport := &mcp.StreamableClientTransport{Endpoint: url, DisableStandaloneSSE: true, MaxRetries: -1}
	session, err := client.Connect(b.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	require.NoError(b, err)
	return session
}

func benchConfigs(urls []string) []mcpclient.ServerConfig {
	configs := make([]mcpclient.ServerConfig, len(urls))
	for i, url := range urls {
		slug := "server" + strconv.Itoa(i)
		configs[i] = mcpclient.ServerConfig{ID: idOf(slug), Slug: slug, URL: url}
	}
	return configs
}

type counted struct {
	base     http.RoundTripper
	requests atomic.Int64
}

func (c *counted) RoundTrip(r *http.Request) (*http.Response, error) {
	c.requests.Add(1)
	return c.base.RoundTrip(r)
}

func benchTools(n int) []*mcp.Tool {
	tools := make([]*mcp.Tool, n)
	for i := range tools {
		tools[i] = &mcp.Tool{
			Name:        "tool_" + strconv.Itoa(i),
			Description: "Looks up records that match a query. " + strings.Repeat("Results are sorted by relevance, newest first. ", 3),
			Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true},
			InputSchema: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string","description":"what to look for"},` +
				`"size":{"type":"integer","minimum":1,"description":"bytes of the answer"},"sort":{"type":"string","enum":["newest","oldest"]},` +
				`"tags":{"type":"array","items":{"type":"string"}}},"additionalProperties":false}`),
		}
	}
	return tools
}

// canned is a connection to a server that lists what it is told to.
type canned struct {
	list    json.RawMessage
	answers chan jsonrpc.Message
}

func cannedSession(b *testing.B, list json.RawMessage) *mcp.ClientSession {
	client := mcp.NewClient(&mcp.Implementation{Name: "canned", Version: "1"}, nil)
	c := &canned{list: list, answers: make(chan jsonrpc.Message, 1)}
	session, err := client.Connect(b.Context(), c, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	require.NoError(b, err)
	b.Cleanup(func() { _ = session.Close() })
	return session
}

func (c *canned) Connect(context.Context) (mcp.Connection, error) { return c, nil }
func (c *canned) SessionID() string                               { return "" }
func (c *canned) Close() error                                    { close(c.answers); return nil }

func (c *canned) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m, ok := <-c.answers:
		if !ok {
			return nil, io.EOF
		}
		return m, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (c *canned) Write(_ context.Context, m jsonrpc.Message) error {
	r, ok := m.(*jsonrpc.Request)
	if !ok || !r.IsCall() {
		return nil
	}
	result := c.list
	if r.Method == "initialize" {
		result = json.RawMessage(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"canned","version":"1"}}`)
	}
	c.answers <- &jsonrpc.Response{ID: r.ID, Result: result}
	return nil
}

const benchServersVariable = "MCP_BENCH_SERVERS"

// startBenchServers starts servers in another process, which ends when its
// standard input does.
func startBenchServers(b *testing.B, n int) (urls []string) {
	program, err := os.Executable()
	require.NoError(b, err)
	child := exec.Command(program, "-test.run=^TestServeBenchmarks$")
	child.Env = append(os.Environ(), benchServersVariable+"="+strconv.Itoa(n))
	child.Stderr = os.Stderr
	stdin, err := child.StdinPipe()
	require.NoError(b, err)
	stdout, err := child.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, child.Start())
	b.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		_ = stdin.Close()
		require.NoError(b, child.Wait())
	})
	lines := bufio.NewScanner(stdout)
	for len(urls) < n && lines.Scan() {
		urls = append(urls, lines.Text())
	}
	require.Len(b, urls, n)
	return urls
}

// TestServeBenchmarks is the process of the benchmarks' servers.
func TestServeBenchmarks(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv(benchServersVariable))
	if err != nil {
		t.Skip("the benchmarks start it")
	}
	for range n {
		server := httptest.NewServer(benchHandler())
		defer server.Close()
		defer server.CloseClientConnections()
		fmt.Println(server.URL)
	}
	_, err = io.Copy(io.Discard, os.Stdin)
	require.NoError(t, err)
}

// benchHandler serves the number of tools that the query asks for, and takes
// the time that it asks for to answer a request.
func benchHandler() http.Handler {
	// Made before there are sessions, which would be told of added tools.
	servers := map[string]*mcp.Server{}
	for _, tools := range []int{1, 50, 100} {
		servers[strconv.Itoa(tools)] = benchServer(tools)
	}
	handler := mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server { return servers[r.URL.Query().Get("tools")] }, nil)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if delay, err := time.ParseDuration(r.URL.Query().Get("delay")); err == nil {
			time.Sleep(delay) // the network that is measured
		}
		handler.ServeHTTP(w, r)
	})
}

func benchServer(tools int) *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
	for _, tool := range benchTools(tools) {
		server.AddTool(tool, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			var in struct{ Size int }
			if err := json.Unmarshal(r.Params.Arguments, &in); err != nil {
				return nil, err
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: strings.Repeat("x", in.Size)}}}, nil
		})
	}
	return server
}
