package mcptest

import (
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// Start serves s on a host of the network until the test ends, and returns the URL of its MCP endpoint.
func Start(t testing.TB, n *Network, host string, s *Server) (url string) {
	t.Helper()
	t.Cleanup(s.Close)
	url = "http://" + host + s.path()
	if _, wedged := s.Wedges[Accept]; wedged {
		n.Silent(host)
		return url
	}
	listener := n.Listen(host)
	server := &http.Server{Handler: s, ErrorLog: log.New(io.Discard, "", 0)}
	// Serve returns when Close of the server or of the network ends the listener; both wait for it.
	served := make(chan struct{})
	n.serving.Add(1)
	go func() {
		defer n.serving.Done()
		defer close(served)
		_ = server.Serve(listener)
	}()
	s.onClose(func() {
		_ = server.Close()
		<-served
	})
	return url
}

// Canary serves a good server where faults lead a client that would follow anywhere. Its recorder must stay empty.
func Canary(t testing.TB, n *Network) *Server {
	t.Helper()
	s := &Server{}
	Start(t, n, "canary.test:80", s)
	return s
}

func (s *Server) path() string {
	if s.LegacySSE {
		return "/sse"
	}
	return "/mcp"
}

// StartTCP serves s on a port of the loopback address until the test ends, and returns the URL of its MCP endpoint.
func StartTCP(t testing.TB, s *Server) (url string) {
	t.Helper()
	if _, wedged := s.Wedges[Accept]; wedged {
		return "http://" + silentTCP(t) + s.path()
	}
	server := httptest.NewUnstartedServer(s)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Start()
	s.closeWith(t, server)
	return server.URL + s.path()
}

// StartTLS is like StartTCP over TLS, with HTTP/2 if wanted. The client trusts the server and speaks its protocol.
func StartTLS(t testing.TB, s *Server, http2 bool) (url string, client *http.Client) {
	t.Helper()
	server := httptest.NewUnstartedServer(s)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.EnableHTTP2 = http2
	server.StartTLS()
	s.closeWith(t, server)
	return server.URL + s.path(), server.Client()
}

// closeWith ties the listener to the server: requests are released first, then connections are cut, so that no close waits.
func (s *Server) closeWith(t testing.TB, server *httptest.Server) {
	s.onClose(func() {
		server.CloseClientConnections()
		server.Close()
	})
	t.Cleanup(s.Close)
}

// silentTCP accepts connections until the test ends and never answers. It returns its address.
func silentTCP(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var accepting sync.WaitGroup
	var held []net.Conn // of the goroutine below until it has ended
	accepting.Go(func() {
		for {
			c, err := listener.Accept() // ends when the cleanup closes the listener
			if err != nil {
				return
			}
			held = append(held, c)
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		accepting.Wait()
		for _, c := range held {
			_ = c.Close()
		}
	})
	return listener.Addr().String()
}
