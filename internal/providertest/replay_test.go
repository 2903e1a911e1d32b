package providertest_test

import (
	"testing"

	"charm.land/fantasy"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/mcptest"
	"github.com/mcpclient-go/mcpclient/internal/providertest/fake"
)

// A provider that loses images refuses a conversation with one, unless images
// are text; so what the fakes refuse is what a host would run into.
func TestLostImages(t *testing.T) {
	asked(t)
	servers := map[string]*mcptest.Server{"k": kinds()}
	native, _ := connect(t, mcpclient.Options{}, servers)
	asText, _ := connect(t, mcpclient.Options{Images: mcpclient.ImagesAsText}, map[string]*mcptest.Server{"k": kinds()})
	everyWay(t, func(t *testing.T, p provider, m mode) {
		run := func(tools []fantasy.AgentTool) (*fake.API, error) {
			api, model := p.model(t, fake.Reply{Calls: []fake.Call{call("image_with_words")}})
			_, err := m.run(t.Context(), fantasy.NewAgent(model, fantasy.WithTools(tools...)), "hello", nil)
			return api, err
		}
		t.Run("without PrepareStep", func(t *testing.T) {
			api, err := run(native)
			if p.losesMedia {
				require.Error(t, err)
				require.Len(t, api.Refusals(), 1)
				assert.ErrorContains(t, err, api.Refusals()[0])
				return
			}
			require.NoError(t, err)
			accepted(t, api)
			assert.Len(t, api.Accepted()[1].Images, 1)
		})
		t.Run("images as text", func(t *testing.T) {
			api, err := run(asText)
			require.NoError(t, err)
			accepted(t, api)
			assert.Empty(t, api.Accepted()[1].Images)
			require.Len(t, api.Accepted()[1].Results, 1)
			assert.Contains(t, api.Accepted()[1].Results[0].Text, "image/png")
		})
	})
}

// A conversation that began with one provider goes on with any other.
func TestChangeOfProvider(t *testing.T) {
	asked(t)
	tools, _ := connect(t, mcpclient.Options{}, map[string]*mcptest.Server{"k": kinds()})
	for _, before := range providers {
		_, model := before.model(t, fake.Reply{Calls: []fake.Call{call("text")}}, fake.Reply{Calls: []fake.Call{call("error")}},
			fake.Reply{Calls: []fake.Call{call("png")}})
		result, err := modes[0].run(t.Context(), agent(model, tools), "hello", nil)
		require.NoError(t, err)
		history := persisted(t, "hello", result)
		everyWay(t, func(t *testing.T, p provider, m mode) {
			api, model := p.model(t)
			_, err := m.run(t.Context(), agent(model, tools), "and now?", history)
			require.NoError(t, err, "after %s", before.name)
			accepted(t, api)
			require.Len(t, api.Accepted()[0].Results, 3)
		})
	}
}
