package toolresult

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// structured is the result's structuredContent.
type structured struct {
	raw   []byte // nil: there is none
	inner []byte // its value, if it is an object of "result" alone
	held  bool   // a text that the model sees holds the same value

	elements elements // of the array that it is, if it is one

	hash     *hasher // made when first used
	summed   bool
	sum      [2]uint64 // of raw and inner; valid if summed
	compared int       // how many texts were
	text     []byte    // the one that is
}

// maxCompared bounds how many texts are decoded to be compared: blocks can be so
// many that the decoding, as short as each is, takes seconds.
const maxCompared = 10_000

// set takes the member as it is in the result. null means absent.
//
// The most common server framework wraps a tool's plain return value as
// {"result": value}, because structuredContent had to be an object; the text
// beside it holds the bare value.
func (s *structured) set(raw []byte) {
	if absent(raw) {
		return
	}
	s.raw = raw
	if kind(raw) != '{' {
		s.elements.set(raw)
		return
	}
	n := 0
	_ = newCursor(raw).members(func(name, value []byte) {
		if n++; n == 1 && string(name) == "result" {
			s.inner = value
		} else {
			s.inner = nil
		}
	})
	s.elements.set(s.inner)
}

func (s *structured) hasher() *hasher {
	if s.hash == nil {
		s.hash = newHasher()
	}
	return s.hash
}

// compare notes whether text holds the same JSON value, in whatever spelling.
func (s *structured) compare(text string) {
	if s.raw == nil || s.held {
		return
	}
	if kind(s.inner) == '"' && s.spells(text) {
		s.held = true
		return
	}
	outer, inner := alike(text, s.raw), s.inner != nil && alike(text, s.inner)
	if !outer && !inner || s.compared == maxCompared {
		return
	}
	s.compared++
	h := s.hasher()
	if !s.summed {
		s.summed = true
		s.sum[0], _ = h.sum(s.raw)
		s.sum[1], _ = h.sum(s.inner)
	}
	s.text = append(s.text[:0], text...)
	sum, ok := h.sum(s.text)
	s.held = ok && (outer && sum == s.sum[0] || inner && sum == s.sum[1])
}

// spells says whether inner is a string of this text. An escape makes six
// bytes of one at most, so far shorter texts need no look: there may be many.
func (s *structured) spells(text string) bool {
	return 6*len(text)+2 >= len(s.inner) && string(unquote(s.inner)) == text
}

// addStructured appends the structured content for the model. The host gets it
// as it is.
func (c *conversion) addStructured() {
	s := &c.structured
	s.held = s.held || s.elements.all()
	if s.raw == nil || s.held && len(s.raw) > maxMetadata {
		return
	}
	json := ""
	media := c.mediaIn(s.raw)
	if len(media) == 0 || len(s.raw) <= maxMetadata {
		json = c.compact(s.raw)
		c.setMetaStructured(json)
	}
	if s.held {
		return
	}
	if len(media) > 0 {
		c.instead = media
		json = c.compact(s.raw)
		c.instead = nil
	}
	if json != "" {
		c.text.add(json)
	}
}

// compact renders valid JSON without spaces. Numbers stay as they are, to the
// byte; strings are written with no more escapes than needed, cleaned, and
// hidden one by one, so that neither an escape can spell a secret that Hide
// would not see, nor Hide can break the JSON.
func (c *conversion) compact(value []byte) string {
	if c.json.dec == nil {
		c.json = newCursor(nil)
	}
	cur := c.json.over(value)
	out := slices.Grow(c.scratch[:0], len(value))
	defer func() { c.scratch = out[:0] }()
	for {
		k := cur.dec.PeekKind()
		if k != '}' && k != ']' {
			out = appendDelimiter(out, cur)
		}
		if k == '{' || k == '[' || k == '}' || k == ']' {
			if _, err := cur.dec.ReadToken(); err != nil {
				return ""
			}
			out = append(out, byte(k))
		} else {
			v, err := cur.value()
			if err != nil {
				return ""
			}
			out = c.appendScalar(out, v)
		}
		if cur.dec.StackDepth() == 0 {
			return string(out)
		}
	}
}

// appendDelimiter writes what stands between the last token and the next.
func appendDelimiter(out []byte, cur cursor) []byte {
	in, n := cur.dec.StackIndex(cur.dec.StackDepth())
	switch {
	case n == 0 || in != '{' && in != '[':
		return out
	case in == '{' && n%2 == 1:
		return append(out, ':')
	default:
		return append(out, ',')
	}
}

func (c *conversion) appendScalar(out, value []byte) []byte {
	line := c.instead[&value[0]]
	switch {
	case line != "":
		out, _ = jsontext.AppendQuote(out, line)
		return out
	case kind(value) == '"':
		out, _ = jsontext.AppendQuote(out, c.hide(c.clean(string(unquote(value)))))
		return out
	case c.opts.Hide == nil:
		return append(out, value...)
	}
	if s := string(value); c.hide(s) != s { // a number can be a secret too
		out, _ = jsontext.AppendQuote(out, c.hide(s))
		return out
	}
	return append(out, value...)
}
