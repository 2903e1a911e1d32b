package redact_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcpclient-go/mcpclient/internal/redact"
)

// manySecrets returns n tokens of 20 to 43 characters, always the same.
func manySecrets(n int) []string {
	secrets := make([]string, n)
	for i := range secrets {
		sum := sha256.Sum256([]byte{byte(i), byte(i >> 8)})
		secrets[i] = base64.RawURLEncoding.EncodeToString(sum[:])[:20+i%24]
	}
	return secrets
}

const prose = "The server returned a list of 42 open pull requests; \"fix: handle timeouts\" (#1234) is the oldest.\n"

func bodies() map[string]string {
	nested, _ := json.Marshal(strings.Repeat(`{"name": "a/b", "size": 123}`+"\n", 100))
	random := strings.Join(manySecrets(1000)[500:], "")
	return map[string]string{
		"prose":       prose,
		"nested JSON": string(nested),
		"base64":      random,
		"backslashes": `\`,
		"percent":     "%",
		"ampersands":  "&",
		"newlines":    "\n",
		"short lines": "a\n",
		"prefixes":    manySecrets(10)[9][:12],
		"escapes":     manySecrets(10)[9][:1] + `\u005c`,
		"letters":     `\u0061\u0062`,
		"octets":      "%41%62%2541",
		"breaks":      `\n\r`,
		"wrapped":     manySecrets(10)[9][:4] + "\n",
		"blanks":      "     \t     ",
		"sequences":   "\x1b]x\u009d\x1b[1m",
		"joiners":     "\u200d\u200e",
		"CJK":         "日本語のテキスト、",
	}
}

func repeatTo(text string, size int) string {
	return strings.Repeat(text, size/len(text)+1)[:size]
}

func BenchmarkRedact(b *testing.B) {
	s := redact.New(manySecrets(10)...)
	for name, body := range bodies() {
		b.Run(name, func(b *testing.B) {
			text := repeatTo(body, 256<<10)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				s.Redact(text)
			}
		})
	}
}

func BenchmarkRedactWithSecrets(b *testing.B) {
	secrets := manySecrets(10)
	s := redact.New(secrets...)
	text := repeatTo(strings.Repeat(prose, 10)+secrets[3]+"\n", 256<<10)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		s.Redact(text)
	}
}

func BenchmarkClean(b *testing.B) {
	for name, body := range bodies() {
		b.Run(name, func(b *testing.B) {
			text := strings.ToValidUTF8(repeatTo(body, 256<<10), "")
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				redact.Clean(text)
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	secrets := manySecrets(10)
	b.ReportAllocs()
	for b.Loop() {
		redact.New(secrets...)
	}
}
