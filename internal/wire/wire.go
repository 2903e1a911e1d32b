// Package wire carries MCP sessions over HTTP. It stands between the network and those who speak MCP: the go-sdk's client transports,
// and this module where it goes past them.
//
// The SDK ends a whole session on most single bad answers, keeps requests alive that nobody waits for, and reads bodies
// without a limit. A [Session] is given to it as an *http.Client and shows it a decent server: each fault of the real one
// costs the one call that it belongs to.
//
// [Session.Request] and [Session.Notify] are the way past it.
//
// # Who owns what
//
// A request passes these steps, each a function or http.RoundTripper in a file of its own:
//
//	kill switch (lifeline.go)         the request ends with the session's life
//	transport (post, stream, legacy)  answers are limited, repaired and captured; refusals become typed errors
//	renewal (renew.go)                a 401 is answered with new credentials once
//	redirects (redirect.go)           within the origin, or an error
//	credentials (credentials.go)      set on the request that is about to go to the configured origin
//	base (base.go)                    notes what became of the connection, then the caller's http.RoundTripper
//
// A call of the SDK is in Session.calls from the moment before it is sent until it is answered or has failed; whoever takes it out of there
// (calls.settle) is the only one to complete it. An [Exchange] belongs to the code that made it; this package writes to it under its
// lock, and not at all after Close. No lock is held while anything is read, written or called back.
//
// Bodies are pulled by the SDK's goroutines, and by those that call [Session.Request]. This package starts goroutines of its own for
// the event stream of an HTTP+SSE session, see feed, for the end of the stream of a Request that has its answer, and for what is
// posted as a courtesy. All of them end with the session's life, and Wait waits for them.
package wire

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"

	"github.com/mcpclient-go/mcpclient/internal/wire/address"
)

// ErrKilled is the error of everything that was under way when the life of its session ended without a cause of its own.
var ErrKilled = errors.New("the session has ended")

// Config is what a Session is made of.
type Config struct {
	// Endpoint is the URL of the server. Its scheme, host and port are the only origin that ever gets a request of the session.
	// User information in it is not sent.
	Endpoint string
	// LegacySSE chooses the HTTP+SSE transport of protocol 2024-11-05 instead of streamable HTTP.
	LegacySSE bool
	// Base sends the requests; nil is a transport made by DefaultTransport for this session alone. It is shared and never modified.
	// It must end a request when the request's context ends, and fail the reads of its body then or when that is closed. Where it is no
	// *http.Transport, a panic of it is the error of its request, and what it leaves out of a response is filled in.
	Base http.RoundTripper
	// Life is how long the session lives: when it ends, every request and body of the session ends at once. nil: for ever.
	Life context.Context
	// Headers sets credentials and forwarded headers on a request that is about to go to the configured origin. It is asked for
	// every request that is sent, with that request's context. An error means that the request isn't sent. nil: none.
	Headers func(ctx context.Context, r *http.Request) error
	// Renew is asked once per request after a 401, but for the DELETE of the session, with the headers that were refused; they must
	// not be changed. If it says true, the request, which a server that answers 401 didn't run, is sent once more. An error is found
	// by errors.Is in the *HTTPError of the request. nil: never.
	Renew func(ctx context.Context, refused http.Header) (retry bool, err error)
	// Addresses judges whom each connection was made to, before anything of a request is sent, where Base is an *http.Transport;
	// any other Base is its owner's own business. nil: whatever Base dials.
	Addresses *address.Policy
	// Hide takes secrets out of what errors quote of a server, before it is cut: half a secret would not be known as one. nil: none
	// are taken out.
	Hide func(text string) string
	// Notified is told the notifications that come beside the answer to a Request, and on the stream of Listen, and every progress of
	// a call; others go to the SDK. It must not block, nor keep params. nil: nobody is told, and the SDK gets progress too.
	Notified func(method string, params []byte)
	// Panicked is told of what Base panics with, and where; the request fails with ErrPanic. It is called on the goroutine that
	// panicked, and possibly by several at once. nil: nobody is told.
	Panicked func(value any, stack []byte)
	// BodyBytes limits one answer or one event, after decompression; zero or less: no limit.
	BodyBytes int64
}

