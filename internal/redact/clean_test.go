package redact_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/mcpclient-go/mcpclient/internal/redact"
)

func TestCleanTakesOut(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"invalid bytes":               {"a\xff\xfeb", "a\uFFFD\uFFFDb"},
		"cut rune":                    {"a\xe2\x82", "a\uFFFD\uFFFD"},
		"surrogate":                   {"\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD"},
		"NUL":                         {"a\x00b", "ab"},
		"C0":                          {"a\x01\x08\x0e\x1fb\x7f", "ab"},
		"C1":                          {"a\u0080\u0099b", "ab"},
		"CR LF":                       {"a\r\nb\rc\n\rd", "a\nb\nc\n\nd"},
		"other line ends":             {"a\vb\fc\u0085d\u2028e\u2029f", "a\nb\nc\nd\ne\nf"},
		"colour":                      {"\x1b[1;31mred\x1b[0m", "red"},
		"C1 colour":                   {"\u009b31mred", "red"},
		"private CSI":                 {"a\x1b[?25l\x1b[>0;1 qb", "ab"},
		"broken CSI":                  {"a\x1b[31\nb", "a\nb"},
		"title, BEL":                  {"a\x1b]0;title\x07b", "ab"},
		"link, ST":                    {"\x1b]8;;https://evil.example\x1b\\link\x1b]8;;\x1b\\", "link"},
		"C1 title and ST":             {"a\u009d0;title\u009cb", "ab"},
		"title without end":           {"a\x1b]0;title", "a0;title"},
		"title without end in line":   {"a\x1b]0;title\nb\x1b[0m", "a0;title\nb"},
		"interrupted title":           {"a\x1b]0;title\x1b[31mb", "ab"},
		"DCS":                         {"a\x1bPq#0;2;\n0\x1b\\b", "ab"},
		"APC, PM, SOS":                {"a\x1b_x\x1b\\\x1b^y\x1b\\\x1bXz\x1b\\b", "ab"},
		"cancelled":                   {"a\x1bPq\x18b", "ab"},
		"character set":               {"a\x1b(B\x1b)0b", "ab"},
		"two-byte escapes":            {"a\x1b7\x1b8\x1bcb\x1b", "ab"},
		"ESC before text":             {"\x1bé", "é"},
		"sequence in a sequence":      {"a\x1b\x1b[31m[31mb", "a[31mb"},
		"embeddings and overrides":    {"a\u202a\u202b\u202c\u202d\u202eb", "ab"},
		"isolates":                    {"a\u2066\u2067\u2068\u2069b", "ab"},
		"zero-width":                  {"a\u200b\u2060\ufeff\u00ad\u180e\u034fb", "ab"},
		"invisible operators":         {"a\u2061\u2062\u2063\u2064\u206a\u206fb", "ab"},
		"fillers":                     {"a\u3164\uffa0\u115f\u1160b", "ab"},
		"tags":                        {"a\U000E0068\U000E0069\U000E007Fb", "ab"},
		"tags behind another emoji":   {"😀\U000E0068\U000E0069\U000E007F", "😀"},
		"tags of no flag":             {"🏴\U000E0068\U000E0069\U000E007F", "🏴"},
		"variation selectors":         {"a\U000E0100\U000E01EFb\ufe00\ufe0fc", "abc"},
		"run of selectors":            {"😀\ufe0f\ufe0f\ufe0e\ufe01", "😀\ufe0f"},
		"joiners in Latin":            {"a\u200db\u200cc", "abc"},
		"joiners at the ends":         {"\u200da\u200d", "a"},
		"run of joiners":              {"👩\u200d\u200d\u200d💻", "👩\u200d💻"},
		"joiner behind a lone emoji":  {"👩\u200d x", "👩 x"},
		"direction marks in Latin":    {"a\u200eb\u200f \u061cc", "ab c"},
		"run of direction marks":      {"שלום\u200f\u200f\u200f!", "שלום\u200f!"},
		"direction mark in a word":    {"שלום ab\u200ecd", "שלום abcd"},
		"what hides another":          {"a\u200d\u200b\x00\u200db", "ab"},
		"Mongolian selector in Latin": {"a\u180bb", "ab"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tt.want, redact.Clean(tt.text))
			assert.Equal(t, tt.want, redact.Clean(tt.want), "a second time")
		})
	}
}

