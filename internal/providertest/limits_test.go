package providertest_test

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"charm.land/fantasy"
	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/mcptest"
	"github.com/mcpclient-go/mcpclient/internal/providertest/fake"
)

// mostImage is the most bytes of an image that Anthropic takes: 5 MiB of base64
// text (https://github.com/earendil-works/pi/pull/424).
const mostImage = 5 << 20 / 4 * 3

// An image of any size is accepted: as one where the provider takes it, as
// text where it would refuse the whole conversation.
func TestLargeImages(t *testing.T) {
	asked(t)
	image := func(size int) json.RawMessage {
		data := pngHeader + strings.Repeat("x", size-len(pngHeader))
		return json.RawMessage(content(block("image", "image/png", base64.StdEncoding.EncodeToString([]byte(data)))))
	}
	tools, _ := connect(t, mcpclient.Options{}, map[string]*mcptest.Server{"k": {Tools: []mcptest.Tool{
		{Name: "largest", Result: image(mostImage)},
		{Name: "too_large", Result: image(mostImage + 1)},
		{Name: "huge", Result: image(9 << 20)},
	}}})
	everyWay(t, func(t *testing.T, p provider, m mode) {
		for _, name := range []string{"largest", "too_large", "huge"} {
			t.Run(name, func(t *testing.T) {
				api, model := p.model(t, fake.Reply{Calls: []fake.Call{call(name)}})
				_, err := m.run(t.Context(), agent(model, tools), "hello", nil)
				accepted(t, api)
				require.NoError(t, err)
				require.Len(t, api.Accepted()[1].Results, 1)
				assert.Contains(t, api.Accepted()[1].Results[0].Text, "image/png")
			})
		}
	})
}

// Some models of OpenAI's chat completions refuse descriptions of more than
// 1,024 characters; a host that uses them sets the limit.
func TestLongDescriptions(t *testing.T) {
	asked(t)
	server := func() map[string]*mcptest.Server {
		return map[string]*mcptest.Server{"k": {Tools: []mcptest.Tool{{Name: "t", Description: strings.Repeat("long words ", 500)}}}}
	}
	byDefault, _ := connect(t, mcpclient.Options{}, server())
	short, _ := connect(t, mcpclient.Options{Limits: mcpclient.Limits{DescriptionLength: 1024}}, server())
	everyWay(t, func(t *testing.T, p provider, m mode) {
		run := func(tools []fantasy.AgentTool) *fake.API {
			api, model := p.model(t)
			_, _ = m.run(t.Context(), agent(model, tools), "hello", nil)
			return api
		}
		accepted(t, run(short))
		if api := run(byDefault); p.name == "openai" {
			require.Len(t, api.Refusals(), 1)
			assert.Contains(t, api.Refusals()[0], "more than 1024")
		} else {
			accepted(t, api)
		}
	})
}
