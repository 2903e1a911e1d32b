package toolresult_test

import (
	"bytes"
	"encoding/base64"
	goimage "image"
	"image/color"
	gogif "image/gif"
	gojpeg "image/jpeg"
	gopng "image/png"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient/internal/toolresult"
)

// Whole images of one pixel, as libwebp writes them.
const (
	webpLossy    = "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA"
	webpLossless = "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=="
	webpExtended = "UklGRkoAAABXRUJQVlA4WAoAAAAQAAAAAAAAAAAAQUxQSAwAAAARBxAR/Q9ERP8DAABWUDggGAAAABQBAJ0BKgEAAQAAAP4AAA3AAP7mtQAAAA=="
)

// encoded is an image of that size as the standard library writes it.
func encoded(t testing.TB, mime string, width, height int) string {
	t.Helper()
	var b bytes.Buffer
	img := goimage.NewPaletted(goimage.Rect(0, 0, width, height), color.Palette{color.Black, color.White})
	switch mime {
	case "image/png":
		require.NoError(t, gopng.Encode(&b, img))
	case "image/jpeg":
		require.NoError(t, gojpeg.Encode(&b, img, nil))
	case "image/gif":
		require.NoError(t, gogif.Encode(&b, img, nil))
	}
	return b.String()
}

func decoded(t testing.TB, s string) string {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(s)
	require.NoError(t, err)
	return string(b)
}

func TestImagesThatProvidersTakeAreCarried(t *testing.T) {
	exif := "\xff\xe1\x00\x0bExif\xff\xc0\x00\x00\x00" // with what looks like the header of a frame
	images := map[string]string{
		"JPEG, progressive":           "\xff\xd8\xff\xc2\x00\x07\x08\x00\x03\x00\x02",
		"JPEG, behind other segments": "\xff\xd8" + exif + "\xff\xc4\x00\x02" + jpeg[2:],
		"JPEG, filled up":             "\xff\xd8\xff\xff\xff" + jpeg[3:],
		"JPEG, with stray bytes":      "\xff\xd8\xff\xe0\x00\x02ab\xff\x00c" + jpeg[2:],
		"JPEG, as wide as may be":     "\xff\xd8\xff\xc0\x00\x07\x08\x00\x01\x1f\x40",
		"WEBP, lossy":                 decoded(t, webpLossy),
		"WEBP, lossless":              decoded(t, webpLossless),
		"WEBP, extended":              decoded(t, webpExtended),
	}
	for _, mime := range []string{"image/png", "image/jpeg", "image/gif"} {
		images[mime] = encoded(t, mime, 8000, 1)
	}
	for name, data := range images {
		t.Run(name, func(t *testing.T) {
			r := convert(t, content(image("", data)), toolresult.Options{})
			assert.Equal(t, data, string(r.Data), r.Content)
		})
	}
}

func TestImagesThatProvidersRefuseBecomeALine(t *testing.T) {
	const broken = "broken: no width and height"
	const riff = "RIFF\x16\x00\x00\x00WEBP"
	for _, tt := range []struct{ name, data, reason string }{
		{"PNG, too high", encoded(t, "image/png", 1, 8001), "1 x 8001 pixels, over the limit of 8000 on a side"},
		{"JPEG, too wide", encoded(t, "image/jpeg", 8001, 1), "8001 x 1 pixels, over the limit of 8000 on a side"},
		{"GIF, too high", encoded(t, "image/gif", 1, 8001), "1 x 8001 pixels, over the limit of 8000 on a side"},
		{"WEBP, lossy, too wide", riff + "VP8 \x0a\x00\x00\x00\x00\x00\x00\x9d\x01\x2a\x41\x5f\x01\x40", "8001 x 1 pixels, over the limit of 8000 on a side"},
		{"WEBP, lossless, too high", riff + "VP8L\x05\x00\x00\x00\x2f\x00\x00\xd0\x07", "1 x 8001 pixels, over the limit of 8000 on a side"},
		{"WEBP, extended, too wide", riff + "VP8X\x0a\x00\x00\x00\x00\x00\x00\x00\x40\x1f\x00\x00\x00\x00", "8001 x 1 pixels, over the limit of 8000 on a side"},
		{"PNG, huge", png[:16] + "\xff\xff\xff\xff\x00\x00\x00\x01", ""},
		{"PNG, no width", png[:16] + "\x00\x00\x00\x00\x00\x00\x00\x01", broken},
		{"PNG, no height", png[:16] + "\x00\x00\x00\x01\x00\x00\x00\x00", broken},
		{"PNG, cut in its header", png[:23], broken},
		{"PNG, its first bytes alone", png[:8], broken},
		{"PNG, another chunk first", png[:12] + "IDAT" + png[16:], broken},
		{"JPEG, no height", "\xff\xd8\xff\xc0\x00\x07\x08\x00\x00\x00\x01", broken},
		{"JPEG, its first bytes alone", "\xff\xd8\xff", broken},
		{"JPEG, cut in its header", jpeg[:len(jpeg)-1], broken},
		{"JPEG, cut behind a marker", "\xff\xd8\xff\xe0\x00", broken},
		{"JPEG, a length of no length", "\xff\xd8\xff\xe0\x00\x01" + jpeg[2:], broken},
		{"JPEG, short header", "\xff\xd8\xff\xc0\x00\x06\x08\x00\x01\x00\x01", broken},
		{"JPEG, pixels without a frame", "\xff\xd8\xff\xda" + jpeg[2:], broken},
		{"JPEG, ended", "\xff\xd8\xff\xd9" + jpeg[2:], broken},
		{"JPEG, nothing but fill", "\xff\xd8" + strings.Repeat("\xff", 1000), broken},
		{"JPEG, no marker", "\xff\xd8\xff\x00" + strings.Repeat("a", 1000), broken},
		{"GIF, its first bytes alone", gif[:6], broken},
		{"GIF, no width", "GIF87a\x00\x00\x01\x00", broken},
		{"WEBP, its first bytes alone", riff, broken},
		{"WEBP, cut in its header", webp[:29], broken},
		{"WEBP, lossy, another start", strings.Replace(webp, "\x9d", "\x00", 1), broken},
		{"WEBP, lossless, another start", riff + "VP8L\x05\x00\x00\x00\x00\x00\x00\x00\x00", broken},
		{"WEBP, unknown chunk", riff + "EXIF" + strings.Repeat("\x01", 20), broken},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := convert(t, content(image("", tt.data), image("", gif)), toolresult.Options{})
			assert.Equal(t, gif, string(r.Data), "the next image has its place")
			assert.Contains(t, r.Content, tt.reason+"]")
			assert.NotContains(t, r.Content, "\n")
			assert.Contains(t, metadata(t, r).Omitted[0].Reason, tt.reason)

			r = convert(t, content(`{"type":"resource","resource":{"uri":"a:b","blob":"`+b64(tt.data)+`"}}`), toolresult.Options{})
			assert.Equal(t, "text", r.Type)
			assert.True(t, strings.HasPrefix(r.Content, "[resource: a:b, image/"), r.Content)
		})
	}
}
