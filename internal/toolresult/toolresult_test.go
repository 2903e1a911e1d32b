package toolresult_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"charm.land/fantasy"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient/internal/toolresult"
)

const (
	png  = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x02\x00\x00\x00\x03"
	jpeg = "\xff\xd8\xff\xe0\x00\x07JFIF\x00\xff\xc0\x00\x07\x08\x00\x03\x00\x02"
	gif  = "GIF89a\x02\x00\x03\x00"
	webp = "RIFF\x16\x00\x00\x00WEBPVP8 \x0a\x00\x00\x00\x00\x00\x00\x9d\x01\x2a\x02\x00\x03\x00"
	svg  = `<svg xmlns="http://www.w3.org/2000/svg"/>`
)

func b64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

func content(blocks ...string) string {
	return `{"content":[` + strings.Join(blocks, ",") + `]}`
}

func failed(result string) string {
	return strings.TrimSuffix(result, "}") + `,"isError":true}`
}

func image(mime, data string) string {
	return fmt.Sprintf(`{"type":"image","mimeType":%q,"data":%q}`, mime, b64(data))
}

func text(s string) string {
	b, _ := json.Marshal(map[string]string{"type": "text", "text": s})
	return string(b)
}

// convert checks what holds for every response.
func convert(t testing.TB, raw string, o toolresult.Options) fantasy.ToolResponse {
	t.Helper()
	in := strings.Clone(raw)
	r := toolresult.Convert([]byte(in), o)
	check(t, r, o)
	return r
}

func check(t testing.TB, r fantasy.ToolResponse, o toolresult.Options) {
	t.Helper()
	require.NotEmpty(t, strings.TrimSpace(r.Content))
	require.True(t, utf8.ValidString(r.Content), "%q", r.Content)
	require.NotContains(t, r.Content, "\x00")
	if o.TextBytes > 0 {
		require.LessOrEqual(t, int64(len(r.Content)), o.TextBytes)
	}
	require.LessOrEqual(t, len(r.Metadata), 16<<10)
	d := json.NewDecoder(strings.NewReader(r.Metadata))
	d.UseNumber()
	var metadata map[string]any
	require.NoError(t, d.Decode(&metadata), r.Metadata)
	require.NotContains(t, fmt.Sprint(metadata), "\x00")
	require.Equal(t, strings.ToValidUTF8(r.Metadata, ""), r.Metadata)
	require.False(t, r.StopTurn)
	if r.IsError || r.Type == "text" {
		require.Equal(t, "text", r.Type)
		require.Empty(t, r.Data)
		require.Empty(t, r.MediaType)
		return
	}
	require.Equal(t, "image", r.Type)
	require.NotEmpty(t, r.Data)
	require.Contains(t, []string{"image/png", "image/jpeg", "image/gif", "image/webp"}, r.MediaType)
	if o.MediaBytes > 0 {
		require.LessOrEqual(t, int64(len(r.Data)), o.MediaBytes)
	}
}

func metadata(t *testing.T, r fantasy.ToolResponse) toolresult.Metadata {
	t.Helper()
	var m toolresult.Metadata
	require.NoError(t, json.Unmarshal([]byte(r.Metadata), &m))
	return m
}

