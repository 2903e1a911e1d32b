package address

import (
	"context"
	"net"
	"net/http"
	"net/url"
)

// Transport returns a clone of t that applies the policy to every dial, with connections of its own; nil is the zero
// http.Transport. t isn't modified. The clone's DialContext is set; Dial and DialTLS of t became DialContext and DialTLSContext.
// HTTP/2 is spoken where t speaks it; an implementation of it that t was configured with keeps one pool for both. Protocols of
// RegisterProtocol aren't in the clone.
//
// How early a denied address is refused depends on who dials:
//
//   - Where t has no dial function, as Dialer does: nothing reaches the address.
//   - A DialContext or Dial of t is called, unless the host is itself a denied address. What it connected to shows in the
//     connection's RemoteAddr; a denied one is closed before any byte of HTTP or TLS is sent. If RemoteAddr isn't an IP address
//     (pipes, Unix sockets) or is that of something in between (SOCKS, tunnels), the policy can't see further.
//   - So it is with DialTLSContext and DialTLS, but those have shaken hands by then; no byte of HTTP is sent.
//
// A proxy resolves names itself, so for a request through t.Proxy the policy judges the address of the proxy, like that of any
// peer, and the request's host only where it is an address rather than a name. A proxy is as good as the policy that it has
// itself. See EnvironmentProxy for transports that aren't a caller's.
func (p Policy) Transport(t *http.Transport) *http.Transport {
	if t == nil {
		t = &http.Transport{}
	}
	clone := t.Clone()
	if t.TLSNextProto["h2"] != nil {
		// By default a transport speaks HTTP/2 only if it has no dial function. Clone has decided this for t.
		clone.ForceAttemptHTTP2 = true
	}
	//lint:ignore SA1019 a caller's transport may still use them
	clone.Dial, clone.DialTLS = nil, nil
	clone.DialContext = p.plain(t)
	clone.DialTLSContext = p.secure(t)
	clone.Proxy = p.proxy(t.Proxy)
	return clone
}

// EnvironmentProxy is the Proxy for a transport whose proxies nobody has chosen: that of http.ProxyFromEnvironment with AllowAll,
// otherwise none, as behind a proxy the policy sees the names of hosts alone.
func (p Policy) EnvironmentProxy() func(*http.Request) (*url.URL, error) {
	if p.Mode == AllowAll {
		return http.ProxyFromEnvironment
	}
	return nil
}

// plain is the policy's form of how t dials without TLS.
func (p Policy) plain(t *http.Transport) DialFunc {
	//lint:ignore SA1019 see Transport
	dial := either(t.DialContext, t.Dial)
	switch {
	case dial == nil:
		return p.Dialer(nil)
	case p.Mode == AllowAll:
		return dial
	}
	return p.guard(dial)
}

// secure is the policy's form of how t dials for https, nil if it does that as for http.
func (p Policy) secure(t *http.Transport) DialFunc {
	//lint:ignore SA1019 see Transport
	dial := either(t.DialTLSContext, t.DialTLS)
	if dial == nil || p.Mode == AllowAll {
		return dial
	}
	return p.guard(dial)
}

// either prefers the newer form, as http.Transport does.
func either(dial DialFunc, old func(network, addr string) (net.Conn, error)) DialFunc {
	if dial != nil || old == nil {
		return dial
	}
	return func(_ context.Context, network, addr string) (net.Conn, error) { return old(network, addr) }
}

// proxy fails for requests that would go through a proxy to a host that is a denied address.
func (p Policy) proxy(choose func(*http.Request) (*url.URL, error)) func(*http.Request) (*url.URL, error) {
	if choose == nil || p.Mode == AllowAll {
		return choose
	}
	return func(r *http.Request) (*url.URL, error) {
		through, err := choose(r)
		if err != nil || through == nil {
			return nil, err
		}
		if err := p.checkHost(r.URL.Hostname()); err != nil {
			return nil, err
		}
		return through, nil
	}
}
