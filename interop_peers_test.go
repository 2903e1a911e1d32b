package mcpclient_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient"
)

// peer is a published server, and the harmless call that it is tried with.
type peer struct {
	name        string // for the script
	tool, input string // the raw name, the model's JSON
	says        string // part of the answer; empty: the call fails, as it does without a network
	// refuses has the outcome of connecting where that can't work, by what the
	// server is met through: http, sse or a bridge.
	refuses map[string]mcpclient.ConnectOutcome

	// What the script says of it.
	speaks, from string // transport, package and version
	byHand       bool   // in no registry
}

// noPeers are what the script also starts or installs: token endpoints and
// tools.
var noPeers = map[string]bool{"oauth": true, "tool": true}

const (
	anEcho  = `{"message":"grüß 🌍 9007199254740993"}`
	aThink  = `{"thought":"a","nextThoughtNeeded":false,"thoughtNumber":1,"totalThoughts":1}`
	aChart  = `{"data":[{"category":"a","value":1}]}`
	aSearch = `{"query":"go"}`
	aName   = `{"name":"Ada"}`
)

var peers = []peer{
	{name: "everything", tool: "echo", input: anEcho, says: "grüß 🌍 9007199254740993"},
	{name: "everything-sse", tool: "echo", input: anEcho, says: "grüß 🌍 9007199254740993"},
	{name: "everything-stdio", tool: "echo", input: anEcho, says: "grüß 🌍 9007199254740993"},
	{name: "filesystem", tool: "read_text_file", input: `{"path":"hello.txt"}`, says: "hello"},
	{name: "memory", tool: "read_graph", says: "entities"},
	{name: "sequential-thinking", tool: "sequentialthinking", input: aThink, says: "thoughtHistoryLength"},
	{name: "playwright", tool: "browser_close"},
	{name: "playwright-sse", tool: "browser_close"},
	{name: "playwright-caps", tool: "browser_close"},
	{name: "context7", tool: "resolve-library-id", input: `{"query":"go","libraryName":"go"}`, says: "fetch failed"},
	{name: "firecrawl", tool: "firecrawl_monitor_list"},
	{name: "firecrawl-stdio", tool: "firecrawl_monitor_list"},
	{name: "tavily", tool: "tavily_search", input: aSearch},
	{name: "exa", tool: "web_search_exa", input: aSearch},
	{name: "notion", tool: "API-get-self"},
	{name: "chrome-devtools", tool: "list_pages"},
	{name: "supabase", refuses: everywhere(mcpclient.ConnectOutcomeError)},
	{name: "supabase-nodocs", tool: "list_organizations"},
	{name: "mongodb", tool: "list-connections", says: "onnection"},
	{name: "mastra-docs", tool: "mastraDocs", input: `{"paths":["index"]}`, says: "index"},
	{name: "hubspot", tool: "hubspot-get-user-details"},
	{name: "ref-github", tool: "search_repositories", input: aSearch},
	{name: "ref-gitlab", tool: "search_repositories", input: `{"search":"go"}`, refuses: map[string]mcpclient.ConnectOutcome{
		"mcp-proxy": mcpclient.ConnectOutcomeError, "mcp-proxy-sse": mcpclient.ConnectOutcomeError,
	}},
	{name: "ref-slack", tool: "slack_list_channels", says: "fetch failed"},
	{name: "gmaps", tool: "maps_geocode", input: `{"address":"Berlin"}`},
	{name: "gitlab", tool: "list_projects"},
	{name: "gitlab-sse", tool: "list_projects"},
	{name: "antv", tool: "generate_pie_chart", input: aChart},
	{name: "antv-sse", tool: "generate_pie_chart", input: aChart},
	{name: "lark", tool: "im_v1_chat_list"},
	{name: "lark-dot", tool: "im.v1.chat.list"},
	{name: "lark-sse", tool: "im_v1_chat_list"},
	{name: "brave", tool: "brave_web_search", input: aSearch},
	{name: "kubernetes-npm", tool: "ping", says: "(no output)"},
	{name: "eslint", tool: "lint-files", input: `{"filePaths":["/nowhere.js"]}`},
	{name: "perplexity", tool: "perplexity_search", input: aSearch},
	{name: "desktop-commander", tool: "get_config", says: "defaultShell"},
	{name: "figma", tool: "get_figma_data", input: `{"fileKey":"abc"}`},
	{name: "circleci", tool: "list_followed_projects", input: `{"params":{}}`},
	{name: "ms365", tool: "get-current-user"},
	{name: "ms365-stdio", tool: "get-current-user"},
	{name: "n8n", tool: "tools_documentation", says: "n8n"},
	{name: "azure", tool: "azureterraformbestpractices_get", says: "Terraform"},
	{name: "azure-ns", tool: "azureterraformbestpractices", says: "get"},
	{name: "hello", tool: "echo", input: anEcho, says: "grüß 🌍 9007199254740993"},
	{name: "git-cyanheads", tool: "git_status"},
	{name: "openapi", tool: "get-self"},
	{name: "argocd", tool: "list_clusters"},
	{name: "argocd-sse", tool: "list_clusters"},
	{name: "launchdarkly", tool: "list-feature-flags", input: `{"request":{"projectKey":"p"}}`},
	{name: "launchdarkly-stdio", tool: "list-feature-flags", input: `{"request":{"projectKey":"p"}}`},
	{name: "gcal", tool: "get-current-time"},
	{name: "shortcut", tool: "users-list"},
	{name: "slack-go", tool: "channels_list", input: `{"channel_types":"public_channel"}`},
	{name: "slack-go-http", tool: "channels_list", input: `{"channel_types":"public_channel"}`},
	{name: "mermaid", tool: "generate_mermaid_diagram", input: `{"mermaid":"graph TD; A-->B","outputType":"mermaid"}`},
	{name: "mermaid-sse", tool: "generate_mermaid_diagram", input: `{"mermaid":"graph TD; A-->B","outputType":"mermaid"}`},
	{name: "monday", tool: "all_widgets_schema"},
	{name: "pdf", tool: "list_pdfs", says: "PDF"},
	{name: "apify", tool: "get-dataset-list"},
	{name: "kubernetes-bin", tool: "configuration_view", says: "current-context"},
	{name: "digitalocean", tool: "account-get-information"},
	{name: "pinecone", tool: "list-indexes"},
	{name: "browserstack", tool: "listTestFiles"},
	{name: "mapapp", tool: "show-map", says: "Displaying"},
	{name: "cloudflare", tool: "worker_list"},
	{name: "grafana", tool: "list_datasources"},
	{name: "grafana-sse", tool: "list_datasources"},
	{name: "gosdk-everything", tool: "greet (structured)", input: aName, says: "Hi Ada"},
	{name: "gosdk-sse", tool: "greet1", input: aName, says: "Ada"},
	{name: "gosdk14-sse", tool: "greet1", input: aName, says: "Ada"},
	{name: "gosdk-memory", tool: "read_graph", says: "Graph"},
	{name: "gosdk-distributed", tool: "inc", says: "Count"},
	{name: "gosdk-sequentialthinking", tool: "start_thinking", input: `{"problem":"p"}`, says: "session"},
	{name: "gosdk-http", tool: "cityTime", input: `{"city":"nyc"}`, says: "New York"},
	{name: "gosdk-auth", refuses: everywhere(mcpclient.ConnectOutcomeAuthRequired)},
	{name: "gosdk-toolschemas", tool: "simple greeting", input: aName, says: "Ada"},
	{name: "gosdk-conformance", tool: "test_simple_text", says: "simple text"},
	{name: "gosdk-conformance-stateless", tool: "test_simple_text", says: "simple text"},
	{name: "mcpgo-everything", tool: "echo", input: anEcho, says: "grüß 🌍 9007199254740993"},
	{name: "mcpgo-conformance", tool: "test_simple_text", says: "simple text"},
	{name: "mcpgo-typed", tool: "greeting", input: aName, says: "Ada"},
	{name: "mcpgo-structured", tool: "get_weather", input: `{"location":"Berlin"}`, says: "Berlin"},
	{name: "github", tool: "get_me"},
	{name: "github-all", tool: "get_me"},
	{name: "github-stdio", tool: "get_me"},
	{name: "terraform", tool: "search_modules", input: `{"module_query":"vpc"}`},
	{name: "tbxark", tool: "echo", input: anEcho, says: "grüß 🌍 9007199254740993"},
	{name: "tbxark-sse", tool: "echo", input: anEcho, says: "grüß 🌍 9007199254740993"},
	{name: "gosdk-auth-middleware", refuses: everywhere(mcpclient.ConnectOutcomeAuthRequired)},
}

