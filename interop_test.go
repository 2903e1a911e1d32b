package mcpclient_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"cdr.dev/slog/v3"
	"charm.land/fantasy"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient"
)

// TestInterop needs published servers and so runs only where it is asked to,
// and then it fails, rather than skips, if one of them can't be had.
func TestInterop(t *testing.T) {
	if os.Getenv("MCP_INTEROP") != "1" {
		t.Skip("needs real servers: set MCP_INTEROP=1, and MCP_REAL to the script that starts them")
	}
	startReal(t)
	for _, s := range realServers {
		t.Run(s.slug, func(t *testing.T) { tryReal(t, s) })
	}
	t.Run("all at once, one dead", allAtOnce)
	t.Run("sessions of a bridge that answers to everyone", sharedBridge)
}

// connectReal connects and ends the context of that: tools live on. When the
// test ends, nothing may be left but the servers.
func connectReal(t *testing.T, configs ...mcpclient.ServerConfig) (r *result, finish func()) {
	t.Helper()
	return connectWith(t, slog.Logger{}, mcpclient.Options{
		ConnectTimeout: time.Minute, // some bridges start a process for every request, on a machine that may be busy
	}, configs...)
}

// connectWith is connectReal with a say in the rest. Transport and Background
// are its own.
func connectWith(t *testing.T, logger slog.Logger, opts mcpclient.Options, configs ...mcpclient.ServerConfig) (r *result, finish func()) {
	t.Helper()
	base := http.DefaultTransport.(*http.Transport).Clone()
	var background sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	start := time.Now()
	opts.HTTPClient, opts.Background = &http.Client{Transport: base}, &background
	tools, summaries, cleanup := mcpclient.ConnectAll(ctx, logger, configs, nil, opts)
	cancel()
	r = &result{t: t, tools: tools, summaries: summaries, cleanup: cleanup, took: time.Since(start)}
	return r, sync.OnceFunc(func() {
		start := time.Now()
		cleanup()
		took := time.Since(start)
		background.Wait()
		t.Logf("cleanup returned after %v, the background was done after %v", took, time.Since(start))
		assert.Less(t, took, 50*time.Millisecond, "cleanup never waits")
		cleanup()
		base.CloseIdleConnections()
	})
}

// raw is the tool that its server calls so.
func (r *result) raw(slug, name string) fantasy.AgentTool {
	r.t.Helper()
	for _, tool := range r.tools {
		if own := tool.(mcpclient.Tool); own.ServerSlug() == slug && own.Definition().Name == name {
			return tool
		}
	}
	require.Fail(r.t, "no such tool", "%s of %s among %v", name, slug, r.names())
	return nil
}

// runReal calls a tool. It may be called from any goroutine.
func runReal(t *testing.T, tool fantasy.AgentTool, input string) fantasy.ToolResponse {
	response, err := tool.Run(t.Context(), fantasy.ToolCall{ID: "call-1", Name: tool.Info().Name, Input: input})
	assert.NoError(t, err, "Run never returns an error")
	assert.NotEmpty(t, response.Content, "a response is never empty")
	return response
}

func tryReal(t *testing.T, s *realServer) {
	r, finish := connectReal(t, s.config())
	defer finish()
	require.Len(t, r.summaries, 1)
	checkSummary(t, s, r.summaries[0])
	t.Logf("%d tools after %v, server %s, protocol %s", len(r.tools), r.took, r.summaries[0].Server, r.summaries[0].Protocol)
	assert.Len(t, r.tools, r.summaries[0].ToolCount)
	checkTools(t, r.tools)

	for _, c := range s.calls {
		t.Run(c.tool+c.input, func(t *testing.T) {
			start := time.Now()
			response := runReal(t, r.raw(s.slug, c.tool), c.input)
			t.Logf("%v", time.Since(start))
			c.check(t, response)
		})
	}
	t.Run("two at once", func(t *testing.T) {
		calls := s.calls[len(s.calls)-2:]
		responses := make([]fantasy.ToolResponse, len(calls))
		var wg sync.WaitGroup
		for i, c := range calls {
			tool := r.raw(s.slug, c.tool)
			wg.Go(func() { responses[i] = runReal(t, tool, c.input) })
		}
		wg.Wait()
		for i, c := range calls {
			c.check(t, responses[i])
		}
	})
	finish()
	after := runReal(t, r.raw(s.slug, s.calls[0].tool), s.calls[0].input)
	isError("")(t, after)
}

