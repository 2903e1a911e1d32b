package mcpclient_test

import (
	"encoding/base64"
	"testing"

	"charm.land/fantasy"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient"
)

func TestFantasyVersionsAreCompared(t *testing.T) {
	t.Parallel()
	least := [3]int{0, 45, 4}
	for version, want := range map[string]bool{
		"v0.45.4": true, "v0.45.5": true, "v0.48.0": true, "v1.0.0": true, "v0.45.4-rc1": true,
		"v0.45.3": false, "v0.41.2": false, "(devel)": false, "": false,
	} {
		require.Equal(t, want, mcpclient.AtLeast(version, least), version)
	}
}

func TestImagesOfTheConversationAreMovedBehindTheResultsOfTheirTurn(t *testing.T) {
	t.Parallel()
	png := base64.StdEncoding.EncodeToString([]byte("png"))
	result := func(id string, output fantasy.ToolResultOutputContent) fantasy.MessagePart {
		return fantasy.ToolResultPart{ToolCallID: id, Output: output}
	}
	messages := []fantasy.Message{
		fantasy.NewUserMessage("look"),
		{Role: fantasy.MessageRoleTool, Content: []fantasy.MessagePart{
			result("1", fantasy.ToolResultOutputContentMedia{Data: png, MediaType: "image/png", Text: "a cat"}),
			result("2", fantasy.ToolResultOutputContentText{Text: "plain"}),
		}},
		fantasy.NewUserMessage("and now"),
	}
	prepare := func(provider string) []fantasy.Message {
		_, prepared, err := mcpclient.PrepareStep(t.Context(), fantasy.PrepareStepFunctionOptions{Model: model{provider: provider}, Messages: messages})
		require.NoError(t, err)
		return prepared.Messages
	}
	require.Nil(t, prepare("anthropic"), "it takes images in results")
	moved := prepare("google")
	require.Len(t, moved, 4)
	require.Equal(t, messages[0], moved[0])
	require.Equal(t, messages[2], moved[3])
	text, ok := fantasy.AsToolResultOutputType[fantasy.ToolResultOutputContentText](moved[1].Content[0].(fantasy.ToolResultPart).Output)
	require.True(t, ok)
	require.Equal(t, "a cat\n[image 1 is in the message behind the results]", text.Text)
	require.Equal(t, messages[1].Content[1], moved[1].Content[1])
	require.Equal(t, fantasy.MessageRoleUser, moved[2].Role)
	require.Equal(t, fantasy.FilePart{Filename: "image 1", Data: []byte("png"), MediaType: "image/png"}, moved[2].Content[1])
	media, _ := fantasy.AsToolResultOutputType[fantasy.ToolResultOutputContentMedia](messages[1].Content[0].(fantasy.ToolResultPart).Output)
	require.Equal(t, png, media.Data, "what was given is not modified")

	messages = messages[:1]
	require.Nil(t, prepare("google"), "there is nothing to move")
}

func TestImagesDoNotComeBetweenTheResultsOfATurn(t *testing.T) {
	t.Parallel()
	png := base64.StdEncoding.EncodeToString([]byte("png"))
	tool := func(outputs ...fantasy.ToolResultOutputContent) fantasy.Message {
		m := fantasy.Message{Role: fantasy.MessageRoleTool}
		for _, output := range outputs {
			m.Content = append(m.Content, fantasy.ToolResultPart{ToolCallID: "1", Output: output})
		}
		return m
	}
	text := func(s string) fantasy.ToolResultOutputContent { return fantasy.ToolResultOutputContentText{Text: s} }
	image := fantasy.ToolResultOutputContentMedia{Data: png, MediaType: "image/png"}
	behind := func(n string) fantasy.ToolResultOutputContent {
		return text("[image " + n + " is in the message behind the results]")
	}
	user := func(numbers ...string) fantasy.Message {
		m := fantasy.Message{Role: fantasy.MessageRoleUser}
		for _, n := range numbers {
			m.Content = append(m.Content, fantasy.TextPart{Text: "[image " + n + " of the tool results]"},
				fantasy.FilePart{Filename: "image " + n, Data: []byte("png"), MediaType: "image/png"})
		}
		return m
	}
	calls := fantasy.Message{Role: fantasy.MessageRoleAssistant, Content: []fantasy.MessagePart{fantasy.ToolCallPart{ToolCallID: "1", ToolName: "a", Input: "{}"}}}
	for name, tt := range map[string]struct{ given, want []fantasy.Message }{
		"the first of several messages": {
			[]fantasy.Message{calls, tool(image), tool(text("a")), tool(text("b"))},
			[]fantasy.Message{calls, tool(behind("1")), tool(text("a")), tool(text("b")), user("1")},
		},
		"several of several messages": {
			[]fantasy.Message{calls, tool(text("a")), tool(image, text("b"), image), tool(image), fantasy.NewUserMessage("go on")},
			[]fantasy.Message{calls, tool(text("a")), tool(behind("1"), text("b"), behind("2")), tool(behind("3")), user("1", "2", "3"), fantasy.NewUserMessage("go on")},
		},
		"two turns": {
			[]fantasy.Message{calls, tool(image), tool(text("a")), calls, tool(text("b")), tool(image), calls, tool(text("c"))},
			[]fantasy.Message{calls, tool(behind("1")), tool(text("a")), user("1"), calls, tool(text("b")), tool(behind("1")), user("1"), calls, tool(text("c"))},
		},
		"none": {[]fantasy.Message{calls, tool(text("a")), tool(text("b"))}, nil},
	} {
		for _, provider := range []string{"google", "vertex"} { // the second sees whether the first has modified what was given
			_, prepared, err := mcpclient.PrepareStep(t.Context(), fantasy.PrepareStepFunctionOptions{Model: model{provider: provider}, Messages: tt.given})
			require.NoError(t, err)
			require.Equal(t, tt.want, prepared.Messages, "%s, %s", name, provider)
		}
	}
}
