package mcpclient

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// open makes a session that the end of ctx kills until release is called;
// release says whether it came in time. The session is there also beside an
// error, for whoever ends it. onSend is called when the handshake goes out.
//
// Without a configured version the session speaks a protocol with initialize;
// only a server that refuses it in the way of one that knows nothing else, or
// answers as one, is asked again with the protocol that has none.
func open(ctx context.Context, s *server, version string, onSend func()) (*session, func() bool, error) {
	opened, release, err := try(ctx, s, cmp.Or(version, protocolStateful), onSend)
	if errors.Is(err, errNewerAnswer) || version == "" && modernOnly(err) {
		opened.endPolitely()
		return try(ctx, s, protocolStateless, onSend)
	}
	return opened, release, err
}

func try(ctx context.Context, s *server, version string, onSend func()) (*session, func() bool, error) {
	opened, err := newSession(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	opened.version = version
	opened.wire.ReportPanics(func(p any, stack []byte) { s.logPanic(opened.life, p, stack) })
	stop := context.AfterFunc(ctx, func() { opened.kill(context.Cause(ctx)) })
	release := sync.OnceValue(stop)
	if err := opened.guarded(func() error { return opened.connect(onSend) }); err != nil {
		release()
		return opened, nil, err
	}
	return opened, release, nil
}

// guarded makes an error of a panic in do, so that the session keeps an owner.
func (s *session) guarded(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			s.server.logPanic(s.life, p, debug.Stack())
			err = errPanic
		}
	}()
	return do()
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
