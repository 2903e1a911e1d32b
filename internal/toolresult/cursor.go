package toolresult

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// cursor walks JSON text and hands out values as parts of it, undecoded.
// Duplicate names and invalid UTF-8 are let through: neither is a reason to
// lose a result.
type cursor struct {
	dec *jsontext.Decoder
	buf *bytes.Buffer // what dec reads
	src []byte
}

var lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

func newCursor(src []byte) cursor {
	return cursor{dec: new(jsontext.Decoder), buf: new(bytes.Buffer)}.over(src)
}

// over makes the cursor walk other text, without allocation.
func (c cursor) over(src []byte) cursor {
	c.src = src[:len(src):len(src)] // the decoder can't write behind it
	*c.buf = *bytes.NewBuffer(c.src)
	c.dec.Reset(c.buf, lenient...)
	return c
}

// walk gives a cursor over something small within a block, of which there may be
// many. It is the same one every time.
func (c *conversion) walk(src []byte) cursor {
	if c.within.dec == nil {
		c.within = newCursor(nil)
	}
	return c.within.over(src)
}

// value reads the next value. The result aliases src, not the decoder.
func (c cursor) value() ([]byte, error) {
	v, err := c.dec.ReadValue()
	if err != nil {
		return nil, err
	}
	end := int(c.dec.InputOffset())
	return c.src[end-len(v) : end : end], nil
}

// members reads the next value, which has to be an object, and calls f for
// each member. Where a value is cut short f gets what there is of it, and the
// error is returned.
func (c cursor) members(f func(name, value []byte)) error {
	if _, err := c.dec.ReadToken(); err != nil {
		return err
	}
	for c.dec.PeekKind() == '"' {
		quoted, err := c.value()
		if err != nil {
			return err
		}
		name := unquote(quoted)
		value, err := c.value()
		if err != nil {
			f(name, bytes.TrimLeft(c.src[c.dec.InputOffset():], " \t\r\n:"))
			return err
		}
		f(name, value)
	}
	_, err := c.dec.ReadToken()
	return err
}

// done says whether nothing but whitespace is left.
func (c cursor) done() bool {
	_, err := c.dec.ReadToken()
	return errors.Is(err, io.EOF)
}

// kind is the first byte of a JSON value: one of {["tfn, a minus or a digit;
// zero for none.
func kind[T ~string | ~[]byte](value T) byte {
	if value = skipSpace(value); len(value) > 0 {
		return value[0]
	}
	return 0
}

// skipSpace takes off what JSON allows in front of a value.
func skipSpace[T ~string | ~[]byte](value T) T {
	for i := range len(value) {
		switch value[i] {
		case ' ', '\t', '\r', '\n':
		default:
			return value[i:]
		}
	}
	return value[len(value):]
}

// absent says whether an optional member is missing or null, which servers
// use for the same thing.
func absent(value []byte) bool {
	k := kind(value)
	return k == 0 || k == 'n'
}

// unquote decodes a JSON string. Invalid UTF-8 and lone surrogates become
// U+FFFD. The result aliases quoted where nothing has to be decoded.
func unquote(quoted []byte) []byte {
	if inner, ok := plain(quoted); ok && utf8.Valid(inner) {
		return inner
	}
	s, _ := jsontext.AppendUnquote(nil, quoted) // an error only reports the U+FFFD
	return s
}

// plain gives the inside of a JSON string without escapes.
func plain(quoted []byte) ([]byte, bool) {
	if len(quoted) < 2 || bytes.IndexByte(quoted, '\\') >= 0 {
		return nil, false
	}
	return quoted[1 : len(quoted)-1], true
}

// str gives a member that should be a string; "" for any other type.
func str(value []byte) string {
	if kind(value) != '"' {
		return ""
	}
	return string(unquote(value))
}
