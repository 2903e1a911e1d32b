package mcpclient_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"cdr.dev/slog/v3"
	"github.com/stretchr/testify/require"
	"golang.org/x/oauth2"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

// straddles are the lengths at which texts are cut, each with servers that say
// the given texts where that happens. The secret begins before the cut in most
// of the texts, and ends behind it.
var straddles = []struct {
	name  string
	limit int // in bytes, of the text itself or of what it is a part of
	serve func(texts []string) []*mcptest.Server
}{
	{"error", 512, each(func(text string) *mcptest.Server {
		return &mcptest.Server{Wedges: map[mcptest.Phase]mcptest.Behaviour{mcptest.List: rpcError(text)}}
	})},
	{"refused", 200, each(func(text string) *mcptest.Server { return answering(status(400, "text/plain")(text)) })},
	{"refused-by-RPC", 200, each(func(text string) *mcptest.Server {
		return answering(mcptest.Reply(400, "application/json", `{"jsonrpc":"2.0","id":$ID,"error":{"code":1,"message":`+jsonText(text)+`}}`))
	})},
	{"no-answer", 200, each(func(text string) *mcptest.Server { return answering(mcptest.Answer("text/plain", text+" and so on")) })},
	{"no-answer-of-many-words", 512, each(func(text string) *mcptest.Server { return answering(mcptest.Answer("text/plain", text+" and so on")) })},
	{"no-RPC", 200, each(func(text string) *mcptest.Server {
		return answering(mcptest.Answer("application/json", jsonText([]string{text})))
	})},
	{"no-HTTP", 200, each(func(text string) *mcptest.Server { return answering(mcptest.Raw(text + "\r\n\r\n")) })},
	{"media-type", 60, each(func(text string) *mcptest.Server {
		return answering(mcptest.Answer("text/"+strings.ReplaceAll(text, " ", "-"), "x"))
	})},
	{"encoding", 40, each(func(text string) *mcptest.Server {
		return answering(mcptest.Reply(200, "text/plain", "x", "Content-Encoding: "+text))
	})},
	{"strange-message", 512, each(func(text string) *mcptest.Server {
		return answering(mcptest.Message(`{"jsonrpc":"2.0","id":$ID,"error":{"code":1,"message":[` + jsonText(text) + `]}}`))
	})},
	{"server-name", 128, each(func(text string) *mcptest.Server { return &mcptest.Server{Name: text, Version: "1"} })},
	{"instructions", 4 << 10, each(func(text string) *mcptest.Server { return &mcptest.Server{Instructions: text} })},
	{"dropped-name", 128, func(texts []string) []*mcptest.Server {
		s := &mcptest.Server{}
		for i, text := range texts {
			s.RawTools = append(s.RawTools, fmt.Sprintf(`{"name":%s,"execution":{"taskSupport":"required"},"inputSchema":{"x":%d}}`, jsonText(text), i))
		}
		return []*mcptest.Server{s}
	}},
	{"tool-name", 64, tools(func(_ string, text string) mcptest.Tool { return mcptest.Tool{Name: text, Result: "x"} })},
	{"property-name", 64, tools(func(name, text string) mcptest.Tool {
		return mcptest.Tool{Name: name, InputSchema: map[string]any{"type": "object", "properties": map[string]any{text: map[string]any{"type": "string"}}}}
	})},
	{"reference", 64, tools(func(name, text string) mcptest.Tool {
		return mcptest.Tool{Name: name, InputSchema: map[string]any{"type": "object", "properties": map[string]any{"x": map[string]any{"$ref": "#/$defs/" + text}}}}
	})},
	{"description", 100, tools(func(name, text string) mcptest.Tool { return mcptest.Tool{Name: name, Description: text} })},
	{"result-head", 512, tools(text(strings.Repeat(" behind it", 200)))},
	{"result-tail", 3000, tools(text(strings.Repeat(" behind it", 50)))},
	{"call-failure", 2048, tools(func(name, text string) mcptest.Tool {
		return mcptest.Tool{Name: name, Result: mcptest.RPCError{Code: -32000, Message: text}}
	})},
	{"progress", 512, tools(func(name, text string) mcptest.Tool {
		return mcptest.Tool{Name: name, Run: func(_ context.Context, c *mcptest.Invocation) any { c.Progress(1, 2, text); return "x" }}
	})},
	{"link", 256, tools(raw(`{"content":[{"type":"resource_link","uri":"x:y","name":SAID,"mimeType":SAID}]}`))},
	{"link-description", 512, tools(raw(`{"content":[{"type":"resource_link","uri":"x:y","name":"x","description":SAID}]}`))},
	{"link-URI", 2048, tools(raw(`{"content":[{"type":"resource_link","uri":SAID,"name":"x"}]}`))},
	{"for-user", 4096, tools(raw(`{"content":[{"type":"text","text":SAID,"annotations":{"audience":["user"]}}]}`))},
	{"unknown-block", 4096, tools(raw(`{"content":[{"type":"novel","value":SAID}]}`))},
	{"question", 512, tools(raw(`{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{"message":SAID}}}}`))},
}

