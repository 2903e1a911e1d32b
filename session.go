package mcpclient

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpclient-go/mcpclient/internal/redact"
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

	methodList         = "tools/list"
	methodCall         = "tools/call"
	methodListen       = "subscriptions/listen"
	methodProgress     = "notifications/progress"
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
	sdk    *mcp.ClientSession // nil: the session goes past it
	life   context.Context
	kill   context.CancelCauseFunc
	ready  readiness
	calls  progressTable
	users  sync.WaitGroup // calls that run on it
	// version is the protocol version that is asked for.
	version    string
	info       sessionInfo    // of the server, from connect on
	background sync.WaitGroup // what listens for the server
	warm       atomic.Bool    // initialize went out on a connection that was open already
}

var errSessionOver = errors.New("the session is closed")

// newSession prepares a session; nothing is sent before connect. ctx gives the
// values of the session's context, not its end.
func newSession(ctx context.Context, s *server) (*session, error) {
	life, kill := context.WithCancelCause(context.WithoutCancel(ctx))
	out := &session{server: s, life: life, kill: kill, info: sessionInfo{listsTools: true}}
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
		Notified:  out.notified,
		Panicked:  func(p any, stack []byte) { s.logPanic(life, p, stack) },
		Hide:      func(text string) string { return s.redactor().Redact(redact.Clean(text)) },
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
//
// The SDK does it where it is needed later: over HTTP+SSE it waits for the
// answers on the session's one stream, and for protocol 2026-07-28 it mirrors
// arguments in headers. All other sessions go past it: it encodes and decodes
// each message several times.
func (s *session) connect(onSend func()) error {
	handshake := s.initialize
	if s.server.config.Transport == TransportSSE || s.version >= protocolStateless {
		handshake = s.connectSDK
	}
	err := handshake(onSend)
	if cause := context.Cause(s.life); cause != nil {
		return cause // also where the SDK made a session of a killed connection
	}
	if err != nil {
		return err
	}
	s.listen()
	return nil
}

// listen waits for the announcements of a session that a Pool keeps, once the
// handshake is over: some servers refuse a stream before. Nothing waits for it
// but the session's end, and its failure does no harm. (On the
// older transport they come on the session's own stream, and from protocol
// 2026-07-28 on through subscriptions/listen.)
func (s *session) listen() {
	if s.server.onListChanged == nil || !s.info.tellsChanges || s.stateless() || s.server.config.Transport == TransportSSE {
		return
	}
	if t, ok := s.server.base.(*http.Transport); ok && t.MaxConnsPerHost > 0 {
		return // over HTTP/1 the stream would keep a connection that calls wait for
	}
	s.background.Add(1)
	spawn(func() {
		defer s.background.Done()
		if s.ready.awaited(s.life) {
			_ = s.wire.Listen(s.life, s.info.protocol)
		}
	})
}

// notified takes the notifications that the SDK has no part in: those beside the
// answers to requests that went past it, and those that listen waits for.
func (s *session) notified(method string, params []byte) {
	switch method {
	case methodProgress:
		s.calls.notified(params)
	case methodToolsChanged:
		if changed := s.server.onListChanged; changed != nil {
			changed()
		}
	}
}

// stateless says whether the session speaks protocol 2026-07-28 or later.
func (s *session) stateless() bool { return s.info.protocol >= protocolStateless }

// direct says whether requests go past the SDK, also where it did the handshake
// and the server turned out to be an older one.
func (s *session) direct() bool {
	return s.server.config.Transport != TransportSSE && !s.stateless()
}

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
	if s.sdk != nil {
		_ = s.sdk.Close()
	}
	s.ready.wait()
	s.background.Wait()
	s.wire.Wait()
}
