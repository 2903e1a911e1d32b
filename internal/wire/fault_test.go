package wire

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// fault is one bad answer to one call, and what the call must show. A fault costs that call at most: every row is run beside a
// call that is under way, and is followed by another one.
type fault struct {
	name  string
	send  func(w http.ResponseWriter, r *http.Request, m message)
	text  string // of a result; "" where the call must fail
	error string // part of the error's text
	slow  bool   // the call may last until its own deadline
}

func status(code int, contentType, body string) func(http.ResponseWriter, *http.Request, message) {
	return func(w http.ResponseWriter, _ *http.Request, m message) {
		if contentType != "" {
			w.Header().Set("Content-Type", contentType)
		} else {
			w.Header()["Content-Type"] = nil
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, strings.ReplaceAll(body, "ID", string(m.ID)))
	}
}

// with sends a body in which ID, RESULT and ANSWER stand for those of a good answer.
func with(contentType, body string) func(http.ResponseWriter, *http.Request, message) {
	return func(w http.ResponseWriter, _ *http.Request, m message) {
		w.Header()["Content-Type"] = nil
		if contentType != "" {
			w.Header().Set("Content-Type", contentType)
		}
		body := strings.NewReplacer("ID", string(m.ID), "RESULT", m.result(), "ANSWER", m.answer()).Replace(body)
		_, _ = io.WriteString(w, body)
	}
}

func hang(_ http.ResponseWriter, r *http.Request, _ message) { <-r.Context().Done() }

// endless repeats a part until the client is gone, 64 KiB at a time.
func endless(w http.ResponseWriter, r *http.Request, contentType string, code int, first, part string) {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(code)
	_, _ = io.WriteString(w, first)
	block := strings.Repeat(part, 64<<10/len(part))
	for r.Context().Err() == nil {
		if _, err := io.WriteString(w, block); err != nil {
			return
		}
	}
}

// drip sends a byte every second.
func drip(contentType, body string) func(http.ResponseWriter, *http.Request, message) {
	return func(w http.ResponseWriter, r *http.Request, _ message) {
		w.Header().Set("Content-Type", contentType)
		for i := 0; r.Context().Err() == nil; i++ {
			_, _ = io.WriteString(w, body[i%len(body):][:1])
			_ = http.NewResponseController(w).Flush()
			pause(r, time.Second)
		}
	}
}

func compressed(encoding string, size int) func(http.ResponseWriter, *http.Request, message) {
	return func(w http.ResponseWriter, _ *http.Request, m message) {
		var body bytes.Buffer
		z := gzip.NewWriter(&body)
		_, _ = io.WriteString(z, m.answer())
		block := bytes.Repeat([]byte(" "), 1<<20)
		for range size / len(block) {
			_, _ = z.Write(block)
		}
		_ = z.Close()
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Encoding", encoding)
		_, _ = w.Write(body.Bytes())
	}
}

func abort(http.ResponseWriter, *http.Request, message) { panic(http.ErrAbortHandler) }

