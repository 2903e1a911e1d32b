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
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpclient-go/mcpclient/internal/wire"
)

// open makes a session that the end of ctx kills until release is called;
// release says whether it came in time. The session is there also beside an
// error, for whoever ends it. onSend is called when the handshake goes out.
//
// Without a configured version the session speaks a protocol with initialize;
// only a server that refuses it in the way of one that knows nothing else, or
// answers as one, is asked again with the protocol that has none. A server that
// refuses the version and lists others is asked once more, with the newest one
// that both know.
func open(ctx context.Context, s *server, version string, onSend func()) (*session, func() bool, error) {
	asked := cmp.Or(version, protocolStateful)
	opened, release, err := try(ctx, s, asked, onSend)
	if next := nextVersion(asked, s.config.ProtocolVersion == "", err); next != "" {
		opened.endPolitely()
		opened, release, err = try(ctx, s, next, onSend)
	}
	return opened, release, namingVersions(err)
}

func try(ctx context.Context, s *server, version string, onSend func()) (*session, func() bool, error) {
	opened, err := newSession(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	opened.version = version
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

// nextVersion is the version with which to ask again a server that has refused
// the one that was asked for; empty: none. free: no version is configured.
func nextVersion(asked string, free bool, err error) string {
	if err == nil {
		return ""
	}
	if errors.Is(err, errNewerAnswer) {
		return protocolStateless
	}
	supported := supportedVersions(err)
	if !slices.Contains(supported, asked) { // else it says one thing and does another
		if v := newestStateful(supported); v != "" {
			return v
		}
	}
	if free && modernOnly(err, supported) {
		return protocolStateless
	}
	return ""
}

// newestStateful is the newest of the versions that has initialize and is spoken
// here; empty: none.
func newestStateful(versions []string) (newest string) {
	for _, v := range mcp.SupportedProtocolVersions() {
		if v < protocolStateless && slices.Contains(versions, v) {
			newest = max(newest, v)
		}
	}
	return newest
}

// modernOnly says whether initialize was refused in the way of a server that
// speaks protocol 2026-07-28 alone (SEP-2575): there is no such method, the
// version is not supported (and one of those that are is as new), or the request
// lacks the header or the _meta that every request of that protocol has.
func modernOnly(err error, supported []string) bool {
	var e *jsonrpc.Error
	if !errors.As(err, &e) {
		return false
	}
	if slices.ContainsFunc(supported, isStateless) {
		return true
	}
	switch e.Code {
	case jsonrpc.CodeMethodNotFound, mcp.CodeHeaderMismatch, mcp.CodeMissingRequiredClientCapabilities:
		return true
	case jsonrpc.CodeInvalidParams:
		return strings.Contains(e.Message, "_meta")
	case mcp.CodeUnsupportedProtocolVersion:
		return len(supported) == 0
	}
	return false
}

func isStateless(version string) bool {
	_, err := time.Parse(time.DateOnly, version) // what is no date can't be compared
	return err == nil && version >= protocolStateless
}

// What is taken of the versions that a server lists: those that are dates take
// ten bytes, and there are few.
const (
	maxVersions      = 16
	maxVersionLength = 32
)

// supportedVersions are those that the server names in the refusal of another
// one. The specification gives that no code of its own before 2026-07-28, so that
// the data tells.
func supportedVersions(err error) (versions []string) {
	var e *jsonrpc.Error
	var data struct{ Supported []json.RawMessage }
	if !errors.As(err, &e) || json.Unmarshal(e.Data, &data) != nil {
		return nil
	}
	for _, raw := range data.Supported {
		if v := text(raw); v != "" && len(v) <= maxVersionLength && len(versions) < maxVersions {
			versions = append(versions, v)
		}
	}
	return versions
}

// namingVersions adds to the error's own text the versions that the server names,
// for they are what its owner has to know.
func namingVersions(err error) error {
	versions := supportedVersions(err)
	if len(versions) == 0 {
		return err
	}
	named := " (it supports " + strings.Join(versions, ", ") + ")"
	if h, ok := errors.AsType[*wire.HTTPError](err); ok {
		with := *h
		with.Excerpt += named
		return &with
	}
	e, _ := errors.AsType[*jsonrpc.Error](err)
	return &jsonrpc.Error{Code: e.Code, Message: e.Message + named, Data: e.Data}
}
