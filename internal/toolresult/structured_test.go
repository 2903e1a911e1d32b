package toolresult_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient/internal/toolresult"
)

func withStructured(structured string, blocks ...string) string {
	return `{"structuredContent":` + structured + `,"content":[` + strings.Join(blocks, ",") + `]}`
}

func TestStructuredAlone(t *testing.T) {
	for structured, want := range map[string]string{
		`{"a": 9007199254740993, "b": [1.0, -0, 1e400, 0.10]}`: `{"a":9007199254740993,"b":[1.0,-0,1e400,0.10]}`,
		`{"url":"https:\/\/a\/?b=1&c=<d>","u":"\u00e9\n"}`:     `{"url":"https://a/?b=1&c=<d>","u":"é\n"}`,
		`[ ]`:               `[]`,
		`{ }`:               `{}`,
		`"text"`:            `"text"`,
		`false`:             `false`,
		`12`:                `12`,
		` [ {} , [ ] , 1 ]`: `[{},[],1]`,
		`null`:              `(no output)`,
		`{"s":"\ud800"}`:    `{"s":"` + "\ufffd" + `"}`,
		`{"a":1,"a":2}`:     `{"a":1,"a":2}`,
	} {
		r := convert(t, withStructured(structured), toolresult.Options{})
		assert.Equal(t, want, r.Content)
		if want != "(no output)" {
			assert.Equal(t, want, string(metadata(t, r).StructuredContent))
		}
	}
}

func TestStructuredAndText(t *testing.T) {
	for _, tt := range []struct {
		name, structured, text string
		held                   bool
	}{
		{"equal", `{"a":1}`, `{"a":1}`, true},
		{"spaces", `{"a":[1,2]}`, "{\n  \"a\": [ 1, 2 ]\n}\n", true},
		{"order of members", `{"a":1,"b":{"c":2,"d":3}}`, `{"b":{"d":3,"c":2},"a":1}`, true},
		{"escapes", `{"a":"é/"}`, `{"\u0061":"\u00e9\/"}`, true},
		{"forms of a number", `[1,100,0.5,0,0,-10,1e400,120e-1]`, `[1.0,1E+2,5e-1,-0.0,0e99999999999999999999,-1e1,10e399,12]`, true},
		{"large integers", `{"id":9007199254740993}`, `{"id":9007199254740993}`, true},
		{"large integers that floats take for equal", `{"id":9007199254740993}`, `{"id":9007199254740992}`, false},
		{"fractions that floats take for equal", `[0.1]`, `[0.1000000000000000000001]`, false},
		{"exponents beyond 64 bits", `[1e99999999999999999999]`, `[1e99999999999999999999]`, true},
		{"string value", `"a"`, `"a"`, true},
		{"bare string is no JSON string", `"a"`, `a`, false},
		{"bool", `true`, `true`, true},
		{"number and string", `[1]`, `["1"]`, false},
		{"null and absent", `{"a":null}`, `{}`, false},
		{"order of elements", `[1,2]`, `[2,1]`, false},
		{"nesting", `[[1],2]`, `[[1,2]]`, false},
		{"empty object and array", `[{}]`, `[[]]`, false},
		{"members exchanged", `{"a":"b"}`, `{"b":"a"}`, false},
		{"values exchanged", `{"a":1,"b":2}`, `{"a":2,"b":1}`, false},
		{"prefix", `{"a":1}`, `{"a":1} and more`, false},
		{"two values", `{"a":1}`, `{"a":1}{"a":1}`, false},
		{"not JSON", `{"a":1}`, `{a:1}`, false},
		{"within prose", `{"a":1}`, `The answer is {"a":1}`, false},
		{"other text", `{"a":1}`, `done`, false},
		{"wrapped string", `{"result":"line\none"}`, "line\none", true},
		{"wrapped number", `{"result":42}`, `42.0`, true},
		{"wrapped list", `{"result":[1,2]}`, `[1, 2]`, true},
		{"wrapped, other value", `{"result":"a"}`, `b`, false},
		{"wrapped with more", `{"result":"a","n":1}`, `a`, false},
		{"wrapped under another name", `{"output":"a"}`, `a`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, blocks := range [][]string{
				{text(tt.text)},
				{text("first"), text(tt.text), text("last")},
				{`{"type":"resource","resource":{"uri":"a:b","text":` + quote(tt.text) + `}}`},
			} {
				r := convert(t, withStructured(tt.structured, blocks...), toolresult.Options{})
				without := convert(t, withStructured("null", blocks...), toolresult.Options{})
				if tt.held {
					assert.Equal(t, without.Content, r.Content)
				} else {
					assert.Equal(t, without.Content+"\n"+tt.structured, r.Content)
				}
				assert.Equal(t, tt.structured, string(metadata(t, r).StructuredContent))

				e := convert(t, failed(withStructured(tt.structured, blocks...)), toolresult.Options{})
				assert.True(t, e.IsError)
				assert.Equal(t, r.Content, e.Content)
			}
		})
	}
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

