package toolresult_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpclient-go/mcpclient/internal/toolresult"
)

func TestStructuredListAndItsBlocks(t *testing.T) {
	picture, sound := png+strings.Repeat("p", 100), "RIFF"+strings.Repeat("s", 100)
	pictureBlock := image("image/png", picture)
	soundBlock := `{"type":"audio","mimeType":"audio/wav","data":"` + b64(sound) + `"}`
	withNulls := func(block string) string { return strings.TrimSuffix(block, "}") + `,"annotations":null,"_meta":null}` }
	link := `{"type":"resource_link","uri":"a:b","name":"n"}`
	file := `{"type":"resource","resource":{"uri":"a:b","text":"t"}}`
	for _, tt := range []struct {
		name, list string
		blocks     []string
		held       bool
	}{
		{"strings", `["a","b\n"]`, []string{text("a"), text("b\n")}, true},
		{"strings in other escapes", `["é/"]`, []string{`{"type":"text","text":"\u00e9\/"}`}, true},
		{"objects", `[{"a":1,"b":2},{"a":[]}]`, []string{text("{\n  \"b\": 2,\n  \"a\": 1.0\n}"), text(`{"a":[]}`)}, true},
		{"numbers and the like", `[9007199254740993,true,null,1.50]`, []string{text("9007199254740993"), text("true"), text("null"), text("1.5")}, true},
		{"numbers that floats take for equal", `[9007199254740993]`, []string{text("9007199254740992")}, false},
		{"lists", `[[1,2],[3]]`, []string{text("[1, 2]"), text("[3]")}, true},
		{"lists that were taken apart", `[[1,2],[3]]`, []string{text("1"), text("2"), text("3")}, false},
		{"blocks that are no objects", `["a",2]`, []string{`"a"`, `2`}, true},
		{"an image and an object", `[` + withNulls(pictureBlock) + `,{"note":"metadata"}]`, []string{pictureBlock, text(`{"note":"metadata"}`)}, true},
		{"an image's data", `["` + b64(picture) + `"]`, []string{pictureBlock}, true},
		{"two images", `[` + pictureBlock + `,` + pictureBlock + `]`, []string{pictureBlock, pictureBlock}, true},
		{"audio", `[` + withNulls(soundBlock) + `]`, []string{soundBlock}, true},
		{"text blocks", `[` + withNulls(text("a")) + `]`, []string{text("a")}, true},
		{"a link and a resource", `[` + withNulls(link) + `,` + withNulls(file) + `]`, []string{link, file}, true},
		{"more blocks", `["a"]`, []string{text("a"), text("that was all")}, true},
		{"fewer blocks", `["a","b"]`, []string{text("a")}, false},
		{"no block", `["a"]`, nil, false},
		{"empty", `[]`, nil, false},
		{"empty beside text", `[]`, []string{text("nothing found")}, false},
		{"another order", `["a","b"]`, []string{text("b"), text("a")}, false},
		{"other text", `["a","b"]`, []string{text("a"), text("c")}, false},
		{"a block before", `["a"]`, []string{text("found:"), text("a")}, false},
		{"a text block that says more", `[{"type":"text","text":"a","score":1}]`, []string{text("a")}, false},
		{"an object with the text", `[{"text":"a","score":1}]`, []string{text("a")}, false},
		{"a link that says more", `[{"type":"resource_link","uri":"a:b","name":"n","size":1}]`, []string{link}, false},
		{"a block for the user", `["a"]`, []string{`{"type":"text","text":"a","annotations":{"audience":["user"]}}`}, false},
		{"blocks of unknown type", `[{"type":"new","x":1}]`, []string{`{"type":"new","x":1}`}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, structured := range []string{`{"result":` + tt.list + `}`, tt.list} {
				r := convert(t, withStructured(structured, tt.blocks...), toolresult.Options{})
				without := convert(t, withStructured("null", tt.blocks...), toolresult.Options{})
				want := without.Content
				switch {
				case !tt.held && (len(tt.blocks) == 0 || want == "(the output was for the user only)"):
					want = structured
				case !tt.held:
					want += "\n" + structured
				}
				assert.Equal(t, want, r.Content)
				assert.Equal(t, without.Data, r.Data)
				assert.Equal(t, structured, string(metadata(t, r).StructuredContent), "the host gets it in any case")
			}
		})
	}
}

func TestStructuredListIsDecodedSoFar(t *testing.T) {
	same, list := make([]string, 12_000), make([]string, 12_000)
	for i := range same {
		same[i], list[i] = `"[1]"`, `[1]`
	}
	r := convert(t, withStructured(`[`+strings.Join(list, ",")+`]`, same...), toolresult.Options{})
	assert.True(t, strings.HasSuffix(r.Content, "[1]\n[1]"), "what is spelled the same costs nothing")
	for i := range list {
		list[i] = `[ 1]`
	}
	r = convert(t, withStructured(`[`+strings.Join(list, ",")+`]`, same...), toolresult.Options{})
	assert.True(t, strings.HasSuffix(r.Content, ",[1],[1]]"), "given twice")
}

