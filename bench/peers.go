package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"cdr.dev/slog/v3"
	"charm.land/fantasy"
	"github.com/google/uuid"
	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	mcpgo "github.com/mark3labs/mcp-go/mcp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/errgroup"

	"github.com/mcpclient-go/mcpclient"
)

// peer is one way to get the tools of several servers.
type peer struct {
	name string
	// connect returns when all servers have answered or failed, each within
	// budget. A nil HTTP client means the peer's own default.
	connect connector
	serial  bool // one server after the other
}

type connector func(ctx context.Context, web *http.Client, to targets, budget time.Duration) *step

// targets are servers to connect to, in the form that each peer wants.
type targets struct {
	urls    []string
	configs []mcpclient.ServerConfig
}

func targetsOf(urls []string) targets {
	configs := make([]mcpclient.ServerConfig, len(urls))
	for i, url := range urls {
		slug := "server" + strconv.Itoa(i)
		configs[i] = mcpclient.ServerConfig{ID: uuid.NewSHA1(uuid.NameSpaceDNS, []byte(slug)), Slug: slug, URL: url}
	}
	return targets{urls, configs}
}

// step is what a peer has after connecting.
type step struct {
	tools   int
	trouble error                                     // of servers that did not give theirs
	call    func(ctx context.Context, size int) error // the first server's tool
	cleanup func()                                    // as a caller has to do it
	wait    func()                                    // for what goes on after cleanup
	held    any                                       // what a caller keeps of it
}

// close ends all sessions and waits for that.
func (s *step) close() {
	s.cleanup()
	s.wait()
}

// lacking is the error of a step that has not all tools.
func (s *step) lacking(want int) error {
	return fmt.Errorf("%d tools of %d: %w", s.tools, want, s.trouble)
}

// ours is the peer that all others are compared with.
const ours = "mcpclient"

// pinnedProtocol is the newest that starts with initialize, as all servers of
// today have it.
const pinnedProtocol = "2025-11-25"

const (
	bare   = "go-sdk"
	tuned  = "go-sdk, tuned"
	group  = "go-sdk, errgroup"
	mcpGo  = "mcp-go"
	pooled = "mcpclient, warm Pool"
)

var peers = []peer{
	{name: ours, connect: connectOurs(mcpclient.ConnectAll)},
	{name: bare, connect: connectSerially(dialBare), serial: true},
	{name: group, connect: connectAtOnce(dialBare)},
	{name: tuned, connect: connectAtOnce(dialTuned)},
	{name: mcpGo, connect: connectAtOnce(dialMCPGo)},
}

type connectAll func(context.Context, slog.Logger, []mcpclient.ServerConfig, []mcpclient.UserToken, mcpclient.Options) (
	[]fantasy.AgentTool, []mcpclient.ConnectSummary, func())

func connectOurs(connect connectAll) connector {
	return func(ctx context.Context, web *http.Client, to targets, budget time.Duration) *step {
		background := new(sync.WaitGroup)
		tools, summaries, cleanup := connect(ctx, slog.Make(), to.configs, nil, mcpclient.Options{
			ConnectTimeout: budget, HTTPClient: web, Background: background,
		})
		s := &step{tools: len(tools), held: tools, cleanup: cleanup, wait: background.Wait}
		for _, summary := range summaries {
			if summary.Outcome != mcpclient.ConnectOutcomeConnected {
				s.trouble = errors.Join(s.trouble, fmt.Errorf("%s after %d ms: %s", summary.Outcome, summary.DurationMS, summary.Error))
			}
		}
		s.call = func(ctx context.Context, size int) error {
			input := `{"size":` + strconv.Itoa(size) + `}`
			response, err := tools[0].Run(ctx, fantasy.ToolCall{ID: "call", Name: tools[0].Info().Name, Input: input})
			if err != nil || response.IsError || len(response.Content) != size {
				return errors.Join(errors.New("the call failed"), err)
			}
			return nil
		}
		return s
	}
}

// dialer connects one server and lists its tools. The session is there also
// beside an error, if there is one.
type dialer func(ctx context.Context, web *http.Client, url string) (session, error)

type session interface {
	count() int
	call(ctx context.Context, size int) error
	Close() error
}

func connectSerially(dial dialer) connector {
	return func(ctx context.Context, web *http.Client, to targets, budget time.Duration) *step {
		sessions, errs := make([]session, len(to.urls)), make([]error, len(to.urls))
		for i, url := range to.urls {
			sessions[i], errs[i] = dialWithin(ctx, dial, web, url, budget)
		}
		return stepOf(sessions, errs)
	}
}

