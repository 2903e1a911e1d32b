package mcptest_test

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

// servers are the good ones, by name.
var servers = map[string]func() *mcptest.Server{
	"stateful json":  func() *mcptest.Server { return &mcptest.Server{} },
	"stateful sse":   func() *mcptest.Server { return &mcptest.Server{SSE: true} },
	"stateless json": func() *mcptest.Server { return &mcptest.Server{Stateless: true} },
	"stateless sse":  func() *mcptest.Server { return &mcptest.Server{Stateless: true, SSE: true} },
	"legacy":         func() *mcptest.Server { return &mcptest.Server{LegacySSE: true} },
}

func connect(t *testing.T, ctx context.Context, s *mcptest.Server, url string, hc *http.Client) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	var transport mcp.Transport = &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: hc, MaxRetries: -1, DisableStandaloneSSE: true}
	if s.LegacySSE {
		transport = &mcp.SSEClientTransport{Endpoint: url, HTTPClient: hc}
	}
	session, err := client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	require.NoError(t, err)
	return session
}

func call(t *testing.T, session *mcp.ClientSession, tool, args string) *mcp.CallToolResult {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
	require.NoError(t, err)
	return result
}

func text(r *mcp.CallToolResult) string {
	if len(r.Content) == 0 {
		return ""
	}
	return r.Content[0].(*mcp.TextContent).Text
}

func exercise(t *testing.T, session *mcp.ClientSession) {
	t.Helper()
	list, err := session.ListTools(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, list.Tools, len(mcptest.DefaultTools()))
	require.Equal(t, "hi", text(call(t, session, "echo", `{"text":"hi"}`)))
	require.Equal(t, "9007199254740994", text(call(t, session, "add", `{"a":9007199254740993,"b":1}`)))
	require.Equal(t, `{"n":9007199254740993,"s":"<&>"}`, text(call(t, session, "args", `{"n":9007199254740993,"s":"<&>"}`)))
	require.Len(t, call(t, session, "image", `{}`).Content, 2)
	require.NotNil(t, call(t, session, "structured", `{}`).StructuredContent)
	require.True(t, call(t, session, "fail", `{}`).IsError)
	require.Equal(t, "slept", text(call(t, session, "slow", `{"ms":20}`)))
}

func TestGoodServersInABubble(t *testing.T) {
	for name, server := range servers {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := mcptest.NewNetwork()
				n.Latency = 25 * time.Millisecond
				defer n.Close()
				s := server()
				url := mcptest.Start(t, n, "good.test:80", s)
				session := connect(t, t.Context(), s, url, n.Client())
				exercise(t, session)
				require.NoError(t, session.Close())
				require.Equal(t, 7, s.Recorder.Count("tools/call"))
			})
		})
	}
}

func TestGoodServersOverTCP(t *testing.T) {
	for name, server := range servers {
		t.Run(name, func(t *testing.T) {
			s := server()
			url := mcptest.StartTCP(t, s)
			hc := &http.Client{Transport: &http.Transport{}}
			defer hc.CloseIdleConnections()
			session := connect(t, t.Context(), s, url, hc)
			exercise(t, session)
			require.NoError(t, session.Close())
		})
	}
}
