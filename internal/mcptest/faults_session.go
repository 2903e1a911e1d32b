package mcptest

import "strconv"

// lostAs makes the server forget its sessions in the call, and answer as some server does to a session that it does not know.
func lostAs(b Behaviour) func(*Server) {
	return func(s *Server) { s.UnknownSession = b }
}

const jsonType = "application/json"

// sessionFaults lose the session between two calls, or do something odd with its id. A call that ran before goes on; what is sent
// after needs a new session. None of the requests has run the tool.
var sessionFaults = []Fault{
	{Name: "session: lost, as TypeScript says it", Cases: []string{"C10", "E1", "E2"}, At: Faulty, Do: LoseSessions, Call: renewed, Next: renewedEcho,
		Server: lostAs(Reply(404, jsonType, `{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null}`))},
	{Name: "session: lost, as Python says it", Cases: []string{"E1", "E2", "M2"}, At: Faulty, Do: LoseSessions, Call: renewed, Next: renewedEcho,
		Server: lostAs(Reply(404, jsonType, `{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Session not found"}}`))},
	{Name: "session: lost, with the id of the call", Cases: []string{"E2", "M2"}, At: Faulty, Do: LoseSessions, Call: renewed, Next: renewedEcho,
		Server: lostAs(Reply(404, jsonType, `{"jsonrpc":"2.0","id":$ID,"error":{"code":-32001,"message":"Session not found"}}`))},
	{Name: "session: lost, as Go says it", Cases: []string{"E1"}, At: Faulty, Do: LoseSessions, Call: renewed, Next: renewedEcho,
		Server: lostAs(Status(404, "session not found\n"))},
	{Name: "session: lost, 404 that is empty", Cases: []string{"E1"}, At: Faulty, Do: LoseSessions, Call: renewed, Next: renewedEcho,
		Server: lostAs(Reply(404, "", ""))},
	{Name: "session: lost, 400 of JSON-RPC", Cases: []string{"E5"}, At: Faulty, Do: LoseSessions, Call: renewed, Next: renewedEcho,
		Server: lostAs(Reply(400, jsonType, `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}`))},
	{Name: "session: lost, 400 with the id of the call", Cases: []string{"E5"}, At: Faulty, Do: LoseSessions, Call: renewed, Next: renewedEcho,
		Server: lostAs(Reply(400, jsonType, `{"jsonrpc":"2.0","id":$ID,"error":{"code":-32000,"message":"Bad Request: Server not initialized for this session"}}`))},
	{Name: "session: lost, 400 plain", Cases: []string{"E5"}, At: Faulty, Do: LoseSessions, Call: renewed, Next: renewedEcho,
		Server: lostAs(Status(400, "Invalid or missing session ID"))},
	{Name: "session: lost, 401 that says so", Cases: []string{"E5"}, At: Faulty, Do: LoseSessions, Call: renewed, Next: renewedEcho,
		Server: lostAs(Reply(401, jsonType, `{"error":"invalid session"}`))},
	{Name: "session: 400 of another matter", Cases: []string{"E5", "E9"}, At: Faulty, Call: failed("400"),
		Do: Reply(400, jsonType, `{"error":"text is too long"}`), Doc: "the session is not lost"},
	{Name: "session: another id on the answer", At: Faulty, Do: Reply(200, jsonType, "$ANSWER", "Mcp-Session-Id: another"), Call: fine},
	{Name: "session: empty id on the answer", At: Faulty, Do: Reply(200, jsonType, "$ANSWER", "Mcp-Session-Id: "), Call: fine},
	{Name: "session: another id on the list", At: List, Do: Reply(200, jsonType, "$ANSWER", "Mcp-Session-Id: another")},
	{Name: "session: an id on a refusal", At: Faulty, Do: Reply(503, "text/plain", "", "Mcp-Session-Id: another"), Call: failed("503")},
	{Name: "session: stateless", Server: func(s *Server) { s.Stateless = true }, Over: OverJSON | OverSSE},
	{Name: "session: the stream ends", Cases: []string{"F9", "G15"}, Over: OverLegacy, At: Faulty,
		Do:   Once(OnStream(func(x *Exchange) { x.endStream() })),
		Call: failed(""), Running: either, Next: renewedEcho,
		Doc: "the answers of both calls are lost; the one that says that it does no harm is sent again"},
	{Name: "session: lost, POST is 404", Cases: []string{"E1", "M9"}, Over: OverLegacy, At: Faulty, Do: Once(Status(404, "Could not find session")),
		Call: renewed, Next: renewedEcho, Running: either},
	{Name: "session: lost, POST is 400", Cases: []string{"E5", "M9"}, Over: OverLegacy, At: Faulty, Do: Once(Status(400, "No transport found for sessionId")),
		Call: renewed, Next: renewedEcho, Running: either},
}

