package main

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// command runs the command as a user would, with args.
func command(ctx context.Context, args ...string) (code int, out, errOut string) {
	var stdout, stderr bytes.Buffer
	code = run(ctx, args, testVariables, &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// columns is the line of a table that starts with the given cell.
func columns(t *testing.T, out, first string) []string {
	t.Helper()
	for line := range strings.Lines(out) {
		if cells := strings.Fields(line); len(cells) > 0 && cells[0] == first {
			return cells
		}
	}
	require.Fail(t, "no such line", "%s in\n%s", first, out)
	return nil
}

func TestDemoShowsEveryOutcomeAndLeavesNothing(t *testing.T) {
	code, out, errOut := command(t.Context())
	require.Equal(t, exitOK, code, "%s\n%s", out, errOut)
	assert.Empty(t, errOut)
	for server, outcome := range map[string]string{
		"weather": "connected", "units": "connected", "notes": "connected",
		"wedged": "timeout", "private": "auth_required", "outdated": "error",
	} {
		assert.Equal(t, outcome, columns(t, out, server)[1], server)
	}
	assert.Contains(t, out, `calls weather__forecast {"city":"Lisbon"}`)
	assert.Contains(t, out, `calls notes__search {"query":"Lisbon"}`)
	assert.Contains(t, out, "Lisbon will be sunny tomorrow, with 24 degrees. Your notes say: Lisbon: picnic")
	assert.Contains(t, out, "Nothing was left")
}

func TestDemoEndsWhenInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	code, out, errOut := command(ctx)
	assert.Equal(t, exitInterrupted, code)
	assert.Equal(t, "canceled", columns(t, out, "wedged")[1])
	assert.Equal(t, "interrupted\n", errOut)
}

func TestStepsShowWhatAPoolSaves(t *testing.T) {
	for _, tt := range []struct {
		name, steps string
		head        []string
		cells       map[string]string // of the lines, from the first step on
	}{
		{"two", "2", []string{"STEP", "1", "STEP", "2"}, map[string]string{
			"servers connected": "3 3", "of these reused": "0 3", "servers skipped": "0 2", "tools": "4 4",
		}},
		{"many", "50", []string{"STEP", "1", "STEPS", "2", "TO", "50,", "MEDIAN", "MOST"}, map[string]string{
			"servers connected": "3 3 3", "of these reused": "0 3 3", "servers skipped": "0 2 2", "tools": "4 4 4",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, out, errOut := command(t.Context(), "-steps", tt.steps)
			require.Equal(t, exitOK, code, "%s\n%s", out, errOut)
			assert.Empty(t, errOut)
			assert.Equal(t, "timeout", columns(t, out, "wedged")[1])
			assert.Equal(t, tt.head, columns(t, out, "UNTIL")[5:])
			for what, cells := range tt.cells {
				assert.Equal(t, cells, after(t, out, what), what)
			}
			requests := strings.Fields(after(t, out, "requests to the servers"))
			assert.NotEqual(t, "0", requests[0])
			for _, of := range requests[1:] {
				assert.Equal(t, "0", of, "a warm step sends nothing")
			}
			assert.Contains(t, out, "Lisbon will be sunny tomorrow", "the tools of the last step work")
			assert.Contains(t, out, "Nothing was left")
		})
	}
}

func TestStepsEndWhenInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	code, out, errOut := command(ctx, "-steps", "1000000")
	assert.Equal(t, exitInterrupted, code)
	assert.Equal(t, "canceled", columns(t, out, "wedged")[1])
	assert.Equal(t, "interrupted\n", errOut)
}

// after is what a table's line has after its first cell, in words.
func after(t *testing.T, out, cell string) string {
	t.Helper()
	for line := range strings.Lines(out) {
		if rest, ok := strings.CutPrefix(line, cell+"  "); ok {
			return strings.Join(strings.Fields(rest), " ")
		}
	}
	require.Fail(t, "no such line", "%s in\n%s", cell, out)
	return ""
}

