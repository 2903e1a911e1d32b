package mcptest

import (
	"fmt"
	"strings"
)

// kilobytes is a text of so many KiB.
func kilobytes(n int) string { return strings.Repeat("x", n<<10) }

// entries adds raw entries to the list of tools.
func entries(raw ...string) func(*Server) {
	return func(s *Server) { s.RawTools = raw }
}

// listed answers every page of the list with raw members.
func listed(members string) Behaviour { return Result(`{` + members + `}`) }

const object = `"inputSchema":{"type":"object","properties":{}}`

// many are entries of so many tools.
func many(count int) []string {
	raw := make([]string, count)
	for i := range raw {
		raw[i] = fmt.Sprintf(`{"name":"tool-%d",`+object+`}`, i)
	}
	return raw
}

// listFaults are in a page of tools/list as a whole.
var listFaults = []Fault{
	{Name: "list: pages of three", Cases: []string{"C5"}, Server: func(s *Server) { s.PageSize = 3 }, Over: anyWay,
		Connect: Connected{Tools: []string{"echo", FaultyTool}}},
	{Name: "list: last cursor is empty", Cases: []string{"C1"}, At: List, Do: listed(`"tools":$TOOLS,"nextCursor":""`), Over: anyWay},
	{Name: "list: last cursor is null", Cases: []string{"C1"}, At: List, Do: listed(`"tools":$TOOLS,"nextCursor":null`), Over: anyWay},
	{Name: "list: cursor is a number", At: List, Do: listed(`"tools":$TOOLS,"nextCursor":7`), Over: anyWay, Connect: Connected{Tools: []string{"echo"}}},
	{Name: "list: cursor does not move", Cases: []string{"C2", "C4"}, At: List, Do: listed(`"tools":$TOOLS,"nextCursor":"again"`), Over: anyWay},
	{Name: "list: two cursors in turn", Cases: []string{"C2", "C4"}, At: List, Over: anyWay, Do: OnStream(func(x *Exchange) {
		x.Message([]byte(x.Expand(`{"jsonrpc":"2.0","id":$ID,"result":{"tools":$TOOLS,"nextCursor":"` + []string{"odd", "even"}[x.Nth%2] + `"}}`)))
	})},
	{Name: "list: pages without an end that bring nothing", Cases: []string{"C2", "C4"}, At: List, Do: listed(`"tools":$TOOLS,"nextCursor":"page-$NTH"`), Over: anyWay,
		Connect: Connected{Outcome: "either", Tools: []string{"echo"}}, Doc: "what was read counts; a client may stop at its limit of pages or before"},
	{Name: "list: empty pages without an end", Cases: []string{"C2", "C4"}, At: ListPage2, Do: listed(`"tools":[],"nextCursor":"page-$NTH"`),
		Server: func(s *Server) { s.PageSize = 20; s.RawTools = many(30) }, Connect: Connected{Tools: []string{"echo"}, Truncated: true}},
	{Name: "list: new tools without an end", Cases: []string{"C4"}, At: ListPage2,
		Do:      listed(`"tools":[{"name":"endless-$NTH",` + object + `}],"nextCursor":"page-$NTH"`),
		Server:  func(s *Server) { s.PageSize = 20; s.RawTools = many(30) },
		Connect: Connected{Tools: []string{"echo"}, Truncated: true}},
	{Name: "list: 600 tools", Server: entries(many(600)...), Connect: Connected{Tools: []string{"echo"}, Truncated: true}},
	{Name: "list: 6 MiB", Server: func(s *Server) {
		for i := range 60 {
			s.RawTools = append(s.RawTools, fmt.Sprintf(`{"name":"big-%d","description":"%s",`+object+`}`, i, kilobytes(100)))
		}
	}, Connect: Connected{Tools: []string{"echo"}, Truncated: true}},
	{Name: "list: tools null", Cases: []string{"A15"}, At: List, Do: listed(`"tools":null`), Over: anyWay, Connect: Connected{Outcome: "no_tools"}},
	{Name: "list: tools missing", At: List, Do: listed(``), Over: anyWay, Connect: Connected{Outcome: "either"}, Doc: "no tools, or no list"},
	{Name: "list: tools empty", At: List, Do: listed(`"tools":[]`), Over: anyWay, Connect: Connected{Outcome: "no_tools"}},
	{Name: "list: only a null tool", Cases: []string{"A15"}, At: List, Do: listed(`"tools":[null]`), Over: anyWay, Connect: Connected{Outcome: "no_tools"}},
	{Name: "list: tools is an object", At: List, Do: listed(`"tools":{"echo":{}}`), Over: anyWay, Connect: Connected{Outcome: "error"}},
	{Name: "list: result null", At: List, Do: Result(`null`), Over: anyWay, Connect: Connected{Outcome: "either"}, Doc: "no tools, or no list"},
	{Name: "list: result is an array", At: List, Do: Result(`$TOOLS`), Over: anyWay, Connect: Connected{Outcome: "error"}},
	{Name: "list: method not found", Cases: []string{"C6"}, At: List, Over: anyWay,
		Do:      Message(`{"jsonrpc":"2.0","id":$ID,"error":{"code":-32601,"message":"Method not found"}}`),
		Connect: Connected{Outcome: "no_tools"}},
	{Name: "list: server has no tools", Cases: []string{"C6"}, Server: func(s *Server) { s.NoTools = true }, Over: anyWay, Connect: Connected{Outcome: "no_tools"}},
	{Name: "list: error", At: List, Over: anyWay,
		Do:      Message(`{"jsonrpc":"2.0","id":$ID,"error":{"code":-32603,"message":"no database"}}`),
		Connect: Connected{Outcome: "error", Text: "no database"}},
	{Name: "list: page two fails", At: ListPage2, Over: anyWay,
		Do:     Message(`{"jsonrpc":"2.0","id":$ID,"error":{"code":-32603,"message":"no page two"}}`),
		Server: func(s *Server) { s.PageSize = 3 }, Connect: Connected{Outcome: "either"},
		Doc: "an error, or the tools of page one: either way it must be seen"},
	{Name: "list: 500", At: List, Do: Status(500, "boom"), Over: OverJSON | OverLegacy, Connect: refused(500, "500")},
	{Name: "list: 401", At: List, Do: Status(401, ""), Over: OverJSON | OverLegacy, Connect: Connected{Outcome: "auth_required", Status: 401}},
	{Name: "list: page", At: List, Do: Answer("text/html", "<html>"), Connect: Connected{Outcome: "error"}},
	{Name: "list: 202", Cases: []string{"M12"}, At: List, Do: Status(202, ""), Connect: Connected{Outcome: "error"}},
	{Name: "list: cut", At: List, Do: CutJSON, Connect: Connected{Outcome: "error"}},
	{Name: "list: drip", At: List, Do: SlowAnswer, Connect: Connected{Outcome: "timeout"}},
	{Name: "list: gzip bomb", At: List, Do: GzipBomb(1024), Connect: Connected{Outcome: "error"}},
	{Name: "list: endless", At: List, Do: Endless(200, "application/json", `{"jsonrpc":"2.0","id":$ID,"result":{"tools":[`, `{"name":"x"},`), Connect: Connected{Outcome: "error"}},
	{Name: "list: batch of one", At: List, Do: Message(`[$ANSWER]`), Over: anyWay},
	{Name: "list: no jsonrpc", Cases: []string{"E21"}, At: List, Do: Message(`{"id":$ID,"result":$RESULT}`), Over: anyWay},
	{Name: "list: text/plain", Cases: []string{"E18"}, At: List, Do: Answer("text/plain", "$ANSWER")},
}

