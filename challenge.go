package mcpclient

import (
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
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
func challenge(headers []string) string {
	challenges, err := oauthex.ParseWWWAuthenticate(headers)
	if err != nil {
		return ""
	}
	texts := make([]string, 0, len(challenges))
	length := 0
	for _, c := range challenges {
		text := describeChallenge(c)
		if length += len(text) + 2; length > maxChallengeBytes {
			break
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}

func describeChallenge(c oauthex.Challenge) string {
	scheme := strings.ToUpper(c.Scheme[:min(1, len(c.Scheme))]) + c.Scheme[min(1, len(c.Scheme)):]
	var params []string
	add := func(name, value string, limit int) {
		if value != "" && len(value) <= limit {
			params = append(params, name+`="`+quotable.Replace(value)+`"`)
		}
	}
	add("error", c.Params["error"], maxNameBytes)
	add("scope", wholeScopes(c.Params["scope"]), maxScopeBytes)
	add("resource_metadata", c.Params["resource_metadata"], maxMetadataBytes)
	return strings.TrimSpace(scheme + " " + strings.Join(params, ", "))
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
