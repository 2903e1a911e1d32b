package rpc

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// scanner walks JSON once, without recursion. It is as strict as RFC 8259 outside of strings, with one exception, and
// accepts in strings whatever repair can make valid; dirty says that repair is needed.
type scanner struct {
	data  []byte
	pos   int
	dirty bool
	// deepest is the most levels that were open at once since it was reset.
	deepest int
	// objects has a bit for each level that is open below the one where skip began: object or array.
	objects [MaxDepth/64 + 1]uint64
}

// peek skips white space and returns the next byte, or 0 at the end; no JSON token starts with 0.
func (s *scanner) peek() byte {
	if s.pos < len(s.data) && s.data[s.pos] > ' ' {
		return s.data[s.pos]
	}
	return s.peekBehind()
}

// peekBehind is apart from peek so that the compiler inlines the usual case.
func (s *scanner) peekBehind() byte {
	for ; s.pos < len(s.data); s.pos++ {
		if c := s.data[s.pos]; c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return c
		}
	}
	return 0
}

// fail tells a cut from other bad JSON.
func (s *scanner) fail() error {
	if s.pos >= len(s.data) {
		return ErrCut
	}
	return ErrSyntax
}

// object visits the members of the object at pos, which is at the given depth. Keys are decoded.
func (s *scanner) object(depth int, visit func(key, value []byte)) error {
	s.pos++
	if s.peek() == '}' {
		s.pos++
		return nil
	}
	for {
		start, err := s.key()
		if err != nil {
			return err
		}
		key := s.data[start:s.pos]
		if err := s.colon(); err != nil {
			return err
		}
		s.peek()
		start = s.pos
		if err := s.skip(depth); err != nil {
			return err
		}
		visit(memberName(key), s.data[start:s.pos:s.pos])
		switch s.peek() {
		case ',':
			s.pos++
		case '}':
			s.pos++
			return nil
		default:
			return s.fail()
		}
	}
}

// memberName decodes the name of a member.
func memberName(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	return []byte(text(raw))
}

// key passes the name of a member and returns where it starts.
func (s *scanner) key() (start int, err error) {
	if s.peek() != '"' {
		return 0, s.fail()
	}
	start = s.pos
	return start, s.str()
}

func (s *scanner) colon() error {
	if s.peek() != ':' {
		return s.fail()
	}
	s.pos++
	return nil
}

// skip passes one value. depth is how many arrays and objects are open around it.
func (s *scanner) skip(depth int) error {
	base := depth
	for {
		opened, err := s.start(&depth)
		if err != nil {
			return err
		}
		if opened {
			continue
		}
		more, err := s.after(base, &depth)
		if err != nil || !more {
			return err
		}
	}
}

// start passes a scalar or an empty array or object, or opens an array or object and passes what is before its first
// value.
func (s *scanner) start(depth *int) (opened bool, err error) {
	c := s.peek()
	switch c {
	case '"':
		return false, s.str()
	case '{', '[':
	default:
		return false, s.scalar()
	}
	if *depth >= MaxDepth {
		return false, ErrDepth
	}
	s.pos++
	if s.peek() == c+2 { // '[' and ']', '{' and '}' are two apart in ASCII
		s.pos++
		return false, nil
	}
	word, bit := &s.objects[*depth/64], uint64(1)<<(*depth%64)
	*depth++
	s.deepest = max(s.deepest, *depth)
	if c == '[' {
		*word &^= bit
		return true, nil
	}
	*word |= bit
	if _, err := s.key(); err != nil {
		return false, err
	}
	return true, s.colon()
}

// after passes what is behind a value: the ends of arrays and objects, then a comma and the next key.
func (s *scanner) after(base int, depth *int) (more bool, err error) {
	for *depth > base {
		top := *depth - 1
		inObject := s.objects[top/64]>>(top%64)&1 == 1
		switch c := s.peek(); {
		case c == ',':
			s.pos++
			if !inObject {
				return true, nil
			}
			if _, err := s.key(); err != nil {
				return false, err
			}
			return true, s.colon()
		case c == '}' && inObject, c == ']' && !inObject:
			s.pos++
			*depth--
		default:
			return false, s.fail()
		}
	}
	return false, nil
}

