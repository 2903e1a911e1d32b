package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"cdr.dev/slog/v3"
	"cdr.dev/slog/v3/sloggers/slogjson"
	"charm.land/fantasy"
	"github.com/google/uuid"

	"github.com/mcpclient-go/mcpclient"
)

// protocolStateless is the only protocol version that a host names: servers of
// older ones are met with a zero ServerConfig.ProtocolVersion.
const protocolStateless = "2026-07-28"

// connectTimeout is more than the default: the suite starts the clients of all
// scenarios at once, and one process serves them all. callTimeout is less: one
// mock never answers a call.
const (
	connectTimeout = 20 * time.Second
	callTimeout    = 10 * time.Second
)

// host is the backend of one user with one MCP server.
type host struct {
	given   given
	server  mcpclient.ServerConfig
	tokens  []mcpclient.UserToken
	client  *http.Client // nil: the package's own transport
	refused challenges   // what a client over it was refused
	login   *login
	logger  slog.Logger
}

func newHost(url, protocol string, g given) *host {
	h := &host{
		given:  g,
		server: mcpclient.ServerConfig{ID: uuid.New(), Slug: "mock", URL: url},
		login:  newLogin(url, g),
		logger: slog.Make(slogjson.Sink(os.Stderr)).Leveled(slog.LevelDebug),
	}
	if protocol == protocolStateless {
		h.server.ProtocolVersion = protocol
	}
	return h
}

// step connects, hands the server's tools to use, and returns when all that
// the step started has ended. Without a connection use is not called.
func (h *host) step(ctx context.Context, use func(context.Context, toolset) error) (mcpclient.ConnectSummary, error) {
	var background sync.WaitGroup
	tools, summaries, cleanup := mcpclient.ConnectAll(ctx, h.logger, []mcpclient.ServerConfig{h.server}, h.tokens, mcpclient.Options{
		ConnectTimeout: connectTimeout,
		CallTimeout:    callTimeout,
		HTTPClient:     h.client,
		Background:     &background,
	})
	defer background.Wait()
	defer cleanup()
	s := summaries[0]
	switch s.Outcome {
	case mcpclient.ConnectOutcomeConnected, mcpclient.ConnectOutcomeNoTools:
		return s, use(ctx, tools)
	default:
		return s, fmt.Errorf("connect: %s in phase %s: %s", s.Outcome, s.Phase, s.Error)
	}
}

// connected is a step of a server that wants no login.
func (h *host) connected(ctx context.Context, use func(context.Context, toolset) error) error {
	_, err := h.step(ctx, use)
	return err
}

// toolset is a step's tools.
type toolset []fantasy.AgentTool

// named is the tool with a raw name.
func (ts toolset) named(raw string) (mcpclient.Tool, error) {
	for _, t := range ts {
		if t, ok := t.(mcpclient.Tool); ok && t.Definition().Name == raw {
			return t, nil
		}
	}
	return nil, fmt.Errorf("tool %q is not offered", raw)
}

// call runs a tool by its raw name, as an agent does for a model.
func (ts toolset) call(ctx context.Context, raw, input string) error {
	t, err := ts.named(raw)
	if err != nil {
		return err
	}
	return runTool(ctx, t, input)
}

// callAll runs every tool with the same input.
func (ts toolset) callAll(ctx context.Context, input string) error {
	var errs []error
	for _, t := range ts {
		errs = append(errs, runTool(ctx, t, input))
	}
	return errors.Join(errs...)
}

func runTool(ctx context.Context, t fantasy.AgentTool, input string) error {
	name := t.Info().Name
	response, err := t.Run(ctx, fantasy.ToolCall{ID: uuid.NewString(), Name: name, Input: input})
	if err != nil {
		return fmt.Errorf("call %s: %w", name, err)
	}
	if response.IsError {
		return fmt.Errorf("call %s: %s", name, response.Content)
	}
	return nil
}

// challenges is the transport of all connections, and keeps the last challenge
// of a refused request: of a tool call the model gets a text and the host
// nothing else.
type challenges struct {
	mu   sync.Mutex
	last string
}

func (c *challenges) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && (resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.last = strings.Join(resp.Header.Values("WWW-Authenticate"), ", ")
	}
	return resp, err
}

// take gives the last challenge once.
func (c *challenges) take() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	last := c.last
	c.last = ""
	return last
}
