package toolresult_test

import (
	"encoding/base64"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient/internal/toolresult"
)

func TestImageTypeIsByBytes(t *testing.T) {
	for _, declared := range []string{"image/png", "image/jpg", "IMAGE/PNG; x=y", "text/plain", ""} {
		for mime, bytes := range map[string]string{"image/png": png, "image/jpeg": jpeg, "image/gif": gif, "image/webp": webp} {
			for _, block := range []string{
				image(declared, bytes),
				`{"type":"resource","resource":{"uri":"a:b","mimeType":"` + declared + `","blob":"` + b64(bytes) + `"}}`,
			} {
				r := convert(t, content(block), toolresult.Options{})
				assert.Equal(t, "image", r.Type)
				assert.Equal(t, mime, r.MediaType)
				assert.Equal(t, bytes, string(r.Data))
				assert.Contains(t, r.Content, mime)
			}
		}
	}
}

func TestBase64Forms(t *testing.T) {
	data := png + "\xfb\xff\xfe?" // both alphabets differ here
	std := base64.StdEncoding.EncodeToString([]byte(data))
	raw := base64.RawStdEncoding.EncodeToString([]byte(data))
	wrapped := std[:5] + `\r\n ` + std[5:20] + `\n\t` + std[20:] + `\n`
	require.NotEqual(t, std, raw)
	require.Contains(t, std, "/")
	for name, form := range map[string]string{
		"standard":           std,
		"no padding":         raw,
		"URL alphabet":       base64.URLEncoding.EncodeToString([]byte(data)),
		"URL, no padding":    base64.RawURLEncoding.EncodeToString([]byte(data)),
		"escaped slashes":    strings.ReplaceAll(std, "/", `\/`),
		"wrapped":            wrapped,
		"data URI":           "data:image/jpeg;base64," + std,
		"data URI, odd":      " DATA:;name=x; Base64 , " + raw,
		"padding of its own": raw + "====",
		"bytes of Python":    "b'" + std + "'",
		"bytes of Python, 2": `b\"` + std + `\"`,
		"quoted":             `\"` + std + `\"`,
		"quoted URI":         `'data:image/png;base64,` + std + `'`,
		"byte order mark":    "\ufeff" + std,
		"escaped for a URL":  url.QueryEscape(std),
		"escaped in a URI":   "data:image/png;base64," + strings.ReplaceAll(url.QueryEscape(std), "%3D", "%3d"),
	} {
		t.Run(name, func(t *testing.T) {
			r := convert(t, content(`{"type":"image","data":"`+form+`"}`), toolresult.Options{})
			require.Equal(t, "image", r.Type, r.Content)
			assert.Equal(t, data, string(r.Data))

			r = convert(t, content(`{"type":"audio","data":"`+form+`"}`), toolresult.Options{})
			assert.Contains(t, r.Content, "28 bytes")
		})
	}
	for name, form := range map[string]string{
		"other characters":  std[:8] + "*" + std[8:],
		"one digit left":    raw[:len(raw)-len(raw)%4] + "A",
		"padding within":    "iVBORw0=" + std,
		"URI of text":       "data:image/png," + std,
		"URI without comma": "data:image/png;base64" + std,
		"non-ASCII":         std + "é",
		"quoted half":       `\"` + std,
		"other quotes":      `\"` + std + `'`,
		"a bare b and text": "b" + std + "?",
		"wrong escape":      std + "%3",
		"other escape":      std + "%3F",
	} {
		t.Run(name, func(t *testing.T) {
			r := convert(t, content(`{"type":"image","mimeType":"image/png","data":"`+form+`"}`), toolresult.Options{})
			assert.Equal(t, "[image: image/png; not valid base64]", r.Content)
		})
	}
}

func TestImageInAnotherPlace(t *testing.T) {
	for name, block := range map[string]string{
		"blob":                  `{"type":"image","blob":"` + b64(png) + `"}`,
		"source":                `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + b64(png) + `"}}`,
		"source that is text":   `{"type":"image","source":"` + b64(png) + `"}`,
		"data URI as source":    `{"type":"image","source":"data:image/png;base64,` + b64(png) + `"}`,
		"data URI as url":       `{"type":"image","url":"data:image/png;base64,` + b64(png) + `"}`,
		"data URI as uri":       `{"type":"image","uri":"data:image/png;base64,` + b64(png) + `"}`,
		"image_url":             `{"type":"image_url","image_url":{"url":"data:image/png;base64,` + b64(png) + `"}}`,
		"image_url, not nested": `{"type":"input_image","image_url":"data:image/png;base64,` + b64(png) + `"}`,
		"behind data of no use": `{"type":"image","data":"?","url":"https://a","blob":"` + b64(png) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			r := convert(t, content(block), toolresult.Options{})
			assert.Equal(t, png, string(r.Data), r.Content)
			assert.Equal(t, "image/png", r.MediaType)
		})
	}
}