func TestMediaInStructuredBecomesALine(t *testing.T) {
	picture, sound := png+strings.Repeat("p", 100), strings.Repeat("s", 100)
	data := b64(picture)
	const line = "[image: image/png, 124 bytes]"
	block := image("image/png", picture)
	for _, tt := range []struct {
		name, structured string
		blocks           []string
		want             string
	}{
		{"an image's data", `{"title":"t","image":"` + data + `","n":9007199254740993}`, []string{block},
			`{"title":"t","image":"` + line + `","n":9007199254740993}`},
		{"as a URI", `{"image":"data:image/png;base64,` + data + `"}`, []string{block}, `{"image":"` + line + `"}`},
		{"with escapes", `{"image":"` + strings.ReplaceAll(data, "i", `\u0069`) + `"}`, []string{block}, `{"image":"` + line + `"}`},
		{"in lists", `[["` + data + `",1],"` + data + `"]`, []string{block}, `[["` + line + `",1],"` + line + `"]`},
		{"alone", `"` + data + `"`, []string{block}, `"` + line + `"`},
		{"of an image that is not carried", `{"image":"` + data + `"}`, []string{image("image/gif", gif), block}, `{"image":"` + line + `"}`},
		{"of an image for the user", `{"image":"` + data + `"}`, []string{strings.TrimSuffix(block, "}") + `,"annotations":{"audience":["user"]}}`}, `{"image":"` + line + `"}`},
		{"of audio", `{"sound":"` + b64(sound) + `"}`, []string{`{"type":"audio","mimeType":"audio/wav","data":"` + b64(sound) + `"}`},
			`{"sound":"[audio: audio/wav, 100 bytes]"}`},
		{"of a resource", `{"file":"` + b64(sound) + `"}`, []string{`{"type":"resource","resource":{"uri":"a:b","mimeType":"application/pdf","blob":"` + b64(sound) + `"}}`},
			`{"file":"[resource: application/pdf, 100 bytes]"}`},
		{"a block", `{"result":` + block + `}`, []string{block}, `{"result":{"type":"image","mimeType":"image/png","data":"` + line + `"}}`},
		{"a block that says more", `[{"type":"image","data":"` + data + `","width":1}]`, []string{block}, `[{"type":"image","data":"` + line + `","width":1}]`},
		{"a block alone", `{"content":[{"data":"` + data + `","type":"image"}]}`, nil, `{"content":[{"data":"[image: image/png, 124 bytes; not shown]","type":"image"}]}`},
		{"a block without type", `{"data":"` + b64(sound) + `","mimeType":"audio/wav"}`, nil, `{"data":"[audio: audio/wav, 100 bytes; not shown]","mimeType":"audio/wav"}`},
		{"a resource alone", `{"resource":{"uri":"a:b","blob":"` + b64(sound) + `"}}`, nil, `{"resource":{"uri":"a:b","blob":"[resource: unknown type, 100 bytes; not shown]"}}`},
		{"other base64", `{"key":"` + b64(sound) + `"}`, []string{block}, `{"key":"` + b64(sound) + `"}`},
		{"other data", `{"data":"` + b64(sound) + `","mimeType":"text/plain"}`, []string{block}, `{"data":"` + b64(sound) + `","mimeType":"text/plain"}`},
		{"a member of that name", `{"` + data + `":1}`, []string{block}, `{"` + data + `":1}`},
		{"short data", `{"image":"` + b64(png) + `"}`, []string{image("image/png", png)}, `{"image":"` + b64(png) + `"}`},
		{"data that is no base64", `{"type":"image","data":"` + strings.Repeat("?", 100) + `"}`, nil, `{"type":"image","data":"` + strings.Repeat("?", 100) + `"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := convert(t, withStructured(tt.structured, tt.blocks...), toolresult.Options{})
			assert.Equal(t, tt.want, r.Content[strings.LastIndex(r.Content, "\n")+1:])
			assert.JSONEq(t, tt.structured, string(metadata(t, r).StructuredContent), "the host gets it as it is")
		})
	}
}

func TestManyMediaInStructured(t *testing.T) {
	data := b64(strings.Repeat("p", 99))
	block := `{"type":"audio","data":"` + data + `"}`
	r := convert(t, withStructured(`{"a":[`+strings.TrimSuffix(strings.Repeat(block+",", 3000), ",")+`]}`, text("a")), toolresult.Options{})
	assert.Equal(t, 1000, strings.Count(r.Content, "[audio: unknown type, 99 bytes; not shown]"))
	assert.Equal(t, 2000, strings.Count(r.Content, data))
}
