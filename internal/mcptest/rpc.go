package mcptest

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
)

// knownProtocols are the versions that have an initialize handshake, newest first.
var knownProtocols = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// message is one JSON-RPC message of a client.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

func (m message) isReply() bool { return m.Method == "" && (m.Result != nil || m.Error != nil) }

type callParams struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Meta      struct {
		ProgressToken json.RawMessage `json:"progressToken"`
	} `json:"_meta"`
}

// marshal is json.Marshal without escapes for HTML, so that what a test writes is what goes out.
func marshal(v any) (json.RawMessage, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(buf.Bytes(), "\n"), nil
}

// response is a JSON-RPC answer. It is joined by hand: the id goes back byte for byte, and so does a raw result.
func response(id, result json.RawMessage, err *RPCError) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	if err != nil {
		return []byte(`{"jsonrpc":"2.0","id":` + string(id) + `,"error":` + string(mustMarshal(err)) + `}`)
	}
	return []byte(`{"jsonrpc":"2.0","id":` + string(id) + `,"result":` + string(result) + `}`)
}

// result is what a good server answers to the request of the exchange.
func (x *Exchange) result() (json.RawMessage, *RPCError) {
	x.join()
	if x.session == nil {
		return nil, &RPCError{Code: -32001, Message: "Session not found"}
	}
	switch x.Method {
	case "initialize":
		return x.initialize(), nil
	case "ping":
		return json.RawMessage(`{}`), nil
	}
	if x.s.StrictInit && !x.s.Stateless && !x.session.isReady() {
		return nil, &RPCError{Code: -32602, Message: "Received request before initialization was complete"}
	}
	switch x.Method {
	case "tools/list":
		return x.s.list(x.Params)
	case "tools/call":
		return x.call()
	}
	return nil, &RPCError{Code: -32601, Message: "Method not found: " + x.Method}
}

func (x *Exchange) initialize() json.RawMessage {
	var params struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	_ = json.Unmarshal(x.Params, &params)
	protocols := x.s.Protocols
	if protocols == nil {
		protocols = knownProtocols
	}
	version := protocols[0]
	if slices.Contains(protocols, params.ProtocolVersion) {
		version = params.ProtocolVersion
	}
	capabilities := map[string]any{"logging": map[string]any{}}
	if !x.s.NoTools {
		capabilities["tools"] = map[string]any{"listChanged": true}
	}
	result := map[string]any{
		"protocolVersion": version,
		"capabilities":    capabilities,
		"serverInfo":      map[string]any{"name": or(x.s.Name, "mcptest"), "version": or(x.s.Version, "1.0.0")},
	}
	if x.s.Instructions != "" {
		result["instructions"] = x.s.Instructions
	}
	return mustMarshal(result)
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

func (s *Server) tools() []Tool {
	if s.Tools == nil {
		return DefaultTools()
	}
	return s.Tools
}

// list is one page of the tools.
func (s *Server) list(params json.RawMessage) (json.RawMessage, *RPCError) {
	if s.NoTools {
		return nil, &RPCError{Code: -32601, Message: "Method not found: tools/list"}
	}
	page, err := s.page(params)
	if err != nil {
		return nil, err
	}
	entries := s.entries()
	size := s.PageSize
	if size <= 0 {
		size = max(1, len(entries))
	}
	from, to := min(page*size, len(entries)), min((page+1)*size, len(entries))
	result := append([]byte(`{"tools":[`), bytes.Join(entries[from:to], []byte(","))...)
	result = append(result, ']')
	if to < len(entries) {
		result = append(result, `,"nextCursor":`...)
		result = append(result, mustMarshal(s.cursor(page+1))...)
	}
	return append(result, '}'), nil
}

func (s *Server) entries() [][]byte {
	var entries [][]byte
	for _, t := range s.tools() {
		entries = append(entries, t.entry())
	}
	for _, raw := range s.RawTools {
		entries = append(entries, []byte(raw))
	}
	return entries
}

func (s *Server) cursor(page int) string {
	if s.Cursor != nil {
		return s.Cursor(page)
	}
	return strconv.Itoa(page)
}

// page is the number of the page that a request asks for.
func (s *Server) page(params json.RawMessage) (int, *RPCError) {
	cursor := cursorOf(params)
	if cursor == "" {
		return 0, nil
	}
	pages := len(s.entries())
	for page := 1; page <= pages; page++ {
		if s.cursor(page) == cursor {
			return page, nil
		}
	}
	return 0, &RPCError{Code: -32602, Message: "unknown cursor"}
}

func cursorOf(params json.RawMessage) string {
	var p struct {
		Cursor string `json:"cursor"`
	}
	_ = json.Unmarshal(params, &p)
	return p.Cursor
}

// call runs a tool until it ends, its request is cancelled or abandoned, or the server closes.
func (x *Exchange) call() (json.RawMessage, *RPCError) {
	var params callParams
	_ = json.Unmarshal(x.Params, &params)
	tools := x.s.tools()
	at := slices.IndexFunc(tools, func(t Tool) bool { return t.Name == params.Name })
	if at < 0 {
		return nil, &RPCError{Code: -32602, Message: "Unknown tool: " + params.Name}
	}
	if args := bytes.TrimSpace(params.Arguments); len(args) > 0 && args[0] != '{' {
		return nil, &RPCError{Code: -32602, Message: "arguments must be an object"}
	}
	released, end := x.s.state.begin(params.Name)
	defer end()
	ctx, cancel := x.session.call(x.ctx, x.ID)
	defer cancel()
	return tools[at].run(ctx, &Invocation{
		Arguments:     params.Arguments,
		ProgressToken: params.Meta.ProgressToken,
		released:      released,
		notify:        x.Notify,
	})
}

// requestID is the id that notifications/cancelled names.
func requestID(params json.RawMessage) json.RawMessage {
	var p struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	_ = json.Unmarshal(params, &p)
	return p.RequestID
}
