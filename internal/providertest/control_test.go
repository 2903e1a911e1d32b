package providertest_test

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"charm.land/fantasy"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/mcptest"
	"github.com/mcpclient-go/mcpclient/internal/providertest/fake"
)

// plain is a tool as one gets it by handing on the parts of its schema that
// fantasy has a place for.
type plain struct {
	fantasy.AgentTool
	info fantasy.ToolInfo
}

func (p plain) Info() fantasy.ToolInfo { return p.info }

func (plain) Run(context.Context, fantasy.ToolCall) (fantasy.ToolResponse, error) {
	return fantasy.NewTextResponse(""), nil
}

func plainTools(t *testing.T, s *mcptest.Server) []fantasy.AgentTool {
	t.Helper()
	var tools []fantasy.AgentTool
	for _, tool := range s.Tools {
		var schema struct {
			Properties map[string]any `json:"properties"`
			Required   []string       `json:"required"`
		}
		require.NoError(t, json.Unmarshal(tool.InputSchema.(json.RawMessage), &schema))
		tools = append(tools, plain{
			AgentTool: fantasy.NewAgentTool(tool.Name, "", func(context.Context, struct{}, fantasy.ToolCall) (fantasy.ToolResponse, error) {
				return fantasy.ToolResponse{}, nil
			}),
			info: fantasy.ToolInfo{Name: tool.Name, Parameters: schema.Properties, Required: schema.Required},
		})
	}
	return tools
}

// The same lists as in TestRealTools are refused by every provider if tools are
// handed on as they are: what the fakes refuse is what servers have.
func TestPlainToolsAreRefused(t *testing.T) {
	asked(t)
	servers, _ := realServers(t)
	for _, p := range providers {
		t.Run(p.name, func(t *testing.T) {
			refused, one := 0, ""
			for _, slug := range slices.Sorted(maps.Keys(servers)) {
				for batch := range slices.Chunk(plainTools(t, servers[slug]), p.tools) {
					api, model := p.model(t, fake.Reply{Text: "ok"})
					_, err := modes[0].run(t.Context(), fantasy.NewAgent(model, fantasy.WithTools(batch...)), "hello", nil)
					if len(api.Refusals()) > 0 {
						require.Error(t, err)
						refused, one = refused+1, slug+": "+api.Refusals()[0]
					}
				}
			}
			t.Logf("%d requests refused, such as %s", refused, one)
			require.NotZero(t, refused)
		})
	}
}

// The tools of all servers together have distinct names that every provider
// takes, also where they come from different servers.
func TestToolsOfManyServers(t *testing.T) {
	asked(t)
	servers, _ := realServers(t)
	tools, _ := connect(t, mcpclient.Options{}, servers)
	everyWay(t, func(t *testing.T, p provider, m mode) {
		// Every n-th tool, so that the request has tools of many servers.
		var batch []fantasy.AgentTool
		for at := 0; at < len(tools); at += (len(tools) + p.tools - 1) / p.tools {
			batch = append(batch, tools[at])
		}
		api, model := p.model(t, fake.Reply{Text: "ok"})
		_, err := m.run(t.Context(), agent(model, batch), "hello", nil)
		require.NoError(t, err)
		accepted(t, api)
		checkTools(t, p, batch, api.Accepted()[0].Tools)
	})
}
