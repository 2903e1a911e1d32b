package toolresult

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/mcpclient-go/mcpclient/internal/redact"
)

const (
	maxField       = 256  // bytes of a name, type or URI in a line
	maxDescription = 512  // bytes of a description in a line
	maxURI         = 2048 // bytes of a URI: one that is cut can't be used
	maxUnknown     = 4096 // bytes of JSON shown of a block of unknown type
)

func (c *conversion) clean(s string) string { return redact.Clean(s) }

// hide is called on cleaned text: what cleaning takes out could otherwise
// split a secret in two that come together afterwards.
func (c *conversion) hide(s string) string {
	if c.opts.Hide == nil || s == "" {
		return s
	}
	return c.opts.Hide(s)
}

// field makes a server's name, type or URI fit into a line.
func (c *conversion) field(s string, most int) string {
	return redact.Cut(c.hide(redact.Line(s)), most)
}

// addVisible takes text that may hold the structured content as JSON.
func (c *conversion) addVisible(s string) {
	c.structured.compare(s)
	c.addText(s)
}

func (c *conversion) addTextBlock(b *block, raw []byte) {
	if absent(b.text) && b.other {
		c.addUnknown("text", b, raw) // the text may be under another name
		return
	}
	c.addVisible(c.textOf(b.text))
}

func (c *conversion) addResource(b *block) {
	r := *b
	switch kind(b.resource) {
	case '{':
		r = block{}
		_ = newCursor(b.resource).members(r.set)
	case '"':
		r.uri = b.resource
	}
	uri, mime := c.field(str(r.uri), maxURI), str(r.mime)
	text := c.textOf(r.text)
	hasText, hasBlob := !blank(text), !absent(r.blob) && string(r.blob) != `""`
	if hasText {
		c.addLine("[" + list("resource", uri, c.field(mime, maxField)) + "]")
		c.addVisible(text)
	}
	if hasBlob {
		c.addBlob(uri, mime, r.blob)
	}
	if !hasText && !hasBlob {
		c.addLine("[" + list("resource", uri, c.field(mime, maxField)) + "; no data]")
	}
}

// linkLine describes a resource_link; the model may read it by its URI with
// another tool.
func (c *conversion) linkLine(b *block) string {
	name := c.field(str(b.name), maxField)
	if title := c.field(str(b.title), maxField); name == "" {
		name = title
	} else if title != "" && title != name {
		name += " (" + title + ")"
	}
	size := ""
	if n, err := strconv.ParseInt(string(b.size), 10, 64); err == nil && n >= 0 {
		size = count(n, "byte")
	}
	line := list("resource link", name, c.field(str(b.uri), maxURI), c.field(str(b.mime), maxField), size)
	if d := c.field(str(b.description), maxDescription); d != "" {
		line += ": " + d
	}
	return "[" + line + "]"
}

// addUnknown takes in a block of a type that this package does not know:
// its text or its JSON where there is not too much of it.
func (c *conversion) addUnknown(k string, b *block, raw []byte) {
	if k == "" && !b.other && absent(b.data) {
		return // nothing but an empty object
	}
	name := "content of unknown type"
	if k != "" {
		name = "content of type " + `"` + c.field(k, maxField) + `"`
	}
	switch {
	case kind(b.text) == '"' && !blank(str(b.text)):
		c.addLine("[" + name + "]")
		c.addVisible(str(b.text))
	case kind(b.data) == '"' && kind(b.mime) == '"':
		c.addMedia(cmp.Or(c.field(k, maxField), "data"), str(b.mime), b.data, notShown)
	default:
		json := ""
		if len(raw) <= 2*maxUnknown {
			json = c.compact(raw)
		}
		if json == "" || len(json) > maxUnknown {
			c.omit(k, "", int64(len(raw)), notShown)
			c.addLine("[" + name + ", " + count(int64(len(raw)), "byte") + "; not shown]")
			return
		}
		c.addLine("[" + name + ": " + json + "]")
	}
}

// list is a kind of content with what is known of it.
func list(k string, items ...string) string {
	var b strings.Builder
	b.WriteString(k)
	separator := ": "
	for _, item := range items {
		if item != "" {
			b.WriteString(separator)
			b.WriteString(item)
			separator = ", "
		}
	}
	return b.String()
}

func count(n int64, unit string) string {
	if n != 1 {
		unit += "s"
	}
	return strconv.FormatInt(n, 10) + " " + unit
}
