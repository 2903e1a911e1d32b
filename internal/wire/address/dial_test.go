package address

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func refused(t *testing.T, err error, host, addr string) {
	t.Helper()
	var denied *Error
	require.ErrorAs(t, err, &denied)
	assert.Equal(t, host, denied.Host)
	assert.Equal(t, addr, denied.Addr.String())
}

func connects(t *testing.T, dial DialFunc, addr string) {
	t.Helper()
	conn, err := dial(t.Context(), "tcp", addr)
	require.NoError(t, err)
	require.NoError(t, conn.Close())
}

// attempts notes which addresses a net.Dialer was allowed to connect to.
type attempts struct {
	mu   sync.Mutex
	seen []string
}

func (a *attempts) control(_, addr string, _ syscall.RawConn) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.seen = append(a.seen, hostOf(addr))
	return nil
}

func TestDialerRefusesBeforeItConnects(t *testing.T) {
	c := newCanary(t)
	n := newNames(t, map[string][]string{"rebind.test": {"127.0.0.1"}, "0x7f.0.0.1.test": {"127.0.0.1"}})
	dial := Policy{Mode: PublicOnly}.Dialer(n.dialer())
	for host, addr := range map[string]string{
		"127.0.0.1":        "127.0.0.1",
		"::ffff:127.0.0.1": "::ffff:127.0.0.1",
		"rebind.test":      "127.0.0.1",
		"0x7f.0.0.1.test":  "127.0.0.1",
		"2130706433":       "127.0.0.1",
		"0x7f.1":           "127.0.0.1",
		"017700000001":     "127.0.0.1",
		"0":                "0.0.0.0",
		"":                 "::",
		"localhost":        "", // either family
	} {
		t.Run(host, func(t *testing.T) {
			conn, err := dial(t.Context(), "tcp4", c.at(host))
			assert.Nil(t, conn)
			if addr != "" {
				refused(t, err, host, addr)
				return
			}
			var denied *Error
			require.ErrorAs(t, err, &denied)
			assert.True(t, denied.Addr.IsLoopback())
		})
	}
	c.untouched()
}

func TestSystemResolverIsCovered(t *testing.T) {
	c := newCanary(t)
	dial := Policy{Mode: PublicOnly}.Dialer(nil)
	_, err := dial(t.Context(), "tcp", c.at("localhost"))
	var denied *Error
	require.ErrorAs(t, err, &denied)
	assert.True(t, denied.Addr.IsLoopback())
	c.untouched()
}

func TestDefaultKeepsPrivateNetworks(t *testing.T) {
	c := newCanary(t)
	n := newNames(t, map[string][]string{"mcp.internal": {"127.0.0.1"}, "metadata.internal": {"169.254.169.254"}})
	dial := Policy{}.Dialer(n.dialer())
	for _, host := range []string{"127.0.0.1", "mcp.internal", "localhost"} {
		t.Run(host, func(t *testing.T) { connects(t, dial, c.at(host)) })
	}
	_, err := dial(t.Context(), "tcp", "metadata.internal:80")
	refused(t, err, "metadata.internal", "169.254.169.254")
}

func TestAllowedPrefixIsDialled(t *testing.T) {
	c := newCanary(t)
	n := newNames(t, map[string][]string{"mcp.test": {"127.0.0.1"}})
	dial := Policy{Mode: PublicOnly, Allow: prefixes("127.0.0.1/32")}.Dialer(n.dialer())
	connects(t, dial, c.at("mcp.test"))
	connects(t, dial, c.at("::ffff:127.0.0.1"))
}

func TestAllowAllDialsAsBase(t *testing.T) {
	c := newCanary(t)
	connects(t, Policy{Mode: AllowAll}.Dialer(nil), c.at("127.0.0.1"))
}

func TestSeveralAddresses(t *testing.T) {
	c := newCanary(t)
	n := newNames(t, map[string][]string{
		"mixed.test": {"169.254.169.254", "127.0.0.1", "169.254.170.2"},
		"bad.test":   {"169.254.169.254", "169.254.170.2"},
		"bad6.test":  {"fd00:ec2::254", "fd00:ec2::23"},
	})
	base, tried := n.dialer(), &attempts{}
	base.Control = tried.control
	dial := Policy{}.Dialer(base)

	connects(t, dial, c.at("mixed.test"))
	assert.Equal(t, []string{"127.0.0.1"}, tried.seen, "only the allowed one is tried")

	_, err := dial(t.Context(), "tcp", c.at("bad.test"))
	refused(t, err, "bad.test", "169.254.169.254")
	_, err = dial(t.Context(), "tcp", c.at("bad6.test"))
	var denied *Error
	require.ErrorAs(t, err, &denied)
	assert.True(t, netip.MustParsePrefix("fd00:ec2::/32").Contains(denied.Addr))
	assert.Len(t, tried.seen, 1)
}

func TestAnswerChangesBetweenDials(t *testing.T) {
	c := newCanary(t)
	n := newNames(t, map[string][]string{"rebind.test": {"127.0.0.1"}})
	dial := Policy{Mode: PublicOnly, Allow: prefixes("127.0.0.1/32")}.Dialer(n.dialer())
	connects(t, dial, c.at("rebind.test"))

	n.set("rebind.test", "127.0.0.2")
	_, err := dial(t.Context(), "tcp", c.at("rebind.test"))
	refused(t, err, "rebind.test", "127.0.0.2")

	n.set("rebind.test", "127.0.0.1")
	connects(t, dial, c.at("rebind.test"))
}

