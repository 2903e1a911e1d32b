package mcpclient

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"charm.land/fantasy"
)

// imagesBehind moves images out of tool results into a message of the user
// behind all results of the turn; nil: there is nothing to move. Hosts may keep
// the results of a turn as one message or as several in a row, which nothing may
// come between. The messages given are not modified.
func imagesBehind(messages []fantasy.Message) []fantasy.Message {
	moved := make([]fantasy.Message, 0, len(messages)+1)
	var images []fantasy.MessagePart // of the turn so far
	for i, m := range messages {
		m, images = withoutImages(m, images)
		moved = append(moved, m)
		turnEnds := i+1 == len(messages) || messages[i+1].Role != fantasy.MessageRoleTool
		if len(images) > 0 && turnEnds {
			moved = append(moved, fantasy.Message{Role: fantasy.MessageRoleUser, Content: images})
			images = nil
		}
	}
	if len(moved) == len(messages) {
		return nil
	}
	return moved
}

// withoutImages gives a message of tool results with words in place of images,
// and the images of the turn with those of the message, as parts of another
// message: two parts for each.
func withoutImages(m fantasy.Message, images []fantasy.MessagePart) (fantasy.Message, []fantasy.MessagePart) {
	if m.Role != fantasy.MessageRoleTool {
		return m, images
	}
	m.Content = slices.Clone(m.Content)
	for i, part := range m.Content {
		result, ok := fantasy.AsMessagePart[fantasy.ToolResultPart](part)
		if !ok || result.Output == nil {
			continue
		}
		media, ok := fantasy.AsToolResultOutputType[fantasy.ToolResultOutputContentMedia](result.Output)
		if !ok || !strings.HasPrefix(media.MediaType, "image/") {
			continue
		}
		data, err := base64.StdEncoding.DecodeString(media.Data)
		if err != nil {
			continue
		}
		name := fmt.Sprintf("image %d", len(images)/2+1)
		text := strings.TrimSpace(media.Text + "\n[" + name + " is in the message behind the results]")
		result.Output = fantasy.ToolResultOutputContentText{Text: text}
		m.Content[i] = result
		images = append(images,
			fantasy.TextPart{Text: "[" + name + " of the tool results]"},
			fantasy.FilePart{Filename: name, Data: data, MediaType: media.MediaType})
	}
	return m, images
}