func TestResultShapes(t *testing.T) {
	for _, tt := range []struct {
		name, raw, want string
		isError         bool
	}{
		{"missing", ``, "(no output)", false},
		{"null", `null`, "(no output)", false},
		{"empty object", `{}`, "(no output)", false},
		{"only known members", `{"_meta":{"a":1},"isError":false,"resultType":"complete","requestState":"x"}`, "(no output)", false},
		{"null content", `{"content":null}`, "(no output)", false},
		{"empty content", `{"content":[]}`, "(no output)", false},
		{"null content beside data", `{"content":null,"answer":42}`, `{"content":null,"answer":42}`, false},
		{"empty content beside an error", `{"content":[],"error":{"message":"boom"}}`, `{"content":[],"error":{"message":"boom"}}`, false},
		{"empty content beside data", `{"content":[],"data":{"id":9007199254740993}}`, `{"content":[],"data":{"id":9007199254740993}}`, false},
		{"blank content beside data", `{"content":[{"type":"text","text":""}],"data":1}`, `{"content":[{"type":"text","text":""}],"data":1}`, false},
		{"empty content beside data, failed", `{"content":[],"error":"boom","isError":true}`, `{"content":[],"error":"boom","isError":true}`, true},
		{"content for the user beside data", `{"content":[{"type":"text","text":"a","annotations":{"audience":["user"]}}],"data":1}`, "(the output was for the user only)", false},
		{"structured content beside data", `{"content":[],"structuredContent":{"a":1},"data":1}`, `{"a":1}`, false},
		{"whitespace", content(text(" \n\t")), "(no output)", false},
		{"string", `"hi"`, "hi", false},
		{"number", `9007199254740993`, "9007199254740993", false},
		{"array of data", `[1, {"type":"user"}]`, `[1,{"type":"user"}]`, false},
		{"array of blocks", `[{"type":"text","text":"a"},{"type":"text","text":"b"}]`, "a\nb", false},
		{"object without envelope", `{"id": 9007199254740993, "n": 1.0}`, `{"id":9007199254740993,"n":1.0}`, false},
		{"content is a string", `{"content":"hi"}`, "hi", false},
		{"content is a block", `{"content":{"type":"text","text":"hi"}}`, "hi", false},
		{"content is a number", `{"content":12}`, "12", false},
		{"content is false", `{"content":false}`, "false", false},
		{"legacy", `{"toolResult":{"a": 12345678901234567890}}`, `{"a":12345678901234567890}`, false},
		{"legacy result", `{"toolResult":{"content":[{"type":"text","text":"fine"}]}}`, "fine", false},
		{"legacy error", `{"toolResult":{"content":[{"type":"text","text":"Error: no"}],"isError":true}}`, "Error: no", true},
		{"legacy error, bridged", `{"content":[ ],"toolResult":{"content":[{"type":"text","text":"Error: no"}],"isError":true}}`, "Error: no", true},
		{"legacy beside content", `{"content":[{"type":"text","text":"new"}],"toolResult":"old"}`, "new", false},
		{"legacy structured error", `{"toolResult":{"structuredContent":{"a":1},"isError":true}}`, `{"a":1}`, true},
		{"result within a result", `{"result":{"content":[{"type":"text","text":"no"}],"isError":true}}`, "no", true},
		{"whole answer as a result", `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"fine"}],"structuredContent":{"a":1}}}`, "fine\n{\"a\":1}", false},
		{"empty result within a result", `{"content":[],"result":{"content":[]}}`, "(no output)", false},
		{"result beside content", `{"content":[{"type":"text","text":"new"}],"result":{"content":[{"type":"text","text":"old"}]}}`, "new", false},
		{"result that is none", `{"result":{"content":"a page","title":"b"}}`, `{"result":{"content":"a page","title":"b"}}`, false},
		{"result with content of its own", `{"result":{"content":[{"id":1}],"total":1}}`, `{"result":{"content":[{"id":1}],"total":1}}`, false},
		{"empty result of its own", `{"result":{"content":[],"total":0}}`, `{"result":{"content":[],"total":0}}`, false},
		{"result is a number", `{"result":42}`, `{"result":42}`, false},
		{"legacy text", `{"toolResult":"done","_meta":{}}`, "done", false},
		{"unknown result type", `{"resultType":"later","content":[{"type":"text","text":"a"}]}`, "a", false},
		{"cut JSON keeps what there is", `{"content":[{"type":"text","text":"a"},{"type":"te`, "a\n[the rest of the server's answer is not valid JSON]", false},
		{"cut after content", `{"content":[{"type":"text","text":"a"}],"isEr`, "a\n[the rest of the server's answer is not valid JSON]", false},
		{"garbage that begins like null", `nope`, "The server's answer is not valid JSON.", true},
		{"garbage", `<html>`, "The server's answer is not valid JSON.", true},
		{"garbage content", `{"content":[}`, "The server's answer is not valid JSON.", true},
		{"duplicate member", `{"content":[],"content":[{"type":"text","text":"b"}]}`, "b", false},
		{"escaped member", `{"con\u0074ent":[{"t\u0079pe":"text","text":"b"}]}`, "b", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := convert(t, tt.raw, toolresult.Options{})
			assert.Equal(t, tt.want, r.Content)
			assert.Equal(t, tt.isError, r.IsError)
		})
	}
}

