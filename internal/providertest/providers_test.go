package providertest_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"charm.land/fantasy"
	"charm.land/fantasy/providers/anthropic"
	"charm.land/fantasy/providers/google"
	"charm.land/fantasy/providers/openai"
	"charm.land/fantasy/providers/openrouter"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient/internal/providertest/fake"
)

// asked skips a test unless the run was asked for.
func asked(t *testing.T) {
	t.Helper()
	if os.Getenv("MCP_PROVIDERTEST") != "1" {
		t.Skip("set MCP_PROVIDERTEST=1 to run the tests of providers")
	}
}

// provider is one of fantasy's providers with the fake that it speaks to.
type provider struct {
	name  string
	fake  func(testing.TB, ...fake.Reply) *fake.API
	open  func(url string) (fantasy.Provider, error)
	tools int // most tools of one request

	verbatim   bool // schemas are sent as they are
	marked     bool // errors are marked as such
	losesMedia bool // a result with an image is not sent at all
}

const key = "key-of-nobody"

var providers = []provider{
	{
		name: "openai", fake: fake.OpenAIChat, tools: 128, verbatim: true,
		open: func(url string) (fantasy.Provider, error) {
			return openai.New(openai.WithBaseURL(url), openai.WithAPIKey(key))
		},
	},
	{
		name: "responses", fake: fake.OpenAIResponses, tools: 128, verbatim: true,
		open: func(url string) (fantasy.Provider, error) {
			return openai.New(openai.WithBaseURL(url), openai.WithAPIKey(key), openai.WithUseResponsesAPI(),
				openai.WithResponsesAPIFunc(func(string) bool { return true }))
		},
	},
	{
		name: "anthropic", fake: fake.Anthropic, tools: 512, verbatim: true, marked: true,
		open: func(url string) (fantasy.Provider, error) {
			return anthropic.New(anthropic.WithBaseURL(url), anthropic.WithAPIKey(key))
		},
	},
	{
		name: "google", fake: fake.Google, tools: 512, losesMedia: true,
		open: func(url string) (fantasy.Provider, error) {
			return google.New(google.WithBaseURL(url), google.WithGeminiAPIKey(key))
		},
	},
	{
		name: "openrouter", fake: fake.OpenRouter, tools: 128, verbatim: true, losesMedia: true,
		open: func(url string) (fantasy.Provider, error) {
			// The provider has no option for the URL, which its fake gets by
			// way of the transport.
			return openrouter.New(openrouter.WithAPIKey(key), openrouter.WithHTTPClient(redirected(url)))
		},
	},
}

// model starts the provider's fake and opens a model on it.
func (p provider) model(t *testing.T, script ...fake.Reply) (*fake.API, fantasy.LanguageModel) {
	t.Helper()
	api := p.fake(t, script...)
	return api, p.on(t, api)
}

// on opens a model on a fake that runs.
func (p provider) on(t *testing.T, api *fake.API) fantasy.LanguageModel {
	t.Helper()
	opened, err := p.open(api.URL)
	require.NoError(t, err)
	model, err := opened.LanguageModel(context.Background(), "fake")
	require.NoError(t, err)
	return model
}

// mode is one of fantasy's two ways to run an agent.
type mode struct {
	name string
	run  func(context.Context, fantasy.Agent, string, []fantasy.Message) (*fantasy.AgentResult, error)
}

var modes = []mode{
	{"generate", func(ctx context.Context, a fantasy.Agent, prompt string, history []fantasy.Message) (*fantasy.AgentResult, error) {
		return a.Generate(ctx, fantasy.AgentCall{Prompt: prompt, Messages: history, MaxRetries: new(int)})
	}},
	{"stream", func(ctx context.Context, a fantasy.Agent, prompt string, history []fantasy.Message) (*fantasy.AgentResult, error) {
		return a.Stream(ctx, fantasy.AgentStreamCall{Prompt: prompt, Messages: history, MaxRetries: new(int)})
	}},
}

// everyWay runs a test on every provider in every mode.
func everyWay(t *testing.T, test func(t *testing.T, p provider, m mode)) {
	t.Helper()
	for _, p := range providers {
		for _, m := range modes {
			t.Run(p.name+" "+m.name, func(t *testing.T) { test(t, p, m) })
		}
	}
}

// accepted fails the test with what the fake has refused.
func accepted(t *testing.T, api *fake.API) {
	t.Helper()
	require.Empty(t, strings.Join(api.Refusals(), "\n"), "refused by the provider")
}
