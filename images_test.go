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