var renewedEcho = Expectation{Kind: Renewed}

// redirectFaults lead elsewhere: nothing may follow out of the origin that was configured.
var redirectFaults = append(redirects(), []Fault{
	{Name: "redirect: 307 to the slash", Cases: []string{"F1", "F4"}, At: Every, Do: Redirect(307, "/mcp/")},
	{Name: "redirect: 308 to the slash", Cases: []string{"F1"}, At: Every, Do: Redirect(308, "/mcp/")},
	{Name: "redirect: 307 to the slash, absolute", Cases: []string{"F1", "F6"}, At: Every, Do: redirectWithin(307)},
	{Name: "redirect: 307 of the call", Cases: []string{"F1"}, At: Faulty, Do: Redirect(307, "/mcp/")},
	{Name: "redirect: 301 of the call within the origin", Cases: []string{"F2"}, At: Faulty, Do: Redirect(301, "/mcp/"), Call: failed("301")},
	{Name: "redirect: 302 of the call within the origin", Cases: []string{"F2"}, At: Faulty, Do: Redirect(302, "/mcp/"), Call: failed("302")},
	{Name: "redirect: 303 of the call within the origin", Cases: []string{"F2"}, At: Faulty, Do: Redirect(303, "/mcp/"), Call: failed("303")},
	{Name: "redirect: 301 of everything within the origin", Cases: []string{"F2"}, At: Every, Do: Redirect(301, "/mcp/"), Connect: refused(301, "301")},
	{Name: "redirect: loop of the call", At: Faulty, Do: RedirectLoop(307), Call: failed("redirect")},
	{Name: "redirect: loop of everything", At: Every, Do: RedirectLoop(308), Connect: refused(308, "redirect")},
	{Name: "redirect: to a login page", Doc: "single sign-on in front of the server", At: Every, Do: Redirect(302, "$CANARY/login?return=/mcp"), Connect: refused(302, "canary.test")},
	{Name: "redirect: with userinfo", Cases: []string{"F5"}, At: Faulty, Do: Redirect(307, "http://user:pass@canary.test/mcp"), Call: failed("redirect")},
	{Name: "redirect: to another port", Cases: []string{"F5"}, At: Faulty, Do: Redirect(307, "http://$HOST:9/mcp"), Call: failed("redirect")},
	{Name: "redirect: to another scheme", At: Faulty, Do: Redirect(307, "ftp://canary.test/mcp"), Call: failed("redirect")},
	{Name: "redirect: to a file", At: Faulty, Do: Redirect(307, "file:///etc/passwd"), Call: failed("redirect")},
	{Name: "redirect: without a target", At: Faulty, Do: Reply(307, "", ""), Call: failed("307")},
	{Name: "redirect: target is no URL", At: Faulty, Do: Reply(307, "", "", "Location: http://[::1"), Call: failed("307")},
	{Name: "redirect: scheme-relative to the canary", Cases: []string{"F5"}, At: Faulty, Do: Redirect(308, "//canary.test/mcp"), Call: failed("redirect")},
	{Name: "redirect: GET of the stream to the canary", Cases: []string{"F5", "M13"}, Over: OverLegacy, At: SSEGet, Do: Redirect(307, "$CANARY/sse"),
		Connect: refused(307, "redirect")},
	{Name: "redirect: POST to the canary", Cases: []string{"F5", "M13"}, Over: OverLegacy, At: Faulty, Do: Redirect(307, "$CANARY/message"), Call: failed("redirect")},
	{Name: "redirect: DELETE to the canary", Cases: []string{"F5"}, At: Delete, Do: Redirect(307, "$CANARY/mcp")},
}...)

// redirects leave the origin, at connect and in the call.
func redirects() []Fault {
	var faults []Fault
	for _, code := range []int{301, 302, 303, 307, 308} {
		name, b := strconv.Itoa(code), Redirect(code, "$CANARY/mcp")
		faults = append(faults,
			Fault{Name: "redirect: " + name + " of everything to the canary", Cases: []string{"F5", "M13"}, At: Every, Do: b, Connect: refused(code, "redirect")},
			Fault{Name: "redirect: " + name + " of the call to the canary", Cases: []string{"F5", "M13"}, At: Faulty, Do: b, Call: failed("redirect")})
	}
	return faults
}

// redirectWithin leads to the same origin by a whole URL.
func redirectWithin(code int) Behaviour {
	return Do(func(x *Exchange) {
		if x.R.URL.Path == "/mcp/" {
			x.Serve()
			return
		}
		x.W.Header().Set("Location", x.Expand("$ORIGIN/mcp/"))
		x.W.WriteHeader(code)
	})
}
