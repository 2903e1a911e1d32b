package providertest_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"charm.land/fantasy"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/providertest/fake"
)

// Every tool of every real server goes to every provider, as many at a time as
// it takes, and arrives as it was offered.
func TestRealTools(t *testing.T) {
	asked(t)
	servers, listed := realServers(t)
	tools, summaries := connect(t, mcpclient.Options{}, servers)
	for _, s := range summaries {
		require.Zero(t, s.DroppedCount, "%s: %v", s.Slug, s.Dropped)
		require.Equal(t, listed[s.Slug], s.ToolCount, s.Slug)
	}
	everyWay(t, func(t *testing.T, p provider, m mode) {
		sent := 0
		for slug, batch := range batches(tools, p.tools) {
			api, model := p.model(t, fake.Reply{Text: "ok"})
			_, err := m.run(t.Context(), agent(model, batch), "hello", nil)
			if !assert.NoError(t, err, slug) {
				continue
			}
			accepted(t, api)
			require.Len(t, api.Accepted(), 1)
			sent += len(batch)
			checkTools(t, p, batch, api.Accepted()[0].Tools)
		}
		t.Logf("%d tools", sent)
	})
}

// batches are at most n tools of one server at a time.
func batches(tools []fantasy.AgentTool, n int) func(yield func(string, []fantasy.AgentTool) bool) {
	of := map[string][]fantasy.AgentTool{}
	for _, tool := range tools {
		slug := tool.(mcpclient.Tool).ServerSlug()
		of[slug] = append(of[slug], tool)
	}
	return func(yield func(string, []fantasy.AgentTool) bool) {
		for _, slug := range slices.Sorted(maps.Keys(of)) {
			for batch := range slices.Chunk(of[slug], n) {
				if !yield(slug, batch) {
					return
				}
			}
		}
	}
}

// checkTools compares what a provider was sent with what tools say of
// themselves.
func checkTools(t *testing.T, p provider, tools []fantasy.AgentTool, got []fake.Tool) {
	t.Helper()
	require.Len(t, got, len(tools))
	for i, tool := range tools {
		info := tool.Info()
		require.Equal(t, info.Name, got[i].Name)
		require.Equal(t, info.Description, got[i].Description)
		properties, _ := got[i].Schema["properties"].(map[string]any)
		require.ElementsMatch(t, slices.Collect(maps.Keys(info.Parameters)), slices.Collect(maps.Keys(properties)), info.Name)
		required, _ := got[i].Schema["required"].([]any)
		require.Len(t, required, len(info.Required), info.Name)
		if !p.verbatim {
			continue
		}
		want, err := json.Marshal(info.Parameters)
		require.NoError(t, err)
		have, err := json.Marshal(properties)
		require.NoError(t, err)
		require.JSONEq(t, string(want), string(have), info.Name)
	}
}
