package mcpclient_test

import (
	"context"
	"slices"
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

// modernProtocol is what a host may ask for by ServerConfig.ProtocolVersion;
// negotiation asks for it only where a server refuses everything older.
const modernProtocol = "2026-07-28"

// meeting is this package with one server over one transport, and what came of
// it.
type meeting struct {
	*peer
	via     string // http, sse, or the bridge
	url     string
	headers map[string]string

	ran, passed bool
	summary     mcpclient.ConnectSummary
	modern      mcpclient.ConnectSummary // of a second attempt, at modernProtocol
	tools       []fantasy.AgentTool      // of the first, for their definitions
	called      mcpclient.ToolCallOutcome
	warnings    []string
}

// transport is what reaches this package.
func (m *meeting) transport() mcpclient.Transport {
	if strings.HasSuffix(m.via, "sse") {
		return mcpclient.TransportSSE
	}
	return mcpclient.TransportStreamableHTTP
}

func (m *meeting) asRealServer() *realServer {
	return &realServer{slug: m.name, transport: m.transport(), url: m.url, headers: m.headers}
}

func (m *meeting) wantOutcome() mcpclient.ConnectOutcome {
	if o := m.refuses[m.via]; o != "" {
		return o
	}
	return mcpclient.ConnectOutcomeConnected
}

// mayBeModern is false for the bridges that speak older protocols only.
func (m *meeting) mayBeModern() bool {
	return m.wantOutcome() == mcpclient.ConnectOutcomeConnected && (m.speaks != "stdio" || m.via == "mcp-proxy")
}

func (m *meeting) try(t *testing.T) {
	m.ran = true
	r, finish := m.connect(t, "")
	defer finish()
	m.summary, m.tools = r.summaries[0], r.tools
	m.check(t, r)
	finish()
	if len(r.tools) > 0 {
		isError("")(t, runReal(t, r.tools[0], `{}`)) // after cleanup
	}
	if m.mayBeModern() {
		m.tryModern(t)
	}
}

// connect is one step with the server.
func (m *meeting) connect(t *testing.T, version string) (r *result, finish func()) {
	t.Helper()
	logs := &logSink{}
	config := m.asRealServer().config()
	config.ProtocolVersion = version
	var mu sync.Mutex
	r, finish = connectWith(t, slog.Make(logs).Leveled(slog.LevelDebug), mcpclient.Options{
		ConnectTimeout: time.Minute, // a bridge starts a process for each session, and some make hundreds of tools as they start
		CallTimeout:    20 * time.Second,
		OnToolCall: func(_ context.Context, s mcpclient.ToolCallSummary) {
			mu.Lock()
			defer mu.Unlock()
			if m.called == "" {
				m.called = s.Outcome
			}
		},
	}, config)
	require.Len(t, r.summaries, 1)
	t.Logf("asked for %q, after %v: %+v", version, r.took, r.summaries[0])
	for _, line := range logs.lines(slog.LevelDebug) {
		t.Logf("debug: %.300s", line)
	}
	for _, line := range logs.lines(slog.LevelWarn) {
		t.Logf("warning: %.600s", line)
		message, _, _ := strings.Cut(line, " server_slug=")
		m.warnings = append(m.warnings, message)
	}
	return r, finish
}

func (m *meeting) check(t *testing.T, r *result) {
	s := r.summaries[0]
	require.Equal(t, m.wantOutcome(), s.Outcome, "%+v", s)
	assert.Len(t, r.tools, s.ToolCount)
	if s.Outcome != mcpclient.ConnectOutcomeConnected {
		assert.NotEmpty(t, s.Error)
		assert.NotEmpty(t, s.Phase)
		return
	}
	assert.NotEmpty(t, s.Protocol)
	assert.NotEmpty(t, s.Server)
	assert.Empty(t, s.Error)
	assert.Len(t, s.Dropped, min(s.DroppedCount, 20))
	for _, d := range s.Dropped {
		assert.NotEmpty(t, d.Name)
		assert.NotEmpty(t, d.Reason, d.Name)
	}
	checkTools(t, r.tools)
	checkShapes(t, r.tools)
	m.call(t, r)
}

func (m *meeting) call(t *testing.T, r *result) {
	start := time.Now()
	response := runReal(t, r.raw(m.name, m.tool), m.input)
	t.Logf("%s after %v: error %v, %s, %.300q", m.tool, time.Since(start), response.IsError, response.Type, response.Content)
	if m.says == "" {
		isError("")(t, response)
		return
	}
	hasSome(m.says)(t, response)
}

// tryModern asks for the newest protocol, which is there or is not: either way
// the server's tools are, except that the newest has no mark for tools that
// need a task.
func (m *meeting) tryModern(t *testing.T) {
	r, finish := m.connect(t, modernProtocol)
	defer finish()
	m.modern = r.summaries[0]
	if m.modern.Outcome != mcpclient.ConnectOutcomeConnected {
		assert.Equal(t, mcpclient.ConnectOutcomeError, m.modern.Outcome, "%+v", m.modern)
		assert.NotEmpty(t, m.modern.Error)
		return
	}
	assert.Equal(t, rawNames(m.tools), rawNames(r.tools))
	checkShapes(t, r.tools)
	m.call(t, r)
}

func rawNames(tools []fantasy.AgentTool) (names []string) {
	for _, tool := range tools {
		if name := tool.(mcpclient.Tool).Definition().Name; !slices.Contains(needsTask, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