func TestBlocks(t *testing.T) {
	for _, tt := range []struct{ name, block, want string }{
		{"text", text("hello"), "hello"},
		{"text with annotations and meta", `{"type":"text","text":"a","annotations":{"priority":1},"_meta":{"x":1}}`, "a"},
		{"text is a number", `{"type":"text","text":12345678901234567890}`, "12345678901234567890"},
		{"text is a bool", `{"type":"text","text":true}`, "true"},
		{"text is an object", `{"type":"text","text":{"a": [1, 2]}}`, `{"a":[1,2]}`},
		{"text is null", `{"type":"text","text":null}`, ""},
		{"text under another name", `{"type":"text","value":"a"}`, `[content of type "text": {"type":"text","value":"a"}]`},
		{"type in capitals", `{"type":"TEXT","text":"a"}`, "a"},
		{"no type, text", `{"text":"a"}`, "a"},
		{"type of a wrong type", `{"type":1,"text":"a"}`, "a"},
		{"no type, resource", `{"resource":{"uri":"a:b","text":"t"}}`, "[resource: a:b]\nt"},
		{"no type, audio", `{"data":"AAAA","mimeType":"audio/wav"}`, "[audio: audio/wav, 3 bytes; not shown]"},
		{"null", `null`, ""},
		{"empty object", `{}`, ""},
		{"string", `"a"`, "a"},
		{"number", `1.50`, "1.50"},
		{"array", `[ 1, 2 ]`, "[1,2]"},
		{"audio", `{"type":"audio","mimeType":"audio/mpeg","data":"AAAAAA=="}`, "[audio: audio/mpeg, 4 bytes; not shown]"},
		{"audio without data", `{"type":"audio","mimeType":"audio/mpeg"}`, "[audio: audio/mpeg; no data]"},
		{"audio with wrong base64", `{"type":"audio","mimeType":"audio/mpeg","data":"%%"}`, "[audio: audio/mpeg; not valid base64]"},
		{"video", `{"type":"video","mimeType":"video/mp4","data":"AAAA"}`, "[video: video/mp4, 3 bytes; not shown]"},
		{"svg", image("image/svg+xml", svg), "[image: image/svg+xml, 41 bytes; not png, jpeg, gif or webp]"},
		{"image that is none", image("image/png", "hello"), "[image: image/png, 5 bytes; not png, jpeg, gif or webp]"},
		{"image without type", `{"type":"image","data":"AAAA"}`, "[image: unknown type, 3 bytes; not png, jpeg, gif or webp]"},
		{"image with empty data", `{"type":"image","mimeType":"image/png","data":""}`, "[image: image/png; no data]"},
		{"image with null data", `{"type":"image","mimeType":"image/png","data":null}`, "[image: image/png; no data]"},
		{"image with data of a wrong type", `{"type":"image","mimeType":"image/png","data":[1]}`, "[image: image/png; no data]"},
		{"image with wrong base64", `{"type":"image","mimeType":"image/png","data":"not base64!"}`, "[image: image/png; not valid base64]"},
		{"image with a data URI of text", `{"type":"image","data":"data:image/svg+xml;utf8,<svg/>"}`, "[image: image/svg+xml; not valid base64]"},
		{"image with text beside it", `{"type":"image","mimeType":"image/png","data":null,"text":"a cat"}`, "[image: image/png; no data]\na cat"},
		{"audio with text beside it", `{"type":"audio","mimeType":"audio/wav","data":"AAAA","text":"hello"}`, "[audio: audio/wav, 3 bytes; not shown]\nhello"},
		{"video with text beside it", `{"type":"video","mimeType":"video/mp4","data":"AAAA","text":"a dog"}`, "[video: video/mp4, 3 bytes; not shown]\na dog"},
		{"image by url", `{"type":"image","mimeType":"image/png","url":"https://a/b.png"}`, "[image: https://a/b.png, image/png; only its URL was given]"},
		{"image by uri", `{"type":"image","data":"","uri":"file:///b.png"}`, "[image: file:///b.png, unknown type; only its URL was given]"},
		{"image by a URL as data", `{"type":"image","data":"https://a/b.png","mimeType":"image/png"}`, "[image: https://a/b.png, image/png; only its URL was given]"},
		{"image by source", `{"type":"image","source":{"type":"url","url":"https://a/b.png"}}`, "[image: https://a/b.png, unknown type; only its URL was given]"},
		{"image by a text as source", `{"type":"image","source":"b.png"}`, "[image: b.png, unknown type; only its URL was given]"},
		{"image in a source of another type", `{"type":"image","source":"` + strings.Repeat("AAAA", 1000) + `"}`, "[image: unknown type, 3000 bytes; not png, jpeg, gif or webp]"},
		{"image_url", `{"type":"image_url","image_url":{"url":"https://a/b.png"}}`, "[image: https://a/b.png, unknown type; only its URL was given]"},
		{"image by a broken data URI", `{"type":"image","mimeType":"image/png","url":"data:image/png;base64,?"}`, "[image: image/png; not valid base64]"},
		{"image by a long URL", `{"type":"image","url":"a:` + strings.Repeat("x", 3000) + `"}`, "[image: a:" + strings.Repeat("x", 2043) + "…, unknown type; only its URL was given]"},
		{"image with a source of a wrong type", `{"type":"image","source":7,"url":[],"uri":{}}`, "[image: unknown type; no data]"},
		{"audio by url", `{"type":"audio","url":"https://a/b.wav"}`, "[audio: https://a/b.wav, unknown type; only its URL was given]"},
		{"audio in a source", `{"type":"audio","source":{"media_type":"audio/wav","data":"AAAA"}}`, "[audio: audio/wav, 3 bytes; not shown]"},
		{"audio in a blob", `{"type":"audio","mimeType":"audio/wav","blob":"AAAA"}`, "[audio: audio/wav, 3 bytes; not shown]"},
		{"text block with data alone", `{"type":"text","data":"a"}`, `[content of type "text": {"type":"text","data":"a"}]`},
		{"no type, blob", `{"blob":"AAAA","mimeType":"application/pdf"}`, "[resource: application/pdf, 3 bytes; not shown]"},
		{"link in a resource", `{"type":"resource_link","title":"T","resource":{"uri":"a:b","name":"n"}}`, "[resource link: n (T), a:b]"},
		{"link as a resource", `{"type":"resource_link","resource":"a:b"}`, "[resource link: a:b]"},
		{"link by url", `{"type":"resource_link","url":"https://a"}`, "[resource link: https://a]"},
		{"link with text beside it", `{"type":"resource_link","uri":"a:b","text":"t"}`, "[resource link: a:b]\nt"},
		{"link with text in its resource", `{"type":"resource_link","resource":{"uri":"a:b","text":"t"}}`, "[resource link: a:b]\nt"},
		{"embedded contents", `{"type":"resource","resource":{"contents":[{"uri":"a:b","text":"t"},{"uri":"a:c","blob":"AAAA"}]}}`, "[resource: a:b]\nt\n[resource: a:c, unknown type, 3 bytes; not shown]"},
		{"embedded contents at one URI", `{"type":"resource","resource":{"uri":"a:b","contents":[{"text":"t"},"a:c",7]}}`, "[resource: a:b]\nt\n[resource: a:c; no data]\n[resource: a:b; no data]"},
		{"embedded contents, none", `{"type":"resource","resource":{"uri":"a:b","contents":[]}}`, "[resource: a:b; no data]"},
		{"embedded contents and text", `{"type":"resource","resource":{"uri":"a:b","text":"t","contents":[{"text":"u"}]}}`, "[resource: a:b]\nt"},
		{"embedded array", `{"type":"resource","resource":[{"uri":"a:b","text":"t"},{"uri":"a:c","text":"u"}]}`, "[resource: a:b]\nt\n[resource: a:c]\nu"},
		{"contents not nested", `{"type":"resource","contents":[{"uri":"a:b","text":"t"}]}`, "[resource: a:b]\nt"},
		{"embedded text and text beside it", `{"type":"resource","text":"outer","resource":{"uri":"a:b","text":"inner"}}`, "[resource: a:b]\ninner\nouter"},
		{"link", `{"type":"resource_link","uri":"file:///a.txt","name":"a.txt","title":"A","description":"first\nfile","mimeType":"text/plain","size":12}`,
			"[resource link: a.txt (A), file:///a.txt, text/plain, 12 bytes: first file]"},
		{"link with URI alone", `{"type":"resource_link","uri":"file:///a.txt"}`, "[resource link: file:///a.txt]"},
		{"link with wrong types", `{"type":"resource_link","uri":"a:b","name":7,"size":"big","description":[],"icons":5}`, "[resource link: a:b]"},
		{"embedded text", `{"type":"resource","resource":{"uri":"a:b","mimeType":"text/plain","text":"x\ny"}}`, "[resource: a:b, text/plain]\nx\ny"},
		{"embedded text of a wrong type", `{"type":"resource","resource":{"uri":"a:b","text":{"k":1}}}`, "[resource: a:b]\n{\"k\":1}"},
		{"embedded blob", `{"type":"resource","resource":{"uri":"a:b.pdf","mimeType":"application/pdf","blob":"JVBERi0="}}`, "[resource: a:b.pdf, application/pdf, 5 bytes; not shown]"},
		{"embedded blob with wrong base64", `{"type":"resource","resource":{"uri":"a:b","blob":"A"}}`, "[resource: a:b, unknown type; not valid base64]"},
		{"embedded nothing", `{"type":"resource","resource":{"uri":"a:b"}}`, "[resource: a:b; no data]"},
		{"embedded text and blob", `{"type":"resource","resource":{"uri":"a:b","text":"t","blob":"AAAA"}}`, "[resource: a:b]\nt\n[resource: a:b, unknown type, 3 bytes; not shown]"},
		{"embedded text and empty blob", `{"type":"resource","resource":{"uri":"a:b","text":"t","blob":""}}`, "[resource: a:b]\nt"},
		{"embedded empty file", `{"type":"resource","resource":{"uri":"a:b","text":""}}`, "[resource: a:b; no data]"},
		{"embedded null", `{"type":"resource","resource":null}`, "[resource; no data]"},
		{"resource not nested", `{"type":"resource","uri":"a:b","text":"t"}`, "[resource: a:b]\nt"},
		{"resource is a string", `{"type":"resource","resource":"a:b"}`, "[resource: a:b; no data]"},
		{"unknown", `{"type":"chart", "points": [1, 9007199254740993]}`, `[content of type "chart": {"type":"chart","points":[1,9007199254740993]}]`},
		{"unknown with text", `{"type":"markdown","text":"# a"}`, "[content of type \"markdown\"]\n# a"},
		{"unknown and large", `{"type":"chart","points":"` + strings.Repeat("x", 9000) + `"}`, `[content of type "chart", 9028 bytes; not shown]`},
		{"data without type", `{"data":"AAAA","mimeType":"application/pdf"}`, "[data: application/pdf, 3 bytes; not shown]"},
		{"unknown without type", `{"points":1}`, `[content of unknown type: {"points":1}]`},
	} {
		want := func(s, empty string) string {
			if s == "" {
				return empty
			}
			return s
		}
		t.Run(tt.name, func(t *testing.T) {
			r := convert(t, content(tt.block), toolresult.Options{})
			assert.Equal(t, want(tt.want, "(no output)"), r.Content, "alone")
			assert.False(t, r.IsError)

			r = convert(t, content(text("before"), tt.block, text("after"), image("image/png", png)), toolresult.Options{})
			assert.Equal(t, strings.ReplaceAll("before\n"+tt.want+"\nafter", "\n\n", "\n"), r.Content, "mixed")
			assert.Equal(t, "image", r.Type, "mixed")

			r = convert(t, failed(content(tt.block)), toolresult.Options{})
			assert.True(t, r.IsError)
			plain := strings.ReplaceAll(tt.want, "; not png, jpeg, gif or webp", "")
			assert.Contains(t, r.Content, strings.TrimSuffix(want(plain, "The tool failed and gave no reason."), "]"), "error")
		})
	}
}

