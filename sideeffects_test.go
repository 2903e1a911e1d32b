package mcpclient_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"charm.land/fantasy"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

const (
	overJSON, overSSE, overLegacy = mcptest.OverJSON, mcptest.OverSSE, mcptest.OverLegacy

	overHTTP = overJSON | overSSE
	overAll  = overHTTP | overLegacy
)

// death is one way in which a connection ends around the run of a tool.
type death struct {
	name   string
	over   mcptest.Over
	do     map[mcptest.Phase]mcptest.Behaviour // see dies
	server func(*mcptest.Server)
	before func(*scene) // done right before the call
	inTool func(*scene) // done by the first run of the tool, before its result

	plain  fate // of a tool without hints
	hinted fate // of an idempotent or read-only one; zero: not tried
}

// fate is what must come of the call: how often the tool ran, and what the
// model is told of it.
type fate struct {
	runs int
	told told
}

type told string

const (
	toldResult  told = "result"
	toldNotRun  told = "not run"
	toldUnknown told = "unknown"
	toldRefused told = "refused" // the status, as the server gave it
)

var (
	ranOnce    = fate{1, toldResult}
	ranTwice   = fate{2, toldResult}
	neverSent  = fate{0, toldNotRun}
	refusedIt  = fate{0, toldRefused}
	lostUnrun  = fate{0, toldUnknown}
	lostAnswer = fate{1, toldUnknown}
)

// scene is the stage of one death.
type scene struct {
	*world
	server *mcptest.Server
	detour *detour
}

// detour is the way from a client to a network, on which dials can be led
// astray.
type detour struct {
	net *mcptest.Network

	mu     sync.Mutex
	next   []string // hosts that the next dials go to
	always string   // host that all others go to; "": the right one
}

func (d *detour) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	d.mu.Lock()
	switch {
	case len(d.next) > 0:
		addr, d.next = d.next[0], d.next[1:]
	case d.always != "":
		addr = d.always
	}
	d.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	return d.net.DialContext(ctx, network, addr)
}

func (d *detour) client() *http.Client {
	return &http.Client{Transport: &http.Transport{DialContext: d.dial, MaxIdleConnsPerHost: 64}}
}

// nextTo makes the next request dial, and leads so many dials to host. The
// stream of the older transport stays.
func nextTo(host string, times int) func(*scene) {
	return func(s *scene) {
		s.opts.HTTPClient.CloseIdleConnections()
		s.detour.mu.Lock()
		defer s.detour.mu.Unlock()
		if times > 0 {
			s.detour.next = slices.Repeat([]string{host}, times)
			return
		}
		s.detour.always = host
	}
}

// Hosts that detours lead to.
const (
	nobody  = "nobody.test:80"
	hole    = "hole.test:80"
	slammed = "slammed.test:80"
	mute    = "mute.test:80"
)

// reset is a TCP reset of the connection that the request came on.
func reset(x *mcptest.Exchange) {
	c, _, err := http.NewResponseController(x.W).Hijack()
	if err != nil {
		panic(err)
	}
	c.(interface{ Reset() }).Reset()
}

// ranThen runs the tool and does something else than to answer.
func ranThen(then func(*mcptest.Exchange)) mcptest.Behaviour {
	return mcptest.Once(mcptest.Do(func(x *mcptest.Exchange) {
		x.Answer()
		then(x)
	}))
}

// ranThenOnStream is ranThen behind the answer to the POST, where the answer to
// the call has a stream of its own.
func ranThenOnStream(then func(*mcptest.Exchange)) mcptest.Behaviour {
	return mcptest.Once(mcptest.OnStream(func(x *mcptest.Exchange) {
		x.Answer()
		then(x)
	}))
}

// endStream drops the stream that the answer would come on.
func endStream(x *mcptest.Exchange) {
	if x.R.URL.Path == "/message" {
		x.Server().Forget()
		return
	}
	x.Send(": working\n\n")
	panic(http.ErrAbortHandler)
}

// refuse answers with a status.
func refuse(code int) func(*mcptest.Exchange) {
	return func(x *mcptest.Exchange) {
		x.W.WriteHeader(code)
	}
}

func once(code int, headers ...string) mcptest.Behaviour {
	return mcptest.Once(mcptest.Reply(code, "text/plain", "not now", headers...))
}

