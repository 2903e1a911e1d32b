package redact_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/mcpclient-go/mcpclient/internal/redact"
)

func TestCut(t *testing.T) {
	family := "👨\u200d👩\u200d👧"
	tests := map[string]struct {
		text string
		max  int
		want string
	}{
		"fits":                   {"text", 4, "text"},
		"too long":               {"long text", 8, "long …"},
		"only the ellipsis":      {"long text", 3, "…"},
		"no room for it":         {"long text", 2, "lo"},
		"nothing":                {"long text", 0, ""},
		"negative":               {"long text", -1, ""},
		"empty":                  {"", 0, ""},
		"in a rune":              {"aé€😀x", 9, "aé€…"},
		"in a rune, no ellipsis": {"€€", 2, ""},
		"in the mark":            {"ab[REDACTED]cd", 13, "ab…"},
		"before the mark":        {"ab[REDACTED]cd", 5, "ab…"},
		"behind the mark":        {"ab[REDACTED]cdefg", 15, "ab[REDACTED]…"},
		"between marks":          {"[REDACTED][REDACTED]", 13, "[REDACTED]…"},
		"in a family":            {"ab" + family + "cd", 20, "ab…"},
		"behind a family":        {"ab" + family + "cdef", 23, "ab" + family + "…"},
		"before an accent":       {"abe\u0301cd", 6, "ab…"},
		"in a flag":              {"🇩🇪🇺🇦xx", 15, "🇩🇪…"},
		"in a skin tone":         {"a👍🏿xyz", 8, "a…"},
		"many accents":           {"a" + strings.Repeat("\u0301", 50), 81, "a" + strings.Repeat("\u0301", 38) + "…"},
		"not UTF-8":              {strings.Repeat("\x80", 20), 10, strings.Repeat("\x80", 7) + "…"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tt.want, redact.Cut(tt.text, tt.max))
		})
	}
}

func TestCutRunes(t *testing.T) {
	tests := map[string]struct {
		text string
		max  int
		want string
	}{
		"fits":          {"äöü", 3, "äöü"},
		"too long":      {"äöüß", 3, "äö…"},
		"one":           {"äöü", 1, "…"},
		"nothing":       {"äöü", 0, ""},
		"empty":         {"", 0, ""},
		"in the mark":   {"ä[REDACTED]ü", 11, "ä…"},
		"in an emoji":   {"a👩\u200d💻bc", 4, "a…"},
		"bytes are not": {strings.Repeat("€", 10), 10, strings.Repeat("€", 10)},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tt.want, redact.CutRunes(tt.text, tt.max))
		})
	}
}

func FuzzCut(f *testing.F) {
	f.Add("ab", "cd", 5)
	f.Add("👨\u200d👩", "🇩🇪🇺🇦", 12)
	f.Add("\xff\x80", "\x80\x80\x80\x80\x80", 4)
	f.Fuzz(func(t *testing.T, before, after string, max int) {
		// Without brackets the mark is the only place where a part of one can come from.
		before, after = strings.ReplaceAll(before, "[", ""), strings.ReplaceAll(after, "[", "")
		text := before + redact.Mark + after
		cut, cutRunes := redact.Cut(text, max), redact.CutRunes(text, max)
		for _, got := range []string{cut, cutRunes} {
			assert.True(t, utf8.ValidString(got) || !utf8.ValidString(text))
			assert.NotContains(t, strings.ReplaceAll(got, redact.Mark, ""), "[", "a part of the mark")
			kept := strings.TrimSuffix(got, "…")
			assert.True(t, got == text || strings.HasPrefix(text, kept))
		}
		if max >= 0 {
			assert.LessOrEqual(t, len(cut), max)
			assert.LessOrEqual(t, utf8.RuneCountInString(cutRunes), max)
		}
		assert.Equal(t, len(text) <= max, cut == text)
		assert.Equal(t, utf8.RuneCountInString(text) <= max, cutRunes == text)
	})
}
