package mcptest

// initializeWith answers initialize with a result of these fields.
func initializeWith(fields string) Behaviour { return Result(`{` + fields + `}`) }

const (
	goodVersion = `"protocolVersion":"2025-11-25"`
	goodCaps    = `"capabilities":{"tools":{}}`
	goodInfo    = `"serverInfo":{"name":"odd","version":"1"}`
)

// handshakeFaults are in the JSON of the handshake, and in notifications/initialized, GET and DELETE.
var handshakeFaults = []Fault{
	{Name: "initialize: BOM", Cases: []string{"G6"}, At: Initialize, Do: Message("\ufeff$ANSWER")},
	{Name: "initialize: batch of one", At: Initialize, Do: Message(`[$ANSWER]`), Over: anyWay},
	{Name: "initialize: no jsonrpc", Cases: []string{"E21"}, At: Initialize, Do: Message(`{"id":$ID,"result":$RESULT}`), Over: anyWay},
	{Name: "initialize: id as a string", Cases: []string{"H1"}, At: Initialize, Do: Message(`{"jsonrpc":"2.0","id":"$ID","result":$RESULT}`), Over: anyWay},
	{Name: "initialize: error", At: Initialize, Do: Message(`{"jsonrpc":"2.0","id":$ID,"error":{"code":-32603,"message":"database is down"}}`), Over: anyWay,
		Connect: Connected{Outcome: "error", Text: "database is down"}},
	{Name: "initialize: version of the future", At: Initialize, Do: initializeWith(`"protocolVersion":"2099-01-01",` + goodCaps + `,` + goodInfo), Over: anyWay,
		Connect: Connected{Outcome: "error", Text: "2099-01-01"}},
	{Name: "initialize: version is a number", At: Initialize, Do: initializeWith(`"protocolVersion":1,` + goodCaps + `,` + goodInfo), Connect: Connected{Outcome: "error"}},
	{Name: "initialize: older version", At: Initialize, Do: initializeWith(`"protocolVersion":"2024-11-05",` + goodCaps + `,` + goodInfo), Over: anyWay},
	{Name: "initialize: no server info", At: Initialize, Do: initializeWith(goodVersion + `,` + goodCaps), Over: anyWay},
	{Name: "initialize: instructions are a number", At: Initialize, Do: initializeWith(goodVersion + `,` + goodCaps + `,` + goodInfo + `,"instructions":7`),
		Doc: "of a wrong-typed optional member nothing else should be lost, but a failed connection is sound too", Connect: Connected{Outcome: "either"}},
	{Name: "initialize: unknown members", At: Initialize, Do: initializeWith(goodVersion + `,` + goodCaps + `,` + goodInfo + `,"x":{"y":[1]},"_meta":{"z":1}`), Over: anyWay},
	{Name: "initialize: no tools capability", Cases: []string{"C6"}, At: Initialize, Do: initializeWith(goodVersion + `,"capabilities":{"resources":{}},` + goodInfo), Over: anyWay,
		Connect: Connected{Outcome: "no_tools"}},
	{Name: "initialize: null result", At: Initialize, Do: Result(`null`), Connect: Connected{Outcome: "error"}},
	{Name: "initialize: huge instructions", At: Initialize, Do: initializeWith(goodVersion + `,` + goodCaps + `,` + goodInfo + `,"instructions":"` + kilobytes(512) + `"`), Over: anyWay},
	{Name: "initialize: session id on a refusal", At: Initialize, Do: Reply(503, "text/plain", "", "Mcp-Session-Id: zombie"), Connect: refused(503, "503")},

	{Name: "initialized: 200 null", Cases: []string{"E16"}, At: Initialized, Do: Answer("application/json", "null"), Over: OverJSON | OverLegacy},
	{Name: "initialized: 200 object", Cases: []string{"E16"}, At: Initialized, Do: Answer("application/json", "{}"), Over: OverJSON | OverLegacy},
	{Name: "initialized: empty 200", Cases: []string{"E16"}, At: Initialized, Do: Answer("", ""), Over: OverJSON | OverLegacy},
	{Name: "initialized: 204", Cases: []string{"E16"}, At: Initialized, Do: Reply(204, "", ""), Over: OverJSON | OverLegacy},
	{Name: "initialized: 202 with a text", Cases: []string{"E16"}, At: Initialized, Do: Status(202, "Accepted"), Over: OverJSON | OverLegacy},
	{Name: "initialized: 200 error", Cases: []string{"E16"}, At: Initialized, Do: Answer("application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"Method not found"}}`), Over: OverJSON | OverLegacy},
	{Name: "initialized: 406", Cases: []string{"E17"}, At: Initialized, Do: Status(406, "Not Acceptable"), Connect: Connected{Outcome: "either"},
		Doc: "tools are known all the same; a client that gives up must not call it an auth failure"},
	{Name: "initialized: 405", At: Initialized, Do: Status(405, ""), Connect: Connected{Outcome: "either"}},
	{Name: "initialized: 500", At: Initialized, Do: Status(500, ""), Connect: Connected{Outcome: "either"}},
	{Name: "list before initialized is refused", Doc: "Python servers", Server: func(s *Server) { s.StrictInit = true }, Over: anyWay},

	{Name: "GET: headers never", Cases: []string{"E12"}, At: Get, Do: Hang},
	{Name: "GET: 404", Cases: []string{"E13"}, At: Get, Do: Status(404, "")},
	{Name: "GET: 406", Cases: []string{"E13"}, At: Get, Do: Status(406, "")},
	{Name: "GET: 409", Cases: []string{"E14"}, At: Get, Do: Status(409, "one stream only")},
	{Name: "GET: 503", Cases: []string{"E13"}, At: Get, Do: Status(503, "")},
	{Name: "GET: opens, ends, then 405", Cases: []string{"E13", "E14"}, At: Get, Do: Do(func(x *Exchange) {
		if x.Nth == 1 {
			x.Send(": opened\n\n")
			return
		}
		x.status(405, "", "")
	})},
	{Name: "GET: junk", Cases: []string{"E13"}, At: Get, Do: Stream("junk\n\ndata: not json\n\n")},

	{Name: "DELETE: never answered", Cases: []string{"E11"}, At: Delete, Do: Hang},
	{Name: "DELETE: body never", Cases: []string{"E11"}, At: Delete, Do: HangBody},
	{Name: "DELETE: 405", Cases: []string{"E11"}, At: Delete, Do: Status(405, "")},
	{Name: "DELETE: 500", Cases: []string{"E11"}, At: Delete, Do: Status(500, "")},
	{Name: "DELETE: reset", Cases: []string{"E11"}, At: Delete, Do: Reset},
}
