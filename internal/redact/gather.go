package redact

import (
	"encoding/base64"
	"net/url"
	"strings"
)

// FromHeader returns the secrets in the value of a header that carries a credential: the value, the token of a
// "scheme token" value, of Basic authentication (RFC 7617) what [FromURL] returns of a userinfo, and what follows a
// name, as in "session=token; theme=dark", `Token token="abc"` or "id:secret".
func FromHeader(value string) []string {
	value = strings.TrimSpace(value)
	if value == "" {
		return nil
	}
	secrets := []string{value}
	secrets = append(secrets, named(value)...)
	token := schemeToken(value)
	if token == "" {
		return secrets
	}
	secrets = append(secrets, token)
	if scheme, _, _ := strings.Cut(value, " "); strings.EqualFold(scheme, "Basic") {
		if userinfo, ok := decodeBase64(token); ok {
			secrets = append(secrets, fromUserinfo(strings.Cut(userinfo, ":"))...)
		}
	}
	return secrets
}

// named returns the values of name=value and name:value pairs. What has no name may be any word, and is no secret by itself.
func named(value string) []string {
	var secrets []string
	for _, part := range strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune("; ,\t", r) }) {
		at := strings.IndexAny(part, "=:")
		if at <= 0 || strings.HasPrefix(part[at:], "://") {
			continue
		}
		if secret := strings.Trim(part[at+1:], `"`); strings.Trim(secret, "=") != "" {
			secrets = append(secrets, secret)
		}
	}
	return secrets
}

// FromURL returns the secrets in a URL: its password, "user:password", the user where the password is too short
// or a placeholder, so that the user is the key; and the values of its query, or what stands there instead
// of "name=value". They are decoded. Of a URL that does not parse it returns what may be these.
func FromURL(raw string) []string {
	var secrets []string
	if userinfo := userinfoOf(raw); userinfo != "" {
		user, password, found := strings.Cut(userinfo, ":")
		secrets = fromUserinfo(unescape(user, url.PathUnescape), unescape(password, url.PathUnescape), found)
	}
	raw, _, _ = strings.Cut(raw, "#")
	_, query, _ := strings.Cut(raw, "?")
	for field := range strings.SplitSeq(query, "&") {
		secrets = appendValue(secrets, field)
		if !strings.Contains(field, ";") {
			continue
		}
		for part := range strings.SplitSeq(field, ";") { // separates fields too for some servers
			secrets = appendValue(secrets, part)
		}
	}
	return secrets
}

// userinfoOf returns what stands before the host of raw, as it stands there.
func userinfoOf(raw string) string {
	_, rest, found := strings.Cut(raw, "//")
	if !found {
		return ""
	}
	if _, err := url.Parse(raw); err == nil {
		if end := strings.IndexAny(rest, "/?#"); end >= 0 {
			rest = rest[:end]
		}
	}
	// The host begins behind the last @. In a URL that does not parse, the reason may be a password with
	// one of the characters that end an authority.
	return rest[:max(0, strings.LastIndexByte(rest, '@'))]
}

// appendValue appends the value of a field of a query.
func appendValue(secrets []string, field string) []string {
	name, value, found := strings.Cut(field, "=")
	if !found {
		value = name
	}
	if value = unescape(value, url.QueryUnescape); value != "" {
		secrets = append(secrets, value)
	}
	return secrets
}

// fromUserinfo returns the secrets of a user and, if found, a password.
func fromUserinfo(user, password string, found bool) []string {
	var secrets []string
	if password != "" {
		secrets = append(secrets, password)
	}
	if found {
		secrets = append(secrets, user+":"+password)
	}
	// Some services take a key as the user, with no password or with a fixed word in its place.
	if user != "" && (len(password) < minSecret || password == "x-oauth-basic") {
		secrets = append(secrets, user)
	}
	return secrets
}

func unescape(text string, decode func(string) (string, error)) string {
	if decoded, err := decode(text); err == nil {
		return decoded
	}
	return text
}

// decodeBase64 reads both alphabets, padded or not.
func decodeBase64(text string) (string, bool) {
	text = strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(text, "="))
	decoded, err := base64.RawStdEncoding.DecodeString(text)
	return string(decoded), err == nil
}
