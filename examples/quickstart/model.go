package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"charm.land/fantasy"
)

// scriptedModel stands in for a real model. It asks for two tools in one
// generation, and answers from what they return.
type scriptedModel struct{}

const (
	forecastTool = "weather__forecast"
	searchTool   = "notes__search"
)

var errStreamOnly = errors.New("the scripted model can only stream")

func (scriptedModel) Provider() string { return "demo" }
func (scriptedModel) Model() string    { return "scripted" }

func (scriptedModel) Generate(context.Context, fantasy.Call) (*fantasy.Response, error) {
	return nil, errStreamOnly
}

func (scriptedModel) GenerateObject(context.Context, fantasy.ObjectCall) (*fantasy.ObjectResponse, error) {
	return nil, errStreamOnly
}

func (scriptedModel) StreamObject(context.Context, fantasy.ObjectCall) (fantasy.ObjectStreamResponse, error) {
	return nil, errStreamOnly
}

func (scriptedModel) Stream(_ context.Context, call fantasy.Call) (fantasy.StreamResponse, error) {
	results := toolResults(call.Prompt)
	if calls := requests(call.Tools); len(results) == 0 && len(calls) > 0 {
		return stream(fantasy.FinishReasonToolCalls, calls...), nil
	}
	return stream(fantasy.FinishReasonStop,
		fantasy.StreamPart{Type: fantasy.StreamPartTypeTextStart, ID: "answer"},
		fantasy.StreamPart{Type: fantasy.StreamPartTypeTextDelta, ID: "answer", Delta: answer(results)},
		fantasy.StreamPart{Type: fantasy.StreamPartTypeTextEnd, ID: "answer"},
	), nil
}

func stream(why fantasy.FinishReason, parts ...fantasy.StreamPart) fantasy.StreamResponse {
	parts = append(parts, fantasy.StreamPart{Type: fantasy.StreamPartTypeFinish, FinishReason: why})
	return func(yield func(fantasy.StreamPart) bool) {
		for _, part := range parts {
			if !yield(part) {
				return
			}
		}
	}
}

// requests are the tool calls of the first generation. The identifier of a call
// is the name of its tool, since each is called once.
func requests(offered []fantasy.Tool) []fantasy.StreamPart {
	arguments := map[string]string{forecastTool: `{"city":"Lisbon"}`, searchTool: `{"query":"Lisbon"}`}
	var parts []fantasy.StreamPart
	for _, tool := range offered {
		if args, ok := arguments[tool.GetName()]; ok {
			parts = append(parts, fantasy.StreamPart{
				Type: fantasy.StreamPartTypeToolCall, ID: tool.GetName(), ToolCallName: tool.GetName(), ToolCallInput: args,
			})
		}
	}
	return parts
}

// toolResults are the texts of the tools' results, by the identifier of the call.
func toolResults(prompt fantasy.Prompt) map[string]string {
	results := map[string]string{}
	for _, message := range prompt {
		for _, part := range message.Content {
			if r, ok := fantasy.AsMessagePart[fantasy.ToolResultPart](part); ok {
				results[r.ToolCallID] = resultText(r.Output)
			}
		}
	}
	return results
}

// answer makes a sentence of each result that is there: a server that could not
// be connected costs its part of the answer, and no more.
func answer(results map[string]string) string {
	sentences := []string{"I can't look up the weather.", "I can't search your notes."}
	var f forecast
	if json.Unmarshal([]byte(results[forecastTool]), &f) == nil {
		sentences[0] = fmt.Sprintf("%s will be %s tomorrow, with %v degrees.", f.City, f.Sky, f.High)
	}
	if note, ok := results[searchTool]; ok {
		sentences[1] = "Your notes say: " + note
	}
	return strings.Join(sentences, " ")
}

// resultText is a tool's result as one text.
func resultText(output fantasy.ToolResultOutputContent) string {
	switch o := output.(type) {
	case fantasy.ToolResultOutputContentText:
		return o.Text
	case fantasy.ToolResultOutputContentError:
		return "error: " + o.Error.Error()
	case fantasy.ToolResultOutputContentMedia:
		return strings.TrimSpace(fmt.Sprintf("[%s] %s", o.MediaType, o.Text))
	}
	return ""
}