// everywhere is the outcome of a server whatever is in front of it.
func everywhere(o mcpclient.ConnectOutcome) map[string]mcpclient.ConnectOutcome {
	all := map[string]mcpclient.ConnectOutcome{}
	for _, via := range []string{"http", "sse", "mcp-proxy", "mcp-proxy-sse", "supergateway", "supergateway-sse"} {
		all[via] = o
	}
	return all
}

// listPeers gives all servers of the script, and fails where it has one that
// nobody has thought of a call for.
func listPeers(t *testing.T, script string) []*peer {
	t.Helper()
	known := map[string]*peer{}
	for _, p := range peers {
		known[p.name] = &p
	}
	out, err := exec.Command(script, "list").Output()
	require.NoError(t, err)
	var all []*peer
	for line := range strings.Lines(string(out)) {
		name, rest, _ := strings.Cut(line, " ")
		fields := strings.Fields(strings.Replace(rest, "(bridges: http, sse)", "", 1))
		require.GreaterOrEqual(t, len(fields), 2, line)
		if noPeers[fields[0]] {
			continue
		}
		p := known[name]
		require.NotNil(t, p, "a server that is not in the table: %s", line)
		p.speaks, p.from, p.byHand = fields[0], fields[1], strings.Contains(rest, "built by you")
		all = append(all, p)
	}
	return all
}
