package wire

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"
	"time"

	"github.com/mcpclient-go/mcpclient/internal/wire/address"
)

// Times that DefaultTransport allows. All of them bound a peer that doesn't react; a call's own limit is its context.
const (
	dialTimeout     = 5 * time.Second
	tlsTimeout      = 5 * time.Second
	idleTimeout     = 90 * time.Second
	pingAfter       = 10 * time.Second
	pingTimeout     = 5 * time.Second
	maxHeaderBytes  = 256 << 10
	idlePerHost     = 64
	continueTimeout = time.Second
)

// DefaultTransport makes a transport as sessions need it; any number of them can share it. Dialling and TLS are bounded, and end
// with the session that they are for. HTTP/2 connections are pinged, as a dead one would otherwise be used for ever. There is no
// limit for a response's headers to come: a tool may run for minutes. The policy holds for every dial, and says whether the
// proxies of the environment are used.
func DefaultTransport(policy address.Policy) *http.Transport {
	dialer := &net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:                  policy.EnvironmentProxy(),
		DialContext:            Dial(policy.Dialer(dialer)),
		TLSHandshakeTimeout:    tlsTimeout,
		ForceAttemptHTTP2:      true,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingTimeout},
		MaxIdleConns:           0,
		MaxIdleConnsPerHost:    idlePerHost,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxHeaderBytes,
		ExpectContinueTimeout:  continueTimeout,
	}
}

// Dial makes the DialContext of an http.Transport end with the life of the session that it dials for. The transport itself
// goes on to dial, and to shake hands, after its request has ended, in the hope of a later one.
func Dial(dial func(ctx context.Context, network, addr string) (net.Conn, error)) func(ctx context.Context, network, addr string) (net.Conn, error) {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		s, ok := ctx.Value(sessionKey{}).(*Session)
		if !ok {
			return dial(ctx, network, addr)
		}
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		defer context.AfterFunc(s.life, func() { cancel(s.ended()) })()
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		if g, ok := ctx.Value(handshakeKey{}).(*handshake); ok {
			g.guard(s.life, conn)
		}
		return conn, nil
	}
}

type handshakeKey struct{}

// handshake closes connections on which TLS isn't ready when the session ends. A connection that is ready may serve other
// sessions and stays.
type handshake struct {
	mu    sync.Mutex
	stops []func() bool
}

func (h *handshake) guard(life context.Context, conn net.Conn) {
	stop := context.AfterFunc(life, func() { _ = conn.Close() })
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stops = append(h.stops, stop)
}

// done is called at the end of a handshake on any connection that the request had dialled.
func (h *handshake) done() {
	h.mu.Lock()
	stops := h.stops
	h.stops = nil
	h.mu.Unlock()
	for _, stop := range stops {
		stop()
	}
}

// withHandshake makes connections that are dialled for an https request end with the session until TLS is ready.
func withHandshake(ctx context.Context, trace *httptrace.ClientTrace) context.Context {
	h := &handshake{}
	trace.TLSHandshakeDone = func(tls.ConnectionState, error) { h.done() }
	return context.WithValue(ctx, handshakeKey{}, h)
}
