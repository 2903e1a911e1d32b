package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	nonJoiner   = 0x200C
	joiner      = 0x200D
	leftMark    = 0x200E
	rightMark   = 0x200F
	arabicMark  = 0x061C
	keycap      = 0x20E3
	textStyle   = 0xFE0E
	emojiStyle  = 0xFE0F
	maxNeutrals = 8 // between a direction mark and the letter that shows the direction
)

// isContextual reports whether r is an invisible character that has its place in writing, if it stands there.
func isContextual(r rune) bool {
	return nonJoiner <= r && r <= rightMark || r == arabicMark ||
		0xFE00 <= r && r <= emojiStyle || isMongolianSelector(r)
}

func isMongolianSelector(r rune) bool {
	return 0x180B <= r && r <= 0x180D || r == 0x180F
}

// keepInContext takes the contextual characters out that stand in no place of theirs. To be idempotent, a
// decision depends on what was kept before the character and, behind it, only on characters that are always
// kept.
func keepInContext(text string) string {
	var b strings.Builder
	var before surroundings
	copied := 0
	for i, r := range text {
		if !isContextual(r) {
			before.pass(r)
			continue
		}
		size := utf8.RuneLen(r)
		if before.place(r, text[i+size:]) {
			before.prev = r
			before.rtl = before.rtl && !isDirectionMark(r)
			continue
		}
		b.WriteString(text[copied:i])
		copied = i + size
	}
	if copied == 0 {
		return text
	}
	b.WriteString(text[copied:])
	return b.String()
}

// surroundings is what was kept before a character.
type surroundings struct {
	prev rune // the last character
	base rune // the last one that is neither contextual nor a combining mark
	rtl  bool // the last letter or digit is of a right-to-left script, and no mark or line end came after it
}

func (s *surroundings) pass(r rune) {
	s.prev = r
	if unicode.IsMark(r) {
		return
	}
	s.base = r
	if !isNeutral(r) {
		s.rtl = isRightToLeft(r)
	}
}

// place reports whether contextual character r may stand between s and rest.
func (s *surroundings) place(r rune, rest string) bool {
	next, _ := utf8.DecodeRuneInString(rest)
	switch {
	case r == textStyle || r == emojiStyle:
		return isPictographic(s.prev) || next == keycap && isKeycapBase(s.prev)
	case isMongolianSelector(r):
		return unicode.Is(unicode.Mongolian, s.prev) && unicode.IsLetter(s.prev)
	case isDirectionMark(r):
		// Never inside of a word of ASCII, where it could only split a name or a secret.
		return !(isASCIIGraphic(s.prev) && isASCIIGraphic(next)) && (s.rtl || leadsToRightToLeft(rest))
	case r == joiner && isPictographic(s.base) && isPictographic(next):
		return s.prev == s.base || s.prev == emojiStyle
	case r == joiner || r == nonJoiner:
		return s.joins(next)
	}
	return false
}

// joins reports whether a joiner has a meaning between s and next: between two letters of a script that joins,
// or behind a sign such as a virama, whose effect it changes.
func (s *surroundings) joins(next rune) bool {
	if unicode.IsMark(s.prev) && unicode.In(s.prev, joining...) {
		return true
	}
	if s.prev != s.base && !unicode.IsMark(s.prev) {
		return false
	}
	return isJoining(s.base) && isJoining(next)
}

// joining are the scripts in which a joiner or non-joiner changes the form of letters.
var joining = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Nko, unicode.Mandaic, unicode.Mongolian, unicode.Phags_Pa,
	unicode.Adlam, unicode.Hanifi_Rohingya, unicode.Manichaean, unicode.Psalter_Pahlavi, unicode.Sogdian,
	unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil,
	unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar,
	unicode.Tibetan, unicode.Balinese, unicode.Javanese, unicode.Grantha, unicode.Newa, unicode.Tirhuta,
}

func isJoining(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsMark(r)) && unicode.In(r, joining...)
}

func isDirectionMark(r rune) bool {
	return r == leftMark || r == rightMark || r == arabicMark
}

func isASCIIGraphic(r rune) bool { return '!' <= r && r <= '~' }

// isNeutral reports whether r takes its direction from its neighbours. Digits count as letters here: they are
// what secrets are made of.
func isNeutral(r rune) bool {
	return r != '\n' && !unicode.IsLetter(r) && !unicode.IsNumber(r)
}

// isRightToLeft reports whether r is in one of the blocks that Unicode keeps for right-to-left scripts.
func isRightToLeft(r rune) bool {
	return 0x0590 <= r && r <= 0x08FF || 0xFB1D <= r && r <= 0xFDFF || 0xFE70 <= r && r <= 0xFEFC ||
		0x10800 <= r && r <= 0x10FFF || 0x1E800 <= r && r <= 0x1EFFF
}

// leadsToRightToLeft reports whether the first letter or digit of rest is right-to-left and near.
func leadsToRightToLeft(rest string) bool {
	n := 0
	for _, r := range rest {
		if !isNeutral(r) {
			return isRightToLeft(r)
		}
		if n++; n > maxNeutrals || isContextual(r) {
			return false
		}
	}
	return false
}

func isKeycapBase(r rune) bool { return '0' <= r && r <= '9' || r == '#' || r == '*' }

// isPictographic reports whether r can be an emoji, alone or with a variation selector. It is somewhat wider
// than Unicode's Extended_Pictographic, so that later emoji are in it.
func isPictographic(r rune) bool {
	switch {
	case r < 0x2000:
		return r == 0xA9 || r == 0xAE
	case r < 0x2190:
		return r == 0x203C || r == 0x2049 || r == 0x2122 || r == 0x2139
	case r < 0x3000:
		return r <= 0x21FF || 0x2300 <= r && r <= 0x23FF || 0x2460 <= r && r <= 0x24FF ||
			0x25A0 <= r && r <= 0x27BF || 0x2900 <= r && r <= 0x297F || r >= 0x2B00 && r <= 0x2BFF
	case r < 0x4000:
		return r == 0x3030 || r == 0x303D || r == 0x3297 || r == 0x3299
	}
	return 0x1F000 <= r && r <= 0x1FAFF
}
