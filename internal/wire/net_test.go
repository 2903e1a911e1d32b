package wire

import (
	"context"
	"github.com/mcpclient-go/mcpclient/internal/wire/address"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
)

// pipes is a network of one host, in memory, that works in a synctest bubble.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), done: make(chan struct{})} }

func (p *pipes) DialContext(ctx context.Context, _, _ string) (net.Conn, error) {
	c, s := net.Pipe()
	select {
	case p.conns <- s:
		return c, nil
	case <-p.done:
	case <-ctx.Done():
	}
	_, _ = c.Close(), s.Close()
	return nil, &net.OpError{Op: "dial", Net: "tcp", Err: net.ErrClosed}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

const testURL = "http://mcp.test/mcp"

// bubble runs f in virtual time against a server in memory, and ends everything that f left open at the server's side.
func bubble(t *testing.T, handler http.Handler, f func(t *testing.T, base *http.Transport)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		network := newPipes()
		server := &http.Server{Handler: handler}
		served := make(chan struct{})
		go func() {
			defer close(served)
			_ = server.Serve(network)
		}()
		base := DefaultTransport(address.Policy{})
		base.DialContext = Dial(network.DialContext)
		base.Proxy = nil
		defer func() {
			base.CloseIdleConnections()
			_ = server.Close()
			<-served
		}()
		f(t, base)
	})
}
