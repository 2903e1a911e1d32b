package mcpclient_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

// inPost answers the POST of a message of the older transport with an event
// stream that holds other messages before the answer.
var inPost = mcptest.Do(func(x *mcptest.Exchange) {
	x.W.Header().Set("Content-Type", "text/event-stream")
	for _, message := range []string{
		`{"jsonrpc":"2.0","method":"notifications/message","params":{}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"not yours"}]}}`,
		`{"jsonrpc":"2.0","id":"p","method":"ping"}`,
		string(x.Answer()),
	} {
		_, _ = fmt.Fprintf(x.W, "event: message\ndata: %s\n\n", message)
	}
})

// legacyFaulty is a server of the older transport that does b at calls of one
// tool.
func legacyFaulty(b mcptest.Behaviour) *mcptest.Server {
	return &mcptest.Server{
		LegacySSE: true, Tools: append(mcptest.DefaultTools(), mcptest.Tool{Name: mcptest.FaultyTool, Result: "fine"}),
		Wedges: map[mcptest.Phase]mcptest.Behaviour{mcptest.Faulty: b},
	}
}

func TestAnswerInTheResponseToALegacyPostIsTaken(t *testing.T) {
	nullID := `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no such client"}}`
	for name, tt := range map[string]struct {
		do    mcptest.Behaviour
		fails string // "": the answer is good
	}{
		"201":                     {do: mcptest.Reply(201, "application/json", "$ANSWER")},
		"202":                     {do: mcptest.Reply(202, "application/json", "$ANSWER")},
		"202 of no type":          {do: mcptest.Reply(202, "", "$ANSWER")},
		"events":                  {do: inPost},
		"events of no type":       {do: mcptest.Reply(200, "", "event: message\ndata: $ANSWER\n\n")},
		"events that are JSON":    {do: mcptest.Reply(202, "text/event-stream", "$ANSWER")},
		"an error without an id":  {do: mcptest.Answer("application/json", `{"jsonrpc":"2.0","error":{"code":-32600,"message":"no such client"}}`), fails: "no such client"},
		"an error with id null":   {do: mcptest.Answer("application/json", nullID), fails: "no such client"},
		"202 and such an error":   {do: mcptest.Reply(202, "application/json", nullID), fails: "no such client"},
		"an error of an HTTP API": {do: mcptest.Answer("application/json", `{"error":"invalid_token"}`), fails: "invalid_token"},
		"a page":                  {do: mcptest.Answer("text/html", "<!DOCTYPE html><title>Sign in</title>"), fails: "an HTML page"},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.serve("s", legacyFaulty(tt.do))
				r := w.connect()
				start := time.Now()
				got := r.call("s__faulty", `{}`)
				require.Equal(t, start, time.Now())
				require.Equal(t, tt.fails != "", got.IsError, got.Content)
				require.Contains(t, got.Content, tt.fails)
				if tt.fails == "" {
					require.Equal(t, "fine", got.Content)
				}
				require.Equal(t, "hi", r.call("s__echo", `{"text":"hi"}`).Content)
			})
			if tt.fails == "" {
				return
			}
			inWorld(t, func(t *testing.T, w *world) {
				w.serve("s", &mcptest.Server{LegacySSE: true, Wedges: map[mcptest.Phase]mcptest.Behaviour{mcptest.Initialize: tt.do}})
				r := w.connect()
				require.Equal(t, mcpclient.ConnectOutcomeError, r.of("s").Outcome)
				require.Contains(t, r.of("s").Error, tt.fails)
				require.Zero(t, r.took)
			})
		})
	}
}

// Whatever a server says when it takes a call, the answer may come on the stream
// later.
func TestAnswerOnTheStreamComesAfterAnyWordsOfAcceptance(t *testing.T) {
	for name, tt := range map[string]struct {
		code            int
		mediaType, body string
	}{
		"the usual":             {202, "text/plain", "Accepted"},
		"more words":            {200, "text/plain", "the message was queued for the client of this session"},
		"an OK that is HTML":    {200, "text/html", "OK"},
		"an accepted page":      {202, "text/html", "<html><body>Accepted"},
		"JSON":                  {200, "application/json", `{"status":"accepted","error":null}`},
		"JSON with its own id":  {202, "application/json", `{"id":7,"ok":true}`},
		"a string":              {202, "application/json", `"Accepted"`},
		"no error":              {202, "application/json", `{"jsonrpc":"2.0","id":null}`},
		"another's answer":      {200, "application/json", `{"jsonrpc":"2.0","id":1,"result":{}}`},
		"no events":             {200, "text/event-stream", ""},
		"events of no meaning":  {202, "text/event-stream", ": hello\n\nevent: ping\ndata: {}\n\n"},
		"something compressed":  {200, "application/json", "\x1f\x8b\x08\x00\x00\x00\x00\x00"},
		"broken JSON":           {200, "application/json", `{"jsonrpc":"2.0","id":`},
		"nothing of any length": {201, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.serve("s", legacyFaulty(mcptest.Do(func(x *mcptest.Exchange) {
					answer := x.Answer()
					x.W.Header()["Content-Type"] = []string{tt.mediaType}
					x.W.WriteHeader(tt.code)
					_, _ = x.W.Write([]byte(tt.body))
					w.background.Go(func() {
						time.Sleep(3 * time.Second)
						x.Message(answer)
					})
				})))
				r := w.connect()
				require.Equal(t, "fine", r.call("s__faulty", `{}`).Content)
			})
		})
	}
}

func TestWhatTheServerSaidIsToldWhereNoAnswerComes(t *testing.T) {
	for name, tt := range map[string]struct {
		do   mcptest.Behaviour
		want string
	}{
		"words":              {mcptest.Answer("text/plain", "your session has\nexpired, s3cret-of-ours"), `The call was given up: the server responded to it with "your session has expired, [REDACTED]", then no answer and no progress for 5s.`},
		"an acceptance":      {mcptest.Reply(202, "text/plain", "Accepted"), "The call was given up: no answer and no progress for 5s."},
		"JSON, accepted":     {mcptest.Reply(202, "application/json", `{"status":"ok"}`), "The call was given up: no answer and no progress for 5s."},
		"a page, accepted":   {mcptest.Reply(202, "text/html", "<html>Sign in"), `the server responded to it with an HTML page, then`},
		"JSON of its own":    {mcptest.Answer("application/json", `{"message":"who are you?"}`), `who are you?`},
		"nothing whatsoever": {mcptest.Answer("text/plain", ""), "The call was given up: no answer and no progress for 5s."},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.opts.CallTimeout = 5 * time.Second
				w.serve("s", legacyFaulty(tt.do)).Auth = mcpclient.APIKey{Header: "X-Key", Value: "s3cret-of-ours"}
				got := w.connect().call("s__faulty", `{}`)
				require.True(t, got.IsError)
				require.Contains(t, got.Content, tt.want)
				require.Contains(t, got.Content, "It is unknown whether")
			})
		})
	}
}