func TestIsError(t *testing.T) {
	for value, want := range map[string]bool{
		`true`: true, `"true"`: true, `" TRUE "`: true, `1`: true, `"1"`: true, `1.0`: true, `-1`: true,
		`false`: false, `"false"`: false, `0`: false, `0.0e3`: false, `null`: false, `""`: false, `{}`: false, `[]`: false, `"no"`: false,
	} {
		r := convert(t, `{"isError":`+value+`,"content":[]}`, toolresult.Options{})
		assert.Equal(t, want, r.IsError, value)
		r = convert(t, `{"content":[{"type":"text","text":"x"}],"isError":`+value+`}`, toolresult.Options{})
		assert.Equal(t, want, r.IsError, value)
		assert.Equal(t, "x", r.Content)
	}
}

func TestErrorText(t *testing.T) {
	for _, tt := range []struct{ name, raw, want string }{
		{"nothing", `{}`, "The tool failed and gave no reason."},
		{"blank", content(text("  "), text("")), "The tool failed and gave no reason."},
		{"text", content(text("bad"), text("worse")), "bad\nworse"},
		{"structured", `{"structuredContent":{"code":12345678901234567890}}`, `{"code":12345678901234567890}`},
		{"text and structured", `{"content":[{"type":"text","text":"bad"}],"structuredContent":{"code":1}}`, "bad\n{\"code\":1}"},
		{"image", content(image("image/png", png)), "[image: image/png, 24 bytes; not shown]"},
		{"for the user", content(`{"type":"text","text":"x","annotations":{"audience":["user"]}}`), "The tool failed; what it said was for the user only."},
		{"legacy", `{"toolResult":"bad"}`, "bad"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			raw := strings.Replace(failed(tt.raw), "{,", "{", 1)
			r := convert(t, raw, toolresult.Options{})
			assert.True(t, r.IsError)
			assert.Equal(t, tt.want, r.Content)
		})
	}
}

