package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// ellipsis is the end of a text that was cut.
	ellipsis = "…"
	// maxCluster bounds how many characters are given up to keep one visible character whole.
	maxCluster = 16
)

// Cut returns text if it has at most max bytes, else as much of its begin as leaves room for an ellipsis within
// max. It cuts on a rune boundary, never inside of [Mark], and, unless it is unusually long, not inside of
// what is seen as one character: an emoji sequence, a letter with combining marks, a flag. A max below the 3 bytes
// of an ellipsis leaves it out; zero or less leaves nothing.
func Cut(text string, max int) string {
	if len(text) <= max {
		return text
	}
	if max < len(ellipsis) {
		return text[:boundary(text, max)]
	}
	return text[:boundary(text, max-len(ellipsis))] + ellipsis
}

// CutRunes is [Cut] with max in characters (runes) instead of bytes, of which the ellipsis is one.
func CutRunes(text string, max int) string {
	if len(text) <= max {
		return text
	}
	if max <= 0 {
		return ""
	}
	last, n := 0, 0 // where the max-th character begins
	for i := range text {
		if n++; n == max {
			last = i
		}
		if n > max {
			return text[:boundary(text, last)] + ellipsis
		}
	}
	return text
}

// boundary returns the last position up to pos where text may be cut.
func boundary(text string, pos int) int {
	if pos <= 0 {
		return 0
	}
	return beforeMark(text, beforeCluster(text, beforeRune(text, pos)))
}

func beforeRune(text string, pos int) int {
	for at := pos; at >= 0 && pos-at < utf8.UTFMax; at-- {
		if utf8.RuneStart(text[at]) {
			return at
		}
	}
	return pos // not UTF-8 here
}

func beforeCluster(text string, pos int) int {
	at := pos
	for range maxCluster {
		if at == 0 || !inCluster(text, at) {
			return at
		}
		_, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
	}
	return pos
}

// inCluster reports whether the characters before and behind at are seen as one.
func inCluster(text string, at int) bool {
	next, _ := utf8.DecodeRuneInString(text[at:])
	if next < utf8.RuneSelf {
		return false
	}
	if next == joiner || unicode.IsMark(next) || 0x1F3FB <= next && next <= 0x1F3FF || 0xE0020 <= next && next <= 0xE007F {
		return true
	}
	prev, _ := utf8.DecodeLastRuneInString(text[:at])
	if prev == joiner {
		return isPictographic(next)
	}
	return isRegional(next) && isRegional(prev) && regionalsBefore(text, at)%2 == 1
}

func isRegional(r rune) bool { return 0x1F1E6 <= r && r <= 0x1F1FF }

// regionalsBefore counts regional indicators, of which two make a flag.
func regionalsBefore(text string, at int) int {
	const size = 4 // of each of them
	n := 0
	for ; at >= size; at -= size {
		if r, _ := utf8.DecodeRuneInString(text[at-size:]); !isRegional(r) {
			break
		}
		n++
	}
	return n
}

func beforeMark(text string, pos int) int {
	for at := max(0, pos-len(Mark)+1); at < pos; at++ {
		if strings.HasPrefix(text[at:], Mark) {
			return at
		}
	}
	return pos
}
