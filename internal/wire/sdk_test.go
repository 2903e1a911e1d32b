package wire

import (
	"context"
	"encoding/json"
	"github.com/mcpclient-go/mcpclient/internal/wire/address"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// goodServer is a real SDK server with one tool.
func goodServer() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "good", Version: "1"}, nil)
	type in struct {
		Text string `json:"text"`
	}
	mcp.AddTool(server, &mcp.Tool{Name: "echo"}, func(_ context.Context, _ *mcp.CallToolRequest, a in) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: a.Text}}}, nil, nil
	})
	return server
}

func goodHandler(legacy bool) http.Handler {
	server := goodServer()
	get := func(*http.Request) *mcp.Server { return server }
	if legacy {
		return mcp.NewSSEHandler(get, nil)
	}
	return mcp.NewStreamableHTTPHandler(get, nil)
}

// client is a session of the SDK on a wire session.
type client struct {
	*mcp.ClientSession
	wire *Session
	kill context.CancelFunc
	past bool // calls go past the SDK
}

// bothWays runs a test with calls that the SDK sends and with calls that go past it.
func bothWays(t *testing.T, f func(t *testing.T, past bool)) {
	t.Run("by the SDK", func(t *testing.T) { f(t, false) })
	t.Run("past it", func(t *testing.T) { f(t, true) })
}

// connect makes the SDK connect as the module does. Every request is followed by an exchange.
func connect(ctx context.Context, c Config) (*client, error) {
	life, kill := context.WithCancel(context.Background())
	c.Life = life
	session, err := connectLife(ctx, c)
	if err != nil {
		kill()
		return nil, err
	}
	session.kill = kill
	return session, nil
}

// connectLife does the same with the caller's life.
func connectLife(ctx context.Context, c Config) (*client, error) {
	w, err := New(c)
	if err != nil {
		return nil, err
	}
	var transport mcp.Transport = &mcp.StreamableClientTransport{
		Endpoint: c.Endpoint, HTTPClient: w.Client(), DisableStandaloneSSE: true, MaxRetries: -1, MaxEventSize: -1,
	}
	connectCtx := ctx
	if c.LegacySSE {
		transport = &mcp.SSEClientTransport{Endpoint: c.Endpoint, HTTPClient: w.Client(), MaxEventSize: -1}
		connectCtx = context.WithoutCancel(ctx)
		var stop context.CancelFunc
		connectCtx, stop = context.WithCancel(connectCtx)
		defer context.AfterFunc(ctx, stop)()
	}
	m := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}})
	m.AddSendingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			ctx, ex := NewExchange(ctx, ExchangeOptions{})
			defer ex.Close()
			res, err := next(ctx, method, req)
			if e := ex.Err(); e != nil {
				return res, e
			}
			return res, err
		}
	})
	session, err := m.Connect(connectCtx, transport, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		return nil, err
	}
	return &client{ClientSession: session, wire: w}, nil
}

// end kills the session and waits for the SDK and the session to be done with it.
func (c *client) end() {
	c.kill()
	_ = c.Close()
	c.wire.Wait()
}

func (c *client) echo(ctx context.Context, text string) (string, error) {
	if c.past {
		return resultOf(ctx, c.wire.Request(ctx, echo(text)))
	}
	res, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "echo", Arguments: json.RawMessage(`{"text":"` + text + `"}`)})
	if err != nil {
		return "", err
	}
	return res.Content[0].(*mcp.TextContent).Text, nil
}

// echo is the call that client.echo makes.
func echo(text string) Request {
	return Request{
		Method: "tools/call", Params: []byte(`{"name":"echo","arguments":{"text":"` + text + `"}}`), Protocol: "2025-11-25",
	}
}

// resultOf is the text of the result of a call, or why there is none.
func resultOf(ctx context.Context, e *Exchange) (string, error) {
	if err := e.Err(); err != nil {
		return "", err
	}
	if e.Result() == nil {
		return "", ctx.Err()
	}
	var result struct{ Content []struct{ Text string } }
	if err := json.Unmarshal(e.Result(), &result); err != nil {
		return "", err
	}
	return result.Content[0].Text, nil
}

func TestGoodServer(t *testing.T) {
	for name, legacy := range map[string]bool{"streamable": false, "legacy": true} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(goodHandler(legacy))
			defer server.Close()
			base := DefaultTransport(address.Policy{})
			defer base.CloseIdleConnections()
			c, err := connect(t.Context(), Config{Endpoint: server.URL, LegacySSE: legacy, Base: base, BodyBytes: 1 << 20})
			require.NoError(t, err)
			defer c.end()
			tools, err := c.ListTools(t.Context(), nil)
			require.NoError(t, err)
			require.Len(t, tools.Tools, 1)
			var group sync.WaitGroup
			for _, text := range []string{"a", "b", "c", "d"} {
				group.Go(func() {
					said, err := c.echo(t.Context(), text)
					require.NoError(t, err)
					require.Equal(t, text, said)
				})
			}
			group.Wait()
			require.Equal(t, !legacy, c.wire.SessionID() != "")
			require.NoError(t, c.wire.Delete(t.Context()))
		})
	}
}
