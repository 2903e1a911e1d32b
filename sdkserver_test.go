package mcpclient_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient"
)

// serveSDK puts a server of the go-sdk on the network.
func (w *world) serveSDK(slug string, handler http.Handler) *mcpclient.ServerConfig {
	listener := w.net.Listen(slug + ".test:80")
	// The SDK's handlers outlive their requests only if the context says so.
	server := &http.Server{Handler: handler, BaseContext: func(net.Listener) context.Context { return context.Background() }}
	var done sync.WaitGroup
	done.Go(func() { _ = server.Serve(listener) })
	w.t.Cleanup(func() {
		_ = server.Close()
		done.Wait()
	})
	return w.add(slug, "http://"+slug+".test/mcp")
}

func addEcho(s *mcp.Server, name string) {
	type input struct {
		Text string `json:"text"`
	}
	mcp.AddTool(s, &mcp.Tool{Name: name}, func(_ context.Context, _ *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: in.Text}}}, nil, nil
	})
}

func TestAnnouncedChangeOfToolsIsSeenByTheNextStep(t *testing.T) {
	for name, tt := range map[string]struct {
		handler  func(s *mcp.Server) http.Handler
		sse      bool
		protocol string
	}{
		"2025-11-25": {func(s *mcp.Server) http.Handler {
			return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil)
		}, false, ""},
		"2026-07-28": {func(s *mcp.Server) http.Handler {
			return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: true})
		}, false, "2026-07-28"},
		"sse": {func(s *mcp.Server) http.Handler {
			return mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return s }, nil)
		}, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			inPool(t, mcpclient.PoolOptions{IdleTimeout: time.Hour, MaxListAge: time.Hour}, func(t *testing.T, w *world, p *mcpclient.Pool) {
				server := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1"}, nil)
				addEcho(server, "one")
				c := w.serveSDK("s", tt.handler(server))
				c.ProtocolVersion = tt.protocol
				if tt.sse {
					c.Transport = mcpclient.TransportSSE
				}
				first := w.connect()
				require.Equal(t, []string{"s__one"}, first.names(), first.of("s").Error)
				if tt.protocol != "" {
					require.Equal(t, tt.protocol, first.of("s").Protocol)
				}
				synctest.Wait()
				time.Sleep(time.Minute)
				require.True(t, w.connect().of("s").Reused)

				addEcho(server, "two")
				time.Sleep(time.Minute)
				second := w.connect()
				require.Equal(t, []string{"s__one", "s__two"}, second.names())
				require.Equal(t, []string{"s__one"}, first.names(), "the tools of a step never change under it")
				for i, name := range second.names() {
					require.Equal(t, fmt.Sprint(i), second.call(name, fmt.Sprintf(`{"text":"%d"}`, i)).Content)
				}
			})
		})
	}
}

func TestHeaderParametersReachAServerOfTheNewestProtocol(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		server := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1"}, nil)
		server.AddTool(&mcp.Tool{Name: "regional", InputSchema: map[string]any{
			"type": "object", "properties": map[string]any{"region": map[string]any{"type": "string", "x-mcp-header": "Region"}},
		}}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: r.Extra.Header.Get("Mcp-Param-Region")}}}, nil
		})
		w.serveSDK("s", mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true})).ProtocolVersion = "2026-07-28"
		r := w.connect()
		require.Equal(t, []string{"s__regional"}, r.names(), r.of("s").Error)
		require.Equal(t, "west", r.call("s__regional", `{"region":"west"}`).Content)
	})
}