func connectAtOnce(dial dialer) connector {
	return func(ctx context.Context, web *http.Client, to targets, budget time.Duration) *step {
		sessions, errs := make([]session, len(to.urls)), make([]error, len(to.urls))
		var g errgroup.Group
		for i, url := range to.urls {
			g.Go(func() error {
				sessions[i], errs[i] = dialWithin(ctx, dial, web, url, budget)
				return nil
			})
		}
		_ = g.Wait()
		return stepOf(sessions, errs)
	}
}

// dialWithin is a connect and a list under a context that ends after budget. A
// server that fails has no session.
func dialWithin(ctx context.Context, dial dialer, web *http.Client, url string, budget time.Duration) (session, error) {
	ctx, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	s, err := dial(ctx, web, url)
	if err == nil {
		return s, nil
	}
	if s != nil {
		_ = s.Close()
	}
	return nil, err
}

func stepOf(sessions []session, errs []error) *step {
	s := &step{held: sessions, wait: func() {}, trouble: errors.Join(errs...)}
	for _, one := range sessions {
		if one != nil {
			s.tools += one.count()
		}
	}
	s.call = func(ctx context.Context, size int) error { return sessions[0].call(ctx, size) }
	s.cleanup = func() {
		var wg sync.WaitGroup
		for _, one := range sessions {
			if one != nil {
				wg.Go(func() { _ = one.Close() })
			}
		}
		wg.Wait()
	}
	return s
}

type sdkSession struct {
	*mcp.ClientSession
	tools []*mcp.Tool
}

// dialBare is go-sdk as its README uses it.
func dialBare(ctx context.Context, web *http.Client, url string) (session, error) {
	return dialSDK(ctx, &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: web}, nil)
}

// dialTuned leaves out what is not needed to get at the tools: the probe for
// the newest protocol, the standing GET, and retries.
func dialTuned(ctx context.Context, web *http.Client, url string) (session, error) {
	return dialSDK(ctx, &mcp.StreamableClientTransport{
		Endpoint: url, HTTPClient: web, DisableStandaloneSSE: true, MaxRetries: -1,
	}, &mcp.ClientSessionOptions{ProtocolVersion: pinnedProtocol})
}

func dialSDK(ctx context.Context, t mcp.Transport, o *mcp.ClientSessionOptions) (session, error) {
	c := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1.0.0"}, nil)
	connected, err := c.Connect(ctx, t, o)
	if err != nil {
		return nil, err
	}
	list, err := connected.ListTools(ctx, &mcp.ListToolsParams{})
	if err != nil {
		return &sdkSession{ClientSession: connected}, err
	}
	return &sdkSession{connected, list.Tools}, nil
}

func (s *sdkSession) count() int { return len(s.tools) }

func (s *sdkSession) call(ctx context.Context, size int) error {
	result, err := s.CallTool(ctx, &mcp.CallToolParams{Name: toolName, Arguments: json.RawMessage(fmt.Sprintf(`{"size":%d}`, size))})
	if err != nil {
		return err
	}
	if text, ok := result.Content[0].(*mcp.TextContent); !ok || len(text.Text) != size {
		return errors.New("the call failed")
	}
	return nil
}

type mcpGoSession struct {
	*client.Client
	tools []mcpgo.Tool
}

// dialMCPGo is mcp-go as its documentation uses it, with a protocol that has
// initialize: without one it asks for 2026-07-28, and does not get on with the
// refusal of servers that speak an older one.
func dialMCPGo(ctx context.Context, web *http.Client, url string) (session, error) {
	var options []transport.StreamableHTTPCOption
	if web != nil {
		options = append(options, transport.WithHTTPBasicClient(web))
	}
	c, err := client.NewStreamableHttpClient(url, options...)
	if err != nil {
		return nil, err
	}
	s := &mcpGoSession{Client: c}
	if err := c.Start(ctx); err != nil {
		return s, err
	}
	_, err = c.Initialize(ctx, mcpgo.InitializeRequest{Params: mcpgo.InitializeParams{
		ProtocolVersion: pinnedProtocol,
		ClientInfo:      mcpgo.Implementation{Name: "bench", Version: "1.0.0"},
	}})
	if err != nil {
		return s, err
	}
	list, err := c.ListTools(ctx, mcpgo.ListToolsRequest{})
	if err != nil {
		return s, err
	}
	s.tools = list.Tools
	return s, nil
}

func (s *mcpGoSession) count() int { return len(s.tools) }

func (s *mcpGoSession) call(ctx context.Context, size int) error {
	result, err := s.CallTool(ctx, mcpgo.CallToolRequest{Params: mcpgo.CallToolParams{
		Name: toolName, Arguments: map[string]any{"size": size},
	}})
	if err != nil {
		return err
	}
	if text, ok := result.Content[0].(mcpgo.TextContent); !ok || len(text.Text) != size {
		return errors.New("the call failed")
	}
	return nil
}
