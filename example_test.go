package mcpclient_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"cdr.dev/slog/v3"
	"charm.land/fantasy"
	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpclient-go/mcpclient"
)

// A step with two servers, one of which never answers.
func ExampleConnectAll() {
	good := httptest.NewServer(greeter())
	defer good.Close()
	over := make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-over }))
	defer silent.Close()
	defer close(over)

	configs := []mcpclient.ServerConfig{
		{ID: uuid.New(), Slug: "greeter", URL: good.URL},
		{ID: uuid.New(), Slug: "silent", URL: silent.URL, ConnectTimeout: 200 * time.Millisecond},
	}
	ctx := context.Background()
	var background sync.WaitGroup
	tools, summaries, cleanup := mcpclient.ConnectAll(ctx, slog.Make(), configs, nil, mcpclient.Options{
		Background: &background,
	})
	defer background.Wait() // a server waits when it shuts down; a step need not
	defer cleanup()

	for _, s := range summaries {
		fmt.Println(s.Slug, s.Outcome, s.ToolCount)
	}
	for _, tool := range tools {
		response, _ := tool.Run(ctx, fantasy.ToolCall{ID: "call_1", Name: tool.Info().Name, Input: `{"name":"Ada"}`})
		fmt.Printf("%s: %s\n", tool.Info().Name, response.Content)
	}
	// Output:
	// greeter connected 1
	// silent timeout 0
	// greeter__hello: Hello, Ada!
}

// greeter is an MCP server with one tool.
func greeter() http.Handler {
	type in struct {
		Name string `json:"name"`
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "greeter", Version: "1.0.0"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "hello", Description: "Greet someone."},
		func(_ context.Context, _ *mcp.CallToolRequest, i in) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "Hello, " + i.Name + "!"}}}, nil, nil
		})
	return stateless(server)
}

// stateless serves without sessions, so that the end of an example need not wait
// for their end.
func stateless(server *mcp.Server) http.Handler {
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true})
}
