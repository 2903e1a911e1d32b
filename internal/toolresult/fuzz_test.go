package toolresult_test

import (
	"bytes"
	goimage "image"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient/internal/toolresult"
)

func FuzzConvert(f *testing.F) {
	for _, raw := range []string{
		``, `null`, `{}`, `"x"`, `[1]`, `{"content":[`, `{"content":null,"isError":"true"}`,
		content(text("a"), image("image/png", png), `{"type":"audio","data":"AA=="}`, `null`, `{"type":"new","x":[1,{}]}`),
		content(`{"type":"resource","resource":{"uri":"a:b","text":"t"}}`, `{"type":"resource","resource":{"blob":"R0lGODlh"}}`),
		content(`{"type":"resource_link","uri":"a:b","name":"n","size":3,"annotations":{"audience":["user"]}}`),
		withStructured(`{"a":9007199254740993,"b":[1.0,null,"\ud800"]}`, text(`{"b":[1,null,"x"],"a":9007199254740993}`)),
		withStructured(`{"result":["a",{"type":"image","data":"`+b64(png)+`","_meta":null},[1.0]]}`, text("a"), image("image/png", png), text("[1]")),
		withStructured(`{"a":{"type":"audio","data":"`+b64(strings.Repeat("a", 60))+`"},"b":"`+b64(strings.Repeat("b", 60))+`"}`, image("", strings.Repeat("b", 60))),
		content(`{"type":"image","source":{"data":"`+b64(png)+`"},"text":"t"}`, `{"type":"audio","url":"a:b"}`, `{"type":"resource_link","resource":{"uri":"a:b"}}`),
		content(`{"type":"resource","resource":{"uri":"a:b","contents":[{"text":"t","annotations":{"audience":["user"]}},"a:c",{"blob":"AAAA"}]}}`),
		`{"result":{"content":[{"type":"text","text":"a"}],"isError":true},"content":[]}`,
		`{"content":[],"data":{"a":1}}`,
		`{"toolResult":{"a":[true]},"_meta":{"k":"v"}}`,
		`{"resultType":"input_required","inputRequests":{"a":{"method":"m","params":{"message":"q"}}}}`,
		content("{\"type\":\"text\",\"text\":\"\xff\\u0000\\u001b[1m\\u202e" + strings.Repeat("é", 200) + "secret-value\"}"),
	} {
		for _, most := range []int{0, 1, 9, 100} {
			f.Add([]byte(raw), most, most%2 == 0)
		}
	}
	hide := func(s string) string { return strings.ReplaceAll(s, "secret-value", "[REDACTED]") }
	f.Fuzz(func(t *testing.T, raw []byte, most int, asText bool) {
		before := string(raw)
		o := toolresult.Options{
			TextBytes: int64(most), MediaBytes: int64(most), ImagesAsText: asText,
			Hide: hide, Server: "srv", Tool: before,
		}
		r := toolresult.Convert(raw, o)
		check(t, r, o)
		require.Equal(t, before, string(raw))
		require.NotContains(t, r.Content, "secret-value")
		require.NotContains(t, r.Metadata, "secret-value")
		if asText {
			require.Equal(t, "text", r.Type)
		}
		o.TextBytes, o.MediaBytes, o.Hide = 0, 0, nil
		check(t, toolresult.Convert(raw, o), o)
	})
}

// FuzzImage compares with the decoders of the standard library, which
// imagesize_test.go registers.
func FuzzImage(f *testing.F) {
	for _, data := range []string{png, jpeg, gif, webp, svg, "\xff\xd8\xff\xff\x01" + jpeg[2:]} {
		f.Add([]byte(data))
	}
	for _, mime := range []string{"image/png", "image/jpeg", "image/gif"} {
		f.Add([]byte(encoded(f, mime, 3, 2)))
	}
	for _, data := range []string{webpLossy, webpLossless, webpExtended} {
		f.Add([]byte(decoded(f, data)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r := toolresult.Convert([]byte(content(image("", string(data)))), toolresult.Options{})
		check(t, r, toolresult.Options{})
		if r.Type == "image" {
			require.Equal(t, data, r.Data)
		}
		config, _, err := goimage.DecodeConfig(bytes.NewReader(data))
		known := !strings.Contains(r.Content, "not png, jpeg, gif or webp") // by the bytes that providers go by
		if err != nil || config.Width == 0 || config.Height == 0 || !known {
			return
		}
		fits := config.Width <= 8000 && config.Height <= 8000
		require.Equal(t, fits, r.Type == "image", "%d x %d: %s", config.Width, config.Height, r.Content)
	})
}
