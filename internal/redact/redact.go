// Package redact prepares text that leaves the library: for a model, a log, a summary or an error.
// Secrets go out of it, characters that hide or disguise text go out of it, and it is cut where a reader
// can still trust what is left.
//
// The order matters and [Secrets.Text] and [Secrets.Line] keep it: clean, redact, cut. Cleaning may join a
// secret that was split by invisible characters; a cut before redaction could leave half a secret that no
// longer looks like one.
//
// Everything here is a pure function of its arguments.
package redact

import (
	"slices"
	"strings"
)

// Mark stands where a secret stood.
const Mark = "[REDACTED]"

// minSecret is the length in bytes from which a value is hidden. Shorter ones would hide ordinary words.
const minSecret = 8

// maxRounds bounds how often a text is searched again where a secret overlaps with Mark itself.
const maxRounds = 8

// Secrets is an immutable set of secret values. The zero value and nil hide nothing.
// It is safe for concurrent use.
//
// A secret is found raw; in base64 of either alphabet, padded or not, at any of the three alignments, so also
// inside the base64 of a longer text such as "user:secret"; as hex digits; and with any of its characters
// written as URL, JSON, Go, Markdown or HTML escapes, up to three of these inside each other. It is also found
// where a line break (with blanks around it, as line wrapping makes it) or an escaped invisible character
// stands inside it. ASCII letters are compared without case, because servers echo headers in another case.
//
// What is not found: a secret that is reversed, encrypted, compressed, told in words, or split by visible text.
// A server that wants to give a secret away can always do so.
type Secrets struct {
	values []string
	index  index
	// markLike: a secret shares an edge with Mark, so a replacement may make a new occurrence.
	markLike bool
}

// New returns the set of the given values. Values that are shorter than 8 bytes without the white space around
// them are ignored, as are those that are a part of [Mark]. Of a value of the form "scheme token", as in an
// Authorization header, the token alone is a secret too.
func New(values ...string) *Secrets {
	return (*Secrets)(nil).With(values...)
}

// With returns a set that has more values than s, which stays as it is; nil if it has none.
func (s *Secrets) With(values ...string) *Secrets {
	var all []string
	if s != nil {
		all = slices.Clip(s.values)
	}
	for _, value := range values {
		all = appendSecrets(all, value)
	}
	if len(all) == 0 {
		return nil // most servers have no secrets, and pay for none
	}
	return &Secrets{values: all, index: newIndex(all), markLike: slices.ContainsFunc(all, touchesMark)}
}

// Redact returns text with [Mark] in place of every occurrence of every secret. Occurrences that overlap
// become one Mark. Valid UTF-8 stays valid. A text without a secret is returned as it is, without allocation.
func (s *Secrets) Redact(text string) string {
	if s == nil {
		return text
	}
	for range maxRounds {
		spans := s.index.find(text)
		if len(spans) == 0 {
			return text
		}
		text = replace(text, spans)
		if !s.markLike {
			return text
		}
	}
	if s.Contains(text) {
		return Mark
	}
	return text
}

// Contains reports whether [Secrets.Redact] would change text.
func (s *Secrets) Contains(text string) bool {
	return s != nil && s.index.contains(text)
}

// Text returns text of many lines as it may leave the library: cleaned as by [Clean], redacted, and cut to at
// most max bytes as by [Cut]. A max of zero or less cuts nothing.
func (s *Secrets) Text(text string, max int) string {
	text = s.Redact(Clean(text))
	if max <= 0 {
		return text
	}
	return Cut(text, max)
}

// Line is [Secrets.Text] for names, summaries and logs: the result is one line as by [Line].
func (s *Secrets) Line(text string, max int) string {
	// Redacted on both sides of the collapse: a secret may hold white space that the collapse changes, and
	// the collapse may make a secret of words that stood apart.
	text = s.Redact(collapse(s.Redact(Clean(text))))
	if max <= 0 {
		return text
	}
	return Cut(text, max)
}

// replace puts Mark in the place of each span. Spans are sorted and do not overlap.
func replace(text string, spans []span) string {
	var b strings.Builder
	b.Grow(len(text) + len(spans)*len(Mark))
	last := 0
	for _, sp := range spans {
		b.WriteString(text[last:sp.start])
		b.WriteString(Mark)
		last = sp.end
	}
	b.WriteString(text[last:])
	return b.String()
}
