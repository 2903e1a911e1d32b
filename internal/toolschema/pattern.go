package toolschema

import (
	"strings"
	"unicode/utf8"
)

// maxPattern bounds a pattern in bytes.
const maxPattern = 4096

// compiles says whether a pattern can be one in some dialect. Only what is
// broken in every dialect counts, and no parser of one dialect is asked: Go's
// takes 80 ms and 25 MiB for some patterns of 4 KiB.
func compiles(pattern string) bool {
	if len(pattern) > maxPattern || !utf8.ValidString(pattern) {
		return false
	}
	// "]" as the first of a class is its end in JavaScript, and a character
	// of it elsewhere.
	return balanced(pattern, false) || balanced(pattern, true)
}

// balanced says whether groups and classes of a pattern end, and whether its
// repetitions repeat something.
func balanced(s string, literalFirst bool) bool {
	depth := 0
	begins := true // nothing to repeat yet
	for len(s) > 0 {
		c := s[0]
		s = s[1:]
		switch c {
		case '\\':
			if s == "" {
				return false
			}
			if s[0] == 'Q' {
				return true // quotes all that follows, where it means anything
			}
			s = s[1:]
		case '[':
			n := classLength(s, literalFirst)
			if n < 0 {
				return false
			}
			s = s[n:]
		case '(':
			depth++
			n := strings.IndexByte("?*", headOf(s))
			if n >= 0 { // a kind of group, or a verb, is no repetition
				s = s[1:]
			}
			begins = n < 0
			continue
		case ')':
			if depth--; depth < 0 {
				return false
			}
		case '*', '+', '?':
			if begins {
				return false
			}
		}
		begins = c == '|'
	}
	return depth == 0
}

// classLength is the length of a class behind its "[" up to its end; -1: it
// has none.
func classLength(s string, literalFirst bool) int {
	i := 0
	if headOf(s) == '^' {
		i++
	}
	if literalFirst && headOf(s[i:]) == ']' {
		i++
	}
	for ; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case ']':
			return i + 1
		}
	}
	return -1
}

// headOf is the first byte, or 0.
func headOf(s string) byte {
	if s == "" {
		return 0
	}
	return s[0]
}
