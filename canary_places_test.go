package mcpclient_test

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"golang.org/x/oauth2"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

// canaryPlaces are all the places where a server can say something, each with a
// server that says all secrets there. Its name is the server's slug too.
var canaryPlaces = []struct {
	name   string
	only   string // a transport; "": both
	server func(k *canaries) *mcptest.Server
}{
	{"status line", "", atFirst(func(said string) mcptest.Behaviour {
		return mcptest.Raw("HTTP/1.1 500 " + said + "\r\nContent-Length: 0\r\n\r\n")
	})},
	{"broken HTTP", "", atFirst(func(said string) mcptest.Behaviour { return mcptest.Raw(said + "\r\n\r\n") })},
	{"headers", "", atFirst(func(said string) mcptest.Behaviour {
		return mcptest.Reply(503, "", "", "X-Echo: "+said, "Retry-After: "+said, "Allow: "+said, "Content-Encoding: "+said, "Mcp-Session-Id: "+said)
	})},
	{"content type", "", atFirst(func(said string) mcptest.Behaviour { return mcptest.Answer("text/"+said, said) })},
	{"error body 400", "", atFirst(status(400, "text/plain"))},
	{"error body 401", "", atFirst(status(401, "text/plain"))},
	{"error body 403", "", atFirst(status(403, "application/json"))},
	{"error body 404", "", atFirst(status(404, "text/html"))},
	{"error body 502", "", atFirst(status(502, ""))},
	{"challenge 401", "", atFirst(challenged(401))},
	{"challenge 403", "", atFirst(challenged(403))},
	{"redirect 302", "", atFirst(redirected(302))},
	{"redirect 307", "", atFirst(redirected(307))},
	{"endpoint event", "sse", at(mcptest.SSEEndpoint, func(said string) mcptest.Behaviour {
		return mcptest.EndpointEvent("event: endpoint\ndata: " + elsewhere(said) + "\n\n")
	})},
	{"broken endpoint event", "sse", at(mcptest.SSEEndpoint, func(said string) mcptest.Behaviour {
		return mcptest.EndpointEvent("event: endpoint\ndata: ://" + said + "\n\n")
	})},
	{"post refused", "sse", at(mcptest.SSEPost, status(500, "text/plain"))},
	{"no JSON", "", at(mcptest.Initialize, func(said string) mcptest.Behaviour { return mcptest.Answer("application/json", said) })},
	{"no RPC", "", at(mcptest.Initialize, func(said string) mcptest.Behaviour {
		return mcptest.Answer("application/json", jsonText(map[string]any{"oops": said, said: 1}))
	})},
	{"cut JSON", "", at(mcptest.Initialize, func(said string) mcptest.Behaviour {
		return mcptest.Answer("application/json", `{"jsonrpc":"2.0","id":$ID,"result":{"x":`+jsonText(said))
	})},
	{"RPC error of initialize", "", at(mcptest.Initialize, rpcError)},
	{"RPC error in HTTP 400", "", at(mcptest.Initialize, func(said string) mcptest.Behaviour {
		return mcptest.Reply(400, "application/json", `{"jsonrpc":"2.0","id":$ID,"error":{"code":-32000,"message":`+jsonText(said)+`}}`)
	})},
	{"RPC error of another type", "", at(mcptest.Initialize, func(said string) mcptest.Behaviour {
		return mcptest.Message(`{"jsonrpc":"2.0","id":$ID,"error":{"code":"` + "x" + `","message":{"a":` + jsonText(said) + `}}}`)
	})},
	{"RPC error of the list", "", at(mcptest.List, rpcError)},
	{"protocol version", "", at(mcptest.Initialize, func(said string) mcptest.Behaviour {
		return mcptest.Result(`{"protocolVersion":` + jsonText(said) + `,"capabilities":{},"serverInfo":{"name":"x","version":"1"}}`)
	})},
	{"server info", "", func(k *canaries) *mcptest.Server { return &mcptest.Server{Name: k.said(), Version: k.said()} }},
	{"instructions", "", func(k *canaries) *mcptest.Server { return &mcptest.Server{Instructions: "Use it.\n" + k.said()} }},
	{"events and comments", "", at(mcptest.Call, func(said string) mcptest.Behaviour {
		line := strings.ReplaceAll(said, "\n", " ")
		return mcptest.Stream(": "+line+"\n\n", "event: "+line+"\ndata: "+line+"\nid: "+line+"\nretry: "+line+"\n\n", "data: {"+line+"\n\n", line+"\n\n",
			`data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":`+jsonText(said)+"}}\n\n",
			`data: {"jsonrpc":"2.0","id":`+jsonText(said)+`,"method":`+jsonText(said)+`,"params":{}}`+"\n\n", "data: $ANSWER\n\n")
	})},
	{"list", "", listSaying},
	{"names", "", namesSaying},
	{"dropped tools", "", droppedSaying},
	{"list is wrong", "", at(mcptest.List, func(said string) mcptest.Behaviour {
		return mcptest.Result(`{"tools":{` + jsonText(said) + `:` + jsonText(said) + `}}`)
	})},
	{"list cursor", "", func(k *canaries) *mcptest.Server {
		return &mcptest.Server{PageSize: 1, Cursor: func(page int) string { return fmt.Sprint(k.said(), page) }}
	}},
	{"results", "", resultsSaying},
	{"progress", "", func(k *canaries) *mcptest.Server {
		return &mcptest.Server{Tools: []mcptest.Tool{{Name: "work", Run: func(_ context.Context, c *mcptest.Invocation) any {
			c.Progress(1, 2, k.said())
			return "done"
		}}}}
	}},
	{"call status 500", "", onCall(500)},
	{"call status 401", "", onCall(401)},
	{"call status 403", "", onCall(403)},
	{"call status 404", "", onCall(404)},
	{"call redirect", "", at(mcptest.Call, redirected(302))},
	{"call no JSON", "streamable", at(mcptest.Call, func(said string) mcptest.Behaviour { return mcptest.Answer("application/json", said) })},
	{"close", "streamable", at(mcptest.Delete, status(500, "text/plain"))},
}

