package toolresult

import (
	"cmp"
	"strconv"
)

// addResource takes in an embedded resource. inner is its own object, if it has
// one. Some servers embed several, as an array or as the answer to
// resources/read has them.
func (c *conversion) addResource(b, inner *block) {
	r := cmp.Or(inner, b)
	switch kind(b.resource) {
	case '"':
		r.uri = b.resource
	case '[':
		r = &block{contents: b.resource, uri: b.uri}
	}
	if kind(r.contents) == '[' && r.empty() {
		c.addResources(r)
	} else {
		c.addOneResource(r)
	}
	if r != b {
		c.addBeside(b)
	}
}

// addResources takes in each of r's contents. They are at r's URI where they
// don't say otherwise.
func (c *conversion) addResources(r *block) {
	if c.contents.dec == nil {
		c.contents = newCursor(nil)
	}
	cur := c.contents.over(r.contents)
	_, _ = cur.dec.ReadToken() // the bracket
	if cur.dec.PeekKind() == ']' {
		c.addOneResource(r)
	}
	for cur.dec.PeekKind() != ']' {
		one := block{uri: r.uri}
		if cur.dec.PeekKind() == '{' {
			if cur.members(one.set) != nil {
				return
			}
		} else if value, err := cur.value(); err != nil {
			return
		} else if kind(value) == '"' {
			one.uri = value
		}
		c.addOneResource(&one)
	}
}

func (c *conversion) addOneResource(r *block) {
	if c.forUser(r) {
		c.omitForUser("resource", r, nil, -1)
		return
	}
	uri, mime := c.field(cmp.Or(str(r.uri), str(r.url)), maxURI), str(r.mime)
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

// addBlob takes in an embedded resource's bytes. The model is told its URI
// also where it is given the image.
func (c *conversion) addBlob(uri, mime string, data []byte) {
	m := c.open("resource", mime, data)
	if m.image == "" {
		c.describe("resource", uri, m, notShown)
		return
	}
	c.takeImage("resource", uri, m)
}

// addLink takes in a resource_link. Some servers have its members in an object
// of its own, inner.
func (c *conversion) addLink(b, inner *block) {
	link := *b
	switch kind(b.resource) {
	case '{':
		_ = c.walk(b.resource).members(link.set)
	case '"':
		link.uri = b.resource
	}
	c.addLine(c.linkLine(&link))
	c.addBeside(b)
	if inner != nil {
		c.addBeside(inner)
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
	uri := cmp.Or(str(b.uri), str(b.url))
	line := list("resource link", name, c.field(uri, maxURI), c.field(str(b.mime), maxField), size)
	if d := c.field(str(b.description), maxDescription); d != "" {
		line += ": " + d
	}
	return "[" + line + "]"
}
