package mcpclient_test

import (
	"encoding/json"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

func TestToolHash(t *testing.T) {
	t.Parallel()
	tool := func(schema string) *mcp.Tool {
		return &mcp.Tool{Name: "n", Description: "d", InputSchema: json.RawMessage(schema)}
	}
	base := mcpclient.ToolHash(tool(`{"type":"object","properties":{"a":{"maximum":10},"b":{"enum":[1,"x"]}}}`))
	require.Len(t, base, 64)
	var decoded any
	require.NoError(t, json.Unmarshal([]byte(`{"properties":{"b":{"enum":[1,"x"]},"a":{"maximum":10}},"type":"object"}`), &decoded))
	for name, same := range map[string]*mcp.Tool{
		"other key order": tool(`{ "properties":{"b":{"enum":[1,"x"]},"a":{"maximum":10}}, "type":"object"}`),
		"other numbers":   tool(`{"type":"object","properties":{"a":{"maximum":1e1},"b":{"enum":[1.0,"x"]}}}`),
		"decoded":         {Name: "n", Description: "d", InputSchema: decoded},
		"title":           {Name: "n", Description: "d", InputSchema: decoded, Title: "T", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
	} {
		require.Equal(t, base, mcpclient.ToolHash(same), name)
	}
	for name, other := range map[string]*mcp.Tool{
		"name":          {Name: "m", Description: "d", InputSchema: decoded},
		"description":   {Name: "n", Description: "e", InputSchema: decoded},
		"input schema":  tool(`{"type":"object","properties":{"a":{"maximum":11},"b":{"enum":[1,"x"]}}}`),
		"enum order":    tool(`{"type":"object","properties":{"a":{"maximum":10},"b":{"enum":["x",1]}}}`),
		"number, text":  tool(`{"type":"object","properties":{"a":{"maximum":10},"b":{"enum":["1","x"]}}}`),
		"output schema": {Name: "n", Description: "d", InputSchema: decoded, OutputSchema: decoded},
		"large numbers": tool(`{"maximum":9007199254740993}`),
		"larger":        tool(`{"maximum":9007199254740992}`),
		"bomb":          tool(`{"maximum":1e999999999}`),
	} {
		require.NotEqual(t, base, mcpclient.ToolHash(other), name)
	}
	require.NotEqual(t, mcpclient.ToolHash(tool(`{"maximum":9007199254740993}`)), mcpclient.ToolHash(tool(`{"maximum":9007199254740992}`)))
	require.Empty(t, mcpclient.ToolHash(nil))
}

func TestToolHashOfAListedToolIsStable(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("s", &mcptest.Server{})
		first, second := w.connect(), w.connect()
		for i := range first.tools {
			require.Equal(t, mcpclient.ToolHash(first.tools[i].(mcpclient.Tool).Definition()), mcpclient.ToolHash(second.tools[i].(mcpclient.Tool).Definition()))
		}
	})
}
