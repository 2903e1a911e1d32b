package mcptest

import "strings"

const fineBlock = `{"type":"text","text":"fine"}`

// contentFaults are in the result of the call: its JSON-RPC is good. What can be shown must be.
var contentFaults = []Fault{
	{Name: "content: only structured", Cases: []string{"J1"}, Over: anyWay, At: Faulty, Do: Result(`{"content":[],"structuredContent":{"state":"fine"}}`), Call: fine},
	{Name: "content: structured without content", Cases: []string{"J1"}, At: Faulty, Do: Result(`{"structuredContent":{"state":"fine"}}`), Call: fine},
	{Name: "content: structured is null", Cases: []string{"J2"}, At: Faulty, Do: Result(`{"content":[` + fineBlock + `],"structuredContent":null}`), Call: fine},
	{Name: "content: structured is an array", At: Faulty, Do: Result(`{"content":[],"structuredContent":["fine"]}`), Call: fine},
	{Name: "content: structured is a text", At: Faulty, Do: Result(`{"content":[` + fineBlock + `],"structuredContent":"x"}`), Call: fine},
	{Name: "content: big integer", Cases: []string{"I4"}, Over: anyWay, At: Faulty, Do: Result(`{"content":[],"structuredContent":{"id":` + BigInteger + `}}`), Call: repaired(BigInteger)},
	{Name: "content: not as its schema says", Cases: []string{"A17"}, Call: fine, At: Faulty,
		Doc: "the schema wants an integer; the content counts all the same",
		Server: func(s *Server) {
			s.Tools[len(s.Tools)-1].OutputSchema = map[string]any{"type": "object", "properties": map[string]any{"a": map[string]any{"type": "integer"}}}
		},
		Do: Result(`{"content":[` + fineBlock + `],"structuredContent":{"a":"x"}}`)},
	{Name: "content: empty", Cases: []string{"J3"}, Over: anyWay, At: Faulty, Do: Result(`{"content":[]}`), Call: repaired("no output")},
	{Name: "content: null", Cases: []string{"J3"}, Over: anyWay, At: Faulty, Do: Result(`{"content":null}`), Call: repaired("no output")},
	{Name: "content: missing", Cases: []string{"J3"}, Over: anyWay, At: Faulty, Do: Result(`{}`), Call: repaired("no output")},
	{Name: "content: blank text", Cases: []string{"J3"}, At: Faulty, Do: Content(`{"type":"text","text":""}`), Call: repaired("no output")},
	{Name: "content: error with a blank text", Cases: []string{"J4"}, Over: anyWay, At: Faulty, Do: Result(`{"isError":true,"content":[{"type":"text","text":" "}]}`), Call: failed("")},
	{Name: "content: error without content", Cases: []string{"J4"}, At: Faulty, Do: Result(`{"isError":true}`), Call: failed("")},
	{Name: "content: error with a text", Cases: []string{"J4", "L4"}, Over: anyWay, At: Faulty, Do: Result(`{"isError":true,"content":[{"type":"text","text":"token has expired"}]}`), Call: failed("token has expired")},
	{Name: "content: error with an image", At: Faulty, Do: Result(`{"isError":true,"content":[{"type":"text","text":"see this"},{"type":"image","mimeType":"image/png","data":"` + PNG + `"}]}`), Call: failed("see this")},
	{Name: "content: isError is a text", Cases: []string{"M5"}, At: Faulty, Do: Result(`{"isError":"false","content":[` + fineBlock + `]}`), Call: either},
	{Name: "content: isError is null", Cases: []string{"M5"}, At: Faulty, Do: Result(`{"isError":null,"content":[` + fineBlock + `]}`), Call: fine},
	{Name: "content: is a text", At: Faulty, Over: anyWay, Do: Result(`{"content":"fine"}`), Call: either},
	{Name: "content: is an object", At: Faulty, Do: Result(`{"content":` + fineBlock + `}`), Call: either},
	{Name: "content: null block", Cases: []string{"J6"}, Over: anyWay, At: Faulty, Do: Content(fineBlock + `,null`), Call: fine},
	{Name: "content: block is a text", At: Faulty, Do: Content(`"plain",` + fineBlock), Call: fine},
	{Name: "content: unknown block", Cases: []string{"J6"}, Over: anyWay, At: Faulty, Do: Content(fineBlock + `,{"type":"hologram","data":[1,2]}`), Call: fine},
	{Name: "content: only an unknown block", Cases: []string{"J6"}, At: Faulty, Do: Content(`{"type":"hologram","data":[1,2]}`), Call: repaired("hologram")},
	{Name: "content: block without a type", At: Faulty, Do: Content(fineBlock + `,{"text":"more"}`), Call: fine},
	{Name: "content: type is a number", At: Faulty, Do: Content(fineBlock + `,{"type":1}`), Call: fine},
	{Name: "content: text is a number", Cases: []string{"M5"}, At: Faulty, Do: Content(fineBlock + `,{"type":"text","text":7}`), Call: fine},
	{Name: "content: text is missing", At: Faulty, Do: Content(fineBlock + `,{"type":"text"}`), Call: fine},
	{Name: "content: annotations is a text", Cases: []string{"M5"}, At: Faulty, Do: Content(`{"type":"text","text":"fine","annotations":"user"}`), Call: fine},
	{Name: "content: priority is a text", Cases: []string{"M5"}, At: Faulty, Do: Content(`{"type":"text","text":"fine","annotations":{"priority":"high"}}`), Call: fine},
	{Name: "content: audience is a text", Cases: []string{"M5"}, At: Faulty, Do: Content(`{"type":"text","text":"fine","annotations":{"audience":"assistant"}}`), Call: fine},
	{Name: "content: _meta is a text", Cases: []string{"M5"}, At: Faulty, Do: Result(`{"_meta":"x","content":[` + fineBlock + `]}`), Call: fine},
	{Name: "content: resource link", Cases: []string{"J6"}, At: Faulty, Do: Content(`{"type":"resource_link","uri":"file:///fine.txt","name":"fine"}`), Call: fine},
	{Name: "content: resource link without a name", Cases: []string{"J6"}, At: Faulty, Do: Content(`{"type":"resource_link","uri":"file:///fine.txt"}`), Call: fine},
	{Name: "content: audio", Cases: []string{"J6"}, At: Faulty, Do: Content(fineBlock + `,{"type":"audio","mimeType":"audio/wav","data":"UklGRg=="}`), Call: repaired("audio")},
	{Name: "content: embedded text", Cases: []string{"J7"}, At: Faulty, Do: Content(`{"type":"resource","resource":{"uri":"file:///a.txt","mimeType":"text/plain","text":"fine"}}`), Call: fine},
	{Name: "content: embedded blob", Cases: []string{"J7"}, At: Faulty, Do: Content(fineBlock + `,{"type":"resource","resource":{"uri":"file:///a.pdf","mimeType":"application/pdf","blob":"JVBERi0="}}`), Call: repaired("application/pdf")},
	{Name: "content: embedded nothing", Cases: []string{"J7"}, At: Faulty, Do: Content(fineBlock + `,{"type":"resource"}`), Call: fine},
	{Name: "content: embedded is null", At: Faulty, Do: Content(fineBlock + `,{"type":"resource","resource":null}`), Call: fine},
	{Name: "content: image as a data URI", At: Faulty, Do: Content(fineBlock + `,{"type":"image","mimeType":"image/png","data":"data:image/png;base64,` + PNG + `"}`), Call: fine},
	{Name: "content: image in lines", At: Faulty, Do: Content(fineBlock + `,{"type":"image","mimeType":"image/png","data":"` + PNG[:40] + `\r\n ` + PNG[40:] + `"}`), Call: fine},
	{Name: "content: image without padding", At: Faulty, Do: Content(fineBlock + `,{"type":"image","mimeType":"image/png","data":"` + strings.TrimRight(PNG, "=") + `"}`), Call: fine},
	{Name: "content: image in the URL alphabet", At: Faulty, Do: Content(fineBlock + `,{"type":"image","mimeType":"image/jpeg","data":"_9j_4AAQSkZJRgABAQ=="}`), Call: fine},
	{Name: "content: image is no base64", Over: anyWay, At: Faulty, Do: Content(fineBlock + `,{"type":"image","mimeType":"image/png","data":"***"}`), Call: fine},
	{Name: "content: image is null", At: Faulty, Do: Content(fineBlock + `,{"type":"image","mimeType":"image/png","data":null}`), Call: fine},
	{Name: "content: image is an array of bytes", At: Faulty, Do: Content(fineBlock + `,{"type":"image","mimeType":"image/png","data":[137,80]}`), Call: fine},
	{Name: "content: image without a type", At: Faulty, Do: Content(fineBlock + `,{"type":"image","data":"` + PNG + `"}`), Call: fine},
	{Name: "content: image of another type than it says", At: Faulty, Do: Content(fineBlock + `,{"type":"image","mimeType":"image/jpeg","data":"` + PNG + `"}`), Call: fine},
	{Name: "content: image is a page", At: Faulty, Do: Content(fineBlock + `,{"type":"image","mimeType":"image/png","data":"PGh0bWw+"}`), Call: fine},
	{Name: "content: image of 12 MiB", At: Faulty, Do: bigImage(12 << 10), Call: either,
		Doc: "too large as media; with a small limit, too large at all"},
	{Name: "content: NUL", Cases: []string{"J10"}, Over: anyWay, At: Faulty, Do: Content(`{"type":"text","text":"fi\u0000ne\u0000"}`), Call: fine},
	{Name: "content: half a character", Cases: []string{"J10"}, Over: anyWay, At: Faulty, Do: Content(`{"type":"text","text":"fine \ud800"}`), Call: fine},
	{Name: "content: 10,000 blocks", Cases: []string{"J12"}, At: Faulty, Do: Content(fineBlock + strings.Repeat(`,{"type":"text","text":"x"}`, 10_000)), Call: fine},
	{Name: "content: 2 MiB of text", Cases: []string{"J12", "G1"}, Over: anyWay, At: Faulty, Do: bigText(2 << 10), Call: fine},
	{Name: "content: result of the first protocol", Doc: "toolResult, of 2024-10-07", At: Faulty, Do: Result(`{"toolResult":"fine"}`), Call: either},
	{Name: "content: unknown resultType", At: Faulty, Do: Result(`{"resultType":"novel","content":[` + fineBlock + `]}`), Call: fine},
}

// bigText answers with so many KiB. It is made when it is sent, so that the table does not hold it.
func bigText(kib int) Behaviour {
	return OnStream(func(x *Exchange) { x.Message(response(x.ID, mustMarshal(Text("fine "+kilobytes(kib))), nil)) })
}

// bigImage answers with an image of so many KiB.
func bigImage(kib int) Behaviour {
	return OnStream(func(x *Exchange) {
		data := strings.Repeat("AAAA", kib<<10/3)
		x.Message(response(x.ID, []byte(`{"content":[`+fineBlock+`,{"type":"image","mimeType":"image/png","data":"`+data+`"}]}`), nil))
	})
}