func TestInputRequired(t *testing.T) {
	const said = "The server asked for more input, which this client does not give; the call did not finish."
	for _, tt := range []struct{ name, raw, want string }{
		{"requests", `{"resultType":"input_required","requestState":"s","inputRequests":{"a":{"method":"elicitation/create","params":{"message":"Which\nday?"}},"b":{"method":"roots/list"}}}`,
			said + "\n- elicitation/create: Which day?\n- roots/list"},
		{"none", `{"resultType":"input_required"}`, said},
		{"wrong types", `{"resultType":"input_required","inputRequests":{"a":1,"b":{"method":2,"params":[]}}}`, said},
		{"with content", `{"resultType":"input_required","isError":false,"content":[{"type":"text","text":"half"}]}`, said + "\nhalf"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := convert(t, tt.raw, toolresult.Options{})
			assert.True(t, r.IsError)
			assert.Equal(t, tt.want, r.Content)
		})
	}
}

func TestAudience(t *testing.T) {
	block := func(annotations string) string {
		return content(`{"type":"text","text":"secret plan","annotations":` + annotations + `}`)
	}
	for _, annotations := range []string{`{"audience":["user"]}`, `{"audience":["user","user"]}`, `{"priority":1,"audience":["user"]}`} {
		r := convert(t, block(annotations), toolresult.Options{})
		assert.Equal(t, "(the output was for the user only)", r.Content, annotations)
		assert.False(t, r.IsError)
		m := metadata(t, r)
		assert.Equal(t, "secret plan", m.UserText)
		assert.Equal(t, []toolresult.Omitted{{Kind: "text", Bytes: 11, Reason: "for the user only"}}, m.Omitted)
	}
	for _, annotations := range []string{
		`{"audience":["user","assistant"]}`, `{"audience":["assistant"]}`, `{"audience":[]}`, `{"audience":"user"}`,
		`{"audience":[1]}`, `{"audience":null}`, `{}`, `[]`, `null`, `"user"`, `7`, `{"audience":{"user":true}}`,
	} {
		assert.Equal(t, "secret plan", convert(t, block(annotations), toolresult.Options{}).Content, annotations)
	}

	picture := `{"type":"image","mimeType":"image/png","data":"` + b64(png) + `","annotations":{"audience":["user"]}}`
	r := convert(t, content(picture, text("done")), toolresult.Options{})
	assert.Equal(t, "text", r.Type)
	assert.Equal(t, "done", r.Content)
	assert.Equal(t, []toolresult.Omitted{{Kind: "image", MIME: "image/png", Bytes: 24, Reason: "for the user only"}}, metadata(t, r).Omitted)
}