// Session carries the requests of one MCP session. It is safe for concurrent use.
type Session struct {
	config   Config
	endpoint *url.URL
	origin   origin
	life     context.Context
	chain    http.RoundTripper // from renewal down
	calls    calls

	// idBase is added to the SDK's request ids, which count from 1 in every session: some bridges send the answers for one
	// client to all of them.
	idBase   int64
	requests atomic.Int64  // of the session's own
	template *http.Request // what each of them is made of

	background sync.WaitGroup

	mu        sync.Mutex
	waiting   bool // Wait was called: nothing is added to background
	sessionID string
	protocol  string // the newest Mcp-Protocol-Version that was sent
	lost      bool
	feed      *feed // of an HTTP+SSE session once its stream is open
	feedErr   error // why feed has ended

	serverCalls atomic.Int64 // requests of the server that are not answered yet
}

// New makes a Session. It fails where Endpoint is no absolute http or https URL.
func New(c Config) (*Session, error) {
	endpoint, err := url.Parse(c.Endpoint)
	if err != nil {
		// The error of url.Parse quotes the URL, which may hold secrets.
		return nil, errors.New("wire: the URL can't be parsed")
	}
	o, err := originOf(endpoint)
	if err != nil {
		return nil, fmt.Errorf("wire: %w", err)
	}
	template, err := http.NewRequest(http.MethodPost, c.Endpoint, nil)
	if err != nil {
		return nil, errors.New("wire: the URL can't be used for a request")
	}
	s := &Session{config: c, endpoint: endpoint, origin: o, life: c.Life, idBase: randomBase(), template: template}
	if s.life == nil {
		s.life = context.Background()
	}
	if s.config.Base == nil {
		s.config.Base = DefaultTransport(address.Policy{})
	}
	s.chain = &renewal{
		renew: c.Renew,
		next: &redirects{
			origin: o,
			next: &credentials{
				origin:  o,
				headers: c.Headers,
				next:    newBase(s.config.Base, s.config.Addresses, &panicReport{c.Panicked}),
			},
		},
	}
	return s, nil
}

// randomBase is a number below 2^52, so that it and the ids of a session are exact in a float64.
func randomBase() int64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return int64(binary.BigEndian.Uint64(b[:]) >> 12)
}

// Client is what the SDK's transport of this session gets. It has no timeout and follows no redirect by itself.
func (s *Session) Client() *http.Client {
	return &http.Client{
		Transport:     roundTripper(s.roundTrip),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// SessionID is the session id that the server gave at initialize, "" if none.
func (s *Session) SessionID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sessionID
}

// spawn runs do in a goroutine that Wait waits for. After Wait was called it does nothing, and says so.
func (s *Session) spawn(do func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting {
		return false
	}
	s.background.Go(do)
	return true
}

// Wait waits for what the session does on the side. It is called after the end of Life, which ends all of that.
func (s *Session) Wait() {
	s.mu.Lock()
	s.waiting = true
	s.mu.Unlock()
	s.background.Wait()
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// roundTrip takes every request of the SDK.
func (s *Session) roundTrip(r *http.Request) (*http.Response, error) {
	switch {
	case r.Method == http.MethodDelete:
		closeBody(r)
		return local(r, http.StatusNoContent), nil
	case r.Method == http.MethodPost && s.config.LegacySSE:
		return s.legacyPost(r)
	case r.Method == http.MethodPost:
		return s.post(r)
	case r.Method == http.MethodGet && s.config.LegacySSE:
		return s.openStream(r)
	}
	// The standalone stream of streamable HTTP isn't offered: a fault of it would be the session's. The SDK takes 405 for a server
	// that has none.
	closeBody(r)
	return local(r, http.StatusMethodNotAllowed), nil
}

func closeBody(r *http.Request) {
	if r.Body != nil {
		_ = r.Body.Close()
	}
}

// local is a response that was made here.
func local(r *http.Request, status int) *http.Response {
	return &http.Response{
		Status:     http.StatusText(status),
		StatusCode: status,
		Proto:      "HTTP/1.1",
		ProtoMajor: 1,
		ProtoMinor: 1,
		Header:     http.Header{},
		Body:       http.NoBody,
		Request:    r,
	}
}
