package mcpclient

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpclient-go/mcpclient/internal/wire"
)

// open makes a session that the end of ctx kills until release is called;
// release says whether it came in time. The session is there also beside an
// error, for whoever ends it. onSend is called when the handshake goes out.
//
// Without a configured version the session speaks a protocol with initialize;
// only a server that refuses it in the way of one that knows nothing else is
// asked again with the protocol that has none.
func open(ctx context.Context, s *server, version string, onSend func()) (*session, func() bool, error) {
	opened, release, err := try(ctx, s, cmp.Or(version, protocolStateful), onSend)
	if err == nil || version != "" || !modernOnly(err) {
		return opened, release, err
	}
	opened.endPolitely()
	return try(ctx, s, protocolStateless, onSend)
}

func try(ctx context.Context, s *server, version string, onSend func()) (*session, func() bool, error) {
	opened, err := newSession(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	opened.version = version
	stop := context.AfterFunc(ctx, func() { opened.kill(context.Cause(ctx)) })
	release := sync.OnceValue(stop)
	if err := opened.connect(onSend); err != nil {
		release()
		return opened, nil, err
	}
	return opened, release, nil
}

// modernOnly says whether initialize was refused in the way of a server that
// speaks protocol 2026-07-28 alone (SEP-2575): there is no such method, the
// version is not supported (and it names one that is), or the request lacks the
// header or the _meta that every request of that protocol has.
func modernOnly(err error) bool {
	var e *jsonrpc.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code {
	case jsonrpc.CodeMethodNotFound, mcp.CodeHeaderMismatch, mcp.CodeMissingRequiredClientCapabilities:
		return true
	case jsonrpc.CodeInvalidParams:
		return strings.Contains(e.Message, "_meta")
	case mcp.CodeUnsupportedProtocolVersion:
		var data mcp.UnsupportedProtocolVersionData
		if json.Unmarshal(e.Data, &data) != nil || len(data.Supported) == 0 {
			return true
		}
		return slices.ContainsFunc(data.Supported, func(v string) bool { return v >= protocolStateless })
	}
	return false
}

// send is the sending middleware: it follows the handshake's own requests and
// keeps notifications/initialized for readiness. Lists and calls bring an
// exchange of their own.
func (s *session) send(next mcp.MethodHandler, onSend func()) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch method {
		case methodInitialized:
			s.ready.send = func(onConn func()) error {
				return exchange(s.life, wire.ExchangeOptions{OnConn: func(bool) { onConn() }}, func(ctx context.Context) error {
					_, err := next(ctx, method, req)
					return err
				})
			}
			return nil, nil
		case methodInitialize, methodDiscover:
			var res mcp.Result
			o := wire.ExchangeOptions{OnConn: func(reused bool) { s.warm.Store(reused); onSend() }}
			if method == methodInitialize {
				o.Stub = s.cleanInitialize
			}
			err := exchange(ctx, o, func(ctx context.Context) (err error) {
				res, err = next(ctx, method, req)
				return err
			})
			return res, err
		case methodListen:
			// It is answered when it ends: not on the way of a connect.
			s.background.Add(1)
			spawn(func() {
				defer s.background.Done()
				_, _ = next(ctx, method, req)
			})
			return &mcp.SubscriptionsListenResult{}, nil
		}
		return next(ctx, method, req)
	}
}

// cleanInitialize makes of a server's initialize result one that the SDK can
// decode: what has a wrong type, and what this package does not use, is left
// out.
func (s *session) cleanInitialize(raw []byte) []byte {
	var in struct{ ProtocolVersion, Instructions, ServerInfo, Capabilities json.RawMessage }
	if json.Unmarshal(raw, &in) != nil {
		return raw
	}
	out := mcp.InitializeResult{Capabilities: &mcp.ServerCapabilities{}, ServerInfo: &mcp.Implementation{}}
	out.ProtocolVersion = text(in.ProtocolVersion)
	out.Instructions = text(in.Instructions)
	var info struct{ Name, Version json.RawMessage }
	if json.Unmarshal(in.ServerInfo, &info) == nil {
		out.ServerInfo.Name, out.ServerInfo.Version = text(info.Name), text(info.Version)
	}
	var capabilities map[string]json.RawMessage
	if json.Unmarshal(in.Capabilities, &capabilities) == nil && capabilities != nil {
		tools := capabilities["tools"]
		s.listsTools = tools != nil && string(tools) != "null"
		var can struct{ ListChanged json.RawMessage }
		_ = json.Unmarshal(tools, &can) // of another type, it says nothing
		s.tellsChanges = string(can.ListChanged) == "true"
	}
	if s.listsTools {
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

func hasTools(c *mcp.ServerCapabilities) bool { return c != nil && c.Tools != nil }
