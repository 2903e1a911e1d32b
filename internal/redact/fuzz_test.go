package redact_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/mcpclient-go/mcpclient/internal/redact"
)

func FuzzRedact(f *testing.F) {
	for _, canary := range canaries {
		f.Add(canary, "other-secret", "before ", " after", uint8(0))
	}
	f.Add("[REDACTED]x", "abcdefgh", "abcdefgh", "x", uint8(7))
	f.Add(`\\\\\\\\`, `%25%25%25`, `\`, `\`, uint8(3))
	f.Add("++++++++", "        /", "+", "+", uint8(4))
	names := slices.Sorted(maps.Keys(encoders))
	f.Fuzz(func(t *testing.T, secret, other, before, after string, which uint8) {
		s := redact.New(secret, other)
		name := names[int(which)%len(names)]
		encoded := encoders[name](strings.TrimSpace(secret))
		text := before + encoded + after
		got := s.Redact(text)
		assert.False(t, s.Contains(got) && got != redact.Mark, "%q", got)
		if utf8.ValidString(text) {
			assert.True(t, utf8.ValidString(got))
		}
		for _, value := range []string{strings.TrimSpace(secret), strings.TrimSpace(other)} {
			if len(value) < 8 || strings.Contains(redact.Mark, strings.ToUpper(value)) {
				continue
			}
			// What Mark itself is a part of can not be told from a replacement.
			for part := range strings.SplitSeq(got, redact.Mark) {
				assert.NotContains(t, part, value)
			}
		}
		if secret = strings.TrimSpace(secret); !hides(secret) {
			return
		}
		assert.NotContains(t, got, encoded, name)
		for _, line := range []string{s.Text(text, 0), s.Line(text, 0)} {
			assert.True(t, utf8.ValidString(line))
			assert.False(t, s.Contains(line) && line != redact.Mark)
		}
	})
}

// hides reports whether all encoders can write the secret so that it can be read back.
func hides(secret string) bool {
	return len(secret) >= 8 && utf8.ValidString(secret) && !strings.ContainsRune(secret, utf8.RuneError) &&
		!strings.ContainsFunc(secret, func(r rune) bool { return r < ' ' || r > 0xd7ff && r < 0x10000 }) &&
		!strings.Contains(redact.Mark, strings.ToUpper(secret))
}
