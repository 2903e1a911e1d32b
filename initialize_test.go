package mcpclient_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

func TestHandshakeSaysWhoAsks(t *testing.T) {
	overBoth(t, func(t *testing.T, w *world, legacy bool) {
		s := &mcptest.Server{LegacySSE: legacy, Protocols: []string{"2025-03-26"}}
		w.serve("s", s)
		w.opts.ClientInfo = mcp.Implementation{Name: "chat", Title: "The <Chat>", Version: "3"}
		r := w.connect()
		synctest.Wait()
		require.Equal(t, "2025-03-26", r.of("s").Protocol)
		asked := requestsOf(s, func(r mcptest.Request) bool { return r.RPC == "initialize" })
		require.Len(t, asked, 1)
		require.Empty(t, asked[0].Header.Get("Mcp-Protocol-Version"), "it is not agreed on yet")
		require.Empty(t, asked[0].Header.Get("Mcp-Session-Id"))
		var message struct{ Params json.RawMessage }
		require.NoError(t, json.Unmarshal(asked[0].Body, &message))
		require.JSONEq(t, `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"chat","title":"The <Chat>","version":"3"}}`, string(message.Params))
		if legacy {
			return
		}
		later := requestsOf(s, func(r mcptest.Request) bool { return r.RPC != "initialize" && r.Method == http.MethodPost })
		require.Len(t, later, 2)
		for _, r := range later {
			require.Equal(t, "2025-03-26", r.Header.Get("Mcp-Protocol-Version"), r.RPC)
			require.NotEmpty(t, r.Header.Get("Mcp-Session-Id"), r.RPC)
		}
	})
}

func TestAnswerWithAVersionThatIsNotKnown(t *testing.T) {
	for version, want := range map[string]string{
		`"2099-01-01"`: `unsupported protocol version: "2099-01-01"`,
		`"1999-01-01"`: `unsupported protocol version: "1999-01-01"`,
		`""`:           `unsupported protocol version: ""`,
		`7`:            `unsupported protocol version: ""`,
	} {
		t.Run(version, func(t *testing.T) {
			overBoth(t, func(t *testing.T, w *world, legacy bool) {
				s := &mcptest.Server{LegacySSE: legacy, Wedges: map[mcptest.Phase]mcptest.Behaviour{
					mcptest.Initialize: mcptest.Result(`{"protocolVersion":` + version + `,"capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`),
				}}
				w.serve("s", s)
				got := w.connect().of("s")
				require.Equal(t, mcpclient.ConnectOutcomeError, got.Outcome)
				require.Equal(t, "initialize", got.Phase)
				require.Equal(t, want, got.Error)
				require.Zero(t, s.Recorder.Count("tools/list"))
				require.Equal(t, 1, s.Recorder.Count("initialize"))
			})
		})
	}
}

// A server that answers initialize with the protocol that has none is spoken to
// in that protocol.
func TestAnswerWithTheProtocolThatHasNoInitialize(t *testing.T) {
	for name, configured := range map[string]string{"by default": "", "where an older one is configured": "2025-06-18"} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				server := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1"}, nil)
				addEcho(server, "one")
				modern := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true})
				asked := 0
				w.serveSDK("s", http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
					if r.Header.Get("Mcp-Method") == "" && r.Method == http.MethodPost {
						asked++
						var m struct{ ID json.RawMessage }
						_ = json.NewDecoder(r.Body).Decode(&m)
						rw.Header().Set("Content-Type", "application/json")
						_, _ = rw.Write([]byte(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"protocolVersion":"2026-07-28","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`))
						return
					}
					modern.ServeHTTP(rw, r)
				})).ProtocolVersion = configured
				r := w.connect()
				require.Equal(t, []string{"s__one"}, r.names(), r.of("s").Error)
				require.Equal(t, "2026-07-28", r.of("s").Protocol)
				require.Equal(t, 1, asked)
				require.Equal(t, "hi", r.call("s__one", `{"text":"hi"}`).Content)
			})
		})
	}
}
