package mcptest

import (
	"context"
	"encoding/json"
	"math/big"
	"time"
)

// Tool is one tool of a [Server], as data.
type Tool struct {
	Name, Title, Description  string
	InputSchema, OutputSchema any // anything that marshals; json.RawMessage is sent as it is. nil input: an object without properties
	Annotations, Meta         any
	Delay                     time.Duration // before the result

	// Result is what a call returns: a string becomes a text block, json.RawMessage is the whole result as it is, an RPCError is a
	// JSON-RPC error, func(json.RawMessage) any is called with the arguments and returns one of these, else it is marshalled
	// as the result.
	Result any
	// Run replaces Result where a call needs more. ctx ends when the call is cancelled, its session ends, or the server closes.
	Run func(ctx context.Context, c *Invocation) any
}

// Invocation is one running call of a tool.
type Invocation struct {
	Arguments     json.RawMessage // as received
	ProgressToken json.RawMessage // nil: none asked for
	released      <-chan struct{} // closed by Server.Release
	notify        func(method string, params any)
}

// Notify sends a notification on the answer's stream. Where the server answers in JSON there is none, and nothing is sent.
func (c *Invocation) Notify(method string, params any) { c.notify(method, params) }

// Progress notifies of progress if the client asked for it.
func (c *Invocation) Progress(progress, total float64, message string) {
	if c.ProgressToken == nil {
		return
	}
	c.Notify("notifications/progress", map[string]any{
		"progressToken": c.ProgressToken, "progress": progress, "total": total, "message": message,
	})
}

// RPCError is a JSON-RPC error as a result of a tool.
type RPCError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// Text is a result of one text block.
func Text(text string) any {
	return map[string]any{"content": []any{map[string]any{"type": "text", "text": text}}}
}

// PNG is a whole image of one pixel, in base64.
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="

// BigInteger is in the result of the tool structured. A float64 cannot hold it.
const BigInteger = "9007199254740993"

// DefaultTools are the tools of a server that names none: echo, add, args, image, structured, fail, slow, progress.
func DefaultTools() []Tool {
	readOnly := map[string]any{"readOnlyHint": true}
	return []Tool{
		{
			Name: "echo", Description: "Returns its text.", Annotations: readOnly,
			InputSchema: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string","description":"What to return."}},"required":["text"]}`),
			Result:      echo,
		},
		{
			Name: "add", Description: "Adds two integers of any size.", Annotations: readOnly,
			InputSchema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["a","b"]}`),
			Result:      add,
		},
		{
			Name: "args", Description: "Returns its arguments byte for byte.",
			InputSchema: json.RawMessage(`{"type":"object","additionalProperties":true}`),
			Result:      func(args json.RawMessage) any { return string(args) },
		},
		{
			Name: "image", Description: "Returns a picture of one pixel.",
			Result: json.RawMessage(`{"content":[{"type":"text","text":"a pixel"},{"type":"image","mimeType":"image/png","data":"` + PNG + `"}]}`),
		},
		{
			Name: "structured", Description: "Returns structured content.",
			OutputSchema: json.RawMessage(`{"type":"object","properties":{"id":{"type":"integer"},"name":{"type":"string"}},"required":["id"]}`),
			Result:       json.RawMessage(`{"content":[],"structuredContent":{"id":` + BigInteger + `,"name":"one"}}`),
		},
		{
			Name: "fail", Description: "Always fails.",
			Result: json.RawMessage(`{"isError":true,"content":[{"type":"text","text":"it failed"}]}`),
		},
		{
			Name: "slow", Description: "Ends after a number of milliseconds, or when the server is told to.", Annotations: readOnly,
			InputSchema: json.RawMessage(`{"type":"object","properties":{"ms":{"type":"integer"}}}`),
			Run:         slow,
		},
		{
			Name: "progress", Description: "Reports its progress in steps.",
			InputSchema: json.RawMessage(`{"type":"object","properties":{"steps":{"type":"integer"},"ms":{"type":"integer"}}}`),
			Run:         progress,
		},
	}
}

func echo(args json.RawMessage) any {
	var in struct {
		Text *string `json:"text"`
	}
	if json.Unmarshal(args, &in) != nil || in.Text == nil {
		return RPCError{Code: -32602, Message: "echo: text is missing"}
	}
	return *in.Text
}

func add(args json.RawMessage) any {
	var in struct{ A, B *big.Int }
	if json.Unmarshal(args, &in) != nil || in.A == nil || in.B == nil {
		return RPCError{Code: -32602, Message: "add: a and b are integers"}
	}
	return new(big.Int).Add(in.A, in.B).String()
}

func slow(ctx context.Context, c *Invocation) any {
	var in struct{ MS int }
	_ = json.Unmarshal(c.Arguments, &in)
	var timer <-chan time.Time
	if in.MS > 0 {
		t := time.NewTimer(time.Duration(in.MS) * time.Millisecond)
		defer t.Stop()
		timer = t.C
	}
	select {
	case <-c.released:
		return "released"
	case <-timer:
		return "slept"
	case <-ctx.Done():
		return RPCError{Code: -32000, Message: "cancelled"}
	}
}

func progress(ctx context.Context, c *Invocation) any {
	var in struct{ Steps, MS int }
	_ = json.Unmarshal(c.Arguments, &in)
	for i := range in.Steps {
		if sleep(ctx, nil, time.Duration(in.MS)*time.Millisecond) != nil {
			return RPCError{Code: -32000, Message: "cancelled"}
		}
		c.Progress(float64(i+1), float64(in.Steps), "step")
	}
	return "all steps done"
}

// entry is the tool as tools/list shows it.
func (t Tool) entry() json.RawMessage {
	schema := t.InputSchema
	if schema == nil {
		schema = map[string]any{"type": "object", "properties": map[string]any{}}
	}
	entry := map[string]any{"name": t.Name, "inputSchema": schema}
	for key, value := range map[string]any{
		"outputSchema": t.OutputSchema, "annotations": t.Annotations, "_meta": t.Meta,
	} {
		if value != nil {
			entry[key] = value
		}
	}
	for key, value := range map[string]string{"title": t.Title, "description": t.Description} {
		if value != "" {
			entry[key] = value
		}
	}
	return mustMarshal(entry)
}

// run gives the result of one call: the JSON of a result, or an error.
func (t Tool) run(ctx context.Context, c *Invocation) (json.RawMessage, *RPCError) {
	if err := sleep(ctx, nil, t.Delay); err != nil {
		return nil, &RPCError{Code: -32000, Message: "cancelled"}
	}
	result := t.Result
	if t.Run != nil {
		result = t.Run(ctx, c)
	} else if f, ok := result.(func(json.RawMessage) any); ok {
		result = f(c.Arguments)
	}
	switch r := result.(type) {
	case RPCError:
		return nil, &r
	case json.RawMessage:
		return r, nil
	case string:
		return mustMarshal(Text(r)), nil
	case nil:
		return json.RawMessage(`{"content":[]}`), nil
	}
	return mustMarshal(result), nil
}

// mustMarshal marshals what a test has written, without escaping of HTML; what does not marshal is a mistake of the test.
func mustMarshal(v any) json.RawMessage {
	if raw, ok := v.(json.RawMessage); ok {
		return raw
	}
	data, err := marshal(v)
	if err != nil {
		panic("mcptest: " + err.Error())
	}
	return data
}