// step is between two places of a secret: every secret is longer.
const step = 17

func each(server func(text string) *mcptest.Server) func([]string) []*mcptest.Server {
	return func(texts []string) (servers []*mcptest.Server) {
		for _, text := range texts {
			servers = append(servers, server(text))
		}
		return servers
	}
}

// answering misbehaves where the list is asked for.
func answering(b mcptest.Behaviour) *mcptest.Server {
	return &mcptest.Server{Wedges: map[mcptest.Phase]mcptest.Behaviour{mcptest.List: b}}
}

func tools(tool func(name, text string) mcptest.Tool) func([]string) []*mcptest.Server {
	return func(texts []string) []*mcptest.Server {
		s := &mcptest.Server{SSE: true}
		for i, text := range texts {
			s.Tools = append(s.Tools, tool(fmt.Sprintf("t%d", i), text))
		}
		return []*mcptest.Server{s}
	}
}

func raw(result string) func(name, text string) mcptest.Tool {
	return func(name, text string) mcptest.Tool {
		return mcptest.Tool{Name: name, Result: json.RawMessage(strings.ReplaceAll(result, "SAID", jsonText(text)))}
	}
}

func text(tail string) func(name, text string) mcptest.Tool {
	return func(name, text string) mcptest.Tool { return mcptest.Tool{Name: name, Result: text + tail} }
}

func TestCutLeavesNoHalfOfASecret(t *testing.T) {
	for _, tt := range straddles {
		t.Run(tt.name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.opts.Limits = mcpclient.Limits{DescriptionLength: 100, ResultBytes: 3072}
				var k canaries
				var s seen
				s.watch(&w.opts)
				secret := newCanary()
				k.hide(secret)
				var texts []string
				for i, form := range formsOf(secret) {
					for lead := max(0, tt.limit-120+i%step); lead <= tt.limit; lead += step {
						texts = append(texts, strings.Repeat("pad ", lead/4+1)[:lead]+form)
					}
				}
				for i, server := range tt.serve(texts) {
					w.serve(fmt.Sprintf("%s-%d", tt.name, i), server).Auth = mcpclient.APIKey{Header: "X-Key", Value: secret}
				}
				r := w.connect()
				s.step(r)
				r.cleanup()
				w.background.Wait()
				s.logs(w.logs)
				for slug, texts := range s.texts {
					for _, text := range texts {
						require.Empty(t, k.trace(text.text), "%s of %s", text.surface, slug)
					}
				}
			})
		})
	}
}

