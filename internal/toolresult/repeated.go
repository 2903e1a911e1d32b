package toolresult

import (
	"bytes"
	"strings"
)

// minRepeated is how long base64 has to be, in bytes, for a line in its place to
// be worth it.
const minRepeated = 64

// note remembers the media of a content block, in case the structured content
// repeats it.
func (c *conversion) note(k string, m media) {
	size := len(m.text)
	if c.structured.held || m.fault != "" || size < minRepeated || size > len(c.structured.raw) || len(c.seen) == maxLines {
		return
	}
	if c.seen == nil {
		c.seen = map[uint64]string{}
	}
	c.seen[c.structured.hasher().text(m.text)] = mediaLine(k, "", c.mimeOf(m), m.size, "")
}

// place is an object or array that is being searched for media.
type place struct {
	object bool
	name   []byte // of the member whose value comes next; nil: its name does
	block  block  // the object as a content block
}

// mediaIn finds the strings of a JSON value that are media in base64, which say
// nothing to a model: what a content block beside it holds, and what stands in a
// block within it. It gives the line to write instead, by the string's first
// byte.
func (c *conversion) mediaIn(raw []byte) map[*byte]string {
	if len(raw) < minRepeated || len(c.seen) == 0 && !bytes.Contains(raw, []byte(`"data"`)) && !bytes.Contains(raw, []byte(`"blob"`)) {
		return nil
	}
	lines := map[*byte]string{}
	cur, places := newCursor(raw), []place{{}}
	for len(lines) < maxLines {
		switch k := cur.dec.PeekKind(); k {
		case '{', '[':
			if _, err := cur.dec.ReadToken(); err != nil {
				return lines
			}
			places = append(places, place{object: k == '{'})
			continue
		case '}', ']':
			if _, err := cur.dec.ReadToken(); err != nil {
				return lines
			}
			c.mediaWithin(&places[len(places)-1].block, lines)
			places = places[:len(places)-1]
			places[len(places)-1].name = nil
		default:
			v, err := cur.value()
			if err != nil {
				return lines
			}
			c.look(&places[len(places)-1], v, lines)
		}
		if len(places) == 1 {
			return lines
		}
	}
	return lines
}

// look takes in a name or a value that is neither object nor array.
func (c *conversion) look(p *place, v []byte, lines map[*byte]string) {
	if p.object && p.name == nil {
		p.name = unquote(v)
		return
	}
	if p.object {
		p.block.set(p.name, v)
		p.name = nil
	}
	if kind(v) != '"' || len(v) < minRepeated || len(c.seen) == 0 {
		return
	}
	if text, _, ok := base64Text(v); ok {
		if line, ok := c.seen[c.structured.hasher().text(text)]; ok {
			lines[&v[0]] = line
		}
	}
}

// mediaWithin takes in an object that may be a content block.
func (c *conversion) mediaWithin(b *block, lines map[*byte]string) {
	k, data := b.kind(), b.data
	if kind(b.blob) == '"' {
		k, data = "resource", b.blob
	} else if mime := str(b.mime); k != "image" && k != "audio" && !strings.HasPrefix(mime, "image/") && !strings.HasPrefix(mime, "audio/") {
		return
	}
	if kind(data) != '"' || len(data) < minRepeated || lines[&data[0]] != "" {
		return
	}
	if m := openMedia(str(b.mime), data); m.fault == "" {
		lines[&data[0]] = mediaLine(k, "", c.mimeOf(m), m.size, notShown)
	}
}