// short ends a body before its announced length.
func short(contentType, body string) func(http.ResponseWriter, *http.Request, message) {
	return func(w http.ResponseWriter, _ *http.Request, _ message) {
		w.Header().Set("Content-Type", contentType)
		w.Header().Set("Content-Length", fmt.Sprint(len(body)+100))
		_, _ = io.WriteString(w, body)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

const page = "<!DOCTYPE html><html><body>Welcome</body></html>"

var statusFaults = []fault{
	{"E9 400 empty", status(400, "", ""), "", "HTTP 400", false},
	{"E9 400 page", status(400, "text/html", page), "", "HTTP 400: bad request", false},
	{"E5 400 session", status(400, "application/json", `{"error":"No valid session"}`), "", "no longer knows the session", false},
	{"E9 400 rpc", status(400, "application/json", `{"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"nope"}}`), "", "nope", false},
	{"401", status(401, "", ""), "", "HTTP 401", false},
	{"402", status(402, "text/plain", "pay first"), "", "pay first", false},
	{"403", status(403, "", ""), "", "HTTP 403", false},
	{"E1 404", status(404, "", ""), "", "no longer knows the session", false},
	{"E2 404 Python", status(404, "application/json", `{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Session not found"}}`), "", "no longer knows the session: Session not found", false},
	{"E2 404 TypeScript", status(404, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}`), "", "no longer knows the session", false},
	{"405", status(405, "", ""), "", "HTTP 405", false},
	{"E17 406", status(406, "", ""), "", "Accept", false},
	{"409", status(409, "", ""), "", "HTTP 409", false},
	{"413", status(413, "", ""), "", "HTTP 413", false},
	{"415", status(415, "", ""), "", "HTTP 415", false},
	{"429", status(429, "", ""), "", "too many requests", false},
	{"E19 500", status(500, "text/plain", "boom"), "", "HTTP 500: internal server error: boom", false},
	{"501", status(501, "", ""), "", "HTTP 501", false},
	{"502", status(502, "text/html", page), "", "HTTP 502: bad gateway", false},
	{"503", status(503, "", ""), "", "HTTP 503", false},
	{"520", status(520, "", ""), "", "HTTP 520", false},
	{"M12 202", status(202, "", ""), "", "gave no answer", false},
	{"M12 204", status(204, "", ""), "", "gave no answer", false},
	{"304", status(304, "", ""), "", "HTTP 304", false},
}

var jsonFaults = []fault{
	{"plain JSON", with("application/json", "ANSWER"), "bad", "", false},
	{"E18 charset", with("Application/JSON; Charset=UTF-8", "ANSWER"), "bad", "", false},
	{"E18 text/plain", with("text/plain", "ANSWER"), "bad", "", false},
	{"E18 vendor type", with("application/vnd.mcp+json", "ANSWER"), "bad", "", false},
	{"E18 no type", with("", "ANSWER"), "bad", "", false},
	{"odd type", with("application/octet-stream;;", "ANSWER"), "bad", "", false},
	{"G6 BOM", with("application/json", "\ufeffANSWER"), "bad", "", false},
	{"white space", with("application/json", "\r\n\t  ANSWER\r\n"), "bad", "", false},
	{"H1 string id", with("application/json", `{"jsonrpc":"2.0","id":"ID","result":RESULT}`), "bad", "", false},
	{"H1 float id", with("application/json", `{"jsonrpc":"2.0","id":ID.0,"result":RESULT}`), "bad", "", false},
	{"E21 no jsonrpc", with("application/json", `{"id":ID,"result":RESULT}`), "bad", "", false},
	{"one-element batch", with("application/json", `[ANSWER]`), "bad", "", false},
	{"batch", with("application/json", `[{"jsonrpc":"2.0","method":"notifications/message","params":{}},ANSWER]`), "bad", "", false},
	{"J10 raw control byte", with("application/json", "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"a\tb\"}]}}"), "a\tb", "", false},
	{"pretty", with("application/json", "{\n  \"jsonrpc\": \"2.0\",\n  \"id\": ID,\n  \"result\": RESULT\n}\n"), "bad", "", false},
	{"H1 id 0", with("application/json", `{"jsonrpc":"2.0","id":0,"result":RESULT}`), "", "answer to another request", false},
	{"H1 foreign id", with("application/json", `{"jsonrpc":"2.0","id":"server-error","result":RESULT}`), "", "answer to another request", false},
	{"H1 null id", with("application/json", `{"jsonrpc":"2.0","id":null,"result":RESULT}`), "", "answer to another request", false},
	{"null id error", with("application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"who are you"}}`), "", "who are you", false},
	{"E20 error", with("application/json", `{"jsonrpc":"2.0","id":ID,"error":{"code":-32000,"message":"not today"}}`), "", "not today", false},
	{"error code that is the SDK's own", with("application/json", `{"jsonrpc":"2.0","id":ID,"error":{"code":-32004,"message":"not today"}}`), "", "not today", false},
	{"error that is a string", with("application/json", `{"jsonrpc":"2.0","id":ID,"error":"not today"}`), "", "not today", false},
	{"neither result nor error", with("application/json", `{"jsonrpc":"2.0","id":ID}`), "", "neither a result nor an error", false},
	{"no message", with("application/json", `{"status":"ok"}`), "", "no JSON-RPC message", false},
	{"only a notification", with("application/json", `{"jsonrpc":"2.0","method":"notifications/message"}`), "", "no answer", false},
	{"H7 empty body", with("application/json", ""), "", "empty body", false},
	{"H7 page", with("text/html", page), "", "an HTML page (text/html)", false},
	{"page as JSON", with("application/json", page), "", "an HTML page", false},
	{"plain text", with("text/plain", "all is well"), "", "all is well", false},
	{"cut JSON", with("application/json", `{"jsonrpc":"2.0","id":ID,"result":{"content":[`), "", "cut JSON", false},
	{"cut body", short("application/json", `{"jsonrpc":"2.0","id":1,"result":{"content":[`), "", "cut off", false},
	{"broken JSON", with("application/json", `{"jsonrpc":"2.0","id":ID,"result":{]}`), "", "broken JSON", false},
	{"deep JSON", with("application/json", `{"jsonrpc":"2.0","id":ID,"result":`+strings.Repeat("[", 5000)+strings.Repeat("]", 5000)+`}`), "", "nested too deeply", false},
	{"F7 gzip", compressed("gzip", 0), "bad", "", false},
	{"F7 br", compressed("br", 0), "", "encoded as br", false},
	{"gzip bomb", compressed("gzip", 64<<20), "", "longer than the limit", false},
	{"announced length over the limit", func(w http.ResponseWriter, _ *http.Request, _ message) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "1000000000000")
	}, "", "longer than the limit", false},
	{"endless JSON", func(w http.ResponseWriter, r *http.Request, _ message) {
		endless(w, r, "application/json", 200, "[", "1,")
	}, "", "longer than the limit", false},
	{"endless page", func(w http.ResponseWriter, r *http.Request, _ message) {
		endless(w, r, "text/html", 200, page, page)
	}, "", "an HTML page", false},
	{"endless error", func(w http.ResponseWriter, r *http.Request, _ message) {
		endless(w, r, "text/plain", 400, "wrong ", "wrong ")
	}, "", "HTTP 400: bad request: wrong wrong", false},
	{"endless header", func(w http.ResponseWriter, _ *http.Request, _ message) {
		w.Header().Set("X-Long", strings.Repeat("a", 1<<20))
		w.WriteHeader(200)
	}, "", "header", false},
	{"changed session id", func(w http.ResponseWriter, _ *http.Request, m message) {
		w.Header().Set("Mcp-Session-Id", "session-2")
		sendJSON(w, m.answer())
	}, "bad", "", false},
	{"connection closed", abort, "", "EOF", false},
	{"no headers ever", hang, "", "deadline", true},
	{"body never", func(w http.ResponseWriter, r *http.Request, m message) {
		w.Header().Set("Content-Type", "application/json")
		_ = http.NewResponseController(w).Flush()
		hang(w, r, m)
	}, "", "deadline", true},
	{"JSON drips", drip("application/json", `[[[[[`), "", "deadline", true},
	{"error drips", func(w http.ResponseWriter, r *http.Request, m message) {
		w.WriteHeader(400)
		drip("text/plain", "no ")(w, r, m)
	}, "", "HTTP 400", false},
}

