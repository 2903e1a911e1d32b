package mcptest

import "strconv"

// legacyFaults are in what only the older transport has: the GET that opens the session, and answers to POST.
var legacyFaults = []Fault{
	{Name: "legacy: retry before the endpoint", Cases: []string{"M6"}, Over: OverLegacy, At: SSEEndpoint, Do: EndpointEvent("retry: 1000\n\n", "event: endpoint\ndata: $ENDPOINT\n\n")},
	{Name: "legacy: ping before the endpoint", Cases: []string{"M6"}, Over: OverLegacy, At: SSEEndpoint, Do: EndpointEvent("event: ping\ndata: {}\n\n: hello\n\nevent: endpoint\ndata: $ENDPOINT\n\n")},
	{Name: "legacy: BOM before the endpoint", Cases: []string{"G6", "M6"}, Over: OverLegacy, At: SSEEndpoint, Do: EndpointEvent("\ufeffevent: endpoint\ndata: $ENDPOINT\n\n")},
	{Name: "legacy: CRLF", Cases: []string{"G3"}, Over: OverLegacy, At: SSEEndpoint, Do: EndpointEvent("event: endpoint\r\ndata: $ENDPOINT\r\n\r\n")},
	{Name: "legacy: CR", Cases: []string{"G3"}, Over: OverLegacy, At: SSEEndpoint, Do: EndpointEvent("event: endpoint\rdata: $ENDPOINT\r\r")},
	{Name: "legacy: endpoint in pieces", Cases: []string{"G4"}, Over: OverLegacy, At: SSEEndpoint, Do: EndpointEvent("event: end", "point\r", "\ndata: ", "$ENDPOINT\r", "\n\r", "\n")},
	{Name: "legacy: data, then the name", Over: OverLegacy, At: SSEEndpoint, Do: EndpointEvent("data: $ENDPOINT\nevent: endpoint\n\n")},
	{Name: "legacy: message before the endpoint", Over: OverLegacy, At: SSEEndpoint, Do: EndpointEvent("event: message\ndata: " + note + "\n\nevent: endpoint\ndata: $ENDPOINT\n\n")},
	{Name: "legacy: message in one piece with the endpoint", Over: OverLegacy, At: SSEEndpoint, Do: EndpointEvent("event: endpoint\ndata: $ENDPOINT\n\nevent: message\ndata: " + note + "\n\n")},
	{Name: "legacy: whole URL of the same origin", Cases: []string{"G13"}, Over: OverLegacy, At: SSEEndpoint, Do: EndpointEvent("event: endpoint\ndata: $ORIGIN$ENDPOINT\n\n")},
	{Name: "legacy: relative endpoint", Cases: []string{"G11", "G12"}, Over: OverLegacy, At: SSEEndpoint, Do: EndpointEvent("event: endpoint\ndata: .$ENDPOINT\n\n")},
	{Name: "legacy: endpoint is only a query", Cases: []string{"G12"}, Over: OverLegacy, At: SSEEndpoint, Do: queryEndpoint},
	{Name: "legacy: endpoint in percent", Cases: []string{"G13"}, Over: OverLegacy, At: SSEEndpoint, Do: EndpointEvent("event: endpoint\ndata: /%6Dessage?sessionId=session%2D1\n\n"),
		Doc: "works as it stands; a client that escapes it again does not get through"},
	{Name: "legacy: endpoint as a JSON text", Cases: []string{"G13"}, Over: OverLegacy, At: SSEEndpoint, Do: EndpointEvent("event: endpoint\ndata: \"$ENDPOINT\"\n\n"), Connect: Connected{Outcome: "either"},
		Doc: "as it stands it is a path that does not exist; a client may take the quotes off"},
	{Name: "legacy: endpoint of another origin", Cases: []string{"G13", "M13"}, Over: OverLegacy, At: SSEEndpoint, Do: EndpointEvent("event: endpoint\ndata: $CANARY$ENDPOINT\n\n"),
		Connect: Connected{Outcome: "error", Text: "origin"}},
	{Name: "legacy: endpoint of another port", Cases: []string{"G13", "M13"}, Over: OverLegacy, At: SSEEndpoint, Do: EndpointEvent("event: endpoint\ndata: http://$HOST:8081/message\n\n"),
		Connect: Connected{Outcome: "error", Text: "origin"}},
	{Name: "legacy: endpoint of another scheme", Cases: []string{"M13"}, Over: OverLegacy, At: SSEEndpoint, Do: EndpointEvent("event: endpoint\ndata: https://canary.test/message\n\n"),
		Connect: Connected{Outcome: "error", Text: "origin"}},
	{Name: "legacy: endpoint of 0.0.0.0", Cases: []string{"G13"}, Over: OverLegacy, At: SSEEndpoint, Do: EndpointEvent("event: endpoint\ndata: http://0.0.0.0:8000$ENDPOINT\n\n"),
		Connect: Connected{Outcome: "error", Text: "origin"}, Doc: "what a server behind a proxy thinks of itself"},
	{Name: "legacy: scheme-relative endpoint", Cases: []string{"M13"}, Over: OverLegacy, At: SSEEndpoint, Do: EndpointEvent("event: endpoint\ndata: //canary.test/message\n\n"),
		Connect: Connected{Outcome: "error", Text: "origin"}},
	{Name: "legacy: endpoint that is no URL", Over: OverLegacy, At: SSEEndpoint, Do: EndpointEvent("event: endpoint\ndata: http://[::1\n\n"), Connect: Connected{Outcome: "error"}},
	{Name: "legacy: endpoint with userinfo", Cases: []string{"M13"}, Over: OverLegacy, At: SSEEndpoint, Do: EndpointEvent("event: endpoint\ndata: http://user:pass@canary.test/message\n\n"),
		Connect: Connected{Outcome: "error", Text: "origin"}},
	{Name: "legacy: second endpoint", Cases: []string{"M13"}, Over: OverLegacy, At: Faulty, Do: Stream("event: endpoint\ndata: $CANARY/message\n\nevent: message\ndata: $ANSWER\n\n"), Call: fine,
		Doc: "the first one holds"},
	{Name: "legacy: no endpoint, only comments", Cases: []string{"G13"}, Over: OverLegacy, At: SSEEndpoint, Do: EndpointEvent(": hello\n\n"), Connect: Connected{Outcome: "timeout"}},
	{Name: "legacy: stream ends before the endpoint", Over: OverLegacy, At: SSEEndpoint, Do: Stream(": bye\n\n"), Connect: Connected{Outcome: "error"}},
	{Name: "legacy: endless line before the endpoint", Cases: []string{"G2"}, Over: OverLegacy, At: SSEEndpoint, Do: EndlessStream("event: endpoint\ndata: ", "x"), Connect: Connected{Outcome: "error"}},
	{Name: "legacy: GET is 404", Cases: []string{"E4"}, Over: OverLegacy, At: SSEGet, Do: Status(404, "404 page not found"), Connect: refused(404, "404")},
	{Name: "legacy: GET is 405", Doc: "an endpoint of streamable HTTP", Over: OverLegacy, At: SSEGet, Do: Reply(405, "", "", "Allow: POST"), Connect: refused(405, "405")},
	{Name: "legacy: GET is 401", Cases: []string{"L6"}, Over: OverLegacy, At: SSEGet, Do: Status(401, ""), Connect: Connected{Outcome: "auth_required", Status: 401}},
	{Name: "legacy: GET is a page", Over: OverLegacy, At: SSEGet, Do: Answer("text/html", "<html>"), Connect: Connected{Outcome: "error"}},
	{Name: "legacy: GET is empty", Over: OverLegacy, At: SSEGet, Do: Answer("text/event-stream", ""), Connect: Connected{Outcome: "error"}},
	{Name: "legacy: GET is 204", Over: OverLegacy, At: SSEGet, Do: Reply(204, "", ""), Connect: Connected{Outcome: "error"}},
	{Name: "legacy: GET is reset", Over: OverLegacy, At: SSEGet, Do: Reset, Connect: Connected{Outcome: "error"}},
	{Name: "legacy: 200 with the answer in the body", Over: OverLegacy, At: Faulty, Do: Answer(jsonType, "$ANSWER"), Call: fine},
	{Name: "legacy: 200 with the answer in both", Over: OverLegacy, At: Faulty, Do: Do(func(x *Exchange) {
		answer := x.Answer()
		x.status(200, jsonType, string(answer))
		x.s.background(func() { x.Message(answer) })
	}), Call: fine},
	{Name: "legacy: 200 empty, the answer on the stream", Over: OverLegacy, At: Faulty, Do: postStatus(200, ""), Call: fine},
	{Name: "legacy: 204, the answer on the stream", Over: OverLegacy, At: Faulty, Do: postStatus(204, ""), Call: fine},
	{Name: "legacy: 202 page, the answer on the stream", Over: OverLegacy, At: Faulty, Do: postStatus(202, "<html>"), Call: fine},
	{Name: "legacy: answer before the 202", Over: OverLegacy, At: Faulty, Do: Do(func(x *Exchange) {
		x.Message(x.Answer())
		x.status(202, "", "")
	}), Call: fine},
	{Name: "legacy: answer, then 500", Over: OverLegacy, At: Faulty, Do: Do(func(x *Exchange) {
		x.Message(x.Answer())
		x.status(500, "", "")
	}), Call: either},
	{Name: "legacy: answer, and the POST hangs", Over: OverLegacy, At: Faulty, Do: Do(func(x *Exchange) {
		x.Message(x.Answer())
		x.Hang()
	}), Call: fine},
	{Name: "legacy: ping between calls", Cases: []string{"M16"}, Over: OverLegacy, At: Initialized, Do: Do(func(x *Exchange) {
		x.Serve()
		x.s.background(func() { x.Send("event: ping\ndata: {}\n\nevent: ping\ndata: now\n\n") })
	})},
	{Name: "legacy: another's answers on the stream", Doc: "a bridge that sends all answers to all clients, with the small numbers of another's ids", Cases: []string{"H1"}, Over: OverLegacy, At: Faulty, Call: fine,
		Do: OnStream(func(x *Exchange) {
			for id := range 20 {
				x.Message(response([]byte(strconv.Itoa(id)), mustMarshal(Text("not yours")), nil))
			}
			x.Message(x.Answer())
		})},
}

// queryEndpoint names the path of the stream itself, with a query.
var queryEndpoint = OnStream(func(x *Exchange) {
	x.Send("event: endpoint\ndata: ?sessionId=" + x.session.id + "\n\n")
	x.endpoint = true
	x.pump()
})

// postStatus answers the POST oddly and the call on the stream.
func postStatus(code int, body string) Behaviour {
	return Do(func(x *Exchange) {
		answer := x.Answer()
		x.status(code, "text/html", body)
		x.s.background(func() { x.Message(answer) })
	})
}
