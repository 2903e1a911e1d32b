package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"sync"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/oauth2"

	"github.com/mcpclient-go/mcpclient"
)

// silentSlug names the server that never answers.
const silentSlug = "wedged"

// servers are the demo's MCP servers, on ports of 127.0.0.1: good ones, and some
// that fail in common ways.
type servers struct {
	configs []mcpclient.ServerConfig
	tokens  []mcpclient.UserToken

	conns   connections
	mcp     []*mcp.Server
	closers []io.Closer
	running sync.WaitGroup // one for each goroutine that accepts or holds connections
}

// startServers starts all of them, or none.
func startServers() (*servers, error) {
	s := &servers{}
	token := oauth2.Token{AccessToken: rand.Text(), TokenType: "bearer"}
	weather, notes, units := weatherServer(), notesServer(), unitsServer()
	s.mcp = []*mcp.Server{weather, notes, units}
	get := func(m *mcp.Server) func(*http.Request) *mcp.Server {
		return func(*http.Request) *mcp.Server { return m }
	}
	guarded := requireToken(token.AccessToken, mcp.NewSSEHandler(get(notes), nil))
	// Both want the user's token; the user has one for the first of them only.
	signedIn := mcpclient.ServerConfig{ID: uuid.New(), Slug: "notes", Transport: mcpclient.TransportSSE, Auth: mcpclient.OAuth2{}}
	signedOut := mcpclient.ServerConfig{Slug: "private", Transport: mcpclient.TransportSSE, Auth: mcpclient.OAuth2{}}
	s.tokens = []mcpclient.UserToken{{ServerID: signedIn.ID, Token: token}}
	err := errors.Join(
		s.serve(mcpclient.ServerConfig{Slug: "weather"}, mcp.NewStreamableHTTPHandler(get(weather), nil)),
		s.serve(mcpclient.ServerConfig{Slug: "units"}, mcp.NewStreamableHTTPHandler(get(units), &mcp.StreamableHTTPOptions{Stateless: true})),
		s.serve(signedIn, guarded),
		s.serve(signedOut, guarded),
		s.serve(mcpclient.ServerConfig{Slug: "outdated"}, http.NotFoundHandler()),
		s.serveSilence(mcpclient.ServerConfig{Slug: silentSlug}),
	)
	if err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

// stop ends all servers and waits for them. It may be called again.
func (s *servers) stop() {
	for _, m := range s.mcp {
		for session := range m.Sessions() {
			session.Close()
		}
	}
	for _, c := range s.closers {
		c.Close()
	}
	s.running.Wait()
}

func (s *servers) add(config mcpclient.ServerConfig, addr net.Addr) {
	if config.ID == uuid.Nil {
		config.ID = uuid.New()
	}
	config.URL = "http://" + addr.String() + "/mcp"
	s.configs = append(s.configs, config)
}

// serve starts an HTTP server on a free port.
func (s *servers) serve(config mcpclient.ServerConfig, h http.Handler) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("start %s: %w", config.Slug, err)
	}
	server := &http.Server{Handler: h, ConnState: s.conns.set}
	s.closers = append(s.closers, server)
	s.running.Go(func() { _ = server.Serve(l) }) // returns when stop closes the server
	s.add(config, l.Addr())
	return nil
}

// serveSilence starts a server that accepts connections and never answers.
func (s *servers) serveSilence(config mcpclient.ServerConfig) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("start %s: %w", config.Slug, err)
	}
	s.closers = append(s.closers, l)
	s.running.Go(func() { // ends when stop closes the listener
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			s.conns.set(conn, http.StateNew)
			// Ends when the client hangs up, which it does when it gives up.
			s.running.Go(func() {
				_, _ = io.Copy(io.Discard, conn)
				s.conns.set(conn, http.StateClosed)
				conn.Close()
			})
		}
	})
	s.add(config, l.Addr())
	return nil
}

// requireToken refuses requests without the token in the way of RFC 6750.
func requireToken(token string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+token {
			w.Header().Set("WWW-Authenticate", `Bearer realm="notes", scope="notes:read"`)
			http.Error(w, "sign in first", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// census counts what a step makes: goroutines in the process, connections and
// sessions on the servers.
type census struct{ goroutines, connections, sessions int }

func (s *servers) count() census {
	c := census{goroutines: runtime.NumGoroutine(), connections: s.conns.count()}
	for _, m := range s.mcp {
		for range m.Sessions() {
			c.sessions++
		}
	}
	return c
}

// connections are those that the servers have open.
type connections struct {
	mu   sync.Mutex
	open map[net.Conn]bool
}

// set is an http.Server's ConnState.
func (c *connections) set(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == nil {
		c.open = map[net.Conn]bool{}
	}
	switch state {
	case http.StateClosed, http.StateHijacked:
		delete(c.open, conn)
	default:
		c.open[conn] = true
	}
}

func (c *connections) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.open)
}