// TestAuthorizationServerGivesNothingAway has the token endpoint say all secrets
// in every way in which it can fail.
func TestAuthorizationServerGivesNothingAway(t *testing.T) {
	for name, fail := range map[string]func(rw http.ResponseWriter, said string){
		"error":          func(rw http.ResponseWriter, said string) { tokenError(rw, 400, "invalid_request", said) },
		"code":           func(rw http.ResponseWriter, said string) { tokenError(rw, 400, said, "") },
		"dead grant":     func(rw http.ResponseWriter, said string) { tokenError(rw, 400, "invalid_grant", said) },
		"error in a 200": func(rw http.ResponseWriter, said string) { tokenError(rw, 200, "bad_refresh_token", said) },
		"plain body":     func(rw http.ResponseWriter, said string) { http.Error(rw, said, http.StatusBadGateway) },
		"no JSON":        func(rw http.ResponseWriter, said string) { _, _ = fmt.Fprint(rw, said) },
		"wrong JSON": func(rw http.ResponseWriter, said string) {
			_, _ = fmt.Fprintf(rw, `{"access_token":[%s]}`, jsonText(said))
		},
		"no token": func(rw http.ResponseWriter, said string) { _, _ = fmt.Fprintf(rw, `{"token":%s}`, jsonText(said)) },
		"wrong expiry": func(rw http.ResponseWriter, said string) {
			tokenError(rw, 200, "", said, "access_token", "x", "expires_in", said)
		},
		"redirect": func(rw http.ResponseWriter, said string) {
			rw.Header().Set("Location", elsewhere(said))
			rw.WriteHeader(307)
		},
		"headers": func(rw http.ResponseWriter, said string) {
			rw.Header().Set("Www-Authenticate", challengeSaying(said))
			rw.WriteHeader(401)
		},
		"no HTTP": func(rw http.ResponseWriter, said string) { hijacked(rw, said+"\r\n\r\n") },
		"status line": func(rw http.ResponseWriter, said string) {
			hijacked(rw, "HTTP/1.1 500 "+said+"\r\nContent-Length: 0\r\n\r\n")
		},
		"long description": func(rw http.ResponseWriter, said string) { tokenError(rw, 400, "x", strings.Repeat("pad ", 118)+said) },
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				var k canaries
				access, refresh, client := newCanary(), newCanary(), newCanary()
				k.hide(access, refresh, client)
				serve := func(rw http.ResponseWriter, _ *http.Request) {
					rw.Header().Set("Content-Type", "application/json")
					fail(rw, k.said())
				}
				w.handle("auth.test:80", serve)
				w.handle("localhost:80", serve)
				config := &oauth2.Config{ClientID: "client", ClientSecret: client, Endpoint: oauth2.Endpoint{TokenURL: "http://auth.test/token"}}
				token := mcpclient.UserToken{ServerID: idOf("s"), Token: oauth2.Token{AccessToken: access, RefreshToken: refresh, Expiry: time.Now().Add(-time.Hour)}}

				_, err := mcpclient.RefreshToken(t.Context(), w.opts.HTTPClient, config, token)
				if name != "wrong expiry" {
					require.Error(t, err)
				}
				require.Empty(t, k.trace(fmt.Sprintf("%v %+v", err, err)))
				_, err = mcpclient.RevokeToken(t.Context(), w.opts.HTTPClient, config, "http://localhost/revoke?key="+client, token)
				require.Empty(t, k.trace(fmt.Sprintf("%v %+v", err, err)))

				var s seen
				s.watch(&w.opts)
				w.opts.OnTokenRefresh = func(context.Context, mcpclient.UserToken) error { return fmt.Errorf("no store for %s", k.said()) }
				w.serve("s", &mcptest.Server{}).Auth = mcpclient.OAuth2{Config: config}
				w.tokens = append(w.tokens, token)
				r := w.connect()
				s.step(r)
				r.cleanup()
				w.background.Wait()
				s.logs(w.logs)
				for _, text := range s.texts["s"] {
					require.Empty(t, k.trace(text.text), text.surface)
				}
			})
		})
	}
}