func TestAudienceWithinAResource(t *testing.T) {
	const user, both = `"annotations":{"audience":["user"]}`, `"annotations":{"audience":["user","assistant"]}`
	for _, tt := range []struct{ name, block, want, userText string }{
		{"resource", `{"type":"resource","resource":{"uri":"a:b","text":"secret plan",` + user + `}}`, "", "secret plan"},
		{"beside that of the block", `{"type":"resource",` + both + `,"resource":{"uri":"a:b","text":"secret plan",` + user + `}}`, "", "secret plan"},
		{"of the block", `{"type":"resource",` + user + `,"resource":{"uri":"a:b","text":"secret plan"}}`, "", "secret plan"},
		{"with text beside it", `{"type":"resource","text":"look","resource":{"uri":"a:b","text":"secret plan",` + user + `}}`, "", "look\nsecret plan"},
		{"bytes", `{"type":"resource","resource":{"uri":"a:b","blob":"` + b64(png) + `",` + user + `}}`, "", ""},
		{"link", `{"type":"resource_link","resource":{"uri":"a:b",` + user + `}}`, "", ""},
		{"one of several", `{"type":"resource","resource":[{"uri":"a:b","text":"secret plan",` + user + `},{"uri":"a:c","text":"t"}]}`, "[resource: a:c]\nt", "secret plan"},
		{"for both", `{"type":"resource","resource":{"uri":"a:b","text":"t",` + both + `}}`, "[resource: a:b]\nt", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := tt.want
			if want == "" {
				want = "(the output was for the user only)"
			}
			r := convert(t, content(tt.block), toolresult.Options{})
			assert.Equal(t, want, r.Content)
			assert.Equal(t, "text", r.Type)
			assert.Equal(t, tt.userText, metadata(t, r).UserText)
		})
	}
}

