package redact

import (
	"strings"
	"unicode/utf8"
)

// maxBreak bounds how many characters of a line break are skipped inside of a secret.
const maxBreak = 64

// maxBreaks bounds how many more line breaks may follow the first one within the first bytes of a secret.
const maxBreaks = 2

// broken finds the patterns of which a line break stands inside of the first width bytes.
func (s *search) broken() {
	text := s.text
	for from := 0; !s.done(); {
		at := strings.IndexByte(text[from:], '\n')
		if at < 0 {
			return
		}
		left := from + at
		right := left + 1
		for left > from && isBlank(symbol(text[left-1])) {
			left--
		}
		for right < len(text) && isBlank(symbol(text[right])) {
			right++
		}
		if right-left <= maxBreak {
			s.straddle(left, right, nil)
		}
		from = right
	}
}

// straddle finds the patterns whose first width bytes stand on both sides of the break from left to right:
// on the left as they are, on the right as they read through stack. Where stack is empty and the right has what
// could be escapes, it is also read through these.
func (s *search) straddle(left, right int, stack []layer) {
	var buf [2*maxWidth + utf8.UTFMax]byte
	before := min(left, s.width-1)
	window := append(buf[:0], s.text[left-before:left]...)
	window, seen := s.read(window, before+s.width-1, right, stack)
	s.within(window, left, right, stack)
	if len(stack) > 0 {
		return
	}
	for l := backslash; l <= entity; l++ {
		if seen&(1<<l) != 0 {
			one := []layer{l}
			window, _ = s.read(window[:before], before+s.width-1, right, one)
			s.within(window, left, right, one)
		}
	}
}

// read appends the text from pos on, as it reads through stack without breaks, to window until that has size bytes.
// It returns the layers that are special to what it read.
func (s *search) read(window []byte, size, pos int, stack []layer) (_ []byte, seen layerSet) {
	breaks := 0
	for len(window) < size && pos < len(s.text) {
		if c := s.text[pos]; c > ' ' && layersOf(c) == 0 {
			window = append(window, c)
			pos++
			continue
		}
		if after, _ := skipBreak(s.text, pos, stack); after > pos {
			if breaks++; breaks == maxBreaks {
				break
			}
			pos = after
		}
		sym, next := decode(s.text, pos, stack)
		if sym < 0 {
			break
		}
		window = sym.appendTo(window)
		seen |= layersOf(window[len(window)-1])
		pos = next
	}
	return window, seen
}

// within finds the patterns whose first width bytes are in window, of which the part before the break ends at left
// and the other begins at right.
func (s *search) within(window []byte, left, right int, stack []layer) {
	before := min(left, s.width-1)
	for i := s.width; i <= len(window); {
		k := key(window, i-block)
		if n := s.shift[k]; n > 0 {
			i += int(n)
			continue
		}
		for p := s.chain[k]; p != 0; p = s.next[p-1] {
			s.across(&s.patterns[p-1], left-before+i-s.width, left, right, stack)
		}
		i++
	}
}

// across matches pat from start to left as it is and from right on through stack.
func (s *search) across(pat *pattern, start, left, right int, stack []layer) {
	offset := left - start
	if offset <= 0 || commonPrefix(s.text[start:left], pat.folded) < offset {
		return
	}
	a := attempt{pat: pat, start: start, pos: right, offset: offset}
	if found, seen := s.follow(a, stack); !found && len(stack) == 0 {
		s.followAll(a, seen)
	}
}

// skipBreak returns the position behind the break at pos: white space with a line end in it, or characters that
// nobody sees. It returns pos where there is none or where it is too long, and how far
// the text was looked at.
func skipBreak(text string, pos int, stack []layer) (after, seen int) {
	after, seen = pos, pos
	for range maxBreak {
		sym, next := decode(text, seen, stack)
		if !isBlank(sym) && !isBreak(sym) {
			return after, seen
		}
		seen = next
		if isBreak(sym) || after > pos {
			after = seen
		}
	}
	return pos, seen
}

func isBlank(s symbol) bool { return s == ' ' || s == '\t' || s == '\n' || s == '\r' }

// isBreak reports whether s can split a secret without a reader seeing it as split: a control other than tab, or
// an invisible character.
func isBreak(s symbol) bool {
	return 0 <= s && s < ' ' && s != '\t' || s >= runeFlag && isInvisible(rune(s&^runeFlag))
}
