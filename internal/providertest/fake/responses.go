package fake

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"testing"
)

// OpenAIResponses starts a fake of OpenAI's responses.
func OpenAIResponses(t testing.TB, script ...Reply) *API {
	return start(t, &responses{chat{names: openAIName, rules: openAIRules, tools: 128}}, script)
}

type responses struct{ chat }

func (c *responses) read(r *http.Request, body map[string]any) (q Request, err error) {
	if r.URL.Path != "/responses" {
		return q, fmt.Errorf("unknown path %s", r.URL.Path)
	}
	q.Stream, _ = body["stream"].(bool)
	names := toolNames{legal: c.names, most: c.tools}
	if v, found := body["tools"]; found {
		err = each("tools", v, func(path string, o object) error {
			if o["type"] != "function" {
				return fmt.Errorf("%s: unexpected tool of type %v", path, o["type"])
			}
			tool, err := c.tool(path, o, &names)
			q.Tools = append(q.Tools, tool)
			return err
		})
	}
	if err != nil {
		return q, err
	}
	talk := responsesTalk{request: &q, tool: map[string]string{}, open: map[string]bool{}}
	if err := each("input", body["input"], talk.item); err != nil {
		return q, err
	}
	for id := range talk.open {
		return q, fmt.Errorf("input: no tool output found for function call %s (%s)", id, talk.tool[id])
	}
	return q, nil
}

// responsesTalk goes through the items of a request. A call's output may stand
// anywhere behind it.
type responsesTalk struct {
	request *Request
	tool    map[string]string // by call ID
	open    map[string]bool   // IDs of calls without an output
}

func (c *responsesTalk) item(path string, o object) error {
	switch o["type"] {
	case "function_call":
		id, _ := o["call_id"].(string)
		name, _ := o["name"].(string)
		if id == "" || c.tool[id] != "" || !openAIName.MatchString(name) {
			return fmt.Errorf("%s: call_id %q, name %q", path, id, name)
		}
		c.tool[id], c.open[id] = name, true
		_, err := asString(path+".arguments", o["arguments"])
		return err
	case "function_call_output":
		id, _ := o["call_id"].(string)
		if !c.open[id] {
			return fmt.Errorf("%s: no tool call found for function call output with call_id %q", path, id)
		}
		delete(c.open, id)
		text, err := asString(path+".output", o["output"])
		c.request.Results = append(c.request.Results, Result{Tool: c.tool[id], Text: text})
		return err
	case nil, "message":
		return c.message(path, o)
	}
	return fmt.Errorf("%s: unexpected item of type %v", path, o["type"])
}

func (c *responsesTalk) message(path string, o object) error {
	if _, ok := o["content"].(string); ok {
		return nil
	}
	return each(path+".content", o["content"], func(path string, part object) error {
		switch part["type"] {
		case "input_text", "output_text":
			_, err := asString(path+".text", part["text"])
			return err
		case "input_image":
			image, err := readDataURL(path+".image_url", part["image_url"])
			c.request.Images = append(c.request.Images, image)
			return err
		}
		return fmt.Errorf("%s: unexpected part of type %v", path, part["type"])
	})
}

func (c *responses) answer(w http.ResponseWriter, n int, reply Reply, stream bool) {
	var output []any
	if reply.Text != "" {
		output = append(output, object{
			"type": "message", "id": "msg_" + strconv.Itoa(n), "role": "assistant", "status": "completed",
			"content": []any{object{"type": "output_text", "text": reply.Text, "annotations": []any{}}},
		})
	}
	for i, call := range reply.Calls {
		output = append(output, object{
			"type": "function_call", "id": fmt.Sprintf("fc_%d_%d", n, i), "status": "completed",
			"call_id": cmp.Or(call.ID, callID(n, i)), "name": call.Tool, "arguments": cmp.Or(call.Arguments, "{}"),
		})
	}
	whole := object{
		"id": "resp_" + strconv.Itoa(n), "object": "response", "created_at": 1, "model": "fake",
		"status": "completed", "output": output,
		"usage": object{"input_tokens": 1, "output_tokens": 1, "total_tokens": 2},
	}
	if !stream {
		sendJSON(w, http.StatusOK, whole)
		return
	}
	e := sendEvents(w)
	send := func(name string, o object) {
		o["type"] = name
		e.send(name, o)
	}
	send("response.created", object{"response": object{"id": whole["id"], "status": "in_progress"}})
	for i, v := range output {
		item := v.(object)
		send("response.output_item.added", object{"output_index": i, "item": item})
		if item["type"] == "message" {
			send("response.output_text.delta", object{"output_index": i, "item_id": item["id"], "delta": reply.Text})
		}
		send("response.output_item.done", object{"output_index": i, "item": item})
	}
	send("response.completed", object{"response": whole})
}
