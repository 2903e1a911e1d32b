package toolresult

import (
	"bytes"
	"strings"
)

// block is one element of content, each member as undecoded JSON. The
// resource of an embedded one has the same members.
type block struct {
	typ, text, data, blob, mime, uri, name, title, description, size, resource, annotations []byte

	url, source, contents []byte // not of MCP, but sent by servers

	other bool // has a member that MCP does not know
}

func (b *block) set(name, value []byte) {
	switch string(name) {
	case "type":
		b.typ = value
	case "text":
		b.text = value
	case "data":
		b.data = value
	case "blob":
		b.blob = value
	case "mimeType":
		b.mime = value
	case "uri":
		b.uri = value
	case "name":
		b.name = value
	case "title":
		b.title = value
	case "description":
		b.description = value
	case "size":
		b.size = value
	case "resource":
		b.resource = value
	case "annotations":
		b.annotations = value
	case "_meta", "icons":
	default:
		b.other = true
		b.setForeign(name, value)
	}
}

// setForeign takes members that stand for one of MCP's in other formats.
func (b *block) setForeign(name, value []byte) {
	switch string(name) {
	case "url":
		b.url = value
	case "source", "image_url":
		b.source = value
	case "contents":
		b.contents = value
	case "mime_type", "media_type":
		if b.mime == nil {
			b.mime = value
		}
	}
}

// kind is the block's type in lower case. Where the server gave none, what
// else there is tells it; "" where nothing does.
func (b *block) kind() string {
	switch s := strings.ToLower(strings.TrimSpace(str(b.typ))); s {
	case "":
	case "image_url", "input_image": // as OpenAI's API has it
		return "image"
	default:
		return s
	}
	switch {
	case !absent(b.resource), !absent(b.blob), kind(b.contents) == '[':
		return "resource"
	case !absent(b.data) && strings.HasPrefix(str(b.mime), "audio/"):
		return "audio"
	case !absent(b.data) && strings.HasPrefix(str(b.mime), "image/"):
		return "image"
	case !absent(b.text):
		return "text"
	case !absent(b.uri):
		return "resource_link"
	default:
		return ""
	}
}

// known says whether the block names a type of MCP.
func (b *block) known() bool {
	switch str(b.typ) {
	case "text", "image", "audio", "resource", "resource_link":
		return true
	default:
		return false
	}
}

// empty says whether a resource has neither text nor bytes.
func (b *block) empty() bool { return absent(b.text) && absent(b.blob) }

// forUser says whether the block is for the user and nobody else.
// Annotations of a wrong type say nothing.
func (c *conversion) forUser(b *block) bool {
	if kind(b.annotations) != '{' {
		return false
	}
	var audience []byte
	_ = c.walk(b.annotations).members(func(name, value []byte) {
		if string(name) == "audience" {
			audience = value
		}
	})
	return kind(audience) == '[' && onlyUser(c.walk(audience))
}

// onlyUser reads an array.
func onlyUser(cur cursor) bool {
	_, _ = cur.dec.ReadToken()
	n := 0
	for ; cur.dec.PeekKind() != ']'; n++ {
		v, err := cur.value()
		if err != nil || str(v) != "user" {
			return false
		}
	}
	return n > 0
}

// readBlock takes in the next value of cur as one block.
func (c *conversion) readBlock(cur cursor) error {
	if cur.dec.PeekKind() != '{' {
		value, err := cur.value()
		if err == nil {
			c.structured.meet(&block{text: value}, value, true)
			c.addVisible(c.textOf(value))
		}
		return err
	}
	var b block
	start := cur.dec.InputOffset()
	err := cur.members(b.set)
	if err == nil {
		c.addBlock(&b, bytes.TrimLeft(cur.src[start:cur.dec.InputOffset()], " \t\r\n,:"))
	}
	return err
}

func (c *conversion) addBlock(b *block, raw []byte) {
	if kind(b.resource) != '{' {
		c.addBlockWith(b, nil, raw)
		return
	}
	var inner block
	_ = c.walk(b.resource).members(inner.set)
	c.addBlockWith(b, &inner, raw)
}

// addBlockWith takes in a block with the one resource within it, or nil.
func (c *conversion) addBlockWith(b, inner *block, raw []byte) {
	k := b.kind()
	hidden := c.forUser(b) || inner != nil && c.forUser(inner)
	c.structured.meet(b, raw, !hidden)
	if hidden {
		c.omitForUser(k, b, inner, int64(len(raw)))
		return
	}
	switch k {
	case "text":
		c.addTextBlock(b, raw)
	case "image":
		c.takeImage(k, "", c.mediaOf(k, b))
		c.addBeside(b)
	case "audio":
		c.describe(k, "", c.mediaOf(k, b), notShown)
		c.addBeside(b)
	case "resource_link":
		c.addLink(b, inner)
	case "resource":
		c.addResource(b, inner)
	default:
		c.addUnknown(k, b, raw)
	}
}