// testServer is an MCP server that wants the header X-Key, and a config file
// for it.
func testServer(t *testing.T) (configFile string) {
	t.Helper()
	type in struct {
		Text string `json:"text"`
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "echo", Description: "Say it\n\tagain.  Second sentence."},
		func(_ context.Context, _ *mcp.CallToolRequest, i in) (*mcp.CallToolResult, any, error) {
			return textResult("echo: " + i.Text), nil, nil
		})
	mcp.AddTool(s, &mcp.Tool{Name: "fail", Description: "Fail."},
		func(context.Context, *mcp.CallToolRequest, in) (*mcp.CallToolResult, any, error) {
			r := textResult("the disk is full")
			r.IsError = true
			return r, nil, nil
		})
	mcp.AddTool(s, &mcp.Tool{Name: "draw", Description: "Draw."},
		func(context.Context, *mcp.CallToolRequest, in) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.ImageContent{MIMEType: "image/png", Data: []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\x00\x01\x00\x00\x00\x01")}}}, nil, nil
		})
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Key") != "s3cr3t" {
			http.Error(w, "the key is wrong", http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return configFileWith(t, `{"mcpServers":{
		"good": {"url":"`+server.URL+`","type":"http","headers":{"X-Key":"${TOKEN}"}},
		"bad":  {"url":"`+server.URL+`","headers":{"X-Key":"${WRONG:-anotherkey}"}},
		"files":{"command":"npx"}
	}}`)
}

func configFileWith(t *testing.T, content string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "mcp.json")
	require.NoError(t, os.WriteFile(name, []byte(content), 0o600))
	return name
}

func TestConfigListsServersAndTools(t *testing.T) {
	code, out, errOut := command(t.Context(), "-v", "-config", testServer(t))
	require.Equal(t, exitOK, code, errOut)
	assert.Equal(t, []string{"good", "connected"}, columns(t, out, "good")[:2])
	assert.Equal(t, []string{"bad", "auth_required"}, columns(t, out, "bad")[:2])
	assert.Equal(t, []string{"good__echo", "Say", "it", "again.", "Second", "sentence."}, columns(t, out, "good__echo"))
	assert.Contains(t, errOut, `"files" is left out`)
	for _, secret := range []string{"s3cr3t", "anotherkey"} {
		assert.NotContains(t, out+errOut, secret)
	}
}

func TestConfigCallsATool(t *testing.T) {
	config := testServer(t)
	for _, tt := range []struct {
		name, tool, args string
		code             int
		out, err         string
	}{
		{"text", "good__echo", `{"text":"hi"}`, exitOK, "echo: hi\n", ""},
		{"no character commands the terminal", "good__echo", `{"text":"a\u001b[31mb\u202ec\nd"}`, exitOK, "echo: abc\nd\n", ""},
		{"an image", "good__draw", `{"text":""}`, exitOK, "[image: image/png, 24 bytes]\n(and for the model: image/png, 24 bytes)\n", ""},
		{"an error response", "good__fail", `{"text":""}`, exitToolError, "the disk is full\n", ""},
		{"no such tool", "good__none", `{}`, exitFailed, "", `no connected server has a tool "good__none"`},
		{"a server that failed", "bad__echo", `{}`, exitFailed, "", "auth_required"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, out, errOut := command(t.Context(), "-config", config, "-call", tt.tool, "-args", tt.args)
			assert.Equal(t, tt.code, code, errOut)
			assert.Equal(t, tt.out, out)
			assert.Contains(t, errOut, tt.err)
		})
	}
}

func TestConfigCallWithBadArgumentsIsAnErrorResponse(t *testing.T) {
	code, out, _ := command(t.Context(), "-config", testServer(t), "-call", "good__echo", "-args", `{"text":`)
	assert.Equal(t, exitToolError, code)
	assert.NotEmpty(t, out)
}

func TestWrongUse(t *testing.T) {
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"an unknown flag", []string{"-nope"}, "-nope"},
		{"an argument", []string{"x"}, `unexpected argument "x"`},
		{"call without config", []string{"-call", "x"}, "-call needs -config"},
		{"args without call", []string{"-config", "x", "-args", "{}"}, "-args needs -call"},
		{"an empty config", []string{"-config", ""}, "-config is empty"},
		{"a negative time", []string{"-timeout", "-1s"}, "-timeout is negative"},
		{"one step", []string{"-steps", "1"}, "-steps needs at least 2"},
		{"steps with a config", []string{"-steps", "2", "-config", "x"}, "-steps is for the demo"},
		{"no such file", []string{"-config", "does-not-exist.json"}, "read the config: open does-not-exist.json"},
		{"no server", []string{"-config", configFileWith(t, `{"mcpServers":{"x":{"command":"y"}}}`)}, "has no server to connect"},
		{"a broken file", []string{"-config", configFileWith(t, `{`)}, "line 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, out, errOut := command(t.Context(), tt.args...)
			assert.Equal(t, exitFailed, code)
			assert.Empty(t, out)
			assert.Contains(t, errOut, tt.want)
		})
	}
}

func TestHelpIsNoError(t *testing.T) {
	code, out, errOut := command(t.Context(), "-help")
	assert.Equal(t, exitOK, code)
	assert.Empty(t, errOut)
	assert.Contains(t, out, "-config file")
}
