package wire

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// legacyFault is what happens to the POST of one call.
type legacyFault struct {
	name  string
	bad   func(f *legacyFake, w http.ResponseWriter, r *http.Request, m message)
	text  string
	error string
	slow  bool
}

func refused(code int, body string) func(*legacyFake, http.ResponseWriter, *http.Request, message) {
	return func(_ *legacyFake, w http.ResponseWriter, _ *http.Request, _ message) {
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

// says accepts the POST and puts this on the stream, with ID and ANSWER replaced.
func says(events string) func(*legacyFake, http.ResponseWriter, *http.Request, message) {
	return func(f *legacyFake, w http.ResponseWriter, _ *http.Request, m message) {
		w.WriteHeader(http.StatusAccepted)
		f.say(strings.NewReplacer("ID", string(m.ID), "ANSWER", m.answer()).Replace(events))
	}
}

var legacyFaults = []legacyFault{
	{"good", says("event: message\ndata: ANSWER\n\n"), "bad", "", false},
	{"M9 400", refused(400, "no"), "", "HTTP 400", false},
	{"401", refused(401, ""), "", "HTTP 401", false},
	{"403", refused(403, ""), "", "HTTP 403", false},
	{"E1 404", refused(404, "Session not found"), "", "no longer knows the session", false},
	{"E5 400 session", refused(400, "Invalid session ID"), "", "no longer knows the session", false},
	{"500", refused(500, "boom"), "", "boom", false},
	{"redirect", func(_ *legacyFake, w http.ResponseWriter, r *http.Request, _ message) {
		http.Redirect(w, r, "http://elsewhere.test/", http.StatusTemporaryRedirect)
	}, "", "redirects to http://elsewhere.test", false},
	{"connection closed", func(*legacyFake, http.ResponseWriter, *http.Request, message) { panic(http.ErrAbortHandler) }, "", "EOF", false},
	{"answer in the POST", func(_ *legacyFake, w http.ResponseWriter, _ *http.Request, m message) { sendJSON(w, m.answer()) }, "bad", "", false},
	{"answer in both", func(f *legacyFake, w http.ResponseWriter, _ *http.Request, m message) {
		f.say("data: " + m.answer() + "\n\n")
		sendJSON(w, m.answer())
	}, "bad", "", false},
	{"error in the POST", func(_ *legacyFake, w http.ResponseWriter, _ *http.Request, m message) {
		sendJSON(w, `{"jsonrpc":"2.0","id":`+string(m.ID)+`,"error":{"code":1,"message":"not today"}}`)
	}, "", "not today", false},
	{"answer before the POST ends", func(f *legacyFake, w http.ResponseWriter, r *http.Request, m message) {
		f.say("data: " + m.answer() + "\n\n")
		hang(w, r, m)
	}, "bad", "", false},
	{"POST body never ends", func(f *legacyFake, w http.ResponseWriter, r *http.Request, m message) {
		sendJSON(w, "{")
		_ = http.NewResponseController(w).Flush()
		f.say("data: " + m.answer() + "\n\n")
		hang(w, r, m)
	}, "bad", "", false},
	{"POST hangs", func(_ *legacyFake, w http.ResponseWriter, r *http.Request, m message) { hang(w, r, m) }, "", "deadline", true},
	{"no answer", says(": nothing\n\n"), "", "deadline", true},
	{"string id", says("data: {\"jsonrpc\":\"2.0\",\"id\":\"ID\",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"x\"}]}}\n\n"), "x", "", false},
	{"foreign answers", says("data: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":null,\"result\":{}}\n\ndata: ANSWER\n\n"), "bad", "", false},
	{"M16 named events", says("event: ping\ndata: 12\n\nevent: x\ndata: {}\n\ndata: ANSWER\n\n"), "bad", "", false},
	{"junk", says("data: hello\n\nhello\n\n:x\n\ndata: ANSWER\n\n"), "bad", "", false},
	{"second endpoint", says("event: endpoint\ndata: http://elsewhere.test/x\n\ndata: ANSWER\n\n"), "bad", "", false},
	{"CRLF", says("data: ANSWER\r\n\r\n"), "bad", "", false},
	{"log flood", says(strings.Repeat("data: "+progress+"\n\n", 1000) + "data: ANSWER\n\n"), "bad", "", false},
}

func TestLegacyFaultCostsOneCall(t *testing.T) {
	for _, f := range legacyFaults {
		t.Run(f.name, func(t *testing.T) {
			bubble(t, &legacyFake{bad: f.bad}, func(t *testing.T, base *http.Transport) {
				c, err := connect(t.Context(), Config{Endpoint: testURL, LegacySSE: true, Base: base, BodyBytes: 1 << 20})
				require.NoError(t, err)
				defer c.end()
				testFault(t, c, fault{f.name, nil, f.text, f.error, f.slow})
			})
		})
	}
}

func TestLegacyOpening(t *testing.T) {
	events := func(body string) http.Handler {
		return &legacyFake{open: body}
	}
	code := func(status int, contentType, body string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		})
	}
	for name, c := range map[string]struct {
		server http.Handler
		error  string // "": connects
	}{
		"M6 everything before the endpoint": {events("\ufeff: hi\n\nretry: 100\n\nevent: ping\ndata: 1\n\ndata: {}\n\n" + endpointEvent), ""},
		"G11 relative":                      {events("event: endpoint\ndata: messages?x=1\n\n"), ""},
		"absolute":                          {events("event: endpoint\ndata: http://MCP.test:80/messages\n\n"), ""},
		"CRLF":                              {events("event: endpoint\r\ndata: /messages\r\n\r\n"), ""},
		"user information":                  {events("event: endpoint\ndata: http://me:secret@mcp.test/messages\n\n"), ""},
		"M13 other host":                    {events("event: endpoint\ndata: http://elsewhere.test/messages\n\n"), "http://elsewhere.test"},
		"M13 other port":                    {events("event: endpoint\ndata: http://mcp.test:81/messages\n\n"), "http://mcp.test:81"},
		"G13 unspecified address":           {events("event: endpoint\ndata: http://0.0.0.0:80/messages\n\n"), "http://0.0.0.0"},
		"other scheme":                      {events("event: endpoint\ndata: https://mcp.test/messages\n\n"), "https://mcp.test"},
		"scheme relative":                   {events("event: endpoint\ndata: //elsewhere.test/messages\n\n"), "http://elsewhere.test"},
		"no URL":                            {events("event: endpoint\ndata: http://[::1\n\n"), "no usable URL"},
		"file":                              {events("event: endpoint\ndata: file:///etc/passwd\n\n"), "another origin"},
		"endpoint never":                    {events(": waiting\n\n"), "deadline"},
		"endless line":                      {events("data: " + strings.Repeat("a", 2<<20)), "longer than the limit"},
		"ends":                              {code(200, eventStream, ": bye\n\n"), "before it named an endpoint"},
		"404":                               {code(404, "text/plain", ""), "no MCP endpoint at this path"},
		"405":                               {code(405, "text/plain", ""), "looks like a streamable HTTP endpoint"},
		"streamable SDK server":             {code(400, "text/plain", "Bad Request: GET requires an Mcp-Session-Id header"), "looks like a streamable HTTP endpoint"},
		"401":                               {code(401, "text/plain", ""), "HTTP 401"},
		"page":                              {code(200, "text/html", page), "an HTML page (text/html)"},
		"JSON":                              {code(200, "application/json", `{"jsonrpc":"2.0"}`), "the server answered with JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, c.server, func(t *testing.T, base *http.Transport) {
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				defer cancel()
				s, err := connect(ctx, Config{Endpoint: testURL, LegacySSE: true, Base: base, BodyBytes: 1 << 20})
				if f, ok := c.server.(*legacyFake); ok {
					f.mu.Lock()
					defer f.mu.Unlock()
					for _, host := range f.hosts {
						require.Equal(t, "mcp.test", host)
					}
				}
				if c.error == "deadline" {
					require.Error(t, err)
					require.Equal(t, context.DeadlineExceeded, ctx.Err())
					return
				}
				if c.error != "" {
					require.ErrorContains(t, err, c.error)
					return
				}
				require.NoError(t, err)
				s.end()
			})
		})
	}
}

