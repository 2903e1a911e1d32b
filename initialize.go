package mcpclient

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpclient-go/mcpclient/internal/wire"
)

// sessionInfo is how a server introduced itself.
type sessionInfo struct {
	protocol, name, version, instructions string
	// listsTools is false where it says that it has no tools, and tellsChanges
	// true where it says that it announces changes of them.
	listsTools, tellsChanges bool
}

// errNewerAnswer is of a server that answers initialize with a protocol that has
// none.
var errNewerAnswer = errors.New("the server answers initialize with a protocol that does not have it")

// initializeParams offer nothing that a server could ask for. (The SDK's own type
// can't be encoded without roots.)
type initializeParams struct {
	ProtocolVersion string              `json:"protocolVersion"`
	Capabilities    struct{}            `json:"capabilities"`
	ClientInfo      *mcp.Implementation `json:"clientInfo"`
}

// initialize is the handshake of a session that goes past the SDK.
func (s *session) initialize(onSend func()) error {
	params, err := json.Marshal(initializeParams{ProtocolVersion: s.version, ClientInfo: &s.server.opts.ClientInfo})
	if err != nil {
		return fmt.Errorf("encode initialize: %w", err)
	}
	ex := s.wire.Request(s.life, wire.Request{
		Method: methodInitialize, Params: params,
		OnConn: func(reused bool) { s.warm.Store(reused); onSend() },
	})
	raw, err := outcome(s.life, ex, nil)
	if err != nil {
		return err
	}
	if s.info, err = introduction(raw); err != nil {
		return err
	}
	if !slices.Contains(mcp.SupportedProtocolVersions(), s.info.protocol) {
		return fmt.Errorf("unsupported protocol version: %q", s.info.protocol)
	}
	if s.stateless() {
		return errNewerAnswer
	}
	s.ready.send = func(onConn func()) error {
		return s.wire.Notify(s.life, wire.Request{
			Method: methodInitialized, Params: []byte("{}"), Protocol: s.info.protocol,
			OnConn: func(bool) { onConn() },
		})
	}
	return nil
}

// introduction reads the result of initialize. What has a wrong type counts as
// left out.
func introduction(raw []byte) (sessionInfo, error) {
	var in struct{ ProtocolVersion, Instructions, ServerInfo, Capabilities json.RawMessage }
	if err := json.Unmarshal(raw, &in); err != nil {
		return sessionInfo{}, fmt.Errorf("decode initialize: %w", err)
	}
	info := sessionInfo{protocol: text(in.ProtocolVersion), instructions: text(in.Instructions), listsTools: true}
	var server struct{ Name, Version json.RawMessage }
	if json.Unmarshal(in.ServerInfo, &server) == nil {
		info.name, info.version = text(server.Name), text(server.Version)
	}
	var capabilities map[string]json.RawMessage
	if json.Unmarshal(in.Capabilities, &capabilities) == nil && capabilities != nil {
		tools := capabilities["tools"]
		info.listsTools = tools != nil && string(tools) != "null"
		var can struct{ ListChanged json.RawMessage }
		_ = json.Unmarshal(tools, &can) // of another type, it says nothing
		info.tellsChanges = string(can.ListChanged) == "true"
	}
	return info, nil
}

// cleanInitialize makes of a server's initialize result one that the SDK can
// decode: what has a wrong type, and what this package does not use, is left
// out.
func (s *session) cleanInitialize(raw []byte) []byte {
	info, err := introduction(raw)
	if err != nil {
		return raw
	}
	s.info = info
	out := mcp.InitializeResult{
		ProtocolVersion: info.protocol, Instructions: info.instructions,
		ServerInfo:   &mcp.Implementation{Name: info.name, Version: info.version},
		Capabilities: &mcp.ServerCapabilities{},
	}
	if info.listsTools {
		out.Capabilities.Tools = &mcp.ToolCapabilities{}
	}
	clean, err := json.Marshal(out)
	if err != nil {
		return raw
	}
	return clean
}

// text is the string that raw holds; empty where it holds none.
func text(raw json.RawMessage) string {
	var s string
	if raw == nil || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}
