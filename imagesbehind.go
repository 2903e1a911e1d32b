package mcpclient

import (
	"encoding/base64"
	"fmt"
	"strings"

	"charm.land/fantasy"
)

// imagesBehind moves images out of tool results into a message of the user
// behind all results of the turn; nil: there is nothing to move. The messages
// given are not modified.
func imagesBehind(messages []fantasy.Message) []fantasy.Message {
	var moved []fantasy.Message
	for i, m := range messages {
		results, images := withoutImages(m)
		if len(images) > 0 && moved == nil {
			moved = append(make([]fantasy.Message, 0, len(messages)+1), messages[:i]...)
		}
		if moved != nil {
			moved = append(moved, results)
		}
		if len(images) > 0 {
			moved = append(moved, fantasy.Message{Role: fantasy.MessageRoleUser, Content: images})
		}
	}
	return moved
}

// withoutImages gives a message of tool results with words in place of images,
// and the images as parts of another message.
func withoutImages(m fantasy.Message) (results fantasy.Message, images []fantasy.MessagePart) {
	if m.Role != fantasy.MessageRoleTool {
		return m, nil
	}
	content := make([]fantasy.MessagePart, len(m.Content))
	for i, part := range m.Content {
		content[i] = part
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
		content[i] = result
		images = append(images,
			fantasy.TextPart{Text: "[" + name + " of the tool results]"},
			fantasy.FilePart{Filename: name, Data: data, MediaType: media.MediaType})
	}
	m.Content = content
	return m, images
}