func TestStructuredOfAnHiddenBlockIsShown(t *testing.T) {
	r := convert(t, withStructured(`{"a":1}`, `{"type":"text","text":"{\"a\":1}","annotations":{"audience":["user"]}}`), toolresult.Options{})
	assert.Equal(t, `{"a":1}`, r.Content)
}

func TestManyTextsBesideStructuredCostNoMore(t *testing.T) {
	var texts []string
	for range 20_000 {
		texts = append(texts, `"[[1]]"`)
	}
	allocs := func(structured string) float64 {
		raw := []byte(withStructured(structured, texts...))
		return testing.AllocsPerRun(1, func() { toolresult.Convert(raw, toolresult.Options{}) })
	}
	alone := allocs(`null`)
	for _, structured := range []string{`[[[1]]]`, `[[1],2]`, `{"result":[[1],2]}`} {
		assert.Less(t, allocs(structured), alone+100, structured)
	}
}

func TestStructuredIsComparedWithSoManyTexts(t *testing.T) {
	texts := make([]string, 12_000)
	for i := range texts {
		texts[i] = `"[2]"`
	}
	for at, held := range map[int]bool{0: true, 9_999: true, 11_999: false} {
		texts[at] = `"[1]"`
		r := convert(t, withStructured(`[1.0]`, texts...), toolresult.Options{})
		assert.Equal(t, !held, strings.HasSuffix(r.Content, "\n[1.0]"), at)
		texts[at] = `"[2]"`
	}
}

func TestStructuredIsDeep(t *testing.T) {
	deep := strings.Repeat(`{"a":[`, 4000) + strings.Repeat(`]}`, 4000)
	r := convert(t, withStructured(deep, text(deep)), toolresult.Options{})
	assert.Equal(t, deep, r.Content)
	tooDeep := strings.Repeat(`[`, 20000) + strings.Repeat(`]`, 20000)
	r = convert(t, withStructured(tooDeep, text("kept")), toolresult.Options{})
	assert.Equal(t, "The server's answer is not valid JSON.", r.Content)
	r = convert(t, withStructured(`1`, text("kept"), tooDeep), toolresult.Options{})
	assert.Equal(t, "kept\n[the rest of the server's answer is not valid JSON]\n1", r.Content)
}

func TestStructuredTooLargeForMetadata(t *testing.T) {
	large := `{"a":"` + strings.Repeat("x", 20<<10) + `"}`
	r := convert(t, withStructured(large, text(large)), toolresult.Options{Server: "s", Tool: "t"})
	assert.Equal(t, large, r.Content)
	assert.Equal(t, `{"server":"s","tool":"t"}`, r.Metadata)
}

func TestMetadataLeavesOutTheLeastImportant(t *testing.T) {
	raw := `{"_meta":{"m":"` + strings.Repeat("m", 4000) + `"},"structuredContent":{"a":"` + strings.Repeat("x", 11<<10) + `"},"content":[` +
		`{"type":"text","text":"` + strings.Repeat("u", 9000) + `","annotations":{"audience":["user"]}}]}`
	m := metadata(t, convert(t, raw, toolresult.Options{Server: "srv", Tool: "tool.name"}))
	assert.Equal(t, "srv", m.Server)
	assert.Equal(t, "tool.name", m.Tool)
	assert.Len(t, m.StructuredContent, 11<<10+8)
	assert.Len(t, m.Meta, 4008)
	assert.Empty(t, m.UserText)
	assert.Equal(t, []toolresult.Omitted{{Kind: "text", Bytes: 9000, Reason: "for the user only"}}, m.Omitted)
}

func TestMetaIsForTheHost(t *testing.T) {
	r := convert(t, `{"_meta":{"ui/view": 12345678901234567890},"content":[{"type":"text","text":"a","_meta":{"x":1}}]}`, toolresult.Options{})
	assert.Equal(t, "a", r.Content)
	require.Equal(t, `{"ui/view":12345678901234567890}`, string(metadata(t, r).Meta))
	r = convert(t, `{"_meta":{},"content":[]}`, toolresult.Options{})
	assert.Nil(t, metadata(t, r).Meta)
}
