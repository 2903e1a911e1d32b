package rpc

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"unicode/utf16"
	"unicode/utf8"
)

// repairRoom is by how many bytes a repaired message may be longer, beside a quarter of its length. What needs more is no
// text, and would let a server multiply the memory that its answer costs.
const repairRoom = 64 << 10

// repairer makes valid JSON of what a scanner has passed as dirty.
type repairer struct {
	data []byte
	pos  int
	out  []byte // holds at most limit bytes together with data[pos:], which may all be copied
}

// repair returns ErrBinary where too much is broken.
func repair(data []byte) ([]byte, error) {
	limit := min(len(data)*len(`\u0000`), len(data)+len(data)/4+repairRoom)
	r := repairer{data: data, out: make([]byte, 0, limit)}
	inString := false
	for r.pos < len(data) {
		if inString {
			inString = r.inString()
		} else {
			inString = r.outside()
		}
		if len(r.out)+len(data)-r.pos > limit {
			return nil, ErrBinary
		}
	}
	return r.out, nil
}

// copy passes n bytes as they are.
func (r *repairer) copy(n int) {
	r.out = append(r.out, r.data[r.pos:r.pos+n]...)
	r.pos += n
}

// replace passes n bytes and writes others.
func (r *repairer) replace(n int, with string) {
	r.out = append(r.out, with...)
	r.pos += n
}

// outside passes what is between strings, up to the first byte of one or one repaired token.
func (r *repairer) outside() (inString bool) {
	n := bytes.IndexAny(r.data[r.pos:], `"NI`)
	if n < 0 {
		r.copy(len(r.data) - r.pos)
		return false
	}
	r.copy(n)
	switch r.data[r.pos] {
	case 'N':
		r.replace(len("NaN"), "null")
	case 'I':
		r.out = bytes.TrimSuffix(r.out, []byte("-"))
		r.replace(len("Infinity"), "null")
	default:
		r.copy(1)
		return true
	}
	return false
}

// inString passes ordinary characters and then one that is not, or the end of the string.
func (r *repairer) inString() bool {
	r.copy(plain(r.data, r.pos) - r.pos)
	rest := r.data[r.pos:]
	if len(rest) == 0 {
		return false
	}
	switch c := rest[0]; {
	case c == '"':
		r.copy(1)
		return false
	case c == '\\':
		r.escape()
	case c < ' ':
		r.control(c)
	default:
		r.character(rest)
	}
	return true
}

// character passes one character that isn't ASCII, or the invalid bytes up to a valid one, which become one U+FFFD.
func (r *repairer) character(rest []byte) {
	bad := 0
	for bad < len(rest) {
		c, n := utf8.DecodeRune(rest[bad:])
		if c != utf8.RuneError || n != 1 {
			if bad == 0 {
				r.copy(n)
				return
			}
			break
		}
		bad++
	}
	r.replace(bad, "\uFFFD")
}

// escape keeps the backslash of an unknown escape, which was most likely meant as one (`C:\dir`).
func (r *repairer) escape() {
	n, ok := escape(r.data[r.pos:])
	switch {
	case ok:
		r.copy(n)
	case n == len(`\u0000`):
		r.replace(n, `\ufffd`)
	default:
		r.replace(1, `\\`)
		r.copy(n - 1)
	}
}

// control writes a raw control byte as an escape.
func (r *repairer) control(c byte) {
	const hexDigits = "0123456789abcdef"
	switch c {
	case '\t':
		r.replace(1, `\t`)
	case '\n':
		r.replace(1, `\n`)
	case '\r':
		r.replace(1, `\r`)
	default:
		r.replace(1, `\u00`)
		r.out = append(r.out, hexDigits[c>>4], hexDigits[c&15])
	}
}

// escape measures the escape sequence at the start of b. Not ok: a lone surrogate, of 6 bytes, or no known sequence, of
// which the backslash and perhaps the u are passed.
func escape(b []byte) (n int, ok bool) {
	if len(b) < 2 {
		return len(b), false
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2, true
	case 'u':
	default:
		return 1, false
	}
	first, ok := unit(b)
	if !ok {
		return 2, false
	}
	if !utf16.IsSurrogate(first) {
		return 6, true
	}
	if second, ok := unit(b[6:]); ok && utf16.DecodeRune(first, second) != utf8.RuneError {
		return 12, true
	}
	return 6, false
}

// unit decodes the \uXXXX at the start of b.
func unit(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	var v [2]byte
	if _, err := hex.Decode(v[:], b[2:6]); err != nil {
		return 0, false
	}
	return rune(binary.BigEndian.Uint16(v[:])), true
}

// text decodes a JSON string; anything else is "".
func text(raw []byte) string {
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	if inner := raw[1 : len(raw)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return string(inner)
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// AppendString appends s as a JSON string.
func AppendString(dst []byte, s string) []byte {
	if utf8.ValidString(s) && plain([]byte(s), 0) == len(s) {
		dst = append(dst, '"')
		dst = append(dst, s...)
		return append(dst, '"')
	}
	quoted, err := json.Marshal(s)
	if err != nil { // strings always encode
		return append(dst, `""`...)
	}
	return append(dst, quoted...)
}
