package mcpclient_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"cdr.dev/slog/v3"
	"charm.land/fantasy"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is an in-memory network with servers on it, and what a backend hands to
// ConnectAll.
type world struct {
	t          *testing.T
	net        *mcptest.Network
	logs       *logSink
	background sync.WaitGroup
	mu         sync.Mutex
	pool       *mcpclient.Pool // nil: steps connect by themselves
	results    []*result
	configs    []mcpclient.ServerConfig
	tokens     []mcpclient.UserToken
	opts       mcpclient.Options
}

// inWorld runs a test in virtual time. When it ends, everything of it must be
// gone: a goroutine that is left fails the bubble.
func inWorld(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, net: mcptest.NewNetwork(), logs: &logSink{}}
		w.opts = mcpclient.Options{HTTPClient: w.net.Client(), Background: &w.background}
		defer w.close()
		test(t, w)
	})
}

// overBoth runs a test in a world for each transport.
func overBoth(t *testing.T, test func(t *testing.T, w *world, legacy bool)) {
	for _, legacy := range bothTransports {
		t.Run(transportName(legacy), func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) { test(t, w, legacy) })
		})
	}
}

// close ends what a test that failed has left.
func (w *world) close() {
	for _, r := range w.results {
		r.cleanup()
	}
	w.net.Close()
	w.background.Wait()
	time.Sleep(time.Second) // a server's connection may linger for half of that after it was closed
}

// serve puts a server on the network and a config for it on the list.
func (w *world) serve(slug string, s *mcptest.Server) *mcpclient.ServerConfig {
	c := w.add(slug, mcptest.Start(w.t, w.net, slug+".test:80", s))
	if s.LegacySSE {
		c.Transport = mcpclient.TransportSSE
	}
	return c
}

// serveAt puts a server on the network for a config that is there.
func (w *world) serveAt(slug string, s *mcptest.Server) {
	mcptest.Start(w.t, w.net, slug+".test:80", s)
}

func (w *world) add(slug, url string) *mcpclient.ServerConfig {
	w.configs = append(w.configs, mcpclient.ServerConfig{ID: idOf(slug), Slug: slug, URL: url})
	return &w.configs[len(w.configs)-1]
}

func idOf(slug string) uuid.UUID { return uuid.NewSHA1(uuid.NameSpaceDNS, []byte(slug)) }

func (w *world) connect() *result { return w.connectContext(w.t.Context()) }

func (w *world) connectContext(ctx context.Context) *result {
	start := time.Now()
	connectAll := mcpclient.ConnectAll
	if w.pool != nil {
		connectAll = w.pool.ConnectAll
	}
	tools, summaries, cleanup := connectAll(ctx, slog.Make(w.logs).Leveled(slog.LevelDebug), w.configs, w.tokens, w.opts)
	r := &result{t: w.t, tools: tools, summaries: summaries, cleanup: cleanup, took: time.Since(start)}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.results = append(w.results, r)
	return r
}

// result is what one ConnectAll returned.
type result struct {
	t         *testing.T
	tools     []fantasy.AgentTool
	summaries []mcpclient.ConnectSummary
	cleanup   func()
	took      time.Duration
}

func (r *result) of(slug string) mcpclient.ConnectSummary {
	r.t.Helper()
	for _, s := range r.summaries {
		if s.Slug == slug {
			return s
		}
	}
	require.Fail(r.t, "no summary", slug)
	return mcpclient.ConnectSummary{}
}

func (r *result) names() []string {
	names := make([]string, 0, len(r.tools))
	for _, t := range r.tools {
		names = append(names, t.Info().Name)
	}
	return names
}

func (r *result) tool(name string) fantasy.AgentTool {
	r.t.Helper()
	for _, t := range r.tools {
		if t.Info().Name == name {
			return t
		}
	}
	require.Fail(r.t, "no tool", "%s among %v", name, r.names())
	return nil
}

func (r *result) call(name, input string) fantasy.ToolResponse {
	r.t.Helper()
	return r.callContext(r.t.Context(), name, input)
}

func (r *result) callContext(ctx context.Context, name, input string) fantasy.ToolResponse {
	r.t.Helper()
	response, err := r.tool(name).Run(ctx, fantasy.ToolCall{ID: "call-1", Name: name, Input: input})
	require.NoError(r.t, err, "Run never returns an error")
	require.NotEmpty(r.t, response.Content, "a response is never empty")
	return response
}

// logSink keeps every record as one line of text.
type logSink struct {
	mu      sync.Mutex
	records []slog.SinkEntry
	on      func(slog.SinkEntry) // told of each record, if not nil
}

func (l *logSink) LogEntry(_ context.Context, e slog.SinkEntry) {
	if l.on != nil {
		l.on(e)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.records = append(l.records, e)
}

func (*logSink) Sync() {}

func (l *logSink) lines(level slog.Level) (lines []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.records {
		if e.Level != level {
			continue
		}
		var b strings.Builder
		b.WriteString(e.Message)
		for _, f := range e.Fields {
			fmt.Fprintf(&b, " %s=%v", f.Name, f.Value)
		}
		lines = append(lines, b.String())
	}
	return lines
}
