package redact_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"html"
	"html/template"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient/internal/redact"
)

// canaries are secrets of the shapes that credentials have, and of some that they should not have.
var canaries = map[string]string{
	"hex":            "9f86d081884c7d659a2feaa0c55ad015",
	"short":          "k3yV4lu3",
	"api key":        "sk-proj-Zx81_yQ0-77TbAk",
	"base64":         "q83vEjRWeJq83/+SNFZ4mg==",
	"jwt":            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
	"punctuation":    `p"a\s's<w>o&r;d%41/+=?#@:`,
	"backslashes":    `\\n\u0041\"\\x`,
	"percent":        `100%25%sure+%41`,
	"entities":       `a&amp;b&#34;c&d`,
	"spaces":         "correct horse battery staple",
	"not ASCII":      "pässwörd-ключ-🔑-鍵",
	"controls":       "a\tb\x01c\nd\x7fe\u2028f",
	"brackets":       "[[x]]{y}|z^",
	"base64 by kind": "user:pa55word??>>",
}

// encoders are the ways in which a server writes a value into its answer.
var encoders = map[string]func(string) string{
	"raw":              func(s string) string { return s },
	"query":            url.QueryEscape,
	"path":             url.PathEscape,
	"query lower hex":  func(s string) string { return lowerEscapes(url.QueryEscape(s)) },
	"path lower hex":   func(s string) string { return lowerEscapes(url.PathEscape(s)) },
	"all percent":      func(s string) string { return everyByte(s, "%%%02X") },
	"JSON":             jsonString,
	"JSON twice":       func(s string) string { return jsonString(jsonString(s)) },
	"JSON three times": func(s string) string { return jsonString(jsonString(jsonString(s))) },
	"JSON, no HTML":    jsonPlain,
	"JSON, slashes":    func(s string) string { return strings.ReplaceAll(jsonPlain(s), "/", `\/`) },
	"JSON, UTF-16":     utf16Escapes,
	"Go":               func(s string) string { return unquote(strconv.Quote(s)) },
	"Go ASCII":         func(s string) string { return unquote(strconv.QuoteToASCII(s)) },
	"octal":            func(s string) string { return everyByte(s, `\%03o`) },
	"HTML":             html.EscapeString,
	"HTML template":    template.HTMLEscapeString,
	"XML":              xmlEscape,
	"HTML hex":         func(s string) string { return everyRune(s, "&#x%X;") },
	"HTML decimal":     func(s string) string { return everyRune(s, "&#%d;") },
	"HTML in JSON":     func(s string) string { return jsonString(html.EscapeString(s)) },
	"JSON in HTML":     func(s string) string { return html.EscapeString(jsonString(s)) },
	"query in JSON":    func(s string) string { return jsonString(url.QueryEscape(s)) },
	"JSON in query":    func(s string) string { return url.QueryEscape(jsonString(s)) },
	"HTML twice":       func(s string) string { return html.EscapeString(html.EscapeString(s)) },
	"query twice":      func(s string) string { return url.QueryEscape(url.QueryEscape(s)) },
}

func init() {
	encodings := map[string]*base64.Encoding{
		"std": base64.StdEncoding, "raw std": base64.RawStdEncoding,
		"url": base64.URLEncoding, "raw url": base64.RawURLEncoding,
	}
	for name, encoding := range encodings {
		for before := range 4 {
			for after := range 3 {
				encoders[fmt.Sprintf("base64 %s %d+%d", name, before, after)] = func(s string) string {
					return encoding.EncodeToString([]byte("<?~>"[:before] + s + "~?>"[:after]))
				}
			}
		}
	}
	encoders["base64 in query"] = func(s string) string {
		return url.QueryEscape(base64.StdEncoding.EncodeToString([]byte("user:" + s)))
	}
	encoders["base64 in JSON"] = func(s string) string {
		return jsonString(base64.StdEncoding.EncodeToString([]byte("u:" + s)))
	}
	encoders["base64 in HTML"] = func(s string) string {
		return strings.ReplaceAll(base64.StdEncoding.EncodeToString([]byte("u:"+s)), "+", "&#43;")
	}
	encoders["hex"] = func(s string) string { return hex.EncodeToString([]byte(s)) }
	encoders["upper hex"] = func(s string) string { return fmt.Sprintf("%X", s) }
}

func unquote(s string) string { return s[1 : len(s)-1] }

func jsonString(s string) string {
	b, _ := json.Marshal(s)
	return unquote(string(b))
}

func jsonPlain(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s)
	return unquote(strings.TrimSpace(b.String()))
}

func xmlEscape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s))
	return b.String()
}

