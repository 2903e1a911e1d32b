package toolresult_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"testing"

	"charm.land/fantasy"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient/internal/toolresult"
)

// tool answers every call with one response.
type tool struct{ response fantasy.ToolResponse }

func (tool) Info() fantasy.ToolInfo {
	return fantasy.ToolInfo{Name: "t", Parameters: map[string]any{}, Required: []string{}}
}

func (t tool) Run(context.Context, fantasy.ToolCall) (fantasy.ToolResponse, error) {
	return t.response, nil
}
func (tool) ProviderOptions() fantasy.ProviderOptions   { return nil }
func (tool) SetProviderOptions(fantasy.ProviderOptions) {}

// model calls the tool once in its first turn, then only talks. It keeps the
// prompt it was last given.
type model struct {
	fantasy.LanguageModel
	called bool
	prompt fantasy.Prompt
}

func (*model) Provider() string { return "test" }
func (*model) Model() string    { return "test" }

func (m *model) Generate(_ context.Context, call fantasy.Call) (*fantasy.Response, error) {
	m.prompt = call.Prompt
	if m.called {
		return &fantasy.Response{Content: fantasy.ResponseContent{fantasy.TextContent{Text: "ok"}}, FinishReason: fantasy.FinishReasonStop}, nil
	}
	m.called = true
	return &fantasy.Response{
		Content:      fantasy.ResponseContent{fantasy.ToolCallContent{ToolCallID: "1", ToolName: "t", Input: "{}"}},
		FinishReason: fantasy.FinishReasonToolCalls,
	}, nil
}

// toolResult finds the one tool result of a prompt.
func toolResult(t *testing.T, messages []fantasy.Message) fantasy.ToolResultPart {
	t.Helper()
	var found []fantasy.ToolResultPart
	for _, m := range messages {
		for _, part := range m.Content {
			if r, ok := fantasy.AsMessagePart[fantasy.ToolResultPart](part); ok {
				found = append(found, r)
			}
		}
	}
	require.Len(t, found, 1)
	return found[0]
}

// TestSecondTurn runs each kind of result through an agent, persists the
// conversation as JSON, reads it again and goes on with it.
func TestSecondTurn(t *testing.T) {
	for name, raw := range map[string]string{
		"text":             content(text("hello")),
		"empty":            content(),
		"image":            content(image("image/png", png)),
		"image and text":   content(text("see"), image("image/png", jpeg)),
		"error":            failed(content(text("bad"))),
		"empty error":      failed(content(text(" "))),
		"error with image": failed(content(image("image/png", png))),
		"structured":       `{"structuredContent":{"id":9007199254740993,"s":"<&>\u2028"}}`,
		"broken text":      content("{\"type\":\"text\",\"text\":\"\xff\\ud800\\u0000x\"}"),
		"not JSON":         `<html>`,
		"for the user":     content(`{"type":"text","text":"x","annotations":{"audience":["user"]}}`),
		"input required":   `{"resultType":"input_required"}`,
	} {
		t.Run(name, func(t *testing.T) {
			r := convert(t, raw, toolresult.Options{Server: "s", Tool: "t"})
			m := &model{}
			agent := fantasy.NewAgent(m, fantasy.WithTools(tool{r}))
			result, err := agent.Generate(t.Context(), fantasy.AgentCall{Prompt: "go"})
			require.NoError(t, err)
			require.Len(t, result.Steps, 2)

			var history []fantasy.Message
			for _, step := range result.Steps {
				history = append(history, step.Messages...)
			}
			persisted, err := json.Marshal(history)
			require.NoError(t, err)
			var restored []fantasy.Message
			require.NoError(t, json.Unmarshal(persisted, &restored))

			_, err = agent.Generate(t.Context(), fantasy.AgentCall{Prompt: "again", Messages: restored})
			require.NoError(t, err)
			checkOutput(t, r, toolResult(t, m.prompt).Output)
		})
	}
}

func checkOutput(t *testing.T, r fantasy.ToolResponse, output fantasy.ToolResultOutputContent) {
	t.Helper()
	switch o := output.(type) {
	case fantasy.ToolResultOutputContentError:
		assert.True(t, r.IsError)
		assert.EqualError(t, o.Error, r.Content)
	case fantasy.ToolResultOutputContentMedia:
		assert.Equal(t, "image", r.Type)
		assert.Equal(t, base64.StdEncoding.EncodeToString(r.Data), o.Data)
		assert.Equal(t, r.MediaType, o.MediaType)
		assert.Equal(t, r.Content, o.Text)
	case fantasy.ToolResultOutputContentText:
		assert.Equal(t, "text", r.Type)
		assert.False(t, r.IsError)
		assert.Equal(t, r.Content, o.Text)
	default:
		t.Fatalf("unexpected output %T", output)
	}
}

func TestToolResultContentKeepsMetadata(t *testing.T) {
	r := convert(t, `{"structuredContent":{"id":9007199254740993,"s":"<&>\u2028"},"_meta":{"k":1}}`, toolresult.Options{Server: "s", Tool: "t"})
	b, err := json.Marshal(fantasy.ToolResultContent{
		ToolCallID: "1", ToolName: "t", ClientMetadata: r.Metadata,
		Result: fantasy.ToolResultOutputContentText{Text: r.Content},
	})
	require.NoError(t, err)
	restored, err := fantasy.UnmarshalContent(b)
	require.NoError(t, err)
	assert.Equal(t, r.Metadata, restored.(fantasy.ToolResultContent).ClientMetadata)
}