// unknownAs makes a server that has lost its sessions say so in one of the ways
// in which servers do.
func unknownAs(code int, body string) func(*mcptest.Server) {
	return func(s *mcptest.Server) { s.UnknownSession = mcptest.Reply(code, "application/json", body) }
}

func restart(s *scene) { s.server.Forget() }

// cutNetwork resets the connections in use. Idle ones are closed first: a second
// try that takes one of them while they are being reset would die as well.
func cutNetwork(s *scene) {
	s.opts.HTTPClient.CloseIdleConnections()
	s.net.Cut()
}

// eventWithID runs the tool and drops the stream behind an event that a client
// can go on from.
var eventWithID = mcptest.Once(mcptest.Do(func(x *mcptest.Exchange) {
	x.Answer()
	x.Send("id: 1\ndata:\n\n")
	panic(http.ErrAbortHandler)
}))

// dies is what a server does at calls of the tool, and at the GET for the rest
// of a stream if there is more.
func dies(call mcptest.Behaviour, rest ...mcptest.Behaviour) map[mcptest.Phase]mcptest.Behaviour {
	wedges := map[mcptest.Phase]mcptest.Behaviour{mcptest.Faulty: call}
	for _, b := range rest {
		wedges[mcptest.Get] = b
	}
	return wedges
}

// kept is the answer to the last call of the server.
func kept(x *mcptest.Exchange) string {
	requests := x.Server().Recorder.Requests()
	for _, r := range slices.Backward(requests) {
		if r.RPC == "tools/call" {
			return `{"jsonrpc":"2.0","id":` + string(r.ID) + `,"result":{"content":[{"type":"text","text":"fine"}]}}`
		}
	}
	return ""
}