func utf16Escapes(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r > 0xffff {
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04X`, 0xd800+r>>10, 0xdc00+r&0x3ff)
			continue
		}
		fmt.Fprintf(&b, `\u%04x`, r)
	}
	return b.String()
}

func everyByte(s, format string) string {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, format, s[i])
	}
	return b.String()
}

func everyRune(s, format string) string {
	var b strings.Builder
	for _, r := range s {
		fmt.Fprintf(&b, format, r)
	}
	return b.String()
}

func lowerEscapes(s string) string {
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:], strings.ToLower(string(b[i+1:i+3])))
		}
	}
	return string(b)
}

func TestRedactFindsEverySecretInEveryEncoding(t *testing.T) {
	var all []string
	for _, canary := range canaries {
		all = append(all, canary)
	}
	together := redact.New(all...)
	for kind, canary := range canaries {
		alone := redact.New(canary)
		for name, encode := range encoders {
			if name == "XML" && kind == "controls" {
				continue // XML can not carry it
			}
			encoded := encode(canary)
			for _, set := range []*redact.Secrets{alone, together} {
				got := set.Redact("{" + encoded + "}")
				assert.Contains(t, got, redact.Mark, "%s as %s: %q", kind, name, encoded)
				if strings.HasPrefix(name, "base64 ") {
					// The characters of the neighbours stay; of the secret not one bit.
					assert.LessOrEqual(t, len(got), len("{dXNlcj[REDACTED]%3D%3D}"), "%s as %s: %q", kind, name, got)
					continue
				}
				assert.Equal(t, "{[REDACTED]}", got, "%s as %s: %q", kind, name, encoded)
			}
		}
	}
}

func TestRedact(t *testing.T) {
	tests := map[string]struct {
		secrets    []string
		text, want string
	}{
		"none":                            {nil, "text", "text"},
		"too short to hide":               {[]string{"1234567"}, "1234567", "1234567"},
		"eight bytes":                     {[]string{"12345678"}, "a 12345678 b", "a [REDACTED] b"},
		"twice":                           {[]string{"12345678"}, "1234567812345678", "[REDACTED][REDACTED]"},
		"at the ends":                     {[]string{"12345678"}, "12345678", "[REDACTED]"},
		"token alone":                     {[]string{"Bearer abcdefgh"}, "token abcdefgh!", "token [REDACTED]!"},
		"scheme and token":                {[]string{"Bearer abcdefgh"}, "Bearer abcdefgh!", "[REDACTED]!"},
		"short token":                     {[]string{"Bearer abc"}, "abc Bearer abc", "abc [REDACTED]"},
		"words are no scheme and token":   {[]string{"one two three-four"}, "two three-four", "two three-four"},
		"white space around is no part":   {[]string{" 12345678\n"}, "12345678", "[REDACTED]"},
		"a secret inside of another":      {[]string{"abcdefgh", "xxabcdefghyy"}, "xxabcdefghyy abcdefgh", "[REDACTED] [REDACTED]"},
		"overlapping":                     {[]string{"abcdefgh", "efghijkl"}, "<abcdefghijkl>", "<[REDACTED]>"},
		"overlapping with itself":         {[]string{"abcabcabc"}, "<abcabcabcabc>", "<[REDACTED]>"},
		"other case":                      {[]string{"deadBEEF00"}, "DEADBEEF00 deadbeef00", "[REDACTED] [REDACTED]"},
		"part of the mark":                {[]string{"redacted", "[REDACTED]"}, "redacted [REDACTED]", "redacted [REDACTED]"},
		"holds the mark":                  {[]string{"x[REDACTED]y"}, "x[REDACTED]y", "[REDACTED]"},
		"made by a replacement":           {[]string{"abcdefgh", "x[REDACTED]y"}, "xabcdefghy", "[REDACTED]"},
		"wrapped lines":                   {[]string{"abcdefghijklmnop"}, "abc\n   defghi \r\n\tjklmnop", "[REDACTED]"},
		"wrapped late":                    {[]string{"abcdefghijklmnopqrstuvwxyz"}, "abcdefghijklmnopqrstuvwxy\nz", "[REDACTED]"},
		"wrapped in JSON":                 {[]string{"abcdefghijklmnop"}, `"abc\n  defghijklm\r\nnop"`, `"[REDACTED]"`},
		"wrapped base64":                  {[]string{"abcdefghijklmnop"}, "YWJjZGVm\nZ2hpamtsbW5v\ncA==\n", "[REDACTED]\n"},
		"wrapped early, then escaped":     {[]string{`abcdefgh"ijkl`}, "abc\n defgh\\\"ijkl", "[REDACTED]"},
		"wrapped late, then escaped":      {[]string{`abcdefghijklmnopq"rst`}, "abcdefghijklmnopq\n&#34;r\\u0073t", "[REDACTED]"},
		"escaped controls":                {[]string{"abcdefgh"}, `abc\u0000def%00gh abc\u0000defgh`, `abc\u0000def%00gh [REDACTED]`},
		"behind many backslashes":         {[]string{`"abcdefgh`}, strings.Repeat(`\`, 31) + `"abcdefgh`, strings.Repeat(`\`, 24) + "[REDACTED]"},
		"of backslashes":                  {[]string{`\\\\\\\\`}, strings.Repeat(`\`, 500), "[REDACTED]"},
		"paragraphs are not joined":       {[]string{"abcdefgh"}, "abc x\ndefgh", "abc x\ndefgh"},
		"escaped zero-width":              {[]string{"abcdefgh"}, `abc\u200bdefg\u200dh`, "[REDACTED]"},
		"escape of another character":     {[]string{"abcdefgh"}, `abc\u0041defgh %41bcdefg`, `abc\u0041defgh %41bcdefg`},
		"not UTF-8":                       {[]string{"\xa9abcdefgh"}, "éabcdefgh", "[REDACTED]"},
		"URL":                             {[]string{"p/ss w+rd"}, "https://u:p%2Fss%20w+rd@h/?q=p%2fss+w%2brd&x", "https://u:[REDACTED]@h/?q=[REDACTED]&x"},
		"the base64 neighbours hold bits": {[]string{"abcdefgh"}, "eGFiY2RlZmdoeA==", "e[REDACTED]eA=="},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := redact.New(tt.secrets...)
			assert.Equal(t, tt.want, s.Redact(tt.text))
			assert.Equal(t, tt.want != tt.text, s.Contains(tt.text))
			assert.Equal(t, tt.want, s.Redact(tt.want), "a second time")
		})
	}
}

func TestReplacementsThatMakeSecretsEnd(t *testing.T) {
	s := redact.New("[REDACTE", "D][REDAC", "CTED][RED", "abcdefgh", "ED]x[RED", "Dabcdefg", "TED]habc")
	text := strings.Repeat("abcdefgh", 3) + "x" + strings.Repeat("abcdefgh", 3)
	assert.False(t, s.Contains(strings.ReplaceAll(s.Redact(text), redact.Mark, "")))
}

func TestZeroSecretsHideNothing(t *testing.T) {
	var none *redact.Secrets
	var zero redact.Secrets
	for _, s := range []*redact.Secrets{none, &zero, redact.New()} {
		assert.Equal(t, "some text here", s.Redact("some text here"))
		assert.Equal(t, "some…", s.Text("some text here", 7))
		assert.False(t, s.Contains("some text here"))
		assert.Equal(t, redact.Mark, s.With("some text here").Redact("some text here"))
	}
}

func TestWithLeavesTheSetAsItIs(t *testing.T) {
	one := redact.New("first-secret")
	two := one.With("second-secret")
	three := one.With("third-secret")
	text := "first-secret second-secret third-secret"
	assert.Equal(t, "[REDACTED] second-secret third-secret", one.Redact(text))
	assert.Equal(t, "[REDACTED] [REDACTED] third-secret", two.Redact(text))
	assert.Equal(t, "[REDACTED] second-secret [REDACTED]", three.Redact(text))
}

func TestTextCleansThenRedactsThenCuts(t *testing.T) {
	s := redact.New("abcdefghijkl", "two  spaces\u200b here")
	tests := map[string]struct {
		text string
		max  int
		want string
	}{
		"split by zero-width":       {"<abc\u200bdef\u2060ghi\u00adjkl>", 0, "<[REDACTED]>"},
		"split by joiners":          {"<abc\u200ddef\u200cghi\ufe0fjkl>", 0, "<[REDACTED]>"},
		"split by direction marks":  {"שלום <abc\u200edef\u200fghi\u202ejkl>", 0, "שלום <[REDACTED]>"},
		"split by tags":             {"<abc\U000E0041defghijkl>", 0, "<[REDACTED]>"},
		"split by colours":          {"<abc\x1b[31mdef\x1b]0;x\x07ghi\x00jkl>", 0, "<[REDACTED]>"},
		"split by lines":            {"<abcd\r\nefgh\rijkl>", 0, "<[REDACTED]>"},
		"cut in the secret":         {"<abcdefghijkl>", 13, "<[REDACTED]>"},
		"cut in the mark":           {"<abcdefghijkl> and more", 12, "<…"},
		"cut behind the mark":       {"<abcdefghijkl> and more", 14, "<[REDACTED]…"},
		"negative is no cut":        {"long text", -1, "long text"},
		"secret that cleans itself": {"two  spaces\u200b here", 0, "[REDACTED]"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tt.want, s.Text(tt.text, tt.max))
		})
	}
}

func TestSecretsLine(t *testing.T) {
	s := redact.New("two  spaces here", "one space", "tab\tand\nlines")
	assert.Equal(t, "a [REDACTED] b", s.Line(" a\n two  spaces here \t b ", 0))
	assert.Equal(t, "a [REDACTED] b", s.Line("a two spaces\nhere b", 0))
	assert.Equal(t, "[REDACTED]", s.Line("one\n\n\tspace", 0))
	assert.Equal(t, "[REDACTED] x", s.Line("tab\tand\nlines x", 0))
	assert.Equal(t, "[REDACTED] x", s.Line("tab and lines x", 0))
	assert.Equal(t, "one li…", s.Line("one\nline and more", 9))
}

func TestRedactKeepsCleanTextWithoutAllocation(t *testing.T) {
	s := redact.New(manySecrets(10)...)
	text := strings.Repeat(`{"text": "some \"quoted\" \u00e9 text, 100% & more"}`+"\n", 50)
	require.Equal(t, text, s.Redact(text))
	assert.Zero(t, testing.AllocsPerRun(10, func() { s.Redact(text) }))
	assert.Zero(t, testing.AllocsPerRun(10, func() { s.Contains(text) }))
}
