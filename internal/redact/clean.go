package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean returns text of any number of lines without what hides or disguises text from its reader, be it a
// person, a terminal or a model:
//
//   - it is valid UTF-8, with U+FFFD for each byte that is not;
//   - line feed and tab are its only control characters. CR LF, CR, and the other line ends of Unicode become
//     a line feed, whole escape sequences of terminals go, and so do all other controls;
//   - no bidirectional embeddings, overrides or isolates, no tag characters but those of the three flags that
//     are made of them, no invisible or zero-width characters.
//
// Characters that are invisible but have their place in writing stay where they have it and go elsewhere:
// joiners between emoji or letters of scripts that join, variation selectors behind emoji, direction marks
// next to right-to-left text. So emoji and text of every script stay whole.
//
// Clean text is returned as it is, without allocation.
func Clean(text string) string {
	text, contextual := strip(text)
	if !contextual {
		return text
	}
	return keepInContext(text)
}

// Line returns text as one line: cleaned as by [Clean], each run of white space one space, none at the ends.
func Line(text string) string {
	return collapse(Clean(text))
}

// strip does all of Clean that does not depend on the neighbours of a character. It reports whether the result
// has characters that do.
func strip(text string) (stripped string, contextual bool) {
	var b strings.Builder
	copied := 0
	for i := 0; i < len(text); {
		if c := text[i]; ' ' <= c && c < 0x7f || c == '\n' || c == '\t' {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		instead, n, clean := judge(text[i:], r, size)
		if clean {
			contextual = contextual || isContextual(r)
			i += n
			continue
		}
		b.WriteString(text[copied:i])
		b.WriteString(instead)
		i += n
		copied = i
	}
	if copied == 0 {
		return text, contextual
	}
	b.WriteString(text[copied:])
	return b.String(), contextual
}

// flags are the emoji that are made of tag characters (RGI_Emoji_Tag_Sequence of Unicode TR 51): England,
// Scotland, Wales.
var flags = [...]string{
	"\U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F",
	"\U0001F3F4\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F",
	"\U0001F3F4\U000E0067\U000E0062\U000E0077\U000E006C\U000E0073\U000E007F",
}

// judge looks at rune r at the begin of rest, which is no printable ASCII. It returns how many bytes belong
// to what was found, whether they may stay, and what stands instead of them if not.
func judge(rest string, r rune, size int) (instead string, n int, clean bool) {
	switch {
	case r == utf8.RuneError && size == 1:
		return "\uFFFD", 1, false
	case r == '\r':
		if strings.HasPrefix(rest, "\r\n") {
			return "\n", 2, false
		}
		return "\n", 1, false
	case r == '\v' || r == '\f' || r == 0x85 || r == 0x2028 || r == 0x2029:
		return "\n", size, false
	case r == esc || isC1(r):
		return "", sequence(rest), false
	case r < ' ' || r == 0x7f || isHidden(r):
		return "", size, false
	case r == 0x1F3F4:
		for _, flag := range flags {
			if strings.HasPrefix(rest, flag) {
				return "", len(flag), true
			}
		}
	}
	return "", size, true
}

// isHidden reports whether r is a character beyond ASCII and C1 that Clean never keeps: invisible ones without
// a use in plain text, and those that reorder what is seen.
func isHidden(r rune) bool {
	switch {
	case r < 0x1100:
		return r == 0x00AD || r == 0x034F // soft hyphen, grapheme joiner
	case r < 0x2000:
		return r == 0x115F || r == 0x1160 || // Hangul fillers
			r == 0x17B4 || r == 0x17B5 || // Khmer inherent vowels
			r == 0x180E // Mongolian vowel separator
	case r < 0x2070:
		return r == 0x200B || // zero-width space
			0x202A <= r && r <= 0x202E || // embeddings and overrides
			r >= 0x2060 // word joiner, invisible operators, isolates, deprecated format characters
	case r < 0xFEFF:
		return r == 0x3164 // Hangul filler
	case r < 0x10000:
		return r == 0xFEFF || r == 0xFFA0 || // byte order mark, half-width filler
			0xFFF0 <= r && r <= 0xFFFB // annotation anchors and unassigned ignorables
	}
	return 0x1BCA0 <= r && r <= 0x1BCA3 || // shorthand format controls
		0x1D173 <= r && r <= 0x1D17A || // musical format controls
		0xE0000 <= r && r <= 0xE0FFF // tags and variation selectors 17 to 256
}

// isInvisible reports whether Clean takes r out, at least in some places.
func isInvisible(r rune) bool {
	return isHidden(r) || isContextual(r)
}

// collapse makes each run of white space one space and takes it off the ends.
func collapse(text string) string {
	gap := true // white space here would be one too many
	for _, r := range text {
		space := unicode.IsSpace(r)
		if space && (gap || r != ' ') {
			return strings.Join(strings.Fields(text), " ")
		}
		gap = space
	}
	return strings.TrimSuffix(text, " ")
}
