package providertest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/mcptest"
	"github.com/mcpclient-go/mcpclient/internal/providertest/fake"
)

// Calls of one turn are all answered, and their images seen, wherever among
// them the images are.
func TestParallelCalls(t *testing.T) {
	asked(t)
	tools, _ := connect(t, mcpclient.Options{}, map[string]*mcptest.Server{"k": kinds()})
	turns := map[string]struct {
		calls  []string
		images int
	}{
		"image first":   {[]string{"png", "text", "error"}, 1},
		"image between": {[]string{"text", "png", "empty_text"}, 1},
		"image last":    {[]string{"text", "error", "png"}, 1},
		"two images":    {[]string{"png", "jpeg"}, 2},
		"all images":    {[]string{"png", "text", "jpeg", "image_with_words", "two_images"}, 4},
		"same tool":     {[]string{"png", "png", "text", "text"}, 2},
		"no image":      {[]string{"text", "error", "structured"}, 0},
	}
	everyWay(t, func(t *testing.T, p provider, m mode) {
		for name, turn := range turns {
			t.Run(name, func(t *testing.T) {
				var reply fake.Reply
				var called []string
				for _, c := range turn.calls {
					reply.Calls = append(reply.Calls, call(c))
					called = append(called, "k__"+c)
				}
				api, model := p.model(t, reply)
				a := agent(model, tools)
				result, err := m.run(t.Context(), a, "hello", nil)
				require.NoError(t, err)
				_, err = m.run(t.Context(), a, "and now?", persisted(t, "hello", result))
				require.NoError(t, err)
				accepted(t, api)
				for _, turn := range api.Accepted()[1:] {
					var answered []string
					for _, r := range turn.Results {
						answered = append(answered, r.Tool)
					}
					assert.ElementsMatch(t, called, answered)
				}
				images := turn.images
				if p.losesMedia {
					images = 0
				}
				assert.Len(t, api.Accepted()[1].Images, images)
				assert.Len(t, api.Accepted()[2].Images, images)
			})
		}
	})
}
