package mcpclient

import (
	"net/http"
	"strings"

	"golang.org/x/net/http/httpguts"
)

const (
	maxScopeBytes     = 1024 // of whole scopes
	maxMetadataBytes  = 1024
	maxChallengeBytes = 4096
)

// challenge is what WWW-Authenticate headers say that a host can act on: the
// scheme, and of its parameters error, scope (RFC 6750 section 3) and
// resource_metadata (RFC 9728 section 5.1). A parameter that is too long is left
// out, or whole scopes of it: half of one is of no use.
//
// Each header is read as far as it can be: what is no challenge, or no parameter
// of one, costs itself alone.
func challenge(headers []string) string {
	var texts []string
	length := 0
	for _, h := range headers {
		for _, c := range parseChallenges(h) {
			text := c.describe()
			if length += len(text) + 2; length > maxChallengeBytes {
				return strings.Join(texts, ", ")
			}
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, ", ")
}

// authChallenge is one challenge of RFC 9110 section 11.6.1. The names of params
// are in lower case.
type authChallenge struct {
	scheme string
	params map[string]string
}

func (c *authChallenge) describe() string {
	scheme := strings.ToUpper(c.scheme[:1]) + c.scheme[1:]
	if strings.EqualFold(scheme, "Bearer") {
		scheme = "Bearer"
	}
	var params []string
	add := func(name, value string, limit int) {
		if value != "" && len(value) <= limit {
			params = append(params, name+`="`+quotable.Replace(value)+`"`)
		}
	}
	add("error", c.params["error"], maxNameBytes)
	add("scope", wholeScopes(c.params["scope"]), maxScopeBytes)
	add("resource_metadata", c.params["resource_metadata"], maxMetadataBytes)
	return strings.TrimSpace(scheme + " " + strings.Join(params, ", "))
}

// parseChallenges reads one header. A scheme is at its start or follows a comma;
// name=value is a parameter with or without one.
func parseChallenges(header string) (all []authChallenge) {
	first := true // a scheme may come
	for header != "" {
		word := header[:tokenLength(header)]
		rest := header[len(word):]
		value, after, isParam := cutValue(rest)
		switch {
		case word == "":
			first = first && isBlank(header[0]) || header[0] == ','
			header = skipOne(header)
			continue
		case isParam && len(all) > 0:
			if c := all[len(all)-1]; c.params[strings.ToLower(word)] == "" {
				c.params[strings.ToLower(word)] = value
			}
		case !isParam && first:
			all = append(all, authChallenge{word, map[string]string{}})
			after = cutToken68(after)
		}
		header, first = after, false
	}
	return all
}

// cutValue reads the value of a parameter from behind its name. What is not there
// is rest as it was.
func cutValue(rest string) (value, after string, ok bool) {
	after, ok = strings.CutPrefix(strings.TrimLeft(rest, " \t"), "=")
	if !ok {
		return "", rest, false
	}
	after = strings.TrimLeft(after, " \t")
	if strings.HasPrefix(after, `"`) {
		value, after = cutQuoted(after)
		return value, after, true
	}
	end := strings.IndexAny(after, ", \t")
	if end < 0 {
		end = len(after)
	}
	return after[:end], after[end:], true
}

// cutQuoted reads the quoted string that s begins with; one that does not end has
// no value.
func cutQuoted(s string) (value, after string) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), s[i+1:]
		case s[i] == '\\' && i+1 < len(s):
			i++
		}
		b.WriteByte(s[i])
	}
	return "", ""
}

// cutToken68 leaves out what may follow a scheme in place of parameters.
func cutToken68(s string) string {
	after := strings.TrimLeft(s, " \t")
	after = after[tokenLength(after):]
	for after != "" && !isBlank(after[0]) && strings.IndexByte(`,"=`, after[0]) < 0 {
		after = after[1+tokenLength(after[1:]):] // a slash, which is in no token
	}
	after = strings.TrimLeft(after, "= \t")
	if after == "" || after[0] == ',' {
		return after
	}
	return s
}

// skipOne leaves out the quoted string or the byte that s begins with.
func skipOne(s string) string {
	if s[0] == '"' {
		_, after := cutQuoted(s)
		return after
	}
	return s[1:]
}

func isBlank(b byte) bool { return b == ' ' || b == '\t' }

// tokenLength is that of the token of RFC 9110 section 5.6.2 that s begins with.
func tokenLength(s string) int {
	n := strings.IndexFunc(s, func(r rune) bool { return !httpguts.IsTokenRune(r) })
	if n < 0 {
		return len(s)
	}
	return n
}

// quotable writes a quoted string of RFC 9110 section 5.6.4. Nothing is left out
// of it: a secret is only known as one while it is whole.
var quotable = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

func wholeScopes(scope string) string {
	var kept strings.Builder
	for s := range strings.FieldsSeq(scope) {
		if kept.Len()+1+len(s) > maxScopeBytes {
			break
		}
		if kept.Len() > 0 {
			kept.WriteByte(' ')
		}
		kept.WriteString(s)
	}
	return kept.String()
}

// needsAuth says whether a status is about authorization.
func needsAuth(status int) bool {
	return status == http.StatusUnauthorized || status == http.StatusForbidden
}