// odd is an entry with a good name and other members.
func odd(members string) string { return `{"name":"odd",` + members + `}` }

// toolFaults are in one entry of the list. Only that tool may be lost, and not for a member that it can do without.
var toolFaults = []Fault{
	{Name: "tool: null", Cases: []string{"A15"}, Server: entries(`null`), Over: anyWay, Connect: echoStays},
	{Name: "tool: text", Server: entries(`"odd"`), Connect: echoStays},
	{Name: "tool: array", Server: entries(`[1]`), Connect: echoStays},
	{Name: "tool: name is a number", Cases: []string{"M5"}, Server: entries(`{"name":7,` + object + `}`), Over: anyWay, Connect: echoStays},
	{Name: "tool: no name", Server: entries(`{` + object + `}`), Connect: Connected{Tools: []string{"echo"}}},
	{Name: "tool: empty name", Cases: []string{"B11"}, Server: entries(`{"name":"",` + object + `}`), Connect: echoStays},
	{Name: "tool: name of 10,000 characters", Cases: []string{"B5"}, Server: entries(`{"name":"` + strings.Repeat("n", 10_000) + `",` + object + `}`), Connect: echoStays},
	{Name: "tool: names that look alike", Cases: []string{"B1", "B2", "B3", "B4", "B10", "B11"}, Connect: Connected{Tools: []string{"echo", "a.b", "a/b", "a b", "a:b", "a_b", "获取天气"}},
		Server: entries(`{"name":"a.b",`+object+`}`, `{"name":"a/b",`+object+`}`, `{"name":"a b",`+object+`}`, `{"name":"a:b",`+object+`}`, `{"name":"a_b",`+object+`}`, `{"name":"获取天气",`+object+`}`)},
	{Name: "tool: name with control characters", Server: entries(`{"name":"a\u001b[31m\r\nb",` + object + `}`), Connect: echoStays},
	{Name: "tool: description is a number", Cases: []string{"M5"}, Server: entries(odd(`"description":7,` + object)), Over: anyWay, Connect: oddStays},
	{Name: "tool: title is an object", Cases: []string{"M5"}, Server: entries(odd(`"title":{},` + object)), Connect: oddStays},
	{Name: "tool: annotations is a text", Cases: []string{"M5"}, Server: entries(odd(`"annotations":"read only",` + object)), Over: anyWay, Connect: oddStays},
	{Name: "tool: hint is a text", Cases: []string{"M5", "C11"}, Server: entries(odd(`"annotations":{"readOnlyHint":"yes"},` + object)), Over: anyWay, Connect: oddStays},
	{Name: "tool: icons is a text", Cases: []string{"M5"}, Server: entries(odd(`"icons":"x.png",` + object)), Connect: oddStays},
	{Name: "tool: _meta is an array", Cases: []string{"M5"}, Server: entries(odd(`"_meta":[],` + object)), Connect: oddStays},
	{Name: "tool: execution is a text", Cases: []string{"M5"}, Server: entries(odd(`"execution":"now",` + object)), Connect: oddStays},
	{Name: "tool: output schema is a text", Cases: []string{"M5"}, Server: entries(odd(`"outputSchema":"x",` + object)), Connect: oddStays},
	{Name: "tool: unknown members", Server: entries(odd(`"x":[{"y":1}],` + object)), Connect: oddStays},
	{Name: "tool: no schema", Cases: []string{"A14"}, Server: entries(`{"name":"odd"}`), Over: anyWay, Connect: oddStays},
	{Name: "tool: schema null", Cases: []string{"A10"}, Server: entries(odd(`"inputSchema":null`)), Connect: oddStays},
	{Name: "tool: schema true", Cases: []string{"A10"}, Server: entries(odd(`"inputSchema":true`)), Connect: oddStays},
	{Name: "tool: schema is empty", Cases: []string{"A10"}, Server: entries(odd(`"inputSchema":{}`)), Connect: oddStays},
	{Name: "tool: schema without properties", Cases: []string{"A1", "A3"}, Server: entries(odd(`"inputSchema":{"type":"object","additionalProperties":false}`)), Connect: oddStays},
	{Name: "tool: schema only says which", Cases: []string{"A11"}, Server: entries(odd(`"inputSchema":{"$schema":"http://json-schema.org/draft-07/schema#"}`)), Connect: oddStays},
	{Name: "tool: schema is a text", Cases: []string{"A10"}, Server: entries(odd(`"inputSchema":"x"`)), Connect: echoStays},
	{Name: "tool: schema of another type", Cases: []string{"A10"}, Server: entries(odd(`"inputSchema":{"type":"string"}`)), Connect: echoStays},
	{Name: "tool: schema of 1,000 levels", Server: entries(odd(`"inputSchema":` + deepSchema(1000))), Connect: echoStays},
	{Name: "tool: schema refers to itself", Cases: []string{"A6"}, Server: entries(odd(`"inputSchema":{"type":"object","$defs":{"n":{"type":"object","properties":{"next":{"$ref":"#/$defs/n"}}}},"properties":{"n":{"$ref":"#/$defs/n"}}}`)), Connect: oddStays},
	{Name: "tool: parameters named as keywords", Cases: []string{"A4"}, Connect: oddStays,
		Server: entries(odd(`"inputSchema":{"type":"object","properties":{"type":{"type":"string"},"required":{"type":"string"},"properties":{"type":"string"},"$ref":{"type":"string"}},"required":["type"]}`))},
	{Name: "tool: definition of 1 MiB", Server: func(s *Server) {
		s.RawTools = []string{odd(`"inputSchema":{"type":"object","properties":{"a":{"type":"string","description":"` + kilobytes(1024) + `"}}}`)}
	},
		Connect: Connected{Tools: []string{"echo"}, Dropped: []string{"odd"}}},
	{Name: "tool: description of 100 KiB", Server: entries(odd(`"description":"` + kilobytes(100) + `",` + object)), Connect: oddStays},
	{Name: "tool: listed twice", Cases: []string{"B13"}, Server: entries(odd(object), odd(object)), Connect: oddStays},
	{Name: "tool: listed twice on two pages", Cases: []string{"B13"}, Connect: oddStays,
		Server: func(s *Server) { s.PageSize = len(s.Tools) + 1; s.RawTools = []string{odd(object), odd(object)} }},
	{Name: "tool: listed twice and not the same", Cases: []string{"B13"}, Connect: echoStays,
		Server: entries(odd(object), odd(`"inputSchema":{"type":"object","properties":{"a":{"type":"string"}}}`))},
	{Name: "tool: needs a task", Server: entries(odd(`"execution":{"taskSupport":"required"},` + object)),
		Connect: Connected{Tools: []string{"echo"}, Dropped: []string{"odd"}}},
}

var (
	echoStays = Connected{Tools: []string{"echo"}}
	oddStays  = Connected{Tools: []string{"echo", "odd"}}
)

func deepSchema(levels int) string {
	return strings.Repeat(`{"type":"object","properties":{"a":`, levels) + `{"type":"string"}` + strings.Repeat(`}}`, levels)
}
