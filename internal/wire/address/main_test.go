package address

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"golang.org/x/net/dns/dnsmessage"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// canary listens on 127.0.0.1, and knows whether anybody connected to it.
type canary struct {
	t *testing.T
	l net.Listener
}

func newCanary(t *testing.T) *canary {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return &canary{t: t, l: l}
}

func (c *canary) port() string {
	_, port, err := net.SplitHostPort(c.l.Addr().String())
	require.NoError(c.t, err)
	return port
}

func (c *canary) at(host string) string { return net.JoinHostPort(host, c.port()) }

// untouched connects by itself: if that is the first connection to be accepted, nobody has connected before.
func (c *canary) untouched() {
	c.t.Helper()
	marker, err := net.Dial("tcp4", c.l.Addr().String())
	require.NoError(c.t, err)
	defer func() { _ = marker.Close() }()
	first, err := c.l.Accept()
	require.NoError(c.t, err)
	defer func() { _ = first.Close() }()
	assert.Equal(c.t, marker.LocalAddr().String(), first.RemoteAddr().String(), "the canary was connected to")
}

// names is a DNS server in memory.
type names struct {
	mu      sync.Mutex
	answers map[string][]netip.Addr
	serving sync.WaitGroup
}

// newNames maps names to their addresses. The addresses of a name are all of one family.
func newNames(t *testing.T, answers map[string][]string) *names {
	t.Helper()
	n := &names{answers: map[string][]netip.Addr{}}
	for name, addrs := range answers {
		n.set(name, addrs...)
	}
	t.Cleanup(n.serving.Wait)
	return n
}

func (n *names) set(name string, addrs ...string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.answers[name+"."] = nil
	for _, addr := range addrs {
		n.answers[name+"."] = append(n.answers[name+"."], netip.MustParseAddr(addr))
	}
}

// dialer resolves by n.
func (n *names) dialer() *net.Dialer {
	return &net.Dialer{Resolver: &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		n.serving.Go(func() { n.serve(server) }) // ends when the resolver closes its side
		return client, nil
	}}}
}

// serve reads queries as DNS over TCP frames them, which is what the resolver does on a connection without packets.
func (n *names) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	buf := make([]byte, 4096)
	for {
		size, err := conn.Read(buf)
		if err != nil {
			return
		}
		answer, err := n.answer(buf[2:size])
		if err != nil {
			return
		}
		framed := append([]byte{byte(len(answer) >> 8), byte(len(answer))}, answer...)
		if _, err := conn.Write(framed); err != nil {
			return
		}
	}
}

func (n *names) answer(query []byte) ([]byte, error) {
	var m dnsmessage.Message
	if err := m.Unpack(query); err != nil {
		return nil, err
	}
	if len(m.Questions) != 1 {
		return nil, errors.New("not one question")
	}
	q := m.Questions[0]
	n.mu.Lock()
	addrs, known := n.answers[q.Name.String()]
	n.mu.Unlock()
	m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
	if !known {
		m.RCode = dnsmessage.RCodeNameError
	}
	for _, addr := range addrs {
		header := dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class}
		switch {
		case addr.Is4() && q.Type == dnsmessage.TypeA:
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AResource{A: addr.As4()}})
		case addr.Is6() && q.Type == dnsmessage.TypeAAAA:
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AAAAResource{AAAA: addr.As16()}})
		}
	}
	return m.Pack()
}
