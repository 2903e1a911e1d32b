package mcpclient

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpclient-go/mcpclient/internal/wire"
)

// Protocol versions that decide on behaviour.
const (
	// protocolStateful is what is asked for by default: every deployed server
	// answers initialize, while server/discover costs a round trip on older
	// servers and some never answer it.
	protocolStateful = "2025-11-25"
	// protocolStateless is the first version without initialize (SEP-2575).
	protocolStateless = "2026-07-28"
)

const (
	methodInitialize  = "initialize"
	methodInitialized = "notifications/initialized"
	methodDiscover    = "server/discover"

	methodListen       = "subscriptions/listen"
	methodToolsChanged = "notifications/tools/list_changed"
)

// session is one MCP session, from the first request until end. All its
// methods may be called concurrently.
//
// Its lifetime is its own context, life: detached from every caller, since the
// SDK ties the stream of the SSE transport to the context that connects. Every
// request of the session observes it, so kill ends a wedged connect, list, call
// or close at once.
type session struct {
	server *server
	wire   *wire.Session
	mcp    *mcp.ClientSession
	life   context.Context
	kill   context.CancelCauseFunc
	ready  readiness
	calls  progressTable
	users  sync.WaitGroup // calls that run on it
	// version is the protocol version that is asked for.
	version string
	// listsTools is false where the server says that it has no tools, and
	// tellsChanges true where it says that it announces changes of them.
	listsTools, tellsChanges bool
	background               sync.WaitGroup // what listens for the server
	warm                     atomic.Bool    // initialize went out on a connection that was open already
}

var errSessionOver = errors.New("the session is closed")

// newSession prepares a session; nothing is sent before connect. ctx gives the
// values of the session's context, not its end.
func newSession(ctx context.Context, s *server) (*session, error) {
	life, kill := context.WithCancelCause(context.WithoutCancel(ctx))
	out := &session{server: s, life: life, kill: kill, listsTools: true}
	if s.dead != nil {
		stop := context.AfterFunc(s.dead, func() { kill(errSessionOver) })
		context.AfterFunc(life, func() { stop() })
	}
	out.calls.prefix = rand.Text()
	out.ready.done = make(chan struct{})
	var err error
	out.wire, err = wire.New(wire.Config{
		Endpoint:  s.endpoint,
		LegacySSE: s.config.Transport == TransportSSE,
		Base:      s.base,
		Addresses: s.addresses,
		Life:      life,
		Headers:   s.authorize,
		Renew:     s.renew,
		BodyBytes: s.opts.Limits.BodyBytes,
	})
	if err != nil {
		kill(err)
		return nil, err
	}
	return out, nil
}

// connect does the handshake. onSend is called when initialize has a
// connection to go out on. It ends when the session is killed.
func (s *session) connect(onSend func()) error {
	options := &mcp.ClientOptions{
		Logger:                      discardLogger,
		Capabilities:                &mcp.ClientCapabilities{},
		MultiRoundTrip:              &mcp.MultiRoundTripOptions{Disabled: true},
		ProgressNotificationHandler: s.calls.progress,
	}
	if changed := s.server.onListChanged; changed != nil {
		options.ToolListChangedHandler = func(context.Context, *mcp.ToolListChangedRequest) { changed() }
	}
	client := mcp.NewClient(&s.server.opts.ClientInfo, options)
	client.AddReceivingMiddleware(refuseRequests)
	client.AddSendingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return s.send(next, onSend)
	})
	var err error
	s.mcp, err = client.Connect(s.life, s.transport(), &mcp.ClientSessionOptions{ProtocolVersion: s.version})
	if cause := context.Cause(s.life); cause != nil {
		return cause // also where the SDK made a session of a killed connection
	}
	if err != nil {
		return err
	}
	if s.stateless() {
		s.listsTools = hasTools(s.mcp.InitializeResult().Capabilities)
	}
	s.listen()
	return nil
}

