package fake

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Anthropic starts a fake of Anthropic's messages.
func Anthropic(t testing.TB, script ...Reply) *API { return start(t, anthropic{}, script) }

var (
	anthropicName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`)
	// https://github.com/diegosouzapw/OmniRoute/issues/13552
	anthropicKey   = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)
	anthropicID    = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)
	anthropicRules = rules{keys: anthropicKey}
)

// anthropicImage bounds the base64 text of one image.
const anthropicImage = 5 << 20

type anthropic struct{}

func (anthropic) refusal(message string) any {
	return object{"type": "error", "error": object{"type": "invalid_request_error", "message": message}}
}

func (anthropic) read(r *http.Request, body map[string]any) (q Request, err error) {
	if r.URL.Path != "/v1/messages" {
		return q, fmt.Errorf("unknown path %s", r.URL.Path)
	}
	q.Stream, _ = body["stream"].(bool)
	if _, ok := body["max_tokens"].(json.Number); !ok {
		return q, errors.New("max_tokens: field required")
	}
	names := toolNames{legal: anthropicName}
	if v, found := body["tools"]; found {
		err = each("tools", v, func(path string, o object) error {
			tool, err := anthropicTool(path, o, &names)
			q.Tools = append(q.Tools, tool)
			return err
		})
	}
	if err != nil {
		return q, err
	}
	talk := anthropicTalk{request: &q, tool: map[string]string{}}
	if err := each("messages", body["messages"], talk.message); err != nil {
		return q, err
	}
	return q, talk.answered("messages")
}

func anthropicTool(path string, o object, names *toolNames) (t Tool, err error) {
	if t.Name, err = asString(path+".name", o["name"]); err != nil {
		return t, err
	}
	if err = names.add(path, t.Name); err != nil {
		return t, err
	}
	t.Description, _ = o["description"].(string)
	s, err := asObject(path+".input_schema", o["input_schema"])
	if err != nil {
		return t, err
	}
	if _, found := s["required"]; !found {
		s["required"] = []any{} // optional in this API, but not to be null
	}
	t.Schema, err = anthropicRules.parameters(path+".input_schema", s)
	return t, err
}

// anthropicTalk goes through the messages of a request. All uses of tools in
// one message must be answered at the beginning of the next one.
type anthropicTalk struct {
	request *Request
	tool    map[string]string // by ID, of all messages
	open    map[string]bool   // IDs of the message before, without an answer
	other   bool              // the message has blocks other than results
}

func (c *anthropicTalk) answered(path string) error {
	for id := range c.open {
		return fmt.Errorf("%s: tool_use ids were found without tool_result blocks immediately after: %s (%s)", path, id, c.tool[id])
	}
	return nil
}

func (c *anthropicTalk) message(path string, m object) error {
	role := m["role"]
	if role != "user" && role != "assistant" {
		return fmt.Errorf("%s: unknown role %v", path, role)
	}
	if role == "assistant" {
		if err := c.answered(path); err != nil {
			return err
		}
		c.open = map[string]bool{}
	}
	c.other = false
	if text, ok := m["content"].(string); ok {
		return notBlank(path+".content", text)
	}
	if l, ok := m["content"].([]any); ok && len(l) == 0 {
		return fmt.Errorf("%s.content: at least one block is required", path)
	}
	if err := each(path+".content", m["content"], func(path string, b object) error { return c.block(path, role == "user", b) }); err != nil {
		return err
	}
	if role == "user" {
		return c.answered(path)
	}
	return nil
}

func notBlank(path, text string) error {
	if strings.TrimSpace(text) == "" {
		return fmt.Errorf("%s: text content blocks must be non-empty and contain non-whitespace text", path)
	}
	return nil
}

func (c *anthropicTalk) block(path string, user bool, b object) error {
	typ, _ := b["type"].(string)
	if typ != "tool_result" {
		c.other = true
	}
	switch {
	case typ == "text":
		text, err := asString(path+".text", b["text"])
		if err != nil {
			return err
		}
		return notBlank(path, text)
	case typ == "image" && user:
		return c.image(path, b)
	case typ == "tool_use" && !user:
		return c.use(path, b)
	case typ == "tool_result" && user:
		return c.result(path, b)
	}
	return fmt.Errorf("%s: unexpected block of type %q", path, typ)
}

func (c *anthropicTalk) image(path string, b object) error {
	source, err := asObject(path+".source", b["source"])
	if err != nil {
		return err
	}
	mediaType, _ := source["media_type"].(string)
	data, err := asString(path+".source.data", source["data"])
	if err != nil {
		return err
	}
	image, err := readImage(path, mediaType, data, anthropicImage)
	c.request.Images = append(c.request.Images, image)
	return err
}

func (c *anthropicTalk) use(path string, b object) error {
	id, _ := b["id"].(string)
	name, _ := b["name"].(string)
	if !anthropicID.MatchString(id) || c.tool[id] != "" {
		return fmt.Errorf("%s: tool_use ids must be unique and match %s; %q is not", path, anthropicID, id)
	}
	if !anthropicName.MatchString(name) {
		return fmt.Errorf("%s: name %q", path, name)
	}
	c.tool[id], c.open[id] = name, true
	_, err := asObject(path+".input", b["input"])
	return err
}

func (c *anthropicTalk) result(path string, b object) error {
	id, _ := b["tool_use_id"].(string)
	if !c.open[id] {
		return fmt.Errorf("%s: each tool_result block must have a corresponding tool_use block in the previous message; %q has not", path, id)
	}
	if c.other {
		return fmt.Errorf("%s: tool_result blocks must come first", path)
	}
	delete(c.open, id)
	r := Result{Tool: c.tool[id]}
	r.IsError, _ = b["is_error"].(bool)
	var texts []string
	err := each(path+".content", b["content"], func(path string, part object) error {
		switch {
		case part["type"] == "text":
			text, _ := part["text"].(string)
			texts = append(texts, text)
			return notBlank(path, text)
		case r.IsError:
			return fmt.Errorf("%s: all content must be type text if is_error is true", path)
		case part["type"] == "image":
			return c.image(path, part)
		}
		return fmt.Errorf("%s: unexpected block of type %v", path, part["type"])
	})
	// https://github.com/UKGovernmentBEIS/inspect_ai/pull/169
	if err == nil && r.IsError && len(texts) == 0 {
		err = fmt.Errorf("%s: content cannot be empty if is_error is true", path)
	}
	r.Text = strings.Join(texts, "\n")
	c.request.Results = append(c.request.Results, r)
	return err
}

func (anthropic) answer(w http.ResponseWriter, n int, reply Reply, stream bool) {
	content, reason := []any{}, "end_turn"
	if reply.Text != "" {
		content = append(content, object{"type": "text", "text": reply.Text})
	}
	for i, call := range reply.Calls {
		reason = "tool_use"
		content = append(content, object{
			"type": "tool_use", "id": cmp.Or(call.ID, callID(n, i)), "name": call.Tool,
			"input": json.RawMessage(cmp.Or(call.Arguments, "{}")),
		})
	}
	whole := object{
		"id": "msg_" + strconv.Itoa(n), "type": "message", "role": "assistant", "model": "fake",
		"content": content, "stop_reason": reason, "usage": object{"input_tokens": 1, "output_tokens": 1},
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
	whole["content"], whole["stop_reason"] = []any{}, nil
	send("message_start", object{"message": whole})
	for i, v := range content {
		b := v.(object)
		delta := object{"type": "text_delta", "text": b["text"]}
		if b["type"] == "text" {
			b["text"] = ""
		} else {
			input := b["input"].(json.RawMessage)
			delta, b["input"] = object{"type": "input_json_delta", "partial_json": string(input)}, object{}
		}
		send("content_block_start", object{"index": i, "content_block": b})
		send("content_block_delta", object{"index": i, "delta": delta})
		send("content_block_stop", object{"index": i})
	}
	send("message_delta", object{"delta": object{"stop_reason": reason}, "usage": object{"output_tokens": 1}})
	send("message_stop", object{})
}
