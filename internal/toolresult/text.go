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
	if absent(b.text) && (b.other || !absent(b.data) || !absent(b.blob) || !absent(b.resource)) {
		c.addUnknown("text", b, raw) // the text may be under another name
		return
	}
	c.addVisible(c.textOf(b.text))
}

// addBeside takes in the text of a block whose type has none, such as a caption.
func (c *conversion) addBeside(b *block) {
	if !absent(b.text) {
		c.addVisible(c.textOf(b.text))
	}
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
	hasText, hasMedia := kind(b.text) == '"' && !blank(str(b.text)), kind(b.data) == '"' && kind(b.mime) == '"'
	switch {
	case hasMedia:
		k = cmp.Or(c.field(k, maxField), "data")
		c.describe(k, "", c.open(k, str(b.mime), b.data), notShown)
		c.addBeside(b)
	case hasText:
		c.addLine("[" + name + "]")
		c.addVisible(str(b.text))
	default:
		json := ""
		if len(raw) <= 2*maxUnknown && c.lines < maxLines {
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
