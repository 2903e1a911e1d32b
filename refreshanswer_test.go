package mcpclient_test

import (
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient"
)

// answered is a token server's success in other words: its next token, with a
// content type and the rest of the object.
func (s *tokenServer) answered(rw http.ResponseWriter, contentType, rest string) bool {
	s.issued++
	rw.Header()["Content-Type"] = nil // keeps net/http from guessing one
	if contentType != "" {
		rw.Header().Set("Content-Type", contentType)
	}
	_, _ = fmt.Fprintf(rw, `{"access_token":%q,"token_type":"bearer","refresh_token":%q%s}`, s.accessToken(), s.refreshToken(), rest)
	return true
}

func TestRefreshIsReadHoweverTheAnswerIsWritten(t *testing.T) {
	for name, tt := range map[string]struct {
		contentType, rest string
		life              time.Duration // 0: not known to expire
	}{
		"as it should be":       {"application/json", `,"expires_in":3600`, time.Hour},
		"text/plain":            {"text/plain; charset=utf-8", `,"expires_in":3600`, time.Hour},
		"no type":               {"", `,"expires_in":3600`, time.Hour},
		"called a form":         {"application/x-www-form-urlencoded", `,"expires_in":3600`, time.Hour},
		"a number with a point": {"application/json", `,"expires_in":3600.0`, time.Hour},
		"a fraction":            {"application/json", `,"expires_in":3599.5`, time.Hour},
		"in quotes":             {"application/json", `,"expires_in":"3600"`, time.Hour},
		"with an exponent":      {"text/plain", `,"expires_in":36e2`, time.Hour},
		"no number":             {"application/json", `,"expires_in":"soon"`, 0},
		"null":                  {"application/json", `,"expires_in":null`, 0},
		"never":                 {"application/json", `,"expires_in":-1`, 0},
		"not said":              {"application/json", ``, 0},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				auth := &tokenServer{}
				auth.fail = func(rw http.ResponseWriter) bool { return auth.answered(rw, tt.contentType, tt.rest) }
				config := w.authorize(auth)
				w.stale(auth, "s")
				fresh, err := mcpclient.RefreshToken(t.Context(), w.opts.HTTPClient, config, w.tokens[0])
				require.NoError(t, err)
				require.Equal(t, auth.access(1), fresh.Token.AccessToken)
				require.Equal(t, auth.refresh(1), fresh.Token.RefreshToken)
				require.Equal(t, tt.life == 0, fresh.Token.Expiry.IsZero())
				if tt.life > 0 {
					require.Equal(t, tt.life, time.Until(fresh.Token.Expiry))
				}
			})
		})
	}
}

func TestAnswerThatIsNoJSONObjectIsReadAsBefore(t *testing.T) {
	for name, tt := range map[string]struct {
		contentType, body string
		ok                bool
	}{
		"a form":    {"application/x-www-form-urlencoded", "access_token=a-form-token&expires_in=3600", true},
		"HTML":      {"text/html", "<html>", false},
		"an array":  {"application/json", "[]", false},
		"null":      {"application/json", "null", false},
		"too large": {"application/json", `{"access_token":"x","pad":"` + string(make([]byte, 1<<20)) + `"}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				auth := &tokenServer{fail: func(rw http.ResponseWriter) bool {
					rw.Header().Set("Content-Type", tt.contentType)
					_, _ = io.WriteString(rw, tt.body)
					return true
				}}
				config := w.authorize(auth)
				w.stale(auth, "s")
				fresh, err := mcpclient.RefreshToken(t.Context(), w.opts.HTTPClient, config, w.tokens[0])
				if !tt.ok {
					require.ErrorContains(t, err, "refresh token: ")
					require.NotErrorIs(t, err, mcpclient.ErrGrantRevoked)
					return
				}
				require.NoError(t, err)
				require.Equal(t, "a-form-token", fresh.Token.AccessToken)
			})
		})
	}
}