func TestControlOfBaseIsKept(t *testing.T) {
	c := newCanary(t)
	veto := errors.New("veto")
	type key struct{}
	ctx := context.WithValue(t.Context(), key{}, "value")
	base := &net.Dialer{
		ControlContext: func(ctx context.Context, network, addr string, _ syscall.RawConn) error {
			assert.Equal(t, "value", ctx.Value(key{}))
			assert.Equal(t, "tcp4", network)
			assert.Equal(t, c.at("127.0.0.1"), addr)
			return veto
		},
		Control: func(string, string, syscall.RawConn) error { panic("net.Dialer prefers ControlContext") },
	}
	_, err := Policy{}.Dialer(base)(ctx, "tcp", c.at("127.0.0.1"))
	require.ErrorIs(t, err, veto)
	_, err = Policy{Mode: PublicOnly}.Dialer(base)(ctx, "tcp", c.at("127.0.0.1"))
	refused(t, err, "127.0.0.1", "127.0.0.1")
	c.untouched()
}

func TestUnixSocketsAreNotJudged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	conn, err := Policy{Mode: PublicOnly}.Dialer(nil)(t.Context(), "unix", path)
	require.NoError(t, err)
	require.NoError(t, conn.Close())
}

func TestGuardLooksAtTheConnection(t *testing.T) {
	for _, tc := range []struct {
		name   string
		remote net.Addr
		denied string
	}{
		{"TCP", &net.TCPAddr{IP: net.IPv4(169, 254, 169, 254), Port: 80}, "169.254.169.254"},
		{"TCP6 with zone", &net.TCPAddr{IP: net.ParseIP("fe80::1"), Port: 80, Zone: "eth0"}, "fe80::1%eth0"},
		{"UDP", &net.UDPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 443}, "10.0.0.1"},
		{"IP", &net.IPAddr{IP: net.IPv4(127, 0, 0, 1)}, "127.0.0.1"},
		{"text", textAddr("[::1]:80"), "::1"},
		{"public", &net.TCPAddr{IP: net.IPv4(8, 8, 8, 8), Port: 80}, ""},
		{"a name", textAddr("mcp.test:80"), ""},
		{"a socket", &net.UnixAddr{Name: "127.0.0.1", Net: "unix"}, ""},
		{"no IP", &net.TCPAddr{}, ""},
		{"typed nil", (*net.TCPAddr)(nil), ""},
		{"nil", nil, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			made := &fakeConn{remote: tc.remote}
			dial := Policy{Mode: PublicOnly}.guard(func(context.Context, string, string) (net.Conn, error) { return made, nil })
			conn, err := dial(t.Context(), "tcp", "mcp.test:80")
			if tc.denied == "" {
				require.NoError(t, err)
				assert.Same(t, made, conn)
				assert.False(t, made.closed)
				return
			}
			refused(t, err, "mcp.test", tc.denied)
			assert.Nil(t, conn)
			assert.True(t, made.closed)
		})
	}
}

func TestGuardDoesNotCallForDeniedHosts(t *testing.T) {
	dial := Policy{}.guard(func(context.Context, string, string) (net.Conn, error) { panic("dialled") })
	for _, addr := range []string{"169.254.169.254:80", "[fe80::1%eth0]:80", "2852039166:80", "0xa9fea9fe:80", "0251.0376.0251.0376:80", "[::ffff:a9fe:a9fe]:80", ":80"} {
		_, err := dial(t.Context(), "tcp", addr)
		var denied *Error
		require.ErrorAs(t, err, &denied, addr)
	}
}

func TestGuardPassesFailuresOn(t *testing.T) {
	failure := errors.New("failure")
	_, err := Policy{}.guard(func(context.Context, string, string) (net.Conn, error) { return nil, failure })(t.Context(), "tcp", "mcp.test:80")
	require.ErrorIs(t, err, failure)
	conn, err := Policy{}.guard(func(context.Context, string, string) (net.Conn, error) { return nil, nil })(t.Context(), "tcp", "mcp.test:80")
	require.NoError(t, err)
	require.Nil(t, conn)
}

func TestGuardClosesBelowTLS(t *testing.T) {
	inner := &fakeConn{}
	outer := &overConn{fakeConn: fakeConn{remote: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}}, inner: inner}
	_, err := Policy{Mode: PublicOnly}.guard(func(context.Context, string, string) (net.Conn, error) { return outer, nil })(t.Context(), "tcp", "mcp.test:443")
	refused(t, err, "mcp.test", "127.0.0.1")
	assert.True(t, inner.closed)
	assert.False(t, outer.closed)
}

func TestErrorSaysWhat(t *testing.T) {
	v4 := netip.MustParseAddr("169.254.169.254")
	assert.EqualError(t, &Error{Host: "meta.test", Addr: v4}, `address policy: host "meta.test" resolves to 169.254.169.254, which must not be dialled`)
	assert.EqualError(t, &Error{Host: "2852039166", Addr: v4}, `address policy: host "2852039166" resolves to 169.254.169.254, which must not be dialled`)
	assert.EqualError(t, &Error{Host: "169.254.169.254", Addr: v4}, `address policy: 169.254.169.254 must not be dialled`)
	assert.EqualError(t, &Error{Host: "evil\n.test"}, `address policy: the address of host "evil\n.test" is not known, so it must not be dialled`)
}

type textAddr string

func (textAddr) Network() string  { return "tcp" }
func (a textAddr) String() string { return string(a) }

// fakeConn panics if it is written to or read from.
type fakeConn struct {
	net.Conn
	remote net.Addr
	closed bool
}

func (c *fakeConn) RemoteAddr() net.Addr { return c.remote }
func (c *fakeConn) Close() error         { c.closed = true; return nil }

type overConn struct {
	fakeConn
	inner net.Conn
}

func (c *overConn) NetConn() net.Conn { return c.inner }
