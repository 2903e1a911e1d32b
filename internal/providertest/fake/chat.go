package fake

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// OpenAIChat starts a fake of OpenAI's chat completions.
func OpenAIChat(t testing.TB, script ...Reply) *API {
	return start(t, &chat{names: openAIName, rules: openAIRules, tools: 128, description: 1024}, script)
}

// OpenRouter starts a fake of OpenRouter's chat completions. OpenRouter hands
// requests on to any provider, so what one of them refuses is refused here.
func OpenRouter(t testing.TB, script ...Reply) *API {
	return start(t, &chat{
		names: regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`),
		rules: rules{keys: anthropicKey, oneType: true, noBoolean: true, enums: true, objectOnly: true},
		tools: 128, noBlank: true,
	}, script)
}

var (
	openAIName  = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	openAIRules = rules{}
)

// chat is the chat completions API.
type chat struct {
	names       *regexp.Regexp
	rules       rules
	tools       int  // most in one request
	description int  // most characters of one, 0: any
	noBlank     bool // a tool message must say something
}

func (c *chat) refusal(message string) any {
	return object{"error": object{"message": message, "type": "invalid_request_error", "param": nil, "code": nil}}
}

func (c *chat) read(r *http.Request, body map[string]any) (q Request, err error) {
	if r.URL.Path != "/chat/completions" {
		return q, fmt.Errorf("unknown path %s", r.URL.Path)
	}
	q.Stream, _ = body["stream"].(bool)
	names := toolNames{legal: c.names, most: c.tools}
	if v, found := body["tools"]; found {
		err = each("tools", v, func(path string, o object) error {
			f, err := asObject(path+".function", o["function"])
			if err != nil {
				return err
			}
			tool, err := c.tool(path+".function", f, &names)
			q.Tools = append(q.Tools, tool)
			return err
		})
	}
	if err != nil {
		return q, err
	}
	talk := chatTalk{chat: c, request: &q, tool: map[string]string{}, open: map[string]bool{}}
	if err := each("messages", body["messages"], talk.message); err != nil {
		return q, err
	}
	return q, talk.answered("messages")
}

func (c *chat) tool(path string, f object, names *toolNames) (t Tool, err error) {
	if t.Name, err = asString(path+".name", f["name"]); err != nil {
		return t, err
	}
	if err = names.add(path, t.Name); err != nil {
		return t, err
	}
	if v, found := f["description"]; found {
		if t.Description, err = asString(path+".description", v); err != nil {
			return t, err
		}
	}
	// https://github.com/getsentry/sentry-mcp/issues/106
	if n := len([]rune(t.Description)); c.description > 0 && n > c.description {
		return t, fmt.Errorf("%s.description: %d characters, more than %d", path, n, c.description)
	}
	t.Schema, err = c.rules.parameters(path+".parameters", f["parameters"])
	if err == nil && f["strict"] == true {
		err = fmt.Errorf("%s: strict, but additionalProperties is not false everywhere", path)
	}
	return t, err
}

// chatTalk goes through the messages of a request. All calls of an assistant
// message must be answered by the tool messages right behind it.
type chatTalk struct {
	*chat
	request *Request
	tool    map[string]string // by call ID
	open    map[string]bool   // IDs of calls without an answer
}

func (c *chatTalk) answered(path string) error {
	for id := range c.open {
		return fmt.Errorf("%s: an assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'; %s (%s) has no response", path, id, c.tool[id])
	}
	return nil
}

func (c *chatTalk) message(path string, m object) error {
	role, _ := m["role"].(string)
	if role != "tool" {
		if err := c.answered(path); err != nil {
			return err
		}
	}
	switch role {
	case "system", "developer":
		_, err := c.text(path, m["content"])
		return err
	case "user":
		return c.user(path, m)
	case "assistant":
		return c.assistant(path, m)
	case "tool":
		return c.result(path, m)
	}
	return fmt.Errorf("%s: unknown role %q", path, role)
}

func (c *chatTalk) user(path string, m object) error {
	if _, ok := m["content"].(string); ok {
		return nil
	}
	return each(path+".content", m["content"], func(path string, part object) error {
		switch part["type"] {
		case "text":
			_, err := asString(path+".text", part["text"])
			return err
		case "image_url":
			at, err := asObject(path+".image_url", part["image_url"])
			if err != nil {
				return err
			}
			image, err := readDataURL(path+".image_url.url", at["url"])
			c.request.Images = append(c.request.Images, image)
			return err
		}
		return fmt.Errorf("%s: unexpected part of type %v", path, part["type"])
	})
}

func (c *chatTalk) assistant(path string, m object) error {
	v, found := m["tool_calls"]
	if !found {
		_, err := c.text(path, m["content"])
		return err
	}
	if l, ok := v.([]any); ok && len(l) == 0 {
		return fmt.Errorf("%s.tool_calls: [] is too short", path)
	}
	return each(path+".tool_calls", v, func(path string, call object) error {
		id, _ := call["id"].(string)
		if id == "" || c.open[id] {
			return fmt.Errorf("%s: missing or duplicate id %q", path, id)
		}
		f, err := asObject(path+".function", call["function"])
		if err != nil {
			return err
		}
		name, _ := f["name"].(string)
		if !c.names.MatchString(name) {
			return fmt.Errorf("%s: name %q", path, name)
		}
		arguments, err := asString(path+".arguments", f["arguments"])
		if err != nil {
			return err
		}
		if c.noBlank && !json.Valid([]byte(arguments)) {
			return fmt.Errorf("%s.arguments: not JSON", path)
		}
		c.tool[id], c.open[id] = name, true
		return nil
	})
}

func (c *chatTalk) result(path string, m object) error {
	id, _ := m["tool_call_id"].(string)
	if !c.open[id] {
		return fmt.Errorf("%s: messages with role 'tool' must be a response to a preceding message with 'tool_calls'; %q is not", path, id)
	}
	delete(c.open, id)
	text, err := c.text(path, m["content"])
	if err == nil && c.noBlank && strings.TrimSpace(text) == "" {
		err = fmt.Errorf("%s: text content blocks must be non-empty", path)
	}
	c.request.Results = append(c.request.Results, Result{Tool: c.tool[id], Text: text})
	return err
}

// text is content that may be text only.
func (c *chatTalk) text(path string, content any) (string, error) {
	if s, ok := content.(string); ok {
		return s, nil
	}
	var all []string
	err := each(path+".content", content, func(path string, part object) error {
		if part["type"] != "text" {
			return fmt.Errorf("%s: a part of type %v, only text is allowed", path, part["type"])
		}
		s, err := asString(path+".text", part["text"])
		all = append(all, s)
		return err
	})
	return strings.Join(all, "\n"), err
}

func (c *chat) answer(w http.ResponseWriter, n int, reply Reply, stream bool) {
	finish, message := "stop", object{"role": "assistant", "content": reply.Text}
	if len(reply.Calls) > 0 {
		finish, message["tool_calls"] = "tool_calls", chatCalls(n, reply.Calls)
	}
	usage := object{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
	base := func(kind string, choices ...any) object {
		return object{"id": "chatcmpl-" + strconv.Itoa(n), "object": kind, "created": 1, "model": "fake", "choices": choices}
	}
	if !stream {
		whole := base("chat.completion", object{"index": 0, "message": message, "finish_reason": finish})
		whole["usage"] = usage
		sendJSON(w, http.StatusOK, whole)
		return
	}
	e := sendEvents(w)
	const chunk = "chat.completion.chunk"
	e.send("", base(chunk, object{"index": 0, "delta": message, "finish_reason": nil}))
	e.send("", base(chunk, object{"index": 0, "delta": object{}, "finish_reason": finish}))
	last := base(chunk)
	last["choices"], last["usage"] = []any{}, usage
	e.send("", last)
	fmt.Fprint(w, "data: [DONE]\n\n")
}

func chatCalls(n int, calls []Call) []any {
	var all []any
	for i, call := range calls {
		all = append(all, object{
			"index": i, "id": cmp.Or(call.ID, callID(n, i)), "type": "function",
			"function": object{"name": call.Tool, "arguments": cmp.Or(call.Arguments, "{}")},
		})
	}
	return all
}

// callID is the ID of a call that the script gives none.
func callID(n, i int) string { return fmt.Sprintf("call_%d_%d", n, i) }