func TestTextForTheUserIsBounded(t *testing.T) {
	block := `{"type":"text","text":"` + strings.Repeat("x", 1500) + `","annotations":{"audience":["user"]}}`
	r := convert(t, content(block, block, block, block), toolresult.Options{})
	x := strings.Repeat("x", 1500)
	assert.Equal(t, x+"\n"+x, metadata(t, r).UserText)
	assert.Equal(t, 4, metadata(t, r).OmittedCount)
}

func TestManyBlocks(t *testing.T) {
	blocks := make([]string, 3000)
	for i := range blocks {
		blocks[i] = `{"type":"audio"}`
	}
	r := convert(t, content(append(blocks, text("end"))...), toolresult.Options{})
	assert.Equal(t, 1000, strings.Count(r.Content, "[audio: unknown type; no data]"))
	assert.True(t, strings.HasSuffix(r.Content, "\nend\n[2000 more blocks not shown]"))
	m := metadata(t, r)
	assert.Len(t, m.Omitted, 20)
	assert.Equal(t, 3000, m.OmittedCount)

	for i := range blocks {
		blocks[i] = `{"x":1}`
	}
	r = convert(t, content(blocks...), toolresult.Options{})
	assert.Equal(t, 1000, strings.Count(r.Content, `[content of unknown type: {"x":1}]`))
	assert.True(t, strings.HasSuffix(r.Content, "\n[2000 more blocks not shown]"))
	assert.Equal(t, 2000, metadata(t, r).OmittedCount)
}
