package mcptest

import (
	"time"
)

const note = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}`

// streamFaults are in the framing of the event stream that answers the call.
var streamFaults = []Fault{
	{Name: "stream: CRLF", Cases: []string{"G3"}, Over: streams, At: Faulty, Do: Stream("event: message\r\ndata: $ANSWER\r\n\r\n"), Call: fine},
	{Name: "stream: CRLF in two pieces", Cases: []string{"G4"}, Over: streams, At: Faulty, Do: Stream("event: message\r", "\ndata: $ANSWER\r", "\n\r", "\n"), Call: fine},
	{Name: "stream: CR", Cases: []string{"G3"}, Over: streams, At: Faulty, Do: Stream("event: message\rdata: $ANSWER\r\r"), Call: fine},
	{Name: "stream: all line ends", Cases: []string{"G3"}, Over: streams, At: Faulty, Do: Stream(": a\r: b\r\n: c\ndata: $ANSWER\r\n\n"), Call: fine},
	{Name: "stream: a byte at a time", Cases: []string{"G4"}, Over: streams, At: Faulty, Do: bytewise("event: message\r\ndata: $ANSWER\r\n\r\n"), Call: fine},
	{Name: "stream: BOM before the data", Cases: []string{"G6"}, Over: OverSSE, At: Faulty, Do: Stream("\ufeffdata: $ANSWER\n\n"), Call: fine},
	{Name: "stream: BOM before the event", Cases: []string{"G6"}, Over: OverSSE, At: Faulty, Do: Stream("\ufeffevent: message\ndata: $ANSWER\n\n"), Call: fine},
	{Name: "stream: BOM in the data", Cases: []string{"G6"}, Over: streams, At: Faulty, Do: Stream("data: \ufeff$ANSWER\n\n"), Call: fine},
	{Name: "stream: several data lines", Cases: []string{"G7"}, Over: streams, At: Faulty, Do: Stream("event: message\ndata: {\"jsonrpc\":\"2.0\",\ndata: \"id\":$ID,\ndata: \"result\":$RESULT}\n\n"), Call: fine},
	{Name: "stream: data, then the name", Over: streams, At: Faulty, Do: Stream("data: $ANSWER\nevent: message\n\n"), Call: fine},
	{Name: "stream: no space behind the colon", Over: streams, At: Faulty, Do: Stream("event:message\ndata:$ANSWER\n\n"), Call: fine},
	{Name: "stream: no name", Over: streams, At: Faulty, Do: Stream("data: $ANSWER\n\n"), Call: fine},
	{Name: "stream: empty name", Over: streams, At: Faulty, Do: Stream("event:\ndata: $ANSWER\n\n"), Call: fine},
	{Name: "stream: line without a colon", Over: streams, At: Faulty, Do: Stream("data\n\nnonsense\nevent: message\ndata: $ANSWER\n\n"), Call: fine},
	{Name: "stream: unknown fields", Over: streams, At: Faulty, Do: Stream("x-trace: 1\nevent: message\npriority: high\ndata: $ANSWER\n\n"), Call: fine},
	{Name: "stream: comments", Over: streams, At: Faulty, Do: Stream(": hello\n\n:\n\n: ping\nevent: message\n: in between\ndata: $ANSWER\n\n"), Call: fine},
	{Name: "stream: retry", Over: streams, At: Faulty, Do: Stream("retry: 3000\n\nretry: soon\n\ndata: $ANSWER\n\n"), Call: fine},
	{Name: "stream: named events", Cases: []string{"M16"}, Over: streams, At: Faulty, Do: Stream("event: ping\ndata: 2026-01-01T00:00:00Z\n\nevent: heartbeat\ndata: {}\n\nevent: message\ndata: $ANSWER\n\n"), Call: fine},
	{Name: "stream: empty events", Over: streams, At: Faulty, Do: Stream("\n\n\ndata:\n\ndata: \n\nevent: message\ndata:\n\ndata: $ANSWER\n\n"), Call: fine},
	{Name: "stream: priming event", Cases: []string{"G10"}, Over: OverSSE, At: Faulty, Do: Stream("id: 0\ndata:\n\n", "id: 1\nevent: message\ndata: $ANSWER\n\n"), Call: fine},
	{Name: "stream: ids", Over: streams, At: Faulty, Do: Stream("id: a\u2192b\nevent: message\ndata: " + note + "\n\nid: \x00\nevent: message\ndata: $ANSWER\n\n"), Call: fine},
	{Name: "stream: event that is no JSON", Over: streams, At: Faulty, Do: Stream("data: hello\n\ndata: $ANSWER\n\n"), Call: fine},
	{Name: "stream: event [DONE]", Doc: "a habit of model APIs", Over: OverSSE, At: Faulty, Do: Stream("data: $ANSWER\n\ndata: [DONE]\n\n"), Call: fine},
	{Name: "stream: last event not ended", Over: OverSSE, At: Faulty, Do: Stream("event: message\ndata: $ANSWER"), Call: fine,
		Doc: "the standard drops such an event; the answer is whole all the same"},
	{Name: "stream: last event ended by one line end", Over: OverSSE, At: Faulty, Do: Stream("event: message\ndata: $ANSWER\n"), Call: fine},
	{Name: "stream: last event cut", Cases: []string{"G15"}, Over: OverSSE, At: Faulty, Do: Stream("event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":$ID,\"res"), Call: failed("")},
	{Name: "stream: ends at once", Cases: []string{"G15"}, Over: OverSSE, At: Faulty, Do: Stream(""), Call: failed("")},
	{Name: "stream: ends without the answer", Cases: []string{"G15"}, Over: OverSSE, At: Faulty, Do: Stream("event: message\ndata: " + note + "\n\n"), Call: failed("")},
	{Name: "stream: cut without the answer", Cases: []string{"G15"}, Over: OverSSE, At: Faulty, Do: CutStream("event: message\ndata: " + note + "\n\n"), Call: failed("")},
	{Name: "stream: cut behind the answer", Over: OverSSE, At: Faulty, Do: CutStream("event: message\ndata: $ANSWER\n\n"), Call: fine},
	{Name: "stream: cut, resumed by GET", Cases: []string{"G15"}, Over: OverSSE, At: Faulty, Do: CutStream("retry: 10\nid: 7\nevent: message\ndata: " + note + "\n\n"),
		Also: map[Phase]Behaviour{Get: Do(resumeFaulty)}, Call: fine},
	{Name: "stream: cut, GET is 405", Cases: []string{"G15", "E13"}, Over: OverSSE, At: Faulty, Do: CutStream("id: 7\ndata:\n\n"),
		Also: map[Phase]Behaviour{Get: Status(405, "")}, Call: failed("")},
	{Name: "stream: answer, then open for ever", Over: OverSSE, At: Faulty, Do: OnStream(func(x *Exchange) {
		x.Send(x.Expand("event: message\ndata: $ANSWER\n\n"))
		x.Hang()
	}), Call: fine},
	{Name: "stream: answer, then endless comments", Over: OverSSE, At: Faulty, Do: EndlessStream("event: message\ndata: $ANSWER\n\n", ": more\n"), Call: fine},
	{Name: "stream: answer, then an endless line", Over: OverSSE, At: Faulty, Do: EndlessStream("event: message\ndata: $ANSWER\n\ndata: ", "x"), Call: fine},
	{Name: "stream: answer, then nonsense", Over: OverSSE, At: Faulty, Do: Stream("event: message\ndata: $ANSWER\n\n<html>\n\ndata: {\n\n"), Call: fine},
	{Name: "stream: answer twice", Over: streams, At: Faulty, Do: Stream("event: message\ndata: $ANSWER\n\nevent: message\ndata: $ANSWER\n\n"), Call: fine},
	{Name: "stream: answer of another first", Cases: []string{"H1"}, Over: streams, At: Faulty, Call: fine,
		Do: Stream("data: {\"jsonrpc\":\"2.0\",\"id\":\"someone-else\",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"not yours\"}]}}\n\ndata: $ANSWER\n\n")},
	{Name: "stream: endless comments", Over: OverSSE, At: Faulty, Do: EndlessStream(": wait\n\n", ": wait\n"), Call: either,
		Doc: "ended by a limit or by the call's time"},
	{Name: "stream: endless comments in the shared stream", Over: OverLegacy, At: Faulty, Do: EndlessStream(": wait\n\n", ": wait\n"),
		Call: either, Running: either, Next: either, Doc: "answers come between the comments, if the client reads on"},
	{Name: "stream: endless data line", Cases: []string{"G2", "M3"}, Over: OverSSE, At: Faulty, Do: EndlessStream("event: message\ndata: ", "x"), Call: limited},
	{Name: "stream: endless name", Cases: []string{"G2"}, Over: OverSSE, At: Faulty, Do: EndlessStream("event: ", "x"), Call: limited},
	{Name: "stream: endless event of many lines", Cases: []string{"G2"}, Over: OverSSE, At: Faulty, Do: EndlessStream("", "data: x\n"), Call: limited},
	{Name: "stream: endless line in the shared stream", Cases: []string{"G2"}, Over: OverLegacy, At: Faulty, Do: EndlessStream("event: message\ndata: ", "x"),
		Call: Expectation{Kind: Failed}, Running: either, Next: renewedEcho, Doc: "the line is of no use; whether the stream behind it is, the client decides"},
	{Name: "stream: event of 4 MiB", Cases: []string{"G1"}, Over: streams, At: Faulty, Do: bigText(4 << 10), Call: fine},
	{Name: "stream: drip", Over: OverSSE, At: Faulty, Do: Drip("text/event-stream", "event: message\ndata: $ANSWER\n\n", time.Second), Call: timedOut},
	{Name: "stream: heartbeats without an answer", Over: streams, At: Faulty, Do: OnStream(func(x *Exchange) {
		for sleep(x.ctx, x.s.done, 5*time.Second) == nil && x.alive() {
			x.Send(": heartbeat\n\n")
		}
	}), Call: timedOut, Doc: "comments are not progress"},
	{Name: "stream: gzip", Cases: []string{"F7"}, Over: OverSSE, At: Faulty, Do: Do(func(x *Exchange) {
		x.W.Header().Set("Content-Type", "text/event-stream")
		x.W.Header().Set("Content-Encoding", "gzip")
		_, _ = x.W.Write(compress([]byte(x.Expand("event: message\ndata: $ANSWER\n\n"))))
	}), Call: fine},
	{Name: "stream: gzip bomb", Cases: []string{"F7"}, Over: OverSSE, At: Faulty, Do: Do(func(x *Exchange) {
		x.W.Header().Set("Content-Type", "text/event-stream")
		x.W.Header().Set("Content-Encoding", "gzip")
		x.bomb("event: message\ndata: ", 1024, "\n\n")
	}), Call: limited},
}

// resumeFaulty gives the answer that was cut off to a client that names the event it has seen last.
func resumeFaulty(x *Exchange) {
	if x.R.Header.Get("Last-Event-ID") != "7" {
		x.status(400, "text/plain", "unknown event")
		return
	}
	for _, r := range x.s.Recorder.Requests() {
		if r.Tool == FaultyTool {
			x.Send("id: 8\nevent: message\ndata: " + string(response(r.ID, mustMarshal(Text("fine")), nil)) + "\n\n")
		}
	}
}

// bytewise sends each byte on its own.
func bytewise(raw string) Behaviour {
	return OnStream(func(x *Exchange) {
		for _, b := range []byte(x.Expand(raw)) {
			x.Send(string([]byte{b}))
		}
	})
}

// chatterFaults send more than the answer: floods, and requests of the server.
var chatterFaults = []Fault{
	{Name: "chatter: 200 list_changed", Cases: []string{"C8", "C9"}, Over: streams, At: Faulty, Call: fine,
		Do: Flood(200, "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n")},
	{Name: "chatter: 10,000 log messages", Over: streams, At: Faulty, Do: Flood(10_000, "event: message\ndata: "+note+"\n\n"), Call: fine},
	{Name: "chatter: 10,000 of unknown progress", Over: streams, At: Faulty, Call: fine,
		Do: Flood(10_000, "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":\"nobody\",\"progress\":1}}\n\n")},
	{Name: "chatter: broken notifications", Over: streams, At: Faulty, Call: fine, Do: Stream(
		"data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":\"x\"}\n\n",
		"data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n\n",
		"data: {\"jsonrpc\":\"2.0\",\"method\":7}\n\n",
		"data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/unheard/of\",\"params\":{}}\n\n",
		"data: $ANSWER\n\n")},
	{Name: "chatter: log message, then the answer", Cases: []string{"H1"}, Over: streams, At: Faulty, Do: Stream("event: message\ndata: "+note+"\n\n", "event: message\ndata: $ANSWER\n\n"), Call: fine},
	{Name: "chatter: server cancels the call", Over: streams, At: Faulty, Call: either,
		Do: Stream("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":$ID}}\n\ndata: $ANSWER\n\n")},
	{Name: "chatter: ping", Cases: []string{"H5"}, Over: streams, At: Faulty, Do: Ask("ping", `{}`), Call: repaired(`"result":{`)},
	{Name: "chatter: sampling", Cases: []string{"H5"}, Over: streams, At: Faulty, Do: Ask("sampling/createMessage", `{"messages":[],"maxTokens":10}`), Call: repaired(`"error":`)},
	{Name: "chatter: elicitation", Cases: []string{"H5"}, Over: streams, At: Faulty, Do: Ask("elicitation/create", `{"message":"your password?","requestedSchema":{"type":"object","properties":{}}}`), Call: repaired(`"error":`)},
	{Name: "chatter: roots", Cases: []string{"H5"}, Over: streams, At: Faulty, Do: Ask("roots/list", `{}`), Call: repaired(`"error":`)},
	{Name: "chatter: unknown request", Cases: []string{"H5"}, Over: streams, At: Faulty, Do: Ask("unheard/of", `{}`), Call: repaired(`"error":`)},
	{Name: "chatter: request with broken parameters", Over: streams, At: Faulty, Do: Ask("sampling/createMessage", `"x"`), Call: repaired(`"error":`)},
	{Name: "chatter: 1,000 pings", Cases: []string{"H5"}, Over: streams, At: Faulty, Call: fine,
		Do: Flood(1000, "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"ping-1\",\"method\":\"ping\"}\n\n")},
	{Name: "chatter: ping, its answer is refused", Cases: []string{"H5"}, Over: streams, At: Faulty, Call: fine,
		Do:   Stream("data: {\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}\n\n", "data: $ANSWER\n\n"),
		Also: map[Phase]Behaviour{ClientReply: Status(400, "unexpected")}},
	{Name: "chatter: ping, its answer is never accepted", Cases: []string{"H5"}, Over: OverSSE, At: Faulty, Call: fine,
		Do:   Stream("data: {\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}\n\n", "data: $ANSWER\n\n"),
		Also: map[Phase]Behaviour{ClientReply: Hang}},
	{Name: "chatter: request with the id of the call", Cases: []string{"H5"}, Over: streams, At: Faulty, Call: fine,
		Do: Stream("data: {\"jsonrpc\":\"2.0\",\"id\":$ID,\"method\":\"ping\"}\n\n", "data: $ANSWER\n\n")},
	{Name: "chatter: request in a JSON body", Over: OverJSON, At: Faulty, Do: Answer(jsonType, `{"jsonrpc":"2.0","id":"p","method":"ping"}`), Call: failed("")},
}