// scalar passes a number or a literal. NaN and Infinity, which Python's encoder writes, are accepted for repair.
func (s *scanner) scalar() error {
	switch c := s.peek(); c {
	case 't':
		return s.literal("true")
	case 'f':
		return s.literal("false")
	case 'n':
		return s.literal("null")
	case 'N':
		s.dirty = true
		return s.literal("NaN")
	case 'I':
		s.dirty = true
		return s.literal("Infinity")
	default:
		return s.number()
	}
}

func (s *scanner) literal(word string) error {
	for i := range len(word) {
		if s.pos >= len(s.data) || s.data[s.pos] != word[i] {
			return s.fail()
		}
		s.pos++
	}
	return nil
}

func (s *scanner) number() error {
	if s.at('-') {
		s.pos++
		if s.at('I') {
			s.dirty = true
			return s.literal("Infinity")
		}
	}
	if s.at('0') {
		s.pos++
	} else if !s.digits() {
		return s.fail()
	}
	if s.at('.') {
		s.pos++
		if !s.digits() {
			return s.fail()
		}
	}
	if s.at('e') || s.at('E') {
		s.pos++
		if s.at('+') || s.at('-') {
			s.pos++
		}
		if !s.digits() {
			return s.fail()
		}
	}
	return nil
}

func (s *scanner) at(c byte) bool { return s.pos < len(s.data) && s.data[s.pos] == c }

// digits passes digits, and reports whether there was one.
func (s *scanner) digits() bool {
	i := s.pos
	for i < len(s.data) && s.data[i]-'0' <= 9 {
		i++
	}
	some := i > s.pos
	s.pos = i
	return some
}

// str passes the string at pos.
func (s *scanner) str() error {
	i := s.pos + 1
	for {
		i = plain(s.data, i)
		if i >= len(s.data) {
			s.pos = len(s.data)
			return ErrCut
		}
		c := s.data[i]
		switch {
		case c == '"':
			s.pos = i + 1
			return nil
		case c == '\\':
			n, ok := escape(s.data[i:])
			if !ok {
				s.dirty = true
			}
			i += n
		case c < ' ':
			s.dirty = true
			i++
		default:
			i = s.nonASCII(i)
		}
	}
}

// nonASCII passes the bytes from 0x80 on. The ranges of two and three bytes that need no second look come first: they are
// most of the world's text.
func (s *scanner) nonASCII(i int) int {
	data := s.data
	for i < len(data) && data[i] >= utf8.RuneSelf {
		c := data[i]
		if i+2 < len(data) && tail(data[i+1]) {
			if c >= 0xC2 && c <= 0xDF {
				i += 2
				continue
			}
			if c > 0xE0 && c < 0xF0 && c != 0xED && tail(data[i+2]) {
				i += 3
				continue
			}
		}
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			s.dirty = true
		}
		i += n
	}
	return i
}

// tail reports a continuation byte of UTF-8.
func tail(c byte) bool { return c&0xC0 == 0x80 }

// plain is the index of the first byte from i on that isn't an ordinary character of an ASCII string: a quote, a
// backslash, a control byte, or the start of a longer character. It looks at eight bytes at a time.
func plain(data []byte, i int) int {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(data); i += 8 {
		x := binary.LittleEndian.Uint64(data[i:])
		quote, slash := x^(ones*'"'), x^(ones*'\\')
		// Each term has the high bit of a byte set where the byte is below 0x20, is zero after the XOR, or is not
		// ASCII. A borrow can set a bit wrongly only above one that is right, and the lowest is what counts.
		odd := ((x - ones*' ') | (quote - ones) | (slash - ones) | x) & high
		if odd != 0 {
			return i + bits.TrailingZeros64(odd)/8
		}
	}
	for i < len(data) {
		if c := data[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return i
		}
		i++
	}
	return i
}
