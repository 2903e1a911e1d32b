package mcpclient_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"

	"cdr.dev/slog/v3"
	"charm.land/fantasy"
	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpclient-go/mcpclient"
)

// An agent whose tools are told which provider is at work. This one loses images
// in the results of tools, so the model gets a line of text instead.
func ExamplePrepareStep() {
	server := httptest.NewServer(camera())
	defer server.Close()
	ctx := context.Background()
	configs := []mcpclient.ServerConfig{{ID: uuid.New(), Slug: "camera", URL: server.URL}}
	tools, _, cleanup := mcpclient.ConnectAll(ctx, slog.Make(), configs, nil, mcpclient.Options{})
	defer cleanup()

	agent := fantasy.NewAgent(photographer{}, fantasy.WithTools(tools...), fantasy.WithPrepareStep(mcpclient.PrepareStep))
	result, err := agent.Generate(ctx, fantasy.AgentCall{Prompt: "Take a picture."})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Response.Content.Text())
	// Output:
	// The tool says: [image: image/png, 8 bytes; not shown]
}

// camera is an MCP server with a tool that returns an image.
func camera() http.Handler {
	server := mcp.NewServer(&mcp.Implementation{Name: "camera", Version: "1.0.0"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "snap", Description: "Take a picture."},
		func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{
				&mcp.ImageContent{MIMEType: "image/png", Data: []byte("\x89PNG\r\n\x1a\n")},
			}}, nil, nil
		})
	return stateless(server)
}

// photographer stands in for a model: it calls the camera, and then repeats what
// the tool said.
type photographer struct{}

func (photographer) Provider() string { return "google" }
func (photographer) Model() string    { return "scripted" }

func (photographer) Generate(_ context.Context, call fantasy.Call) (*fantasy.Response, error) {
	last := call.Prompt[len(call.Prompt)-1].Content[0]
	if r, ok := fantasy.AsMessagePart[fantasy.ToolResultPart](last); ok {
		said, _ := fantasy.AsToolResultOutputType[fantasy.ToolResultOutputContentText](r.Output)
		return &fantasy.Response{
			Content: fantasy.ResponseContent{fantasy.TextContent{Text: "The tool says: " + said.Text}}, FinishReason: fantasy.FinishReasonStop,
		}, nil
	}
	snap := fantasy.ToolCallContent{ToolCallID: "call_1", ToolName: "camera__snap", Input: "{}"}
	return &fantasy.Response{Content: fantasy.ResponseContent{snap}, FinishReason: fantasy.FinishReasonToolCalls}, nil
}

var errScripted = errors.New("the scripted model can only generate")

func (photographer) Stream(context.Context, fantasy.Call) (fantasy.StreamResponse, error) {
	return nil, errScripted
}

func (photographer) GenerateObject(context.Context, fantasy.ObjectCall) (*fantasy.ObjectResponse, error) {
	return nil, errScripted
}

func (photographer) StreamObject(context.Context, fantasy.ObjectCall) (fantasy.ObjectStreamResponse, error) {
	return nil, errScripted
}