func tokenError(rw http.ResponseWriter, status int, code, description string, more ...string) {
	body := map[string]string{"error": code, "error_description": description, "error_uri": description}
	for i := 0; i+1 < len(more); i += 2 {
		body[more[i]] = more[i+1]
	}
	rw.WriteHeader(status)
	_, _ = fmt.Fprint(rw, jsonText(body))
}

func hijacked(rw http.ResponseWriter, raw string) {
	c, _, err := http.NewResponseController(rw).Hijack()
	if err != nil {
		return
	}
	_, _ = c.Write([]byte(raw))
	_ = c.Close()
}

func TestHeaderRules(t *testing.T) {
	const value = "v4lue-that-nobody-may-see"
	refused := map[string][2]string{ // what is configured, and how it is named
		"CR":      {"X-Key", value + "\rX-Evil: 1"},
		"LF":      {"X-Key", value + "\nX-Evil: 1"},
		"CRLF":    {"X-Key", value + "\r\n\r\nGET / HTTP/1.1"},
		"NUL":     {"X-Key", value + "\x00"},
		"DEL":     {"X-Key", value + "\x7f"},
		"no name": {"", value}, "space in the name": {"X Key", value}, "colon in the name": {"X-Key:", value}, "CRLF in the name": {"X-Key\r\nX-Evil", value},
	}
	for _, name := range []string{
		"Connection", "keep-alive", "PROXY-AUTHENTICATE", "proxy-authorization", "Proxy-Connection", "te", "Trailer", "transfer-encoding", "UPGRADE",
		"host", "CONTENT-LENGTH", "content-type", "Content-Encoding", "accept", "accept-encoding", "last-event-id",
		"mcp-session-id", "MCP-PROTOCOL-VERSION", "Mcp-Method", "mCp-anything",
	} {
		refused[name] = [2]string{name, value}
	}
	for name, header := range refused {
		for kind, arm := range map[string]func(*world, *mcpclient.ServerConfig){
			"API key": func(_ *world, c *mcpclient.ServerConfig) {
				c.Auth = mcpclient.APIKey{Header: header[0], Value: header[1]}
			},
			"custom": func(_ *world, c *mcpclient.ServerConfig) {
				c.Auth = mcpclient.CustomHeaders{"X-Fine": "1", header[0]: header[1]}
			},
			"forwarded": func(w *world, c *mcpclient.ServerConfig) {
				w.opts.ForwardHeaders = map[string]string{header[0]: header[1]}
				c.ForwardHeaders = true
			},
		} {
			t.Run(name+"/"+kind, func(t *testing.T) {
				inWorld(t, func(t *testing.T, w *world) {
					s := &mcptest.Server{}
					arm(w, w.serve("s", s))
					w.serve("good", &mcptest.Server{})
					r := w.connect()
					require.Equal(t, mcpclient.ConnectOutcomeError, r.of("s").Outcome)
					require.Empty(t, s.Recorder.Requests(), "nothing is sent")
					require.Contains(t, strings.ToLower(r.of("s").Error), strings.ToLower(strings.Trim(fmt.Sprintf("%q", header[0]), `"`)), "the header is named")
					require.Equal(t, mcpclient.ConnectOutcomeConnected, r.of("good").Outcome)
					said := r.of("s").Error + strings.Join(w.logs.lines(slog.LevelWarn), "\n")
					require.NotContains(t, said, value)
					require.NotContains(t, said, "X-Evil: 1")
				})
			})
		}
	}
}

func TestHeadersAreComparedWithoutCase(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		s := &mcptest.Server{}
		w.serve("s", s).Auth = mcpclient.CustomHeaders{"X-Key": "value-one-1", "x-KEY": "value-two-2"}
		r := w.connect()
		require.Equal(t, mcpclient.ConnectOutcomeError, r.of("s").Outcome)
		require.Contains(t, r.of("s").Error, `"X-Key" is configured twice`)
		require.NotContains(t, r.of("s").Error, "value-")
		require.Empty(t, s.Recorder.Requests())
	})
}