// atFirst misbehaves at the first request of either transport.
func atFirst(b func(said string) mcptest.Behaviour) func(*canaries) *mcptest.Server {
	return func(k *canaries) *mcptest.Server {
		said := k.said()
		return &mcptest.Server{Wedges: map[mcptest.Phase]mcptest.Behaviour{mcptest.Initialize: b(said), mcptest.SSEGet: b(said)}}
	}
}

func at(phase mcptest.Phase, b func(said string) mcptest.Behaviour) func(*canaries) *mcptest.Server {
	return func(k *canaries) *mcptest.Server {
		return &mcptest.Server{Wedges: map[mcptest.Phase]mcptest.Behaviour{phase: b(k.said())}}
	}
}

func status(code int, contentType string) func(string) mcptest.Behaviour {
	return func(said string) mcptest.Behaviour { return mcptest.Reply(code, contentType, said) }
}

// onCall refuses calls with all secrets that are in use by then.
func onCall(code int) func(*canaries) *mcptest.Server {
	return func(k *canaries) *mcptest.Server {
		return &mcptest.Server{Wedges: map[mcptest.Phase]mcptest.Behaviour{mcptest.Call: mcptest.Do(func(x *mcptest.Exchange) {
			x.W.Header().Set("Www-Authenticate", challengeSaying(k.said()))
			x.W.WriteHeader(code)
			_, _ = io.WriteString(x.W, k.said())
		})}}
	}
}

func rpcError(said string) mcptest.Behaviour {
	return mcptest.Message(`{"jsonrpc":"2.0","id":$ID,"error":{"code":-32000,"message":` + jsonText(said) + `,"data":{"x":` + jsonText(said) + `}}}`)
}

func challenged(code int) func(string) mcptest.Behaviour {
	return func(said string) mcptest.Behaviour {
		return mcptest.Reply(code, "text/plain", "", "WWW-Authenticate: "+challengeSaying(said))
	}
}