// listen waits for the announcements of a session that a Pool keeps. Nothing
// waits for it but the session's end, and its failure does no harm. (On the
// older transport they come on the session's own stream, and from protocol
// 2026-07-28 on through subscriptions/listen.)
func (s *session) listen() {
	changed := s.server.onListChanged
	if changed == nil || !s.tellsChanges || s.stateless() || s.server.config.Transport == TransportSSE {
		return
	}
	s.background.Add(1)
	spawn(func() {
		defer s.background.Done()
		_ = s.wire.Listen(s.life, func(method string) {
			if method == methodToolsChanged {
				changed()
			}
		})
	})
}

func (s *session) transport() mcp.Transport {
	client := s.wire.Client()
	// An event is at most what wire lets through, plus its framing.
	limit := int(min(s.server.opts.Limits.BodyBytes, 1<<40)) + 1<<10
	if s.server.config.Transport == TransportSSE {
		return &mcp.SSEClientTransport{Endpoint: s.server.endpoint, HTTPClient: client, MaxEventSize: limit}
	}
	return &mcp.StreamableClientTransport{
		Endpoint: s.server.endpoint, HTTPClient: client, MaxEventSize: limit,
		MaxRetries: -1, DisableStandaloneSSE: true,
	}
}

// stateless says whether the session speaks protocol 2026-07-28 or later.
func (s *session) stateless() bool {
	return s.mcp.InitializeResult().ProtocolVersion >= protocolStateless
}

// sessionInfo is how a server introduced itself.
type sessionInfo struct{ protocol, name, version, instructions string }

func (s *session) info() sessionInfo {
	init := s.mcp.InitializeResult()
	info := sessionInfo{protocol: init.ProtocolVersion, instructions: init.Instructions}
	if init.ServerInfo != nil {
		info.name, info.version = init.ServerInfo.Name, init.ServerInfo.Version
	}
	return info
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

// refuseRequests answers every request of the server but ping: the client has
// advertised nothing that it could be asked for.
func refuseRequests(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if method == "ping" || strings.HasPrefix(method, "notifications/") {
			return next(ctx, method, req)
		}
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "the client does not offer " + method}
	}
}

// exchange runs one SDK request under an exchange and prefers what the exchange
// saw to what the SDK made of it.
func exchange(ctx context.Context, o wire.ExchangeOptions, do func(context.Context) error) error {
	ctx, ex := wire.NewExchange(ctx, o)
	defer ex.Close()
	err := do(ctx)
	if err == nil {
		return nil
	}
	if seen := ex.Err(); seen != nil {
		return seen
	}
	return err
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

// end closes the session: politely where the server has one to end and answers
// within ctx, and then for good. It waits for everything that the session
// started. A notifications/initialized that is still on its way may arrive, so
// that its connection is there for the next step.
func (s *session) end(ctx context.Context) {
	if s.life.Err() == nil {
		_ = s.wire.Delete(ctx) // the server is told if it listens; nothing depends on it
		s.ready.waitWithin(ctx)
	}
	s.kill(errSessionOver)
	if s.mcp != nil {
		_ = s.mcp.Close()
	}
	s.ready.wait()
	s.background.Wait()
}

// readiness is the notifications/initialized of a session: sent beside the
// first tools/list instead of before it, which saves a round trip.
type readiness struct {
	send  func(onConn func()) error // nil: nothing to send
	once  sync.Once
	begun atomic.Bool
	done  chan struct{} // closed when sent or failed
}

// start sends the notification in a goroutine that run starts. The session's
// end ends it, and wait awaits it. The channel is closed when the notification
// has its connection, or failed to get one.
func (r *readiness) start(run func(func())) <-chan struct{} {
	onWay := make(chan struct{})
	var once sync.Once
	reached := func() { once.Do(func() { close(onWay) }) }
	if r.send == nil {
		reached()
		return onWay
	}
	r.once.Do(func() {
		r.begun.Store(true)
		run(func() {
			defer close(r.done)
			defer reached()
			_ = r.send(reached) // a server that refuses it is served all the same
		})
	})
	return onWay
}

func (r *readiness) wait() { r.waitWithin(context.Background()) }

func (r *readiness) waitWithin(ctx context.Context) {
	if !r.begun.Load() {
		return
	}
	select {
	case <-r.done:
	case <-ctx.Done():
	}
}

// sent is closed when the notification was answered.
func (r *readiness) sent() <-chan struct{} { return r.done }

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