func checkSummary(t *testing.T, s *realServer, got mcpclient.ConnectSummary) {
	t.Helper()
	assert.Equal(t, mcpclient.ConnectOutcomeConnected, got.Outcome, "%s: %+v", s.slug, got)
	assert.Equal(t, s.wantVersion(), got.Protocol, s.slug)
	assert.NotEmpty(t, got.Server, s.slug)
	assert.Positive(t, got.ToolCount, s.slug)
	assert.Empty(t, got.Error, s.slug)
	for _, d := range got.Dropped {
		assert.Contains(t, needsTask, d.Name, s.slug)
		assert.NotEmpty(t, d.Reason, d.Name)
	}
}

// needsTask is a tool that can't be called plainly, and so is never offered.
// Its server adds it when it is told that the client is initialized, so that a
// list made at the same time may lack it.
var needsTask = []string{"simulate-research-query"}

var legalName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`)

func checkTools(t *testing.T, tools []fantasy.AgentTool) {
	t.Helper()
	seen := map[string]bool{}
	for _, tool := range tools {
		info := tool.Info()
		assert.Regexp(t, legalName, info.Name)
		assert.NotContains(t, needsTask, tool.(mcpclient.Tool).Definition().Name)
		assert.False(t, seen[strings.ToLower(info.Name)], "%s twice", info.Name)
		seen[strings.ToLower(info.Name)] = true
		assert.NotNil(t, info.Parameters, info.Name)
		assert.NotNil(t, info.Required, info.Name)
		for _, name := range info.Required {
			assert.Contains(t, info.Parameters, name, info.Name)
		}
		schema, err := json.Marshal(info.Parameters)
		require.NoError(t, err)
		assert.NotContains(t, string(schema), `"$ref"`, info.Name)
	}
}

// allAtOnce is one step with every server and a port that nobody listens on.
func allAtOnce(t *testing.T) {
	next := 7600
	dead := &realServer{slug: "dead", url: fmt.Sprintf("http://127.0.0.1:%d/mcp", freePort(t, &next))}
	configs := []mcpclient.ServerConfig{dead.config()}
	for _, s := range realServers {
		configs = append(configs, s.config())
	}
	r, finish := connectReal(t, configs...)
	defer finish()
	require.Len(t, r.summaries, len(configs))
	t.Logf("%d tools of %d servers after %v", len(r.tools), len(realServers), r.took)
	checkTools(t, r.tools)
	failed := r.of("dead")
	assert.Equal(t, mcpclient.ConnectOutcomeError, failed.Outcome)
	assert.NotEmpty(t, failed.Error)
	for _, s := range realServers {
		checkSummary(t, s, r.of(s.slug))
		last := s.calls[len(s.calls)-1]
		last.check(t, runReal(t, r.raw(s.slug, last.tool), last.input))
	}
}

func sharedBridge(t *testing.T) {
	for _, s := range realServers {
		if s.bridge == "supergateway-sse" {
			callShared(t, s, 20)
		}
	}
}

// callShared has three sessions call through a bridge that sends each answer to
// all of them: everyone gets their own.
func callShared(t *testing.T, bridged *realServer, calls int) {
	t.Helper()
	const sessions = 3
	var wg sync.WaitGroup
	for i := range sessions {
		r, finish := connectReal(t, bridged.config())
		defer finish()
		echo := r.raw(bridged.slug, "echo")
		for j := range calls {
			message := fmt.Sprintf("call %d of session %d", j, i)
			wg.Go(func() {
				response := runReal(t, echo, fmt.Sprintf(`{"message":%q}`, message))
				assert.Equal(t, "Echo: "+message, response.Content)
			})
		}
	}
	wg.Wait()
}