func challengeSaying(said string) string {
	quote := func(text string) string { return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"` }
	forms := strings.Fields(said)
	return "Bearer realm=" + quote(said) + ", error=" + quote(forms[1]) + ", scope=" + quote(said) +
		", resource_metadata=" + quote("https://x.test/"+forms[2]+"?"+forms[5]) + ", error_description=" + quote(said)
}

func redirected(code int) func(string) mcptest.Behaviour {
	return func(said string) mcptest.Behaviour {
		return mcptest.Do(func(x *mcptest.Exchange) {
			x.W.Header().Set("Location", elsewhere(said))
			x.W.WriteHeader(code)
		})
	}
}

// elsewhere is a URL of another origin with secrets in each part of it.
func elsewhere(said string) string {
	forms := strings.Fields(said)
	host := hex.EncodeToString([]byte(forms[1])) + "." + base64.RawURLEncoding.EncodeToString([]byte(forms[1])) + ".evil.test"
	return "http://" + forms[2] + ":" + forms[2] + "@" + host + "/" + forms[3] + "?q=" + forms[2] + "#" + forms[2]
}

func jsonText(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
	return strings.TrimSpace(b.String())
}

// listSaying has them in every part of a definition but the name.
func listSaying(k *canaries) *mcptest.Server {
	said := k.said()
	props := map[string]any{
		"words":   map[string]any{"type": "string", "description": said, "title": said, "default": said, "examples": []any{said}},
		"choice":  map[string]any{"enum": append([]any{"plain", said}, texts(strings.Fields(said)...)...), "default": strings.Fields(said)[1]},
		"fixed":   map[string]any{"const": strings.Fields(said)[1]},
		"pattern": map[string]any{"type": "string", "pattern": "^" + hex.EncodeToString([]byte(strings.Fields(said)[1])) + "$"},
		"quoted":  map[string]any{"type": "string", "pattern": "^x" + strings.Fields(said)[5] + "$", "contentMediaType": said, "contentEncoding": said},
		"format":  map[string]any{"type": "string", "format": strings.Fields(said)[5]},
		"type":    map[string]any{"type": said},
		"ref":     map[string]any{"$ref": "#/$defs/" + said, "description": "x"},
		"union":   map[string]any{"anyOf": []any{map[string]any{"type": "string", "description": said}, map[string]any{"type": "integer", "title": said}, map[string]any{"const": said}}},
		"nested":  map[string]any{"type": "object", "properties": map[string]any{}, "propertyNames": map[string]any{"enum": texts(strings.Fields(said)...)}, "patternProperties": map[string]any{said: map[string]any{"description": said}}},
		"list":    map[string]any{"type": "array", "items": map[string]any{"type": "string", "enum": texts(strings.Fields(said)...)}},
	}
	for _, form := range strings.Fields(said)[1:] {
		props[form] = map[string]any{"type": "string"}
		props["nested"].(map[string]any)["properties"].(map[string]any)[form] = map[string]any{"type": "integer", "default": 1}
		props["in "+form] = map[string]any{"description": "Needed."}
	}
	schema := map[string]any{
		"type": "object", "$id": said, "$comment": said, "title": said, "description": said, "properties": props,
		"required": strings.Fields(said), "$defs": map[string]any{said: map[string]any{"type": "string", "default": said}},
	}
	return &mcptest.Server{Tools: []mcptest.Tool{
		{Name: "schema", Description: "It is " + said, Title: said, InputSchema: schema, OutputSchema: schema, Annotations: map[string]any{"title": said, "readOnlyHint": true}, Meta: map[string]any{said: said}},
		{Name: "titled", Title: said},
		{Name: "annotated", Annotations: map[string]any{"title": said}},
		{Name: "joined", InputSchema: map[string]any{"allOf": []any{schema, map[string]any{"properties": map[string]any{"words": map[string]any{"description": said, "enum": []any{said}}}}}}},
	}}
}

func texts(list ...string) []any {
	out := make([]any, len(list))
	for i := range list {
		out[i] = list[i]
	}
	return out
}

// namesSaying has tools that are called so.
func namesSaying(k *canaries) *mcptest.Server {
	s := &mcptest.Server{}
	for _, form := range strings.Fields(k.said())[1:] {
		for _, name := range []string{form, "get_" + form, form + ".read", "a-rather-long-name-of-a-tool-in-front-of-" + form} {
			s.Tools = append(s.Tools, mcptest.Tool{Name: name, Description: "Called so.", Result: "x", Run: func(_ context.Context, c *mcptest.Invocation) any {
				c.Progress(1, 2, "half")
				return "done"
			}})
		}
	}
	return s
}

// droppedSaying has tools that can't be offered.
func droppedSaying(k *canaries) *mcptest.Server {
	said := jsonText(k.said())
	return &mcptest.Server{RawTools: []string{
		`{"name":` + said + `,"execution":{"taskSupport":"required"},"inputSchema":{}}`,
		`{"name":` + said + `,"inputSchema":{"type":` + said + `}}`,
		`{"name":` + jsonText(k.said()+"2") + `,"inputSchema":false,"description":` + said + `}`,
		`{"name":` + jsonText(k.said()+"3") + `,"inputSchema":` + said + `}`,
		`{"name":` + jsonText(k.said()+"4") + `,"inputSchema":{"type":"array","description":` + said + `}}`,
		`{"name":` + jsonText(k.said()+"5") + `,"inputSchema":{},"description":"` + strings.Repeat("x", 129<<10) + `"}`,
		`{"title":` + said + `}`, said,
	}}
}

// resultsSaying has them in all parts of results, of one tool each.
func resultsSaying(k *canaries) *mcptest.Server {
	s := &mcptest.Server{}
	for name, result := range map[string]string{
		"text":        `{"content":[{"type":"text","text":SAID,"annotations":{"audience":[SAID]},"_meta":{SAID:SAID}}]}`,
		"failed":      `{"isError":true,"content":[{"type":"text","text":SAID}]}`,
		"structured":  `{"content":[],"structuredContent":{"a":SAID,SAID:[SAID,1]}}`,
		"resource":    `{"content":[{"type":"resource","resource":{"uri":SAID,"mimeType":SAID,"text":SAID,"_meta":{"x":SAID}}}]}`,
		"blob":        `{"content":[{"type":"resource","resource":{"uri":SAID,"mimeType":"text/plain","blob":BASE64}}]}`,
		"link":        `{"content":[{"type":"resource_link","uri":SAID,"name":SAID,"title":SAID,"description":SAID,"mimeType":SAID}]}`,
		"image":       `{"content":[{"type":"image","mimeType":SAID,"data":"` + mcptest.PNG + `"}]}`,
		"noImage":     `{"content":[{"type":"image","mimeType":SAID,"data":BASE64}]}`,
		"wrongImage":  `{"content":[{"type":"image","mimeType":"image/png","data":SAID}]}`,
		"audio":       `{"content":[{"type":"audio","mimeType":SAID,"data":BASE64}]}`,
		"unknown":     `{"content":[{"type":SAID,"value":SAID,SAID:1}]}`,
		"novel":       `{"content":[{"type":"novel","text":SAID}]}`,
		"forUser":     `{"content":[{"type":"text","text":SAID,"annotations":{"audience":["user"]}}]}`,
		"meta":        `{"content":[{"type":"text","text":"x"}],"_meta":{"k":SAID,SAID:{"y":SAID}}}`,
		"bare":        `SAID`,
		"envelope":    `{"answer":SAID,SAID:1}`,
		"older":       `{"toolResult":SAID}`,
		"inputNeeded": `{"resultType":"input_required","inputRequests":{SAID:{"method":SAID,"params":{"message":SAID}}},"requestState":SAID}`,
	} {
		s.Tools = append(s.Tools, mcptest.Tool{Name: name, Result: func(json.RawMessage) any {
			said := k.said()
			text := strings.ReplaceAll(result, "BASE64", `"`+base64.StdEncoding.EncodeToString([]byte(said))+`"`)
			return json.RawMessage(strings.ReplaceAll(text, "SAID", jsonText(said)))
		}})
	}
	for code, name := range map[int]string{-32602: "unknownTool", -32603: "internal", -32003: "forbidden"} {
		s.Tools = append(s.Tools, mcptest.Tool{Name: name, Result: func(json.RawMessage) any {
			return mcptest.RPCError{Code: code, Message: "tool not found: " + k.said(), Data: map[string]any{k.said(): k.said()}}
		}})
	}
	return s
}

func oauthServer(w *world, config *oauth2.Config, token oauth2.Token) func(*mcpclient.ServerConfig) {
	return func(c *mcpclient.ServerConfig) {
		c.Auth = mcpclient.OAuth2{Config: config}
		w.tokens = append(w.tokens, mcpclient.UserToken{ServerID: c.ID, Token: token})
	}
}

// issue serves a token endpoint whose tokens are all secrets.
func (w *world) issue(k *canaries, first string) {
	var mu sync.Mutex
	w.handle("auth.test:80", func(rw http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		token := first
		first = newCanary()
		k.renew(token)
		rw.Header().Set("Content-Type", "application/json")
		answer, _ := json.Marshal(map[string]any{
			"access_token": token, "refresh_token": "r-" + token, "token_type": "bearer", "expires_in": 3600,
		})
		_, _ = rw.Write(answer)
	})
}

// handle serves something other than MCP on a host of the network.
func (w *world) handle(host string, serve http.HandlerFunc) {
	listener := w.net.Listen(host)
	server := &http.Server{Handler: serve}
	var done sync.WaitGroup
	done.Go(func() { _ = server.Serve(listener) })
	w.t.Cleanup(func() {
		_ = server.Close()
		done.Wait()
	})
}
