package mcpclient_test

import (
	"context"
	"encoding/json"
	"testing"

	"charm.land/fantasy"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

// sentParams are those of each tools/call that reached a server.
func sentParams(t *testing.T, s *mcptest.Server) (all []map[string]json.RawMessage) {
	for _, r := range requestsOf(s, func(r mcptest.Request) bool { return r.RPC == "tools/call" }) {
		var message struct{ Params map[string]json.RawMessage }
		require.NoError(t, json.Unmarshal(r.Body, &message), string(r.Body))
		all = append(all, message.Params)
	}
	return all
}

func TestCallCarriesNameArgumentsAndMetadata(t *testing.T) {
	const odd = "say \"hi\"\\\t\u2028<&>名"
	for name, meta := range map[string]map[string]any{
		"none":            nil,
		"the host's":      {"example.com/tenant": "<t&1>", "example.com/n": 1},
		"the package's":   {"progressToken": "mine", "io.github.mcpclient-go/toolCallId": "mine"},
		"some of the two": {"progressToken": "mine", "example.com/tenant": "<t&1>"},
	} {
		t.Run(name, func(t *testing.T) {
			overBoth(t, func(t *testing.T, w *world, legacy bool) {
				s := &mcptest.Server{LegacySSE: legacy, Tools: []mcptest.Tool{{Name: odd, Run: func(context.Context, *mcptest.Invocation) any { return mcptest.Text("ok") }}}}
				w.serve("s", s)
				w.opts.CallMeta = func(context.Context) map[string]any { return meta }
				r := w.connect()
				require.Len(t, r.tools, 1)
				const args = `{"n":12345678901234567890,"text":"<&>\u2028"}`
				response, err := r.tools[0].Run(t.Context(), fantasy.ToolCall{ID: `call "1"`, Input: args})
				require.NoError(t, err)
				require.Equal(t, "ok", response.Content)

				sent := sentParams(t, s)[0]
				require.Len(t, sent, 3)
				var raw string
				require.NoError(t, json.Unmarshal(sent["name"], &raw))
				require.Equal(t, odd, raw)
				require.JSONEq(t, args, string(sent["arguments"]))
				require.Contains(t, string(sent["arguments"]), "12345678901234567890")
				var got map[string]any
				require.NoError(t, json.Unmarshal(sent["_meta"], &got))
				require.Equal(t, `call "1"`, got["io.github.mcpclient-go/toolCallId"])
				require.NotEmpty(t, got["progressToken"])
				require.NotEqual(t, "mine", got["progressToken"])
				want := 2
				if meta["example.com/tenant"] != nil {
					require.Equal(t, "<t&1>", got["example.com/tenant"])
					want++
				}
				if meta["example.com/n"] != nil {
					want++
				}
				require.Len(t, got, want)
			})
		})
	}
}

// What the host gives is no fault of the server.
func TestMetadataThatCannotBeEncodedCostsItsCallOnly(t *testing.T) {
	overBoth(t, func(t *testing.T, w *world, legacy bool) {
		s := &mcptest.Server{LegacySSE: legacy}
		w.serve("s", s)
		meta := map[string]any{"bad": func() {}}
		w.opts.CallMeta = func(context.Context) map[string]any { return meta }
		r := w.connect()
		failed := r.call("s__echo", `{"text":"hi"}`)
		require.True(t, failed.IsError)
		require.Contains(t, failed.Content, "not run")
		require.Empty(t, sentParams(t, s))
		meta = nil
		require.Equal(t, "hi", r.call("s__echo", `{"text":"hi"}`).Content)
		require.Len(t, sentParams(t, s), 1)
	})
}
