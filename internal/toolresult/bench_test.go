package toolresult_test

import (
	"strings"
	"testing"

	"github.com/mcpclient-go/mcpclient/internal/toolresult"
)

func BenchmarkConvert(b *testing.B) {
	object := `{"items":[` + strings.Repeat(`{"id":9007199254740993,"name":"n","ok":true},`, 20) + `null]}`
	large := strings.Repeat("0123456789abcde\\n", 10<<20/17)
	for _, bm := range []struct{ name, raw string }{
		{"text 1 KiB", content(text(strings.Repeat("0123456789abcdef", 64)))},
		{"structured 1 KiB equal to text", withStructured(object, text(object))},
		{"structured 1 KiB alone", withStructured(object)},
		{"100 links", content(strings.TrimSuffix(strings.Repeat(`{"type":"resource_link","uri":"file:///a","name":"a"},`, 100), ","))},
		{"text 10 MiB", `{"content":[{"type":"text","text":"` + large + `"}]}`},
		{"image 10 MiB", content(image("image/png", png+strings.Repeat("x", 10<<20)))},
	} {
		b.Run(bm.name, func(b *testing.B) {
			raw := []byte(bm.raw)
			o := toolresult.Options{TextBytes: 256 << 10, MediaBytes: 16 << 20, Server: "srv", Tool: "tool"}
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				toolresult.Convert(raw, o)
			}
		})
	}
}
