package mcptest

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"
	"syscall"
	"time"
)

// Network joins clients and servers in memory. Every wait in it is on channels and timers that are made where it is used, so a
// whole network can live in a testing/synctest bubble; it works outside of one as well. It is safe for concurrent use.
//
// Hosts are "name:port" as an HTTP transport dials them: "good.test:80"; without a port it is 80. A host nobody listens on refuses
// the connection.
type Network struct {
	// Latency is how long bytes travel in each direction; to connect takes a round trip. It counts for connections dialled
	// after it was set; set it before anything is dialled.
	Latency time.Duration

	mu         sync.Mutex
	hosts      map[string]*listener
	ends       map[*conn]bool // open ends of connections; true: the end of the client
	dials      map[string]int
	dialled    int
	transports []*http.Transport
	closed     bool

	serving sync.WaitGroup // accept loops that Start runs on listeners of this network; they end when the listener does
}

// NewNetwork makes an empty network. Inside a bubble it must be made there.
func NewNetwork() *Network {
	return &Network{hosts: map[string]*listener{}, ends: map[*conn]bool{}, dials: map[string]int{}}
}

// manner is what a host does with a new connection.
type manner int

const (
	listening manner = iota
	silent
	slamming
	swallowing
)

// Listen makes host reachable. It panics if host is taken, as that is a mistake of the test.
func (n *Network) Listen(host string) net.Listener { return n.add(host, listening) }

// Silent makes host accept every connection and never answer.
func (n *Network) Silent(host string) { n.add(host, silent) }

// Slam makes host accept every connection and close it at once.
func (n *Network) Slam(host string) { n.add(host, slamming) }

// Swallow makes host a black hole: dialling it neither succeeds nor fails, as if a firewall dropped the packets.
func (n *Network) Swallow(host string) { n.add(host, swallowing) }

func (n *Network) add(host string, m manner) *listener {
	host = withPort(host)
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.hosts[host] != nil {
		panic(fmt.Sprintf("mcptest: host %s is taken", host))
	}
	l := &listener{net: n, host: host, manner: m, queue: make(chan *conn, 128), done: make(chan struct{})}
	n.hosts[host] = l
	return l
}

// Shut ends what Listen, Silent, Slam or Swallow began at host. Open connections stay.
func (n *Network) Shut(host string) {
	n.mu.Lock()
	l := n.hosts[withPort(host)]
	n.mu.Unlock()
	if l != nil {
		_ = l.Close()
	}
}

// DialContext connects to a host; it has the form that http.Transport wants.
func (n *Network) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	fail := func(err error) error {
		return &net.OpError{Op: "dial", Net: network, Addr: address(addr), Err: err}
	}
	n.mu.Lock()
	n.dialled++
	n.dials[addr]++
	client := address(fmt.Sprintf("client.test:%d", n.dialled))
	l, latency := n.hosts[addr], n.Latency
	n.mu.Unlock()

	if err := sleep(ctx, nil, 2*latency); err != nil {
		return nil, fail(err)
	}
	if l == nil {
		return nil, fail(os.NewSyscallError("connect", syscall.ECONNREFUSED))
	}
	if l.manner == swallowing {
		select {
		case <-ctx.Done():
			return nil, fail(ctx.Err())
		case <-l.done:
			return nil, fail(os.NewSyscallError("connect", syscall.ETIMEDOUT))
		}
	}
	c, s, err := n.pair(client, address(addr), latency)
	if err != nil {
		return nil, fail(err)
	}
	if err := l.offer(ctx, s); err != nil {
		_, _ = c.Close(), s.Close()
		return nil, fail(err)
	}
	return c, nil
}

func (n *Network) pair(client, server address, latency time.Duration) (c, s *conn, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return nil, nil, net.ErrClosed
	}
	c, s = connPair(client, server, latency, n.forget)
	n.ends[c], n.ends[s] = true, false
	return c, s, nil
}

func (n *Network) forget(c *conn) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.ends, c)
}

// Client is an HTTP client on a transport of its own that dials this network. Close ends its connections.
func (n *Network) Client() *http.Client {
	t := &http.Transport{DialContext: n.DialContext, MaxIdleConnsPerHost: 64, IdleConnTimeout: 90 * time.Second}
	n.mu.Lock()
	n.transports = append(n.transports, t)
	n.mu.Unlock()
	return &http.Client{Transport: t}
}

// Open counts the connections whose client has not closed them.
func (n *Network) Open() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	open := 0
	for _, client := range n.ends {
		if client {
			open++
		}
	}
	return open
}

// Dials counts the attempts to connect to host, also those that failed; "" counts all.
func (n *Network) Dials(host string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	if host == "" {
		return n.dialled
	}
	return n.dials[host]
}

// Cut resets every open connection, as a network that fails does. Hosts stay.
func (n *Network) Cut() {
	for _, c := range n.open() {
		c.Reset()
	}
}

func (n *Network) open() []*conn {
	n.mu.Lock()
	defer n.mu.Unlock()
	open := make([]*conn, 0, len(n.ends))
	for c := range n.ends {
		open = append(open, c)
	}
	return open
}

// Close ends all hosts and connections, and waits for the accept loops of servers that Start put on this network. It may be
// called again.
func (n *Network) Close() {
	n.mu.Lock()
	n.closed = true
	hosts := make([]*listener, 0, len(n.hosts))
	for _, l := range n.hosts {
		hosts = append(hosts, l)
	}
	transports := n.transports
	n.mu.Unlock()
	for _, l := range hosts {
		_ = l.Close()
	}
	for _, c := range n.open() {
		_ = c.Close()
	}
	for _, t := range transports {
		t.CloseIdleConnections()
	}
	n.serving.Wait()
}

// listener is one host of a network.
type listener struct {
	net    *Network
	host   string
	manner manner
	queue  chan *conn // connections that wait for Accept, as in a kernel's backlog
	done   chan struct{}
	once   sync.Once
}

// offer hands the server's end of a new connection to the host.
func (l *listener) offer(ctx context.Context, c *conn) error {
	switch l.manner {
	case silent:
		return nil
	case slamming:
		return c.Close()
	}
	select {
	case <-l.done:
		return os.NewSyscallError("connect", syscall.ECONNREFUSED)
	default:
	}
	select {
	case l.queue <- c:
		select {
		case <-l.done: // it was closed in between, and nobody else looks at the queue any more
			l.drain()
		default:
		}
		return nil
	case <-l.done:
		return os.NewSyscallError("connect", syscall.ECONNREFUSED)
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case <-l.done:
		return nil, net.ErrClosed
	default:
	}
	select {
	case c := <-l.queue:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error {
	l.once.Do(func() {
		close(l.done)
		l.net.mu.Lock()
		if l.net.hosts[l.host] == l {
			delete(l.net.hosts, l.host)
		}
		l.net.mu.Unlock()
	})
	l.drain()
	return nil
}

// drain closes the connections that nobody has accepted.
func (l *listener) drain() {
	for {
		select {
		case c := <-l.queue:
			_ = c.Close()
		default:
			return
		}
	}
}

func (l *listener) Addr() net.Addr { return address(l.host) }

// sleep waits for d, or less if ctx or done ends first; then it says why. A nil done never ends.
func sleep(ctx context.Context, done <-chan struct{}, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-done:
		return net.ErrClosed
	}
}

func withPort(host string) string {
	if _, _, err := net.SplitHostPort(host); err == nil {
		return host
	}
	return net.JoinHostPort(host, "80")
}
