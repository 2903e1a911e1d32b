package redact

import (
	"strings"
	"unicode/utf8"
)

const (
	esc = 0x1b
	bel = 0x07
	can = 0x18
	sub = 0x1a
)

func isC1(r rune) bool { return 0x80 <= r && r <= 0x9f }

// sequence returns the length of the control sequence (ECMA-48) at the begin of rest, which is ESC or a C1
// control in UTF-8. A sequence that breaks off ends where it stops being one.
func sequence(rest string) int {
	kind, n := introducer(rest)
	switch kind {
	case '[':
		return n + csi(rest[n:])
	case ']':
		return n + controlString(rest[n:], true)
	case 'P', 'X', '^', '_':
		return n + controlString(rest[n:], false)
	}
	return n
}

// introducer returns the final byte of the escape at the begin of rest, as it is in its form with ESC, and the
// length of the escape.
func introducer(rest string) (kind byte, n int) {
	if rest[0] != esc {
		return rest[1] - 0x40, 2 // C1 is ESC and a byte that is smaller by 0x40; UTF-8 keeps it behind C2
	}
	n = 1
	for n < len(rest) && ' ' <= rest[n] && rest[n] <= '/' {
		n++
	}
	if n == len(rest) || rest[n] < '0' || rest[n] > '~' {
		return 0, n
	}
	if n > 1 {
		return 0, n + 1 // with intermediate bytes it is another function
	}
	return rest[n], n + 1
}

// csi returns the length of a control sequence's parameters, intermediate bytes and final byte.
func csi(rest string) int {
	n := 0
	for n < len(rest) && '0' <= rest[n] && rest[n] <= '?' {
		n++
	}
	for n < len(rest) && ' ' <= rest[n] && rest[n] <= '/' {
		n++
	}
	if n < len(rest) && '@' <= rest[n] && rest[n] <= '~' {
		n++
	}
	return n
}

// controlString returns the length of a control string with its terminator. A string without an end is none:
// its text would vanish from the reader although it may be all there is. One that another control interrupts
// ends before that control. An operating system command (title, link) ends within its line.
func controlString(rest string, command bool) int {
	for i := 0; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == bel && command:
			return i + 1
		case c == can || c == sub:
			return i + 1
		case c == '\n' && command:
			return 0
		case c == esc:
			if strings.HasPrefix(rest[i:], "\x1b\\") {
				return i + 2
			}
			return i
		case c == 0xc2:
			r, size := utf8.DecodeRuneInString(rest[i:])
			if r == 0x9c {
				return i + size
			}
			if isC1(r) {
				return i
			}
		}
	}
	return 0
}
