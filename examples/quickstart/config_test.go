package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient"
)

// variables makes a look-up of fixed environment variables.
func variables(set map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, ok := set[name]
		return value, ok
	}
}

var testVariables = variables(map[string]string{"TOKEN": "s3cr3t", "HOST": "example.test", "EMPTY": ""})

func TestExpand(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"plain text", "plain", "plain"},
		{"empty", "", ""},
		{"a variable", "Bearer ${TOKEN}", "Bearer s3cr3t"},
		{"two variables", "https://${HOST}/${TOKEN}/x", "https://example.test/s3cr3t/x"},
		{"the editors' env form", "${env:TOKEN}", "s3cr3t"},
		{"a default that is not needed", "${TOKEN:-other}", "s3cr3t"},
		{"a default", "${NONE:-http://localhost:8080}", "http://localhost:8080"},
		{"an empty default", "${NONE:-}", ""},
		{"a default for an empty variable", "${EMPTY:-full}", "full"},
		{"a default in env form", "${env:NONE:-x}", "x"},
		{"an empty variable", "<${EMPTY}>", "<>"},
		{"dollars without braces", "$TOKEN costs $5 $", "$TOKEN costs $5 $"},
		{"a value is not expanded again", "${NONE:-$}{TOKEN}", "${TOKEN}"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := expand(tt.in, testVariables)
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestExpandRefuses(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"an unset variable", "secret ${NONE}", "variable NONE is not set"},
		{"an unset variable in env form", "secret ${env:NONE}", "variable NONE is not set"},
		{"an editor's input", "secret ${input:key}", `input "key"`},
		{"no closing brace", "secret ${TOKEN", "closing"},
		{"no name", "secret ${}", "not the name of a variable"},
		{"another syntax", "secret ${secret:?no}", "not the name of a variable"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := expand(tt.in, testVariables)
			require.ErrorContains(t, err, tt.want)
			assert.NotContains(t, err.Error(), "secret")
		})
	}
}

func TestParseServersReadsEveryForm(t *testing.T) {
	file, err := parseServers([]byte("\xef\xbb\xbf"+`{"mcpServers":{
		"plain":      {"url":"https://a.test/mcp"},
		"http":       {"url":"https://b.test/mcp","type":"http"},
		"dashed":     {"url":"https://c.test/mcp","type":"streamable-http"},
		"underlined": {"url":"https://d.test/mcp","type":"streamable_http"},
		"camel":      {"url":"https://e.test/mcp","type":"streamableHttp","timeout":60},
		"sse":        {"url":"https://${HOST}/sse","type":"sse"},
		"transport":  {"url":"https://g.test/sse","transport":"sse"},
		"both":       {"url":"https://h.test/mcp","command":"npx"}
	},"other":1}`), testVariables)
	require.NoError(t, err)
	assert.Empty(t, file.remarks)
	got := map[string]mcpclient.ServerConfig{}
	for _, c := range file.configs {
		assert.Nil(t, c.Auth, c.Slug)
		got[c.Slug+" "+string(c.Transport)+" "+c.URL] = c
	}
	for _, want := range []string{
		"plain streamable_http https://a.test/mcp", "http streamable_http https://b.test/mcp",
		"dashed streamable_http https://c.test/mcp", "underlined streamable_http https://d.test/mcp",
		"camel streamable_http https://e.test/mcp", "sse sse https://example.test/sse",
		"transport sse https://g.test/sse", "both streamable_http https://h.test/mcp",
	} {
		assert.Contains(t, got, want)
	}
	assert.Len(t, got, 8)
}

func TestParseServersReadsHeaders(t *testing.T) {
	file, err := parseServers([]byte(`{"servers":{"api":{"url":"https://a.test/mcp","headers":{
		"Authorization":"Bearer ${TOKEN}","X-Team":"${TEAM:-blue}","accept":"application/json","Content-Type":"application/json"
	}}}}`), testVariables)
	require.NoError(t, err)
	require.Len(t, file.configs, 1)
	assert.Equal(t, mcpclient.CustomHeaders{"Authorization": "Bearer s3cr3t", "X-Team": "blue"}, file.configs[0].Auth)
	assert.Equal(t, []string{
		`"api": the header Content-Type is left out: the client sets it itself`,
		`"api": the header accept is left out: the client sets it itself`,
	}, file.remarks)
}

func TestParseServersLeavesOutAndSaysSo(t *testing.T) {
	file, err := parseServers([]byte(`{"mcpServers":{
		"files":{"command":"npx","args":["-y","server"],"env":{"KEY":"${NONE}"}},
		"typed":{"type":"stdio","command":"x"},
		"off":  {"url":"https://a.test/${NONE}","disabled":true},
		"on":   {"url":"https://b.test/mcp","disabled":false}
	}}`), testVariables)
	require.NoError(t, err)
	require.Len(t, file.configs, 1)
	assert.Equal(t, "on", file.configs[0].Slug)
	require.Len(t, file.remarks, 3)
	assert.Contains(t, file.remarks[0], `"files" is left out: it is a command`)
	assert.Contains(t, file.remarks[1], `"off" is left out: it is disabled`)
	assert.Contains(t, file.remarks[2], `"typed" is left out: it is a command`)
}

func TestParseServersGivesAServerTheSameIDEveryTime(t *testing.T) {
	content := []byte(`{"mcpServers":{"a":{"url":"https://a.test"},"b":{"url":"https://a.test"}}}`)
	first, err := parseServers(content, testVariables)
	require.NoError(t, err)
	again, err := parseServers(content, testVariables)
	require.NoError(t, err)
	assert.Equal(t, first, again)
	assert.NotEqual(t, first.configs[0].ID, first.configs[1].ID)
}

func TestParseServersRefuses(t *testing.T) {
	for _, tt := range []struct {
		name, content string
		want          []string
	}{
		{"an unset variable in a header", `{"mcpServers":{"api":{"url":"https://a.test","headers":{"X-Key":"hush ${NONE}"}}}}`,
			[]string{`server "api"`, `header "X-Key"`, "variable NONE is not set"}},
		{"an unset variable in a url", `{"mcpServers":{"api":{"url":"https://hush@${NONE}/"}}}`,
			[]string{`server "api"`, "url", "variable NONE is not set"}},
		{"all mistakes at once", `{"mcpServers":{"a":{"url":"${ONE}"},"b":{"url":"${TWO}"}}}`, []string{"ONE", "TWO"}},
		{"an unknown type", `{"mcpServers":{"api":{"url":"https://hush@a.test","type":"websocket"}}}`,
			[]string{`unknown type "websocket"`, `"sse"`}},
		{"neither url nor command", `{"mcpServers":{"api":{"type":"http"}}}`, []string{`server "api"`, `no "url"`}},
		{"no servers", `{"mcp":{}}`, []string{`no "mcpServers"`}},
		{"a comment", "{\n// hush\n\"mcpServers\":{}}", []string{"line 2", "without comments"}},
		{"a cut file", "{\"mcpServers\":{\n\"a\":", []string{"line 2", "unexpected end"}},
		{"an empty file", "", []string{"line 1"}},
		{"a header that is no text", `{"mcpServers":{"api":{"url":"https://a.test","headers":{"X-Key":{"hush":1}}}}}`,
			[]string{"headers", "should be a string"}},
		{"a list of servers", `{"mcpServers":[]}`, []string{"mcpServers should be a object, and is a array"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := parseServers([]byte(tt.content), testVariables)
			require.Error(t, err)
			for _, want := range tt.want {
				assert.ErrorContains(t, err, want)
			}
			assert.NotContains(t, err.Error(), "hush")
		})
	}
}
