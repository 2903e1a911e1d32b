package fake_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient/internal/providertest/fake"
)

// apis are how each fake is started, and how one tool and one talk are said in
// its dialect.
var apis = map[string]struct {
	start func(testing.TB, ...fake.Reply) *fake.API
	path  string
	body  func(tools, talk string) string
	tool  func(name, schema string) string
}{
	"openai": {
		fake.OpenAIChat, "/chat/completions", chatBody, chatTool,
	},
	"openrouter": {
		fake.OpenRouter, "/chat/completions", chatBody, chatTool,
	},
	"responses": {
		fake.OpenAIResponses, "/responses",
		func(tools, talk string) string {
			return `{"input":[{"role":"user","content":"hi"}` + talk + `],"tools":[` + tools + `]}`
		},
		func(name, schema string) string {
			return fmt.Sprintf(`{"type":"function","name":%q,"parameters":%s}`, name, schema)
		},
	},
	"anthropic": {
		fake.Anthropic, "/v1/messages",
		func(tools, talk string) string {
			return `{"max_tokens":1,"messages":[{"role":"user","content":"hi"}` + talk + `],"tools":[` + tools + `]}`
		},
		func(name, schema string) string { return fmt.Sprintf(`{"name":%q,"input_schema":%s}`, name, schema) },
	},
	"google": {
		fake.Google, "/v1beta/models/m:generateContent",
		func(tools, talk string) string {
			return `{"contents":[{"role":"user","parts":[{"text":"hi"}]}` + talk + `],"tools":[{"functionDeclarations":[` + tools + `]}]}`
		},
		func(name, schema string) string {
			return fmt.Sprintf(`{"name":%q,"parameters":%s}`, name, googleTypes.Replace(schema))
		},
	},
}

// googleTypes spells types as the Gemini API does.
var googleTypes = strings.NewReplacer(
	`"object"`, `"OBJECT"`, `"string"`, `"STRING"`, `"array"`, `"ARRAY"`, `"integer"`, `"INTEGER"`,
)

func chatBody(tools, talk string) string {
	return `{"messages":[{"role":"user","content":"hi"}` + talk + `],"tools":[` + tools + `]}`
}

func chatTool(name, schema string) string {
	return fmt.Sprintf(`{"type":"function","function":{"name":%q,"parameters":%s}}`, name, schema)
}

// ask sends a request; refusal is "" where it was accepted.
func ask(t *testing.T, api, body string) (refusal string) {
	t.Helper()
	require.True(t, json.Valid([]byte(body)), body)
	a := apis[api].start(t)
	answer, err := http.Post(a.URL+apis[api].path, "application/json", strings.NewReader(body))
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	if answer.StatusCode == http.StatusOK {
		require.Empty(t, a.Refusals())
		require.Len(t, a.Accepted(), 1)
		return ""
	}
	require.Equal(t, http.StatusBadRequest, answer.StatusCode)
	require.Len(t, a.Refusals(), 1)
	require.Empty(t, a.Accepted())
	require.NotEmpty(t, a.Refusals()[0])
	require.Contains(t, string(text), map[bool]string{true: "INVALID_ARGUMENT", false: "invalid_request_error"}[api == "google"])
	return a.Refusals()[0]
}
