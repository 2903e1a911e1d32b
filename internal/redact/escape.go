package redact

import "unicode/utf8"

// layer is a way to write characters as escapes.
type layer uint8

const (
	backslash layer = iota // \n \" \u0041 \x41 \101 of JSON, Go, C and JavaScript, \_ of Markdown
	percent                // %41 of URLs
	entity                 // &quot; &#34; &#x22; of HTML and XML
)

// layerSet is a bit set of layers.
type layerSet uint8

// introducers has the character that starts an escape of each layer.
var introducers = [...]symbol{backslash: '\\', percent: '%', entity: '&'}

// layersOf returns the layers in which b is special.
func layersOf(b byte) layerSet {
	switch b {
	case '\\':
		return 1 << backslash
	case '%', '+':
		return 1 << percent
	case '&':
		return 1 << entity
	}
	return 0
}

// maxDepth is how many layers may lie inside each other. A stack of layers is ordered from the outermost, which
// was encoded last, to the innermost.
const maxDepth = 3

// symbol is one decoded character: a byte (0 to 255), a rune from U+0080 on with runeFlag, or end.
type symbol int32

const (
	end      symbol = -1
	runeFlag symbol = 1 << 21
)

// runeSymbol returns the symbol of code point r, which may be no valid one.
func runeSymbol(r rune) symbol {
	if r < utf8.RuneSelf {
		return symbol(r)
	}
	if !utf8.ValidRune(r) {
		r = utf8.RuneError
	}
	return symbol(r) | runeFlag
}

// appendTo appends the UTF-8 of s, which is not end, to b.
func (s symbol) appendTo(b []byte) []byte {
	if s < runeFlag {
		return append(b, byte(s))
	}
	return utf8.AppendRune(b, rune(s&^runeFlag))
}

// lead returns the first byte of the symbol's UTF-8.
func (s symbol) lead() byte {
	var buf [utf8.UTFMax]byte
	return s.appendTo(buf[:0])[0]
}

// decode reads the symbol at pos through the layers of stack and returns it with the position behind it.
// What is no valid escape stands for itself.
func decode(text string, pos int, stack []layer) (symbol, int) {
	if len(stack) == 0 {
		if pos >= len(text) {
			return end, pos
		}
		return symbol(text[pos]), pos + 1
	}
	inner := stack[len(stack)-1]
	outer := stack[:len(stack)-1]
	sym, next := decode(text, pos, outer)
	if sym != introducers[inner] {
		return sym, next
	}
	body := reader{text: text, pos: next, stack: outer}
	decoded := end
	switch inner {
	case backslash:
		decoded = body.backslash()
	case percent:
		decoded = symbol(body.number(16, 2, 2))
	case entity:
		decoded = body.entity()
	}
	if decoded == end {
		return sym, next
	}
	return decoded, body.pos
}

// reader reads the body of an escape through the layers around it. Its methods return end (or -1) for a body
// that is not well-formed.
type reader struct {
	text  string
	pos   int
	stack []layer
}

func (r *reader) read() symbol {
	sym, next := decode(r.text, r.pos, r.stack)
	r.pos = next
	return sym
}

// number reads at least min and at most max digits.
func (r *reader) number(base rune, min, max int) rune {
	value := rune(0)
	for n := range max {
		before := r.pos
		digit := digitOf(r.read())
		if digit < 0 || digit >= base {
			r.pos = before
			if n < min {
				return -1
			}
			break
		}
		value = value*base + digit
		if value > utf8.MaxRune {
			return -1
		}
	}
	return value
}

func digitOf(s symbol) rune {
	switch {
	case '0' <= s && s <= '9':
		return rune(s - '0')
	case 'a' <= s && s <= 'f':
		return rune(s-'a') + 10
	case 'A' <= s && s <= 'F':
		return rune(s-'A') + 10
	}
	return -1
}

func (r *reader) backslash() symbol {
	before := r.pos
	c := r.read()
	switch c {
	case 'u':
		return r.utf16()
	case 'U':
		if value := r.number(16, 8, 8); value >= 0 {
			return runeSymbol(value)
		}
		return end
	case 'x':
		return symbol(r.number(16, 2, 2))
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'v':
		return '\v'
	case 'a':
		return '\a'
	}
	if '0' <= c && c <= '7' {
		r.pos = before
		if value := r.number(8, 3, 3); value <= 0xff {
			return symbol(value)
		}
		return end
	}
	if isPunctuation(c) {
		return c
	}
	return end
}

// utf16 reads what follows \u: four digits, of a surrogate pair twice (RFC 8259, section 7).
func (r *reader) utf16() symbol {
	high := r.number(16, 4, 4)
	if high < 0 {
		return end
	}
	if high < 0xd800 || high > 0xdbff {
		return runeSymbol(high)
	}
	after := r.pos
	if r.read() == '\\' && r.read() == 'u' {
		if low := r.number(16, 4, 4); low >= 0xdc00 && low <= 0xdfff {
			return runeSymbol((high-0xd800)<<10 + (low - 0xdc00) + 0x10000)
		}
	}
	r.pos = after
	return runeSymbol(utf8.RuneError)
}

func isPunctuation(s symbol) bool {
	return '!' <= s && s <= '/' || ':' <= s && s <= '@' || '[' <= s && s <= '`' || '{' <= s && s <= '~'
}

func (r *reader) entity() symbol {
	var name [6]byte
	for n := 0; n <= len(name); n++ {
		c := r.read()
		switch {
		case c == '#' && n == 0:
			return r.codePoint()
		case c == ';':
			return entityNamed(string(name[:n]))
		case n == len(name) || c < 'a' || c > 'z':
			return end
		}
		name[n] = byte(c)
	}
	return end
}

func (r *reader) codePoint() symbol {
	before := r.pos
	base := rune(16)
	if c := r.read(); c != 'x' && c != 'X' {
		base = 10
		r.pos = before
	}
	value := r.number(base, 1, 8)
	if value < 0 || r.read() != ';' {
		return end
	}
	return runeSymbol(value)
}

// entityNamed knows the names of ASCII punctuation that encoders write.
func entityNamed(name string) symbol {
	switch name {
	case "quot":
		return '"'
	case "apos":
		return '\''
	case "lt":
		return '<'
	case "gt":
		return '>'
	case "amp":
		return '&'
	case "plus":
		return '+'
	case "sol":
		return '/'
	case "bsol":
		return '\\'
	case "equals":
		return '='
	case "colon":
		return ':'
	case "commat":
		return '@'
	case "num":
		return '#'
	case "percnt":
		return '%'
	case "dollar":
		return '$'
	case "lowbar":
		return '_'
	case "ast":
		return '*'
	case "grave":
		return '`'
	}
	return end
}
