package providertest_test

import (
	"compress/gzip"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path"
	"testing"

	"cdr.dev/slog/v3"
	"charm.land/fantasy"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

// connect gives the tools of servers, by slug.
func connect(t *testing.T, opts mcpclient.Options, servers map[string]*mcptest.Server) ([]fantasy.AgentTool, []mcpclient.ConnectSummary) {
	t.Helper()
	var configs []mcpclient.ServerConfig
	for slug, server := range servers {
		configs = append(configs, mcpclient.ServerConfig{
			ID: uuid.NewSHA1(uuid.NameSpaceDNS, []byte(slug)), Slug: slug, URL: mcptest.StartTCP(t, server),
		})
	}
	tools, summaries, cleanup := mcpclient.ConnectAll(t.Context(), slog.Logger{}, configs, nil, opts)
	t.Cleanup(cleanup)
	for _, s := range summaries {
		require.Equal(t, mcpclient.ConnectOutcomeConnected, s.Outcome, "%s: %s", s.Slug, s.Error)
	}
	return tools, summaries
}

// agent is a backend's agent, with the package's own PrepareStep.
func agent(model fantasy.LanguageModel, tools []fantasy.AgentTool) fantasy.Agent {
	return fantasy.NewAgent(model, fantasy.WithTools(tools...), fantasy.WithPrepareStep(mcpclient.PrepareStep))
}

// realServers serve the tool lists of published MCP servers.
func realServers(t *testing.T) (servers map[string]*mcptest.Server, tools map[string]int) {
	t.Helper()
	f, err := os.Open("../toolschema/testdata/real.json.gz")
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	var lists map[string][]struct {
		Name        string          `json:"name"`
		InputSchema json.RawMessage `json:"inputSchema"`
	}
	require.NoError(t, json.NewDecoder(z).Decode(&lists))
	servers, tools = map[string]*mcptest.Server{}, map[string]int{}
	for slug, list := range lists {
		s := &mcptest.Server{}
		for _, tool := range list {
			s.Tools = append(s.Tools, mcptest.Tool{Name: tool.Name, Description: "Does " + tool.Name, InputSchema: tool.InputSchema})
		}
		servers[slug], tools[slug] = s, len(list)
	}
	return servers, tools
}

// redirected brings every request to base, with the last two parts of its path.
func redirected(base string) *http.Client {
	return &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		to, err := url.Parse(base)
		if err != nil {
			return nil, err
		}
		r = r.Clone(r.Context())
		dir, name := path.Split(r.URL.Path)
		to.Path, to.RawQuery = "/"+path.Join(path.Base(dir), name), r.URL.RawQuery
		r.URL, r.Host = to, to.Host
		return http.DefaultTransport.RoundTrip(r)
	})}
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
