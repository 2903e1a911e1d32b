package toolresult

import (
	"bytes"
)

// Why something is described in a line instead of being carried.
const (
	notShown   = "not shown"
	notFirst   = "only the first image is shown"
	notAnImage = "not png, jpeg, gif or webp"
	notBase64  = "not valid base64"
	noData     = "no data"
	onlyURL    = "only its URL was given"
	forUser    = "for the user only"
)

// media is the content of an image, audio or blob, still in base64.
type media struct {
	text  []byte
	mime  string // as the server says
	image string // type by the bytes, of an image that fantasy's providers take; else ""
	size  int64  // of the bytes; less than zero: unknown
	fault string // why it can't be decoded
	url   string // where it is, if that is all there is
}

// open opens the media of a content block.
func (c *conversion) open(k, mime string, data []byte) media {
	m := openMedia(mime, data)
	c.note(k, m)
	return m
}

func openMedia(mime string, data []byte) media {
	m := media{mime: mime, size: -1, fault: noData}
	if kind(data) != '"' {
		return m
	}
	text, uriType, ok := base64Text(data)
	if m.mime == "" {
		m.mime = uriType
	}
	if ok && len(text) == 0 {
		return m
	}
	var n int
	if ok {
		n, ok = measureBase64(text)
	}
	if !ok {
		m.fault = notBase64
		return m
	}
	var head [16]byte
	m.text, m.size, m.fault = text, int64(n), ""
	m.image = imageType(head[:decodeBase64(head[:], text)])
	return m
}

// imageType tells by the first bytes which image type it is that providers
// take. They check that the bytes are what the type says (Anthropic refuses
// the request otherwise), and servers often say it wrong.
func imageType(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n")):
		return "image/png"
	case bytes.HasPrefix(head, []byte("\xff\xd8\xff")):
		return "image/jpeg"
	case bytes.HasPrefix(head, []byte("GIF87a")), bytes.HasPrefix(head, []byte("GIF89a")):
		return "image/gif"
	case len(head) >= 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP":
		return "image/webp"
	default:
		return ""
	}
}

func (c *conversion) takeImage(k, name string, m media) {
	reason := ""
	switch limit := c.opts.MediaBytes; {
	case m.fault != "":
	case m.image == "":
		reason = notAnImage
	case c.opts.ImagesAsText || c.isError:
		reason = notShown
	case limit > 0 && m.size > limit:
		reason = "over the limit of " + count(limit, "byte")
	case c.image != nil:
		reason = notFirst
	}
	var data []byte
	if m.fault == "" && reason == "" {
		data = m.bytes()
		reason = unfit(m.image, data)
	}
	if m.fault != "" || reason != "" {
		c.describe(k, name, m, reason)
		return
	}
	c.image, c.imageType = data, m.image
	if name != "" {
		c.addLine(mediaLine(k, name, m.image, m.size, ""))
	}
}

// describe puts a line in the place of media.
func (c *conversion) describe(k, name string, m media, reason string) {
	if m.fault != "" {
		reason = m.fault
	}
	if name == "" {
		name = c.field(m.url, maxURI)
	}
	mime := c.mimeOf(m)
	c.omit(k, mime, m.size, reason)
	c.addLine(mediaLine(k, name, mime, m.size, reason))
}

// mimeOf is the type of media: by its bytes where they tell it.
func (c *conversion) mimeOf(m media) string {
	if m.image != "" {
		return m.image
	}
	return c.field(m.mime, maxField)
}

// mediaLine is the one form in which media is described to the model.
func mediaLine(k, name, mime string, size int64, reason string) string {
	if mime == "" {
		mime = "unknown type"
	}
	length := ""
	if size >= 0 {
		length = count(size, "byte")
	}
	line := list(k, name, mime, length)
	if reason != "" {
		line += "; " + reason
	}
	return "[" + line + "]"
}