var deaths = []death{
	// Before the tool runs.
	{name: "dial refused once", over: overAll, before: nextTo(nobody, 1), plain: ranOnce, hinted: ranOnce},
	{name: "dial refused for ever", over: overAll, before: nextTo(nobody, 0), plain: neverSent, hinted: neverSent},
	{name: "dial never ends, once", over: overAll, before: nextTo(hole, 1), plain: ranOnce, hinted: ranOnce},
	{name: "dial never ends", over: overAll, before: nextTo(hole, 0), plain: neverSent, hinted: neverSent},
	{name: "connection closed as it is made", over: overAll, before: nextTo(slammed, 1), plain: lostUnrun, hinted: ranOnce},
	{name: "connection made and silent", over: overAll, before: nextTo(mute, 0), plain: lostUnrun, hinted: lostUnrun},
	{name: "reset when the request was read", over: overAll, do: dies(mcptest.Once(mcptest.Reset)), plain: lostUnrun, hinted: ranOnce},
	{name: "network cut before the call", over: overAll, before: cutNetwork, plain: ranOnce, hinted: ranOnce},
	{name: "server restarted before the call", over: overAll, before: restart, plain: ranOnce, hinted: ranOnce},
	{name: "session lost: 404", over: overHTTP, do: dies(mcptest.LoseSessions), plain: ranOnce, hinted: ranOnce},
	{name: "session lost: 404 as Python says it", over: overHTTP, do: dies(mcptest.LoseSessions), plain: ranOnce, hinted: ranOnce,
		server: unknownAs(404, `{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Session not found"}}`)},
	{name: "session lost: 400", over: overHTTP, do: dies(mcptest.LoseSessions), plain: ranOnce, hinted: ranOnce,
		server: unknownAs(400, `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}`)},
	{name: "session lost: 401", over: overHTTP, do: dies(mcptest.LoseSessions), plain: ranOnce, hinted: ranOnce,
		server: unknownAs(401, `{"error":"invalid session"}`)},
	{name: "session lost: POST is 404", over: overLegacy, do: dies(mcptest.Once(mcptest.Status(404, "Could not find session"))), plain: ranOnce, hinted: ranOnce},
	{name: "session lost: POST is 400", over: overLegacy, do: dies(mcptest.Once(mcptest.Status(400, "No transport found for sessionId"))), plain: ranOnce, hinted: ranOnce},
	{name: "401: the user's authorization", over: overAll, do: dies(once(401)), plain: neverSent, hinted: neverSent},
	{name: "403", over: overAll, do: dies(once(403)), plain: neverSent, hinted: neverSent},
	{name: "429 with Retry-After", over: overAll, do: dies(once(429, "Retry-After: 2")), plain: ranOnce, hinted: ranOnce},
	{name: "429 without Retry-After", over: overAll, do: dies(once(429)), plain: refusedIt, hinted: refusedIt},
	{name: "503 with Retry-After", over: overAll, do: dies(once(503, "Retry-After: 2")), plain: ranOnce, hinted: ranOnce},
	{name: "accepted, never answered, never run", over: overAll, do: dies(mcptest.Once(mcptest.HangStream)), plain: lostUnrun, hinted: lostUnrun},
	{name: "stream ends before it ran", over: overSSE, do: dies(mcptest.Once(mcptest.OnStream(endStream))), plain: lostUnrun, hinted: ranOnce},
	{name: "stream ends before it ran", over: overLegacy, do: dies(mcptest.Once(mcptest.OnStream(endStream))), plain: lostUnrun, hinted: ranOnce},
	{name: "502 before it ran", over: overAll, do: dies(once(502)), plain: lostUnrun, hinted: ranOnce},
	{name: "500 before it ran", over: overAll, do: dies(once(500)), plain: lostUnrun, hinted: lostUnrun},

	// While it runs.
	{name: "network cut while it runs", over: overHTTP, inTool: cutNetwork, plain: lostAnswer, hinted: ranTwice},
	{name: "network cut while it runs", over: overLegacy, inTool: cutNetwork, plain: lostAnswer, hinted: ranTwice},
	{name: "stream ends while it runs", over: overLegacy, inTool: restart, plain: lostAnswer, hinted: ranTwice},
	{name: "server restarted while it runs, answers all the same", over: overHTTP, inTool: restart, plain: ranOnce, hinted: ranOnce},

	// After it has run.
	{name: "reset before the headers", over: overAll, do: dies(ranThen(reset)), plain: lostAnswer, hinted: ranTwice},
	{name: "ended behind the headers", over: overHTTP, do: dies(ranThen(func(x *mcptest.Exchange) {
		x.W.Header().Set("Content-Type", "application/json")
		x.W.Header().Set("Content-Length", "100")
		_ = http.NewResponseController(x.W).Flush()
		panic(http.ErrAbortHandler)
	})), plain: lostAnswer, hinted: ranTwice},
	{name: "ended in the middle of the body", over: overHTTP, do: dies(mcptest.Once(mcptest.CutJSON)), plain: lostAnswer, hinted: ranTwice},
	{name: "202 and no answer", over: overHTTP, do: dies(ranThen(refuse(202))), plain: lostAnswer, hinted: ranTwice},
	{name: "answer never comes", over: overAll, do: dies(ranThenOnStream((*mcptest.Exchange).Hang)), plain: lostAnswer, hinted: lostAnswer},
	{name: "stream ends, events without ids", over: overSSE, do: dies(ranThenOnStream(endStream)), plain: lostAnswer, hinted: ranTwice},
	{name: "stream ends after it ran", over: overLegacy, do: dies(ranThenOnStream(endStream)), plain: lostAnswer, hinted: ranTwice},
	{name: "500 after it ran", over: overAll, do: dies(ranThen(refuse(500))), plain: lostAnswer, hinted: lostAnswer},
	{name: "502 after it ran", over: overAll, do: dies(ranThen(refuse(502))), plain: lostAnswer, hinted: ranTwice},
	{name: "503 after it ran", over: overAll, do: dies(ranThen(refuse(503))), plain: lostAnswer, hinted: ranTwice},
	{name: "504 after it ran", over: overAll, do: dies(ranThen(refuse(504))), plain: lostAnswer, hinted: ranTwice},
	{name: "events with ids, resume is 404", over: overSSE, do: dies(eventWithID, mcptest.Status(404, "session not found")), plain: lostAnswer, hinted: ranTwice},
	{name: "events with ids, resume is 405", over: overSSE, do: dies(eventWithID, mcptest.Status(405, "")), plain: lostAnswer, hinted: ranTwice},
	{name: "events with ids, resume is 503", over: overSSE, do: dies(eventWithID, mcptest.Reply(503, "text/plain", "", "Retry-After: 1")), plain: lostAnswer, hinted: ranTwice},
	{name: "stream ends, events with ids", over: overSSE, do: dies(eventWithID, mcptest.OnStream(func(x *mcptest.Exchange) {
		x.Send("id: 2\ndata: " + kept(x) + "\n\n")
	})), plain: ranOnce, hinted: ranOnce},
}

