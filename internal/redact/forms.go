package redact

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
)

// appendSecrets adds value and what else must be hidden because of it.
func appendSecrets(all []string, value string) []string {
	value = strings.TrimSpace(value)
	// Text is searched after it was cleaned, so a value with characters that cleaning changes is
	// a secret in each of the shapes it can have by then.
	for _, shape := range []string{value, Clean(value), Line(value), schemeToken(value)} {
		if len(shape) < minSecret || slices.Contains(all, shape) || strings.Contains(Mark, strings.ToUpper(shape)) {
			continue
		}
		all = append(all, shape)
	}
	return all
}

// schemeToken returns the token of a "scheme token" credential (RFC 9110, section 11.4), else "".
func schemeToken(value string) string {
	scheme, token, found := strings.Cut(strings.TrimSpace(value), " ")
	token = strings.TrimSpace(token)
	if !found || scheme == "" || strings.ContainsAny(token, " \t\r\n") {
		return ""
	}
	return token
}

// touchesMark reports whether secret and Mark can overlap in a text.
func touchesMark(secret string) bool {
	upper := strings.ToUpper(secret)
	if strings.Contains(upper, Mark) {
		return true
	}
	for n := 1; n < len(Mark); n++ {
		if strings.HasSuffix(upper, Mark[:n]) || strings.HasPrefix(upper, Mark[len(Mark)-n:]) {
			return true
		}
	}
	return false
}

// pattern is one form of a secret that is searched for. Escapes are not forms of their own: the search reads
// through them.
type pattern struct {
	folded string // with ASCII letters in lower case
	layers layerSet
	// left and right tell that the base64 character before or after the pattern holds bits of the secret and
	// bits of its neighbour, so that it is unknown here but must be hidden too.
	left, right bool
}

// patternsOf returns the distinct forms of all secrets.
func patternsOf(secrets []string) []pattern {
	var patterns []pattern
	seen := map[string]int{}
	add := func(p pattern) {
		p.folded = fold(p.folded)
		if at, found := seen[p.folded]; found {
			patterns[at].left = patterns[at].left || p.left
			patterns[at].right = patterns[at].right || p.right
			return
		}
		for i := range len(p.folded) {
			p.layers |= layersOf(p.folded[i])
		}
		seen[p.folded] = len(patterns)
		patterns = append(patterns, p)
	}
	for _, secret := range secrets {
		add(pattern{folded: secret})
		add(pattern{folded: hex.EncodeToString([]byte(secret))})
		for shift := range 3 {
			add(base64Core(base64.RawStdEncoding, secret, shift))
			add(base64Core(base64.RawURLEncoding, secret, shift))
		}
	}
	return patterns
}

// base64Core returns the characters that secret always has in the base64 of a text in which it begins at an
// offset that is shift modulo 3: those whose six bits are all bits of the secret.
func base64Core(encoding *base64.Encoding, secret string, shift int) pattern {
	text := encoding.EncodeToString([]byte("\x00\x00\x00"[:shift] + secret))
	first := (shift*8 + 5) / 6
	end := (shift + len(secret)) * 8 / 6
	return pattern{folded: text[first:end], left: shift > 0, right: end < len(text)}
}

// fold returns text with its ASCII letters in lower case, byte by byte: secrets need not be UTF-8.
func fold(text string) string {
	b := []byte(text)
	for i := range b {
		b[i] = lower(b[i])
	}
	return string(b)
}

func lower(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b + ('a' - 'A')
	}
	return b
}

func isBase64(b byte) bool {
	b = lower(b)
	return 'a' <= b && b <= 'z' || '0' <= b && b <= '9' || b == '+' || b == '/' || b == '-' || b == '_'
}
