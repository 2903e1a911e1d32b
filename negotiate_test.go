package mcpclient_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

// refusing is a server that refuses initialize with any other version than one
// of those that it speaks. status: of the HTTP answer; 0: the refusal is an
// answer like any other.
func refusing(legacy bool, speaks []string, status int, fault string) *mcptest.Server {
	return &mcptest.Server{LegacySSE: legacy, Protocols: speaks, Wedges: map[mcptest.Phase]mcptest.Behaviour{
		mcptest.Initialize: mcptest.Do(func(x *mcptest.Exchange) {
			var params struct{ ProtocolVersion string }
			_ = json.Unmarshal(x.Params, &params)
			for _, v := range speaks {
				if v == params.ProtocolVersion {
					x.Serve()
					return
				}
			}
			answer := `{"jsonrpc":"2.0","id":` + string(x.ID) + `,"error":` + fault + `}`
			if status == 0 {
				status = http.StatusOK
			}
			x.W.Header().Set("Content-Type", "application/json")
			x.W.WriteHeader(status)
			_, _ = x.W.Write([]byte(answer))
		}),
	}}
}

func versionsAsked(s *mcptest.Server) (asked []string) {
	for _, r := range requestsOf(s, func(r mcptest.Request) bool { return r.RPC == "initialize" }) {
		var m struct {
			Params struct{ ProtocolVersion string }
		}
		_ = json.Unmarshal(r.Body, &m)
		asked = append(asked, m.Params.ProtocolVersion)
	}
	return asked
}

func TestRefusedVersionIsReplacedByTheNewestThatBothKnow(t *testing.T) {
	for name, tt := range map[string]struct {
		configured string
		speaks     []string
		status     int
		fault      string
		asked      []string
	}{
		"as the specification shows it": {
			speaks: []string{"2024-11-05"}, asked: []string{"2025-11-25", "2024-11-05"},
			fault: `{"code":-32602,"message":"Unsupported protocol version","data":{"supported":["2024-11-05"],"requested":"2025-11-25"}}`,
		},
		"the newest of several": {
			speaks: []string{"2025-03-26", "2025-06-18"}, asked: []string{"2025-11-25", "2025-06-18"},
			fault: `{"code":-32000,"message":"no","data":{"supported":["2025-03-26","2025-06-18","2099-01-01","1.0",7]}}`,
		},
		"with the newer code, beside the protocol without initialize": {
			speaks: []string{"2025-06-18"}, asked: []string{"2025-11-25", "2025-06-18"},
			fault: `{"code":-32022,"message":"no","data":{"supported":["2026-07-28","2025-06-18"]}}`,
		},
		"by HTTP 400": {
			speaks: []string{"2025-06-18"}, status: 400, asked: []string{"2025-11-25", "2025-06-18"},
			fault: `{"code":-32602,"message":"no","data":{"supported":["2025-06-18"]}}`,
		},
		"a configured one": {
			configured: "2024-11-05", speaks: []string{"2025-11-25"}, asked: []string{"2024-11-05", "2025-11-25"},
			fault: `{"code":-32602,"message":"no","data":{"supported":["2025-11-25"]}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			overBoth(t, func(t *testing.T, w *world, legacy bool) {
				s := refusing(legacy, tt.speaks, tt.status, tt.fault)
				w.serve("s", s).ProtocolVersion = tt.configured
				r := w.connect()
				got := r.of("s")
				require.Equal(t, mcpclient.ConnectOutcomeConnected, got.Outcome, got.Error)
				require.Equal(t, tt.asked[1], got.Protocol)
				require.Equal(t, tt.asked, versionsAsked(s))
				require.Equal(t, "hi", r.call("s__echo", `{"text":"hi"}`).Content)
				s.Forget()
				require.Equal(t, "hi", r.call("s__echo", `{"text":"hi"}`).Content)
				require.Equal(t, append(tt.asked, tt.asked[1]), versionsAsked(s), "a renewal asks for what was agreed on")
			})
		})
	}
}

func TestVersionsThatAServerKnowsAreToldWhereNoneIsCommon(t *testing.T) {
	for name, tt := range map[string]struct{ fault, want string }{
		"none":                    {`{"code":-32602,"message":"no","data":{"supported":["1.0","1999-01-01\u200b"],"requested":"x"}}`, "no (it supports 1.0, 1999-01-01)"},
		"the one that it refuses": {`{"code":-32602,"message":"no","data":{"supported":["2025-11-25","2025-06-18"]}}`, "no (it supports 2025-11-25, 2025-06-18)"},
		"no list":                 {`{"code":-32602,"message":"no","data":{"supported":"2025-06-18"}}`, "no"},
		"too long":                {`{"code":-32602,"message":"no","data":{"supported":["` + strings.Repeat("9", 100) + `"]}}`, "no"},
		"in HTML":                 {`{"code":-32602,"message":"no","data":{"supported":["<b>"]}}`, "no (it supports <b>)"},
	} {
		for _, status := range []int{0, 400} {
			t.Run(name, func(t *testing.T) {
				overBoth(t, func(t *testing.T, w *world, legacy bool) {
					s := refusing(legacy, nil, status, tt.fault)
					w.serve("s", s)
					got := w.connect().of("s")
					require.Equal(t, mcpclient.ConnectOutcomeError, got.Outcome)
					require.Equal(t, tt.want, got.Error[strings.LastIndex(got.Error, ": ")+2:])
					require.Equal(t, []string{"2025-11-25"}, versionsAsked(s))
				})
			})
		}
	}
}

// A server is upgraded to the protocol without initialize while its session is
// kept.
func TestRenewalFollowsAServerToTheProtocolWithoutInitialize(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		server := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1"}, nil)
		addEcho(server, "echo")
		of := func(*http.Request) *mcp.Server { return server }
		old := mcp.NewStreamableHTTPHandler(of, nil)
		modern := mcp.NewStreamableHTTPHandler(of, &mcp.StreamableHTTPOptions{Stateless: true})
		upgraded := false
		w.serveSDK("s", http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			switch {
			case !upgraded:
				old.ServeHTTP(rw, r)
			case r.Header.Get("Mcp-Session-Id") != "":
				rw.WriteHeader(http.StatusNotFound)
			case r.Header.Get("Mcp-Method") == "":
				rw.Header().Set("Content-Type", "application/json")
				_, _ = rw.Write([]byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"Method not found"}}`))
			default:
				modern.ServeHTTP(rw, r)
			}
		}))
		r := w.connect()
		require.Equal(t, "2025-11-25", r.of("s").Protocol, r.of("s").Error)
		for session := range server.Sessions() {
			_ = session.Close()
		}
		upgraded = true
		require.Equal(t, "hi", r.call("s__echo", `{"text":"hi"}`).Content)
	})
}
