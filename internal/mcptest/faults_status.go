package mcptest

import (
	"fmt"
	"net/http"
	"strconv"
)

// statusFaults are HTTP statuses with all kinds of bodies, on the one call. Nobody else on the session may notice.
var statusFaults = append(statuses(), []Fault{
	{Name: "call: 401 with a challenge", Cases: []string{"L1"}, Over: OverJSON | OverLegacy, At: Faulty,
		Do:   Reply(401, "application/json", `{"error":"invalid_token"}`, `WWW-Authenticate: Bearer error="invalid_token"`),
		Call: failed("401")},
	{Name: "call: 401 without a challenge", Cases: []string{"L6"}, At: Faulty, Do: Status(401, ""), Call: failed("401")},
	{Name: "call: 403 that asks for a scope", Over: OverJSON | OverLegacy, At: Faulty,
		Do:   Reply(403, "", "", `WWW-Authenticate: Bearer error="insufficient_scope", scope="write"`),
		Call: failed("403")},
	{Name: "call: 429 that says when", At: Faulty, Do: Reply(429, "application/json", `{"error":"rate limited"}`, "Retry-After: 30"), Call: failed("429")},
	{Name: "call: 407", Doc: "a proxy", At: Faulty, Do: Reply(407, "text/html", "<html>", "Proxy-Authenticate: Basic"), Call: failed("407")},
	{Name: "call: 400 that is empty", Cases: []string{"E9"}, At: Faulty, Do: Reply(400, "", ""), Call: failed("400")},
	{Name: "call: 400 of JSON-RPC", Cases: []string{"E9"}, Over: OverJSON | OverLegacy, At: Faulty,
		Do:   Reply(400, "application/json", `{"jsonrpc":"2.0","id":$ID,"error":{"code":-32602,"message":"no such thing"}}`),
		Call: failed("no such thing")},
	{Name: "call: 400 of JSON-RPC without an id", Cases: []string{"E9"}, At: Faulty,
		Do:   Reply(400, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no such thing"}}`),
		Call: failed("400")},
	{Name: "call: 400 and an endless body", At: Faulty, Do: Endless(400, "text/plain", "", "x"), Call: failed("400")},
	{Name: "call: 400 and the body never", At: Faulty, Do: Reply(400, "application/json", "{").then((*Exchange).Hang, 100),
		Call: Expectation{Kind: Either}, Doc: "a client that waits for the body must do so within the time of the call"},
	{Name: "call: 400 in gzip", Cases: []string{"F7"}, At: Faulty, Do: Do(func(x *Exchange) {
		x.W.Header().Set("Content-Encoding", "gzip")
		x.W.WriteHeader(400)
		_, _ = x.W.Write(compress([]byte("no such thing")))
	}), Call: failed("400")},
	{Name: "call: 500 of JSON-RPC", Cases: []string{"E19"}, At: Faulty,
		Do:   Reply(500, "application/json", `{"jsonrpc":"2.0","id":$ID,"error":{"code":-32603,"message":"broken inside"}}`),
		Call: failed("500")},
	{Name: "call: 500 as an event stream", At: Faulty, Do: Reply(500, "text/event-stream", "data: {}\n\n"), Call: failed("500")},
	{Name: "call: empty 200", Cases: []string{"E19"}, At: Faulty, Do: Answer("", ""), Call: failed("")},
	{Name: "call: empty 200 of JSON", Cases: []string{"E19"}, At: Faulty, Do: Answer("application/json", ""), Call: failed("")},
	{Name: "call: 202", Cases: []string{"M12"}, At: Faulty, Do: Reply(202, "", ""), Call: failed("")},
	{Name: "call: 202 and a text", Cases: []string{"M12"}, At: Faulty, Do: Status(202, "Accepted"), Call: failed("")},
	{Name: "call: 204", Cases: []string{"M12"}, At: Faulty, Do: Reply(204, "", ""), Call: failed("")},
	{Name: "call: 201 with the answer", At: Faulty, Do: Reply(201, "application/json", "$ANSWER"), Call: fine},
	{Name: "call: 206 with the answer", At: Faulty, Do: Reply(206, "application/json", "$ANSWER"), Call: Expectation{Kind: Either}},
	{Name: "call: 304", At: Faulty, Do: Reply(304, "", ""), Call: failed("304")},
	{Name: "call: early hints", At: Faulty, Do: Do(func(x *Exchange) {
		for range 3 {
			x.W.Header().Set("Link", "</style.css>; rel=preload")
			x.W.WriteHeader(http.StatusEarlyHints)
		}
		x.Serve()
	})},
	{Name: "call: connection dropped", Cases: []string{"D1"}, Over: OverJSON | OverLegacy, At: Faulty, Do: Reset, Call: failed("")},
	{Name: "call: executed, then dropped", Cases: []string{"K4"}, At: Faulty, Do: Do(func(x *Exchange) {
		_ = x.Answer() // runs the tool
		x.reset()
	}), Call: failed(""), Doc: "the tool must have run once only"},
	{Name: "call: connection closed", At: Faulty, Do: Raw(""), Call: failed("")},
	{Name: "call: not HTTP", At: Faulty, Do: Raw("-ERR unknown command\r\n"), Call: failed("")},
	{Name: "call: header without a colon", At: Faulty, Do: Raw("HTTP/1.1 200 OK\r\nbroken\r\n\r\n{}"), Call: failed("")},
	{Name: "call: endless header", At: Faulty, Do: EndlessHeader, Call: Expectation{Kind: Failed}},
	{Name: "call: HTTP/1.0", At: Faulty, Do: Raw("HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n$ANSWER")},
	{Name: "call: never answered", At: Faulty, Do: Hang, Call: timedOut, Over: OverJSON | OverLegacy},
	{Name: "call: body never", At: Faulty, Do: HangBody, Call: timedOut},
	{Name: "call: event never", At: Faulty, Do: HangStream, Call: timedOut, Over: streams},

	{Name: "call: never answered, cancelled refused", Cases: []string{"K3"}, At: Faulty, Do: Hang, Call: timedOut, Over: OverJSON | OverLegacy,
		Also: map[Phase]Behaviour{Cancelled: Status(400, "what?")}},
	{Name: "call: never answered, cancelled not found", Cases: []string{"K3"}, At: Faulty, Do: Hang, Call: timedOut,
		Also: map[Phase]Behaviour{Cancelled: Status(404, "")}},
	{Name: "call: never answered, cancelled neither", Cases: []string{"E10", "K3"}, At: Faulty, Do: Hang, Call: timedOut, Over: OverJSON | OverLegacy,
		Also: map[Phase]Behaviour{Cancelled: Hang}},
	{Name: "call: never answered, cancelled dropped", Cases: []string{"K3"}, At: Faulty, Do: Hang, Call: timedOut,
		Also: map[Phase]Behaviour{Cancelled: Reset}},
	{Name: "call: answered after it was cancelled", Cases: []string{"K3"}, At: Faulty, Over: OverLegacy, Call: timedOut,
		Do: LateAnswer},
}...)

// statuses are the plain ones.
func statuses() []Fault {
	var faults []Fault
	add := func(code int, kind string, b Behaviour) {
		faults = append(faults, Fault{
			Name: fmt.Sprintf("call: %d %s", code, kind), Cases: []string{"E9", "E19"}, At: Faulty, Do: b,
			Over: OverJSON | OverLegacy, Call: failed(strconv.Itoa(code)),
		})
	}
	for _, code := range []int{400, 402, 403, 405, 406, 408, 409, 410, 411, 413, 415, 418, 421, 422, 429, 451, 500, 501, 502, 503, 504, 520, 529} {
		add(code, "text", Status(code, "it is so"))
	}
	for _, code := range []int{400, 403, 413, 500, 502, 503} {
		add(code, "page", Reply(code, "text/html", "<html><body><h1>It is so</h1></body></html>"))
		add(code, "json", Reply(code, "application/json", `{"detail":"it is so"}`))
	}
	return faults
}
