package toolresult

import (
	"strings"
	"unicode/utf8"

	"github.com/mcpclient-go/mcpclient/internal/redact"
)

// limit brings text to at most most bytes: its head, a line that says what is
// missing, its tail. Errors and totals tend to stand at the end, the subject
// at the beginning. Where there is no room for the line the head has to do.
// The outcome of a text that is not blank is not blank.
func limit(text string, most int64) string {
	if most <= 0 || int64(len(text)) <= most {
		return text
	}
	room := int(most) - len(gapLine(len(text), len(text)))
	if room <= 0 {
		return cutHead(text, int(most))
	}
	head := headOf(text, room*2/3)
	tail := tailOf(text, room-room*2/3)
	return head + gapLine(len(text), len(text)-len(head)-len(tail)) + tail
}

func gapLine(size, gap int) string {
	return "\n[the output has " + count(int64(size), "byte") + "; " +
		count(int64(gap), "byte") + " left out in the middle]\n"
}

// cutHead is for limits too small to say what is missing.
func cutHead(text string, most int) string {
	if head := redact.Cut(strings.TrimSpace(text), most); head != "" {
		return head
	}
	return "." // not even one rune fits, and no text is not allowed
}

// headOf is text's head of at most most bytes. text is longer than that by
// more than an ellipsis.
func headOf(text string, most int) string {
	const ellipsis = "…" // the line behind it says more
	return strings.TrimSuffix(redact.Cut(text, most+len(ellipsis)), ellipsis)
}

// tailOf is text's tail of at most most bytes. It begins neither within a
// rune nor within the mark of something hidden: half a mark could pass for
// text.
func tailOf(text string, most int) string {
	at := len(text) - most
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	from := max(0, at-len(redact.Mark)+1)
	to := min(len(text), at+len(redact.Mark)-1)
	if i := strings.Index(text[from:to], redact.Mark); i >= 0 {
		at = from + i + len(redact.Mark)
	}
	return text[at:]
}