func TestTextBesideAnImage(t *testing.T) {
	r := convert(t, content(`{"type":"image","data":"`+b64(png)+`","text":"a cat"}`, text("after")), toolresult.Options{})
	assert.Equal(t, png, string(r.Data))
	assert.Equal(t, "a cat\nafter", r.Content)
}

func TestURLOfAnImageIsHidden(t *testing.T) {
	hide := func(s string) string { return strings.ReplaceAll(s, "tok_1234567890", "[REDACTED]") }
	r := convert(t, content(`{"type":"image","url":"https://a/b.png?key=tok_1234567890"}`), toolresult.Options{Hide: hide})
	assert.Equal(t, "[image: https://a/b.png?key=[REDACTED], unknown type; only its URL was given]", r.Content)
}

func TestImageChoice(t *testing.T) {
	all := content(text("see"), image("image/svg+xml", svg), image("image/gif", png), text("and"), image("image/gif", gif))
	for _, tt := range []struct {
		name    string
		o       toolresult.Options
		isError bool
		media   string
		want    string
	}{
		{"first of several", toolresult.Options{}, false, png,
			"see\n[image: image/svg+xml, 41 bytes; not png, jpeg, gif or webp]\nand\n[image: image/gif, 10 bytes; only the first image is shown]"},
		{"first is too large", toolresult.Options{MediaBytes: 23}, false, gif,
			"see\n[image: image/svg+xml, 41 bytes; not png, jpeg, gif or webp]\n[image: image/png, 24 bytes; over the limit of 23 bytes]\nand"},
		{"limit is met", toolresult.Options{MediaBytes: 24}, false, png,
			"see\n[image: image/svg+xml, 41 bytes; not png, jpeg, gif or webp]\nand\n[image: image/gif, 10 bytes; only the first image is shown]"},
		{"as text", toolresult.Options{ImagesAsText: true}, false, "",
			"see\n[image: image/svg+xml, 41 bytes; not png, jpeg, gif or webp]\n[image: image/png, 24 bytes; not shown]\nand\n[image: image/gif, 10 bytes; not shown]"},
		{"beside an error", toolresult.Options{}, true, "",
			"see\n[image: image/svg+xml, 41 bytes; not png, jpeg, gif or webp]\n[image: image/png, 24 bytes; not shown]\nand\n[image: image/gif, 10 bytes; not shown]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			raw := all
			if tt.isError {
				raw = failed(all)
			}
			r := convert(t, raw, tt.o)
			assert.Equal(t, tt.media, string(r.Data))
			assert.Equal(t, tt.want, r.Content)
			assert.Equal(t, tt.isError, r.IsError)
		})
	}
}

func TestImageAloneHasContent(t *testing.T) {
	r := convert(t, content(image("image/png", png)), toolresult.Options{})
	assert.Equal(t, "[image: image/png, 24 bytes]", r.Content)
	assert.Empty(t, metadata(t, r).Omitted)
}

func TestOmittedInMetadata(t *testing.T) {
	r := convert(t, content(image("image/gif", png), image("", gif), `{"type":"audio","mimeType":"audio/wav","data":"?"}`), toolresult.Options{})
	m := metadata(t, r)
	assert.Equal(t, []toolresult.Omitted{
		{Kind: "image", MIME: "image/gif", Bytes: 10, Reason: "only the first image is shown"},
		{Kind: "audio", MIME: "audio/wav", Bytes: -1, Reason: "not valid base64"},
	}, m.Omitted)
	assert.Equal(t, 2, m.OmittedCount)
}

func TestEmbeddedImageKeepsItsURI(t *testing.T) {
	r := convert(t, content(`{"type":"resource","resource":{"uri":"file:///a","blob":"`+b64(png)+`"}}`), toolresult.Options{})
	assert.Equal(t, png, string(r.Data))
	assert.Equal(t, "[resource: file:///a, image/png, 24 bytes]", r.Content)
}
