package wire

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// RedirectError says that the server redirects a request in a way that isn't followed.
type RedirectError struct {
	Status int
	Origin string // scheme, host and port of the target; "" where the answer names none
	Loop   bool   // the redirects would have been followed, but there were too many
}

func (e *RedirectError) Error() string {
	text := fmt.Sprintf("HTTP %d: the server redirects", e.Status)
	if e.Origin != "" {
		text += " to " + e.Origin
	}
	switch {
	case e.Loop:
		return text + " again and again"
	case e.Status == 301 || e.Status == 302 || e.Status == 303:
		return text + ", which would lose the request; configure the URL that it redirects to"
	case e.Origin == "":
		return text + " without a target"
	}
	return text + ", which is another origin; configure that URL if it is right"
}

// OriginError says that something other than the configured origin was to get a request of the session. Nothing was sent to it.
type OriginError struct {
	Origin string // scheme, host and port; "" where it has none
}

func (e *OriginError) Error() string {
	return fmt.Sprintf("the server names %s for requests, which is another origin than the configured one", or(e.Origin, "an unusable URL"))
}

// LimitError says that an answer was longer than Config.BodyBytes.
type LimitError struct {
	What  string // "answer" or "event"
	Limit int64  // bytes
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("the %s is longer than the limit of %d bytes", e.What, e.Limit)
}

// ErrStreamEnded is in the errors of an HTTP+SSE session whose event stream has ended: nothing can be asked on it any more.
var ErrStreamEnded = errors.New("the event stream ended")

// AnswerError says that a request was accepted and its answer can't be used. Whether the request has run is unknown.
type AnswerError struct {
	Reason string
	Cause  error // nil: none
}

func (e *AnswerError) Error() string {
	if e.Cause == nil {
		return e.Reason
	}
	return e.Reason + ": " + e.Cause.Error() // whole: whoever shows it takes secrets out first
}

func (e *AnswerError) Unwrap() error { return e.Cause }

// maxExcerpt bounds, in bytes, what errors quote of a server.
const maxExcerpt = 200

// excerpt is a line of at most limit bytes of what a server sent. cut says that raw is the start of a longer text: its last word
// may be half a secret and is left out.
func (s *Session) excerpt(raw []byte, limit int, cut bool) string {
	if len(raw) > errorBodyBytes {
		raw, cut = raw[:errorBodyBytes], true
	}
	if cut {
		raw = raw[:max(0, bytes.LastIndexAny(raw, " \t\r\n"))]
	}
	if s.config.Hide != nil {
		raw = []byte(s.config.Hide(string(raw)))
	}
	return excerpt(raw, limit)
}

// whole is text whole, or nothing of it where it is too long to be shown.
func whole(text string, limit int) string {
	if len(text) > limit {
		return ""
	}
	return excerpt([]byte(text), limit)
}

// excerpt makes one line of printable text of what a server sent, at most limit bytes long.
func excerpt(raw []byte, limit int) string {
	var b strings.Builder
	space := false
	for len(raw) > 0 && b.Len() < limit {
		r, n := utf8.DecodeRune(raw)
		raw = raw[n:]
		switch {
		case unicode.IsSpace(r):
			space = b.Len() > 0
			continue
		case r == utf8.RuneError && n <= 1, !unicode.IsPrint(r):
			continue
		}
		if b.Len()+1+n > limit {
			break
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
	}
	return b.String()
}