// whole are texts in which an invisible character is a part of the writing.
var whole = map[string]string{
	"ASCII":                "line\n\tline two ~",
	"empty":                "",
	"family":               "👨\u200d👩\u200d👧\u200d👦",
	"skin tones":           "👩🏽\u200d💻 👍🏿",
	"heart on fire":        "❤\ufe0f\u200d🔥",
	"rainbow flag":         "🏳\ufe0f\u200d🌈",
	"pirate flag":          "🏴\u200d☠\ufe0f",
	"England":              "🏴\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F!",
	"Scotland and Wales":   "🏴\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F🏴\U000E0067\U000E0062\U000E0077\U000E006C\U000E0073\U000E007F",
	"country flags":        "🇩🇪🇺🇦",
	"keycaps":              "1\ufe0f\u20e3 #\ufe0f\u20e3",
	"text style":           "☺\ufe0e ©\ufe0f",
	"black bird":           "🐦\u200d⬛",
	"nod":                  "🙂\u200d↕\ufe0f",
	"Arabic":               "مرحبا بالعالم",
	"Arabic vowels":        "مَرْحَبًا",
	"Hebrew":               "שלום עולם 123",
	"Hebrew with marks":    "שלום\u200f (C++\u200e עברית) \u200eabc\u200e שלום",
	"Persian":              "می\u200cخواهم کتاب\u200cها",
	"Hindi":                "क\u094d\u200dष क\u094d\u200cष",
	"Malayalam":            "ന\u0d4d\u200d",
	"Sinhala":              "ශ\u0dca\u200dර\u0dd3",
	"Mongolian":            "ᠠ\u180b",
	"Chinese and Japanese": "漢字かなカナ、。",
	"combining":            "e\u0301 ñ ẛ̣",
	"no-break spaces":      "10\u00a0km\u202f!",
	"private use":          "\ue000\U000F0000",
	"replacement":          "a\ufffdb",
}

func TestCleanKeepsTextWholeWithoutAllocation(t *testing.T) {
	for name, text := range whole {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, text, redact.Clean(text))
			assert.Zero(t, testing.AllocsPerRun(10, func() { redact.Clean(text) }))
		})
	}
}

func TestLine(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"empty":           {"", ""},
		"white space":     {" \t\r\n ", ""},
		"one line":        {"one line", "one line"},
		"lines":           {"one\r\n\ttwo\u2028three", "one two three"},
		"ends":            {"\n one \n", "one"},
		"space at an end": {"one ", "one"},
		"runs":            {"one  two \u00a0 three", "one two three"},
		"hidden":          {"one \u200b \x1b[0m two", "one two"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tt.want, redact.Line(tt.text))
		})
	}
	assert.Zero(t, testing.AllocsPerRun(10, func() { redact.Line("a line of words") }))
}

// forbidden reports whether r may never stand in clean text.
func forbidden(r rune) bool {
	switch {
	case r < ' ':
		return r != '\n' && r != '\t'
	case 0x7f <= r && r <= 0x9f, 0x202a <= r && r <= 0x202e, 0x2060 <= r && r <= 0x206f, 0xe0100 <= r && r <= 0xe01ef:
		return true
	}
	return strings.ContainsRune("\u200b\u2028\u2029\ufeff\u00ad\u180e\u034f\u3164", r)
}

func FuzzClean(f *testing.F) {
	for _, text := range whole {
		f.Add(text)
	}
	f.Add("a\x1b]0;t\x1b[31m\u009d\u009cb\xffc\r\n\r\x1bP\x18\x1b")
	f.Add("a\u200d\u200b\u200db\u200e \u202eש\u200f\u200e.\u200e\ufe0f\ufe0f1\ufe0f\u20e3🏴\U000E0067\U000E007F")
	f.Fuzz(func(t *testing.T, text string) {
		clean := redact.Clean(text)
		assert.True(t, utf8.ValidString(clean))
		assert.Equal(t, -1, strings.IndexFunc(clean, forbidden), "%q", clean)
		assert.Equal(t, clean, redact.Clean(clean), "idempotent")
		line := redact.Line(text)
		assert.NotContains(t, line, "\n")
		assert.NotContains(t, line, "  ")
		assert.Equal(t, line, redact.Line(line), "idempotent")
	})
}