const progress = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}`

var streamFaults = []fault{
	{"plain stream", with(eventStream, "event: message\ndata: ANSWER\n\n"), "bad", "", false},
	{"G6 BOM", with(eventStream, "\ufeffdata: ANSWER\n\n"), "bad", "", false},
	{"G3 CRLF", with(eventStream, "event: message\r\ndata: ANSWER\r\n\r\n"), "bad", "", false},
	{"CR", with(eventStream, "event: message\rdata: ANSWER\r\r"), "bad", "", false},
	{"line without colon", with(eventStream, "hello\ndata\nevent: message\n\ndata: ANSWER\n\n"), "bad", "", false},
	{"comments", with(eventStream, ": hi\n\n: there\ndata: ANSWER\n\n"), "bad", "", false},
	{"named events", with(eventStream, "event: ping\ndata: 1\n\nevent: x\ndata: {}\n\ndata: ANSWER\n\n"), "bad", "", false},
	{"G7 several data lines", with(eventStream, "data: {\"jsonrpc\":\"2.0\",\ndata: \"id\":ID,\ndata: \"result\":RESULT}\n\n"), "bad", "", false},
	{"G10 priming event", with(eventStream, "id: 1\ndata:\n\ndata: ANSWER\n\n"), "bad", "", false},
	{"event ids", with(eventStream, "id: 1\ndata: ANSWER\n\n"), "bad", "", false},
	{"unterminated", with(eventStream, "data: ANSWER"), "bad", "", false},
	{"string id", with(eventStream, "data: {\"jsonrpc\":\"2.0\",\"id\":\"ID\",\"result\":RESULT}\n\n"), "bad", "", false},
	{"batch event", with(eventStream, "data: ["+progress+",ANSWER]\n\n"), "bad", "", false},
	{"no event name but message type", with("Text/Event-Stream; charset=utf-8", "data: ANSWER\n\n"), "bad", "", false},
	{"events under a wrong type", with("application/json", "event: message\ndata: ANSWER\n\n"), "bad", "", false},
	{"events without a type", with("", "data: ANSWER\n\n"), "bad", "", false},
	{"JSON announced as events", with(eventStream, "ANSWER"), "bad", "", false},
	{"events that are no messages", with(eventStream, "data: hello\n\ndata: [DONE]\n\ndata: ANSWER\n\n"), "bad", "", false},
	{"10,000 log messages", with(eventStream, strings.Repeat("data: "+progress+"\n\n", 10000)+"data: ANSWER\n\n"), "bad", "", false},
	{"foreign answers", with(eventStream, "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{}}\n\ndata: ANSWER\n\n"), "bad", "", false},
	{"foreign answers only", with(eventStream, "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n"), "", "other requests only", false},
	{"stream error", with(eventStream, "data: {\"jsonrpc\":\"2.0\",\"id\":ID,\"error\":{\"code\":-32000,\"message\":\"not today\"}}\n\n"), "", "not today", false},
	{"null id error event", with(eventStream, "data: {\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32000,\"message\":\"not today\"}}\n\n"), "", "not today", false},
	{"G15 empty stream", with(eventStream, ""), "", "ended without an answer", false},
	{"G15 stream without answer", with(eventStream, "data: "+progress+"\n\n"), "", "ended without an answer", false},
	{"junk only", with(eventStream, "data: {\"jsonrpc\":\n\n"), "", "no JSON-RPC message", false},
	{"G15 cut stream", short(eventStream, "data: {"), "", "cut off", false},
	{"page announced as events", with(eventStream, page), "", "an HTML page", false},
	{"character cut between two writes", func(w http.ResponseWriter, _ *http.Request, m message) {
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, "data: {\xc3")
		_ = http.NewResponseController(w).Flush()
		_, _ = io.WriteString(w, "\xa4}\n\ndata: "+m.answer()+"\n\n")
	}, "bad", "", false},
	{"endless line", func(w http.ResponseWriter, r *http.Request, _ message) {
		endless(w, r, eventStream, 200, "data: ", "aaaa")
	}, "", "event is longer than the limit", false},
	{"endless comment", func(w http.ResponseWriter, r *http.Request, _ message) {
		endless(w, r, eventStream, 200, ": ", "aaaa")
	}, "", "event is longer than the limit", false},
	{"flood after the answer", func(w http.ResponseWriter, r *http.Request, m message) {
		endless(w, r, eventStream, 200, "data: "+m.answer()+"\n\n", "data: "+progress+"\n\n")
	}, "bad", "", false},
	{"open after the answer", func(w http.ResponseWriter, r *http.Request, m message) {
		sendEvents(w, "data: "+m.answer()+"\n\n")
		hang(w, r, m)
	}, "bad", "", false},
	{"silent stream", func(w http.ResponseWriter, r *http.Request, m message) {
		sendEvents(w, "")
		hang(w, r, m)
	}, "", "deadline", true},
	{"dripping stream", drip(eventStream, ": hello\n"), "", "deadline", true},
	{"gzip stream", func(w http.ResponseWriter, _ *http.Request, m message) {
		w.Header().Set("Content-Type", eventStream)
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, _ = io.WriteString(z, "data: "+m.answer()+"\n\n")
		_ = z.Close()
	}, "bad", "", false},
}

func TestFaultCostsOneCall(t *testing.T) {
	bothWays(t, func(t *testing.T, past bool) {
		groups := map[string][]fault{"status": statusFaults, "json": jsonFaults, "stream": streamFaults}
		for group, faults := range groups {
			for _, f := range faults {
				t.Run(group+"/"+f.name, func(t *testing.T) {
					bubble(t, &fake{bad: f.send, events: group == "stream"}, func(t *testing.T, base *http.Transport) {
						c, err := connect(t.Context(), Config{Endpoint: testURL, Base: base, BodyBytes: 1 << 20})
						require.NoError(t, err)
						defer c.end()
						c.past = past
						if past && f.name == "deep JSON" {
							f.error = "cannot unmarshal" // it is the SDK that does not take such depths
						}
						testFault(t, c, f)
					})
				})
			}
		}
	})
}

// testFault makes three calls: one that is under way, the bad one, and one afterwards.
func testFault(t *testing.T, c *client, f fault) {
	t.Helper()
	type outcome struct {
		text string
		err  error
	}
	parallel := make(chan outcome, 1)
	go func() {
		text, err := c.echo(t.Context(), "slow")
		parallel <- outcome{text, err}
	}()
	synctest.Wait()

	start := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	text, err := c.echo(ctx, "bad")
	if f.error != "" {
		require.ErrorContains(t, err, f.error)
		require.LessOrEqual(t, len(err.Error()), 600)
	} else {
		require.NoError(t, err)
		require.Equal(t, f.text, text)
	}
	if f.slow {
		require.Equal(t, 30*time.Second, time.Since(start))
	} else {
		require.LessOrEqual(t, time.Since(start), 2*time.Second)
	}

	require.Equal(t, outcome{"slow", nil}, <-parallel)
	text, err = c.echo(t.Context(), "next")
	require.NoError(t, err)
	require.Equal(t, "next", text)
}
