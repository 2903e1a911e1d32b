package redact

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// search is one run of an index over a text.
type search struct {
	*index
	text  string
	one   bool // the first occurrence is enough
	spans []span
	// brokenTo is the end of the run of escaped breaks that was looked at last. A run is looked at once, so
	// that a text of nothing else takes no more time than another.
	brokenTo int
}

func (s *search) done() bool { return s.one && len(s.spans) > 0 }

func (s *search) run() {
	if len(s.patterns) == 0 || len(s.text) < s.width {
		return
	}
	s.plain()
	s.escaped('\\', backslash)
	s.escaped('%', percent)
	s.escaped('&', entity)
	if len(s.placesOf(' ')) > 0 { // which forms in URLs write as +
		s.escaped('+', percent)
	}
	s.broken()
}

// plain finds the patterns whose first width bytes stand in the text as they are.
func (s *search) plain() {
	text, shift := s.text, s.shift
	for i := s.width; i <= len(text); {
		k := key(text, i-block)
		if n := shift[k]; n > 0 {
			i += int(n)
			continue
		}
		for p := s.chain[k]; p != 0; p = s.next[p-1] {
			s.compare(int(p)-1, i-s.width)
		}
		if s.done() {
			return
		}
		i++
	}
}

// compare looks for pattern p at start, first as it is, then with escapes or line breaks behind its
// first width bytes.
func (s *search) compare(p, start int) {
	pat := &s.patterns[p]
	n := commonPrefix(s.text[start:], pat.folded)
	if n == len(pat.folded) {
		s.add(pat, start, start+n, nil)
		return
	}
	if n < s.width || start+n == len(s.text) {
		return
	}
	odd := s.text[start+n]
	layers := layersOf(odd)
	if pat.layers != 0 {
		// A character of the secret may itself be the start of the escape that stands for it.
		for i := range n {
			layers |= layersOf(pat.folded[i])
		}
	}
	a := attempt{pat: pat, start: start, pos: start}
	if isBlank(symbol(odd)) {
		found, seen := s.follow(a, nil)
		if found {
			return
		}
		layers |= seen
	}
	s.followAll(a, layers)
}

// commonPrefix returns how many bytes of text and folded are equal without case.
func commonPrefix(text, folded string) int {
	n := min(len(text), len(folded))
	for i := range n {
		if lower(text[i]) != folded[i] {
			return i
		}
	}
	return n
}

// attempt is a pattern that may begin at start: its first offset bytes are there, the rest has to follow at pos.
type attempt struct {
	pat                *pattern
	start, pos, offset int
}

// followAll follows a through every stack whose outermost layer is in outer, until it is found.
func (s *search) followAll(a attempt, outer layerSet) {
	for l := backslash; l <= entity; l++ {
		if outer&(1<<l) != 0 && s.descend(a, [maxDepth]layer{l}, 1) {
			return
		}
	}
}

// descend follows a through the first depth layers of stack, and through one more layer where what it read so
// far has something that could be an escape in it.
func (s *search) descend(a attempt, stack [maxDepth]layer, depth int) bool {
	found, seen := s.follow(a, stack[:depth])
	if found || depth == maxDepth {
		return found
	}
	for l := backslash; l <= entity; l++ {
		if seen&(1<<l) == 0 {
			continue
		}
		stack[depth] = l
		if s.descend(a, stack, depth+1) {
			return true
		}
	}
	return false
}

// follow matches the rest of the pattern with the text as it reads through stack, and adds the span if all of it
// is there. Inside of the pattern, breaks are skipped. It returns the layers that are special to what it read.
func (s *search) follow(a attempt, stack []layer) (found bool, seen layerSet) {
	form := slices.Contains(stack, percent)
	pos, offset := a.pos, a.offset
	for offset < len(a.pat.folded) {
		sym, next := decode(s.text, pos, stack)
		if 0 <= sym && sym < runeFlag {
			seen |= layersOf(byte(sym))
		}
		if n := a.pat.accept(sym, offset, form); n > 0 {
			offset += n
			pos = next
			continue
		}
		after, _ := skipBreak(s.text, pos, stack)
		if offset == 0 || after == pos {
			return false, seen
		}
		pos = after
	}
	s.add(a.pat, a.start, pos, stack)
	return true, seen
}

// accept returns how many bytes of the pattern at offset are the symbol, 0 if it does not stand there. In a
// form, "+" is a space too.
func (p *pattern) accept(sym symbol, offset int, form bool) int {
	if sym < 0 {
		return 0
	}
	if sym < runeFlag {
		b := lower(byte(sym))
		if want := p.folded[offset]; b == want || form && b == '+' && want == ' ' {
			return 1
		}
		return 0
	}
	var buf [utf8.UTFMax]byte
	n := utf8.EncodeRune(buf[:], rune(sym&^runeFlag))
	if strings.HasPrefix(p.folded[offset:], string(buf[:n])) {
		return n
	}
	return 0
}

// add notes an occurrence, with the neighbours that hold bits of it.
func (s *search) add(pat *pattern, start, stop int, stack []layer) {
	if pat.left && start > 0 && isBase64(s.text[start-1]) {
		start--
	}
	if pat.right {
		stop = s.addRight(stop, stack)
	}
	s.spans = append(s.spans, span{start: start, end: stop})
}

// addRight returns the end of an occurrence in base64 with the character that holds its last bits and with
// the padding.
func (s *search) addRight(stop int, stack []layer) int {
	sym, next := decode(s.text, stop, stack)
	if sym < 0 || sym >= runeFlag || !isBase64(byte(sym)) {
		return stop
	}
	stop = next
	for range 2 {
		sym, next = decode(s.text, stop, stack)
		if sym != '=' {
			break
		}
		stop = next
	}
	return stop
}
