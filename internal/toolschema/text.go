package toolschema

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcpclient-go/mcpclient/internal/redact"
)

// shorten cuts s to at most n bytes on a rune boundary, with a mark.
func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	n -= len("…")
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// quote writes a scalar of an enum as a model should write it.
func quote(v any) string {
	switch v := v.(type) {
	case string:
		return strconv.Quote(v)
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return ""
}

func quoteAll(values []any) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = quote(v)
	}
	return out
}

// cut keeps a text within DescriptionLength.
func (o Options) cut(s string) string {
	if o.DescriptionLength <= 0 {
		return s
	}
	return redact.CutRunes(s, o.DescriptionLength)
}

// describe joins a description and its remarks within DescriptionLength. A long
// description gives up to half of itself for the remarks.
func (o Options) describe(description string, remarks []string) string {
	if o.DescriptionLength > 0 && len(remarks) > 0 {
		room := o.DescriptionLength - utf8.RuneCountInString(sentences("", remarks)) - len(". ")
		description = redact.CutRunes(description, max(room, o.DescriptionLength/2))
	}
	return o.cut(sentences(description, remarks))
}

// sentences joins a description and the sentences that follow it.
func sentences(description string, more []string) string {
	if len(more) == 0 {
		return description
	}
	var b strings.Builder
	b.WriteString(strings.TrimRight(description, " \n"))
	for _, s := range more {
		if s == "" {
			continue
		}
		if text := b.String(); text != "" {
			if !strings.ContainsAny(text[len(text)-1:], ".!?:;)") && !strings.HasSuffix(text, "…") {
				b.WriteByte('.')
			}
			b.WriteByte(' ')
		}
		b.WriteString(s)
	}
	return b.String()
}