func TestLegacyStreamEnds(t *testing.T) {
	f := &legacyFake{}
	f.bad = func(f *legacyFake, w http.ResponseWriter, _ *http.Request, _ message) {
		w.WriteHeader(http.StatusAccepted)
		f.end()
	}
	bubble(t, f, func(t *testing.T, base *http.Transport) {
		c, err := connect(t.Context(), Config{Endpoint: testURL, LegacySSE: true, Base: base})
		require.NoError(t, err)
		defer c.end()
		_, err = c.echo(t.Context(), "bad")
		var answer *AnswerError
		require.ErrorAs(t, err, &answer)
		require.EqualError(t, answer, "no answer came: the event stream ended")
	})
}

func TestLegacyBridgeThatAnswersEverybody(t *testing.T) {
	f := &legacyFake{}
	bubble(t, f, func(t *testing.T, base *http.Transport) {
		done := make(chan error, 3)
		for _, name := range []string{"one", "two", "three"} {
			go func() {
				c, err := connect(t.Context(), Config{Endpoint: testURL, LegacySSE: true, Base: base})
				if err == nil {
					defer c.end()
				}
				for i := 0; i < 50 && err == nil; i++ {
					var said string
					if said, err = c.echo(t.Context(), name); err == nil && said != name {
						err = io.ErrUnexpectedEOF
					}
				}
				done <- err
			}()
		}
		for range 3 {
			require.NoError(t, <-done)
		}
	})
}

func TestLegacyLifeEndsEverything(t *testing.T) {
	f := &legacyFake{bad: func(_ *legacyFake, w http.ResponseWriter, r *http.Request, m message) { hang(w, r, m) }}
	bubble(t, f, func(t *testing.T, base *http.Transport) {
		c, err := connect(t.Context(), Config{Endpoint: testURL, LegacySSE: true, Base: base})
		require.NoError(t, err)
		start := time.Now()
		failed := make(chan error, 1)
		go func() {
			_, err := c.echo(t.Context(), "bad")
			failed <- err
		}()
		synctest.Wait()
		c.end()
		require.ErrorIs(t, <-failed, ErrKilled)
		require.Equal(t, start, time.Now())
	})
}
