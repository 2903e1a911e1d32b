package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

var readOnly = &mcp.ToolAnnotations{ReadOnlyHint: true}

// fixedTools says that a server's tools never change, and that its list may be
// kept for an hour.
var fixedTools = &mcp.ServerOptions{
	Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
	SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.TTLMs = int(time.Hour.Milliseconds()) },
}

type forecast struct {
	City string  `json:"city"`
	Sky  string  `json:"sky"`
	High float64 `json:"high_celsius"`
}

func weatherServer() *mcp.Server {
	type in struct {
		City string `json:"city" jsonschema:"the name of a city"`
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "demo-weather", Version: "1.0.0"}, fixedTools)
	mcp.AddTool(s, &mcp.Tool{Name: "forecast", Description: "Tomorrow's weather in a city.", Annotations: readOnly},
		func(_ context.Context, _ *mcp.CallToolRequest, i in) (*mcp.CallToolResult, forecast, error) {
			return nil, forecast{City: i.City, Sky: "sunny", High: 24}, nil
		})
	mcp.AddTool(s, &mcp.Tool{Name: "report", Description: "Report a storm to the weather service."},
		func(_ context.Context, _ *mcp.CallToolRequest, i in) (*mcp.CallToolResult, any, error) {
			return textResult("Thank you, " + i.City + " is noted."), nil, nil
		})
	return s
}

func notesServer() *mcp.Server {
	type in struct {
		Query string `json:"query" jsonschema:"a word that the note must have"`
	}
	notes := []string{"Lisbon: picnic on Saturday, if it is above 20 degrees.", "Oslo: take a coat."}
	s := mcp.NewServer(&mcp.Implementation{Name: "demo-notes", Version: "1.0.0"}, fixedTools)
	mcp.AddTool(s, &mcp.Tool{Name: "search", Description: "Search the user's notes.", Annotations: readOnly},
		func(_ context.Context, _ *mcp.CallToolRequest, i in) (*mcp.CallToolResult, any, error) {
			for _, note := range notes {
				if strings.Contains(strings.ToLower(note), strings.ToLower(i.Query)) {
					return textResult(note), nil, nil
				}
			}
			return textResult("no note has that word"), nil, nil
		})
	return s
}

func unitsServer() *mcp.Server {
	type in struct {
		Celsius float64 `json:"celsius"`
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "demo-units", Version: "1.0.0"}, fixedTools)
	mcp.AddTool(s, &mcp.Tool{Name: "fahrenheit", Description: "Convert degrees Celsius to Fahrenheit.", Annotations: readOnly},
		func(_ context.Context, _ *mcp.CallToolRequest, i in) (*mcp.CallToolResult, any, error) {
			return textResult(fmt.Sprintf("%.1f", i.Celsius*9/5+32)), nil, nil
		})
	return s
}

func textResult(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}