var hints = []struct {
	name        string
	annotations any
}{
	{"none", nil},
	{"idempotentHint", map[string]any{"idempotentHint": true}},
	{"readOnlyHint", map[string]any{"readOnlyHint": true}},
}

// TestNoDeathRunsAToolTwiceThatDoesNotSaySo runs the table of deaths: each at
// one call, with and without hints, over each transport.
func TestNoDeathRunsAToolTwiceThatDoesNotSaySo(t *testing.T) {
	rows := []string{"| way of dying | transport | hint | executions | told | outcome | attempts |", "|---|---|---|---|---|---|---|"}
	for _, d := range deaths {
		for _, over := range []mcptest.Over{overJSON, overSSE, overLegacy} {
			if d.over&over == 0 {
				continue
			}
			for i, hint := range hints {
				if i > 0 && d.hinted == (fate{}) {
					continue
				}
				t.Run(fmt.Sprintf("%s/%v/%s", d.name, over, hint.name), func(t *testing.T) {
					want := d.hinted
					if i == 0 {
						want = d.plain
						require.LessOrEqual(t, want.runs, 1)
					}
					inWorld(t, func(t *testing.T, w *world) {
						got, call := w.die(d, over, hint.annotations)
						rows = append(rows, fmt.Sprintf("| %s | %v | %s | %d | %s | %s | %d |",
							d.name, over, hint.name, got.runs, got.told, call.Outcome, call.Attempts))
						require.Equal(t, want, got)
						requireOutcome(t, got.told, call.Outcome)
					})
				})
			}
		}
	}
	t.Log("\n" + strings.Join(rows, "\n"))
}

// die runs one call through a death.
func (w *world) die(d death, over mcptest.Over, annotations any) (fate, mcpclient.ToolCallSummary) {
	s := &scene{world: w, detour: &detour{net: w.net}}
	var interrupted sync.Once
	run := func(context.Context, *mcptest.Invocation) any {
		if d.inTool != nil {
			interrupted.Do(func() { d.inTool(s) })
		}
		return "fine"
	}
	s.server = &mcptest.Server{
		SSE: over == overSSE, LegacySSE: over == overLegacy,
		Tools:  []mcptest.Tool{{Name: mcptest.FaultyTool, Annotations: annotations, Run: run}},
		Wedges: d.do,
	}
	if d.server != nil {
		d.server(s.server)
	}
	w.net.Swallow(hole)
	w.net.Slam(slammed)
	w.net.Silent(mute)
	w.opts.HTTPClient, w.opts.CallTimeout = s.detour.client(), 20*time.Second
	var call mcpclient.ToolCallSummary
	w.opts.OnToolCall = func(_ context.Context, c mcpclient.ToolCallSummary) { call = c }
	w.serve("dying", s.server)
	r := w.connect()
	if d.before != nil {
		synctest.Wait() // connections of the handshake are idle
		d.before(s)
		synctest.Wait() // the client has seen what it can see
	}
	response := r.call("dying__faulty", `{}`)
	got := fate{s.server.Executed(mcptest.FaultyTool), toldBy(response)}
	r.cleanup()
	w.background.Wait()
	w.opts.HTTPClient.CloseIdleConnections()
	return got, call
}

// toldBy says what a model can read from a response.
func toldBy(r fantasy.ToolResponse) told {
	text := strings.ToLower(r.Content)
	switch {
	case !r.IsError && text == "fine":
		return toldResult
	case r.IsError && strings.Contains(text, "unknown whether"):
		return toldUnknown
	case r.IsError && strings.Contains(text, "not run"):
		return toldNotRun
	case r.IsError && strings.Contains(text, "refused the call"):
		return toldRefused
	}
	return told(r.Content)
}

// requireOutcome says that the host hears the same as the model.
func requireOutcome(t *testing.T, told told, got mcpclient.ToolCallOutcome) {
	t.Helper()
	switch told {
	case toldResult:
		require.Equal(t, mcpclient.ToolCallOK, got)
	case toldUnknown:
		require.Contains(t, []mcpclient.ToolCallOutcome{mcpclient.ToolCallUnknown, mcpclient.ToolCallTimeout}, got)
	default:
		require.Equal(t, mcpclient.ToolCallError, got)
	}
}
