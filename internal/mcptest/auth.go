package mcptest

import (
	"fmt"
	"net/http"
)

// denied answers a request that does not carry what the server requires.
func (x *Exchange) denied() bool {
	for name, value := range x.s.RequireHeader {
		if x.R.Header.Get(name) != value {
			x.status(http.StatusUnauthorized, "text/plain", "Unauthorized")
			return true
		}
	}
	if x.s.Token == "" {
		return false
	}
	metadata := x.Expand(`resource_metadata="$ORIGIN/.well-known/oauth-protected-resource"`)
	if x.R.Header.Get("Authorization") != "Bearer "+x.s.Token {
		x.W.Header().Set("WWW-Authenticate", `Bearer error="invalid_token", `+metadata)
		x.status(http.StatusUnauthorized, "application/json", `{"error":"invalid_token","error_description":"The token is missing, wrong or expired"}`)
		return true
	}
	if x.s.Scope != "" {
		x.W.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer error="insufficient_scope", scope="%s", %s`, x.s.Scope, metadata))
		x.status(http.StatusForbidden, "application/json", `{"error":"insufficient_scope"}`)
		return true
	}
	return false
}
