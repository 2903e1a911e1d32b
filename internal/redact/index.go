package redact

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

const (
	keyBits = 13 // of the hash of a block: tables that fit into a first-level cache
	block   = 4  // bytes that are looked at at once
	// maxWidth bounds the window. A wider one skips further at a time, but needs more of the table.
	maxWidth = 16
)

// index finds all occurrences of all patterns. It slides a window as wide as the shortest pattern over the
// text and looks at the last block of the window: shift tells how far the window can move because no
// pattern has this block so near to the end of its own first width bytes (Wu and Manber's search).
type index struct {
	patterns []pattern
	width    int
	shift    []uint8 // by key; 0: patterns of the chain may begin here
	chain    []int32 // by key: 1 + the first pattern whose window ends with this block
	next     []int32 // by pattern: 1 + the next one of its chain
	// places tells where in the first width bytes of which pattern a byte stands: those of byte b are
	// places[first[b]:first[b+1]].
	places []place
	first  [257]int32
}

type place struct{ pattern, offset int32 }

type span struct{ start, end int }

func newIndex(secrets []string) index {
	x := index{patterns: patternsOf(secrets), width: maxWidth}
	if len(x.patterns) == 0 {
		return index{}
	}
	for i := range x.patterns {
		x.width = min(x.width, len(x.patterns[i].folded))
	}
	farthest := x.width - block + 1
	x.shift = make([]uint8, 1<<keyBits)
	for i := range x.shift {
		x.shift[i] = uint8(farthest)
	}
	x.chain = make([]int32, 1<<keyBits)
	x.next = make([]int32, len(x.patterns))
	for p := range x.patterns {
		x.enter(p)
	}
	x.sortPlaces()
	return x
}

func (x *index) placesOf(b byte) []place {
	return x.places[x.first[b]:x.first[int(b)+1]]
}

// sortPlaces fills places: it counts each byte, and then puts each place before those of its byte.
func (x *index) sortPlaces() {
	x.places = make([]place, len(x.patterns)*x.width)
	for p := range x.patterns {
		for _, b := range []byte(x.patterns[p].folded[:x.width]) {
			x.first[b]++
		}
	}
	total := int32(0)
	for b := range x.first {
		total += x.first[b]
		x.first[b] = total
	}
	for p := range x.patterns {
		for offset, b := range []byte(x.patterns[p].folded[:x.width]) {
			x.first[b]--
			x.places[x.first[b]] = place{pattern: int32(p), offset: int32(offset)}
		}
	}
}

// enter puts the window of a pattern into the tables.
func (x *index) enter(p int) {
	window := x.patterns[p].folded[:x.width]
	for at := 0; at+block <= x.width; at++ {
		k := key(window, at)
		x.shift[k] = min(x.shift[k], uint8(x.width-block-at))
	}
	last := key(window, x.width-block)
	x.next[p] = x.chain[last]
	x.chain[last] = int32(p) + 1
}

// key hashes the block at position at, with letters of either case to the same value.
func key[T string | []byte](text T, at int) uint32 {
	b := text[at : at+block]
	v := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
	return (v | 0x20202020) * 0x9e3779b1 >> (32 - keyBits)
}

// find returns the spans of all occurrences, sorted, overlapping ones joined, on rune boundaries.
func (x *index) find(text string) []span {
	s := search{index: x, text: text}
	s.run()
	if len(s.spans) == 0 {
		return nil
	}
	for i := range s.spans {
		s.spans[i] = toRunes(text, s.spans[i])
	}
	slices.SortFunc(s.spans, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	joined := s.spans[:1]
	for _, sp := range s.spans[1:] {
		if last := &joined[len(joined)-1]; sp.start < last.end {
			last.end = max(last.end, sp.end)
			continue
		}
		joined = append(joined, sp)
	}
	return joined
}

func (x *index) contains(text string) bool {
	s := search{index: x, text: text, one: true}
	s.run()
	return len(s.spans) > 0
}

// toRunes widens sp to whole runes: a secret that is not UTF-8 can be found in the middle of one.
func toRunes(text string, sp span) span {
	for n := 1; n < utf8.UTFMax && sp.start > 0 && !utf8.RuneStart(text[sp.start]); n++ {
		sp.start--
	}
	for n := 1; n < utf8.UTFMax && sp.end < len(text) && !utf8.RuneStart(text[sp.end]); n++ {
		sp.end++
	}
	return sp
}
