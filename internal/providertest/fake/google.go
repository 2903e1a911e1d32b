package fake

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"testing"
)

// Google starts a fake of Gemini's generateContent and streamGenerateContent.
func Google(t testing.TB, script ...Reply) *API { return start(t, google{}, script) }

var (
	// https://github.com/google-gemini/gemini-cli/issues/2966
	googleName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$`)
	googlePath = regexp.MustCompile(`^/v1beta/models/[^/:]+:(generateContent|streamGenerateContent)$`)
)

type google struct{}

func (google) refusal(message string) any {
	return object{"error": object{"code": 400, "message": message, "status": "INVALID_ARGUMENT"}}
}

func (google) read(r *http.Request, body map[string]any) (q Request, err error) {
	method := googlePath.FindStringSubmatch(r.URL.Path)
	if method == nil {
		return q, fmt.Errorf("unknown path %s", r.URL.Path)
	}
	q.Stream = method[1] == "streamGenerateContent"
	if q.Stream && r.URL.Query().Get("alt") != "sse" {
		return q, errors.New("only alt=sse is known here")
	}
	names := toolNames{legal: googleName, most: 512}
	if v, found := body["tools"]; found {
		err = each("tools", v, func(path string, o object) error {
			return each(path+".functionDeclarations", o["functionDeclarations"], func(path string, o object) error {
				tool, err := googleTool(path, o, &names)
				q.Tools = append(q.Tools, tool)
				return err
			})
		})
	}
	if err != nil {
		return q, err
	}
	talk := googleTalk{request: &q}
	if err := each("contents", body["contents"], talk.content); err != nil {
		return q, err
	}
	return q, talk.answered("contents", nil)
}

func googleTool(path string, o object, names *toolNames) (t Tool, err error) {
	if t.Name, err = asString(path+".name", o["name"]); err != nil {
		return t, err
	}
	if err = names.add(path, t.Name); err != nil {
		return t, err
	}
	t.Description, _ = o["description"].(string)
	if _, found := o["parameters"]; !found {
		return t, nil
	}
	t.Schema, err = asObject(path+".parameters", o["parameters"])
	if err != nil {
		return t, err
	}
	if t.Schema["type"] != "OBJECT" {
		return t, fmt.Errorf("%s.parameters.type: %v, not OBJECT", path, t.Schema["type"])
	}
	return t, googleSchema(path+".parameters", t.Schema)
}

var (
	googleTypes    = []string{"STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"}
	googleKeywords = []string{
		"anyOf", "default", "description", "enum", "example", "format", "items", "maxItems", "maxLength", "maxProperties",
		"maximum", "minItems", "minLength", "minProperties", "minimum", "nullable", "pattern", "properties", "propertyOrdering",
		"required", "title", "type",
	}
)

// googleSchema checks a Schema message of the Gemini API, which is less than
// JSON Schema.
func googleSchema(path string, v any) error {
	s, err := asObject(path, v)
	if err != nil {
		return err
	}
	for key := range s {
		if !slices.Contains(googleKeywords, key) {
			return fmt.Errorf("%s: unknown name %q: cannot find field", path, key)
		}
	}
	typ, _ := s["type"].(string)
	if !slices.Contains(googleTypes, typ) && s["anyOf"] == nil {
		return fmt.Errorf("%s.type: invalid value %v", path, s["type"])
	}
	if typ == "ARRAY" && s["items"] == nil {
		return fmt.Errorf("%s.items: missing field", path)
	}
	if items, found := s["items"]; found {
		if err := googleSchema(path+".items", items); err != nil {
			return err
		}
	}
	if v, found := s["anyOf"]; found {
		if err := each(path+".anyOf", v, func(path string, o object) error { return googleSchema(path, o) }); err != nil {
			return err
		}
	}
	if err := googleEnum(path, typ, s); err != nil {
		return err
	}
	return googleProperties(path, typ, s)
}

// googleEnum: https://github.com/decolua/9router/pull/380 and
// https://github.com/NousResearch/hermes-agent/pull/15082
func googleEnum(path, typ string, s object) error {
	v, found := s["enum"]
	if !found {
		return nil
	}
	if typ != "STRING" {
		return fmt.Errorf("%s.enum: only allowed for STRING type", path)
	}
	values, err := asList(path+".enum", v)
	if err != nil {
		return err
	}
	for i, v := range values {
		if text, ok := v.(string); !ok || text == "" {
			return fmt.Errorf("%s.enum[%d]: %v is not a string that says something", path, i, v)
		}
	}
	return nil
}

// googleProperties: https://github.com/anomalyco/opencode/pull/11888
func googleProperties(path, typ string, s object) error {
	properties := object{}
	for _, key := range []string{"properties", "required"} {
		if _, found := s[key]; found && typ != "OBJECT" {
			return fmt.Errorf("%s.%s: only allowed for OBJECT type", path, key)
		}
	}
	var err error
	if v, found := s["properties"]; found {
		if properties, err = asObject(path+".properties", v); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if err := googleSchema(path+".properties["+name+"]", properties[name]); err != nil {
			return err
		}
	}
	v, found := s["required"]
	if !found {
		return nil
	}
	names, err := asList(path+".required", v)
	if err != nil {
		return err
	}
	for i, v := range names {
		name, err := asString(path+".required", v)
		if err != nil {
			return err
		}
		if _, found := properties[name]; !found {
			return fmt.Errorf("%s.required[%d]: property %q is not defined", path, i, name)
		}
	}
	return nil
}

// googleTalk goes through the contents of a request. A turn of calls is
// followed by one turn that has as many responses
// (https://github.com/microsoft/vscode/issues/299295).
type googleTalk struct {
	request *Request
	open    []string // names of the calls of the turn before
}

func (c *googleTalk) answered(path string, responses []string) error {
	calls := slices.Sorted(slices.Values(c.open))
	slices.Sort(responses)
	if !slices.Equal(calls, responses) {
		return fmt.Errorf("%s: the number of function response parts must be equal to the number of function call parts of the function call turn: calls %q, responses %q", path, calls, responses)
	}
	c.open = nil
	return nil
}

func (c *googleTalk) content(path string, o object) error {
	role := o["role"]
	if role != "user" && role != "model" {
		return fmt.Errorf("%s.role: %v", path, role)
	}
	if l, ok := o["parts"].([]any); !ok || len(l) == 0 {
		return fmt.Errorf("%s.parts: must not be empty", path)
	}
	var calls, responses []string
	err := each(path+".parts", o["parts"], func(path string, part object) error {
		name, isCall, err := c.part(path, role == "model", part)
		switch {
		case name == "":
		case isCall:
			calls = append(calls, name)
		default:
			responses = append(responses, name)
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := c.answered(path, responses); err != nil {
		return err
	}
	c.open = calls
	return nil
}

// part takes in one part. name is of the function that is called, or that
// responds.
func (c *googleTalk) part(path string, model bool, part object) (name string, isCall bool, err error) {
	switch {
	case part["functionCall"] != nil && model:
		o, err := asObject(path+".functionCall", part["functionCall"])
		if err != nil {
			return "", false, err
		}
		name, _ := o["name"].(string)
		if !googleName.MatchString(name) {
			return "", false, fmt.Errorf("%s: function name %q", path, name)
		}
		return name, true, nil
	case part["functionResponse"] != nil && !model:
		name, err := c.response(path+".functionResponse", part["functionResponse"])
		return name, false, err
	case part["inlineData"] != nil && !model:
		o, err := asObject(path+".inlineData", part["inlineData"])
		if err != nil {
			return "", false, err
		}
		mediaType, _ := o["mimeType"].(string)
		data, _ := o["data"].(string)
		image, err := readImage(path, mediaType, data, 0)
		c.request.Images = append(c.request.Images, image)
		return "", false, err
	}
	if text, _ := part["text"].(string); text == "" {
		return "", false, fmt.Errorf("%s: required oneof field 'data' must have one initialized field", path)
	}
	return "", false, nil
}

func (c *googleTalk) response(path string, v any) (string, error) {
	o, err := asObject(path, v)
	if err != nil {
		return "", err
	}
	name, _ := o["name"].(string)
	if name == "" {
		return "", fmt.Errorf("%s.name: cannot be empty", path)
	}
	response, err := asObject(path+".response", o["response"])
	if err != nil {
		return "", err
	}
	text, _ := response["result"].(string)
	c.request.Results = append(c.request.Results, Result{Tool: name, Text: text})
	return name, nil
}

func (google) answer(w http.ResponseWriter, _ int, reply Reply, stream bool) {
	parts := []any{}
	if reply.Text != "" {
		parts = append(parts, object{"text": reply.Text})
	}
	for _, call := range reply.Calls {
		// Without arguments there is no args, and without an ID no id, as
		// the Gemini API has it.
		f := object{"name": call.Tool}
		if call.Arguments != "" {
			f["args"] = json.RawMessage(call.Arguments)
		}
		if call.ID != "" {
			f["id"] = call.ID
		}
		parts = append(parts, object{"functionCall": f})
	}
	whole := object{
		"candidates":    []any{object{"index": 0, "finishReason": "STOP", "content": object{"role": "model", "parts": parts}}},
		"usageMetadata": object{"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
	}
	if !stream {
		sendJSON(w, http.StatusOK, whole)
		return
	}
	sendEvents(w).send("", whole)
}
