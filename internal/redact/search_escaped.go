package redact

import "strings"

// escaped finds the patterns of whose first width bytes one is written as an escape that begins with c. All
// before the first such escape stands as it is, so it is enough to look at each escape which patterns have
// its meaning where, and then backwards.
func (s *search) escaped(c byte, outer layer) {
	s.brokenTo = 0
	for from := 0; !s.done(); {
		at := strings.IndexByte(s.text[from:], c)
		if at < 0 {
			return
		}
		at += from
		if c == '\\' {
			from = s.backslashes(at)
			continue
		}
		s.escapeAt(at, outer)
		from = at + 1
	}
}

// backslashes looks at the run of backslashes from at and returns its end. Three layers write one character
// with at most eight, so that only the end of a long run can be the start of something else. Where secrets
// have backslashes themselves, its begin can be their end too.
func (s *search) backslashes(at int) int {
	stop := at + 1
	for stop < len(s.text) && s.text[stop] == '\\' {
		stop++
	}
	head, tail := 0, 8
	if len(s.placesOf('\\')) > 0 {
		head, tail = s.width, 8*s.width
	}
	for i := at; i < stop; i++ {
		if i == at+head {
			i = max(i, stop-tail)
		}
		s.escapeAt(i, backslash)
	}
	return stop
}

// mayEscape rejects quickly, by the character behind it, what escapes nothing that matters.
func (s *search) mayEscape(c, next byte) bool {
	switch c {
	case '%':
		return digitOf(symbol(next)) >= 0
	case '&':
		return next == '#' || 'a' <= next && next <= 'z'
	case '\\':
		if isPunctuation(symbol(next)) && layersOf(next) == 0 {
			return len(s.placesOf(next)) > 0
		}
		return next > ' '
	}
	return true
}

func (s *search) escapeAt(at int, outer layer) {
	if at+1 == len(s.text) || !s.mayEscape(s.text[at], s.text[at+1]) {
		return
	}
	// What the escape means can be the start of another escape, so each depth has a meaning.
	full := [maxDepth]layer{outer}
	known := at + 1
	for depth := 1; depth <= len(full); depth++ {
		stack := full[:depth]
		sym, next := decode(s.text, at, stack)
		if sym == '+' {
			s.meaning(' ', at, next, outer)
		}
		if next == known {
			return // nothing more is escaped
		}
		known = next
		s.meaning(sym, at, next, outer)
		if isBreak(sym) && at >= s.brokenTo {
			right, seen := skipBreak(s.text, at, stack)
			s.brokenTo = seen
			if right > at {
				s.straddle(at, right, stack)
			}
		}
		inner := layersOf(sym.lead())
		if inner == 0 || depth == len(full) {
			return
		}
		full[depth] = layerOf(inner)
	}
}

func layerOf(set layerSet) layer {
	for l := backslash; l < entity; l++ {
		if set == 1<<l {
			return l
		}
	}
	return entity
}

// meaning tries all patterns that have sym where the escape from at to next stands.
func (s *search) meaning(sym symbol, at, next int, outer layer) {
	places := s.placesOf(lower(sym.lead()))
	if len(places) == 0 {
		return
	}
	// What follows rejects most of them, where it reads the same through all stacks.
	second, _ := decode(s.text, next, []layer{outer})
	certain := isOrdinary(sym) && isOrdinary(second) && !isBlank(second)
	for _, pl := range places {
		pat := &s.patterns[pl.pattern]
		offset := int(pl.offset)
		if certain && offset+1 < len(pat.folded) && pat.folded[offset+1] != lower(byte(second)) {
			continue
		}
		start := at - offset
		if start < 0 || commonPrefix(s.text[start:at], pat.folded[:offset]) < offset {
			continue
		}
		s.followAll(attempt{pat: pat, start: start, pos: at, offset: offset}, 1<<outer)
	}
}

// isOrdinary reports whether s is a byte that starts no escape.
func isOrdinary(s symbol) bool {
	return 0 <= s && s < runeFlag && layersOf(byte(s)) == 0
}
