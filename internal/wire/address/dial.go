package address

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"syscall"
)

// DialFunc has the form that http.Transport wants for DialContext and DialTLSContext.
type DialFunc func(ctx context.Context, network, addr string) (net.Conn, error)

// Dialer makes a function that dials as base does, within the policy. base isn't modified; nil is the zero net.Dialer.
//
// Each address is judged after the name was resolved and before anything is sent to it. Of the addresses of one name those that
// are denied are passed over; the others are tried as always. If none could be connected to, the error is that of the first
// one, and an *Error in it if that was denied. Networks other than TCP, UDP and IP have no such addresses and aren't judged.
//
// A Control or ControlContext of base is called after the policy, for allowed addresses only. With AllowAll the function is
// base's own.
func (p Policy) Dialer(base *net.Dialer) DialFunc {
	if base == nil {
		base = &net.Dialer{}
	}
	if p.Mode == AllowAll {
		return base.DialContext
	}
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		if err := p.checkLiteral(network, addr); err != nil {
			return nil, &net.OpError{Op: "dial", Net: network, Err: err}
		}
		host := hostOf(addr)
		d := *base
		d.ControlContext = func(ctx context.Context, network, addr string, c syscall.RawConn) error {
			if err := p.checkResolved(network, addr, host); err != nil {
				return err
			}
			switch {
			case base.ControlContext != nil:
				return base.ControlContext(ctx, network, addr, c)
			case base.Control != nil:
				return base.Control(network, addr, c)
			}
			return nil
		}
		return d.DialContext(ctx, network, addr)
	}
}

// guard applies the policy to a dial function of which nothing is known. What it resolves names to shows only in the connection
// that it returns, so a denied peer sees that it was connected to. It gets no bytes, unless dial itself sent some.
func (p Policy) guard(dial DialFunc) DialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		if err := p.checkLiteral(network, addr); err != nil {
			return nil, &net.OpError{Op: "dial", Net: network, Err: err}
		}
		conn, err := dial(ctx, network, addr)
		if err != nil || conn == nil {
			return conn, err
		}
		if err := p.CheckPeer(hostOf(addr), conn.RemoteAddr()); err != nil {
			discard(conn)
			return nil, &net.OpError{Op: "dial", Net: network, Addr: conn.RemoteAddr(), Err: err}
		}
		return conn, nil
	}
}

// checkLiteral judges hosts that are addresses in any notation. It doesn't rely on what a resolver makes of the unusual ones.
func (p Policy) checkLiteral(network, addr string) error {
	if !hasIP(network) {
		return nil
	}
	return p.checkHost(hostOf(addr))
}

func (p Policy) checkHost(host string) error {
	for _, literal := range literals(host) {
		if !p.Check(literal) {
			return &Error{Host: host, Addr: literal}
		}
	}
	return nil
}

// checkResolved judges the address that the net package is about to connect to; host is what was dialled.
func (p Policy) checkResolved(network, addr, host string) error {
	if !hasIP(network) {
		return nil
	}
	resolved := parseIP(addr)
	if !resolved.IsValid() && hostOf(addr) == "" {
		resolved = netip.IPv6Unspecified()
	}
	if p.Check(resolved) {
		return nil
	}
	return &Error{Host: host, Addr: resolved}
}

func hasIP(network string) bool {
	return strings.HasPrefix(network, "tcp") || strings.HasPrefix(network, "udp") || strings.HasPrefix(network, "ip")
}

// hostOf takes the port off addr. Not all networks have one.
func hostOf(addr string) string {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	return host
}

// ipOf returns the zero Addr for peers that aren't known by an IP address: pipes, Unix sockets, networks in memory. IPv4 addresses
// don't come in their mapped form, which net.IP doesn't tell from the other one.
func ipOf(addr net.Addr) netip.Addr {
	switch a := addr.(type) {
	case nil:
		return netip.Addr{}
	case *net.TCPAddr:
		return a.AddrPort().Addr().Unmap()
	case *net.UDPAddr:
		return a.AddrPort().Addr().Unmap()
	case *net.UnixAddr:
		return netip.Addr{}
	}
	return parseIP(addr.String())
}

func parseIP(addr string) netip.Addr {
	ip, err := netip.ParseAddr(hostOf(addr))
	if err != nil {
		return netip.Addr{}
	}
	return ip
}

// discard closes conn without a word: TLS would send an alert, and wait for it to be sent.
func discard(conn net.Conn) {
	if over, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = over.NetConn()
	}
	_ = conn.Close()
}
