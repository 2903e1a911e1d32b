package redact_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpclient-go/mcpclient/internal/redact"
)

func TestFromHeader(t *testing.T) {
	tests := map[string]struct {
		value string
		want  []string
	}{
		"empty":           {"", nil},
		"blank":           {" ", nil},
		"key":             {"abc", []string{"abc"}},
		"bearer":          {"Bearer abc", []string{"Bearer abc", "abc"}},
		"more blanks":     {" Bearer   abc ", []string{"Bearer   abc", "abc"}},
		"parameters":      {"Digest a=1, b=2", []string{"Digest a=1, b=2", "1", "2"}},
		"cookies":         {"session=s3ss; theme=dark", []string{"session=s3ss; theme=dark", "s3ss", "dark", "theme=dark"}},
		"token parameter": {`Token token="abc"`, []string{`Token token="abc"`, "abc", `token="abc"`}},
		"id and secret":   {"ApiKey id:abc", []string{"ApiKey id:abc", "abc", "id:abc"}},
		"URL":             {"https://a.test/b", []string{"https://a.test/b"}},
		"basic":           {"Basic dXNlcjpwYXNzd29yZA==", []string{"Basic dXNlcjpwYXNzd29yZA==", "dXNlcjpwYXNzd29yZA==", "password", "user:password"}},
		"basic, unpadded": {"basic dXNlcjpwYXNzd29yZA", []string{"basic dXNlcjpwYXNzd29yZA", "dXNlcjpwYXNzd29yZA", "password", "user:password"}},
		"basic, key only": {"Basic dXNlcjo=", []string{"Basic dXNlcjo=", "dXNlcjo=", "user:", "user"}},
		"basic, no colon": {"Basic dXNlcg==", []string{"Basic dXNlcg==", "dXNlcg==", "user"}},
		"basic, broken":   {"Basic d!", []string{"Basic d!", "d!"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tt.want, redact.FromHeader(tt.value))
		})
	}
}

func TestFromURL(t *testing.T) {
	tests := map[string]struct {
		url  string
		want []string
	}{
		"empty":                {"", nil},
		"none":                 {"https://host.example/path@x/mcp", nil},
		"userinfo":             {"https://user:p%2Fssword@host.example/", []string{"p/ssword", "user:p/ssword"}},
		"key as user":          {"https://key@host.example", []string{"key"}},
		"key and placeholder":  {"https://key:x-oauth-basic@host.example", []string{"x-oauth-basic", "key:x-oauth-basic", "key"}},
		"key and no password":  {"https://key:@host.example", []string{"key:", "key"}},
		"query":                {"https://h/?a=one+two&b=&c=%2fx#d=e", []string{"one two", "/x"}},
		"bare query":           {"https://h/mcp?secret", []string{"secret"}},
		"semicolons":           {"https://h/?a=b;c=d", []string{"b;c=d", "b", "d"}},
		"broken escape":        {"https://h/?a=%zz", []string{"%zz"}},
		"slash in a password":  {"https://user:pa/ssword@host.example/", []string{"pa/ssword", "user:pa/ssword"}},
		"number in a password": {"https://user:pa#ssword@host.example/", []string{"pa#ssword", "user:pa#ssword"}},
		"no URL":               {"::not a url", nil},
		"control in a URL":     {"https://u:password@h/\x7f?key=value", []string{"password", "u:password", "value"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tt.want, redact.FromURL(tt.url))
		})
	}
}

func TestGatheredSecretsAreHiddenHoweverTheyAreWritten(t *testing.T) {
	s := redact.New(redact.FromURL("https://user:p%2Fss%20w%2Brd@host.example/?key=k%3Dy+value")...)
	for _, text := range []string{
		"p/ss w+rd", "p%2Fss%20w%2Brd", "p%2fss+w%2brd", "Basic dXNlcjpwL3NzIHcrcmQ=", "k=y value", "k%3Dy+value", "k=y+value",
	} {
		assert.True(t, s.Contains(text), text)
	}
}
