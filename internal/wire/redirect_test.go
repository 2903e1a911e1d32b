package wire

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRedirects(t *testing.T) {
	bothWays(t, func(t *testing.T, past bool) {
		for name, c := range map[string]struct {
			code     int
			location string
			error    string // "": followed
		}{
			"F1 slash 307":       {307, "/mcp/", ""},
			"F1 slash 308":       {308, "http://mcp.test:80/mcp/", ""},
			"same host in caps":  {307, "http://MCP.TEST/mcp/", ""},
			"user information":   {307, "http://me:secret@mcp.test/mcp/", ""},
			"F2 301":             {301, "/mcp/", "HTTP 301: the server redirects to http://mcp.test, which would lose the request; configure the URL that it redirects to"},
			"F2 302":             {302, "http://elsewhere.test/x?key=secret", "HTTP 302: the server redirects to http://elsewhere.test, which"},
			"F2 303":             {303, "/mcp/", "configure the URL"},
			"F5 other host":      {307, "http://user:secret@elsewhere.test/secret?key=secret", "HTTP 307: the server redirects to http://elsewhere.test, which is another origin"},
			"other port":         {308, "http://mcp.test:8080/mcp", "http://mcp.test:8080"},
			"to https":           {307, "https://mcp.test/mcp", "https://mcp.test"},
			"scheme relative":    {307, "//elsewhere.test/mcp", "http://elsewhere.test"},
			"no location":        {307, "", "without a target"},
			"unusable location":  {307, "http://[::1", "without a target"},
			"other scheme":       {307, "file:///etc/passwd", "without a target"},
			"loop":               {307, "/mcp", "again and again"},
			"300":                {300, "", "HTTP 300"},
			"another host, IPv6": {307, "http://[2001:db8::1]/", "http://[2001:db8::1]"},
		} {
			t.Run(name, func(t *testing.T) {
				var hosts []string
				f := &fake{}
				handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					hosts = append(hosts, r.Host)
					if r.URL.Path == "/mcp" {
						if c.location != "" {
							w.Header().Set("Location", c.location)
						}
						w.WriteHeader(c.code)
						return
					}
					f.ServeHTTP(w, r)
				})
				bubble(t, handler, func(t *testing.T, base *http.Transport) {
					s, err := connect(t.Context(), Config{Endpoint: testURL, Base: base, Headers: secret})
					if c.error == "" {
						require.NoError(t, err)
						defer s.end()
						s.past = past
						_, err = s.echo(t.Context(), "x")
						require.NoError(t, err)
						for _, h := range f.headers {
							require.Equal(t, "secret", h.Get("X-Api-Key"))
						}
					} else {
						require.ErrorContains(t, err, c.error)
						require.NotContains(t, err.Error(), "secret")
						var redirect *RedirectError
						require.ErrorAs(t, err, &redirect)
						require.Equal(t, c.code, redirect.Status)
					}
					for _, host := range hosts {
						require.Equal(t, "mcp.test", host)
					}
					if name == "loop" {
						require.Len(t, hosts, 1+maxRedirects)
					}
				})
			})
		}
	})
}

func secret(_ context.Context, r *http.Request) error {
	r.Header.Set("X-Api-Key", "secret")
	return nil
}

func TestHeadersAreAskedForEachRequest(t *testing.T) {
	f := &fake{}
	bubble(t, f, func(t *testing.T, base *http.Transport) {
		asked := 0
		s, err := connect(t.Context(), Config{Endpoint: testURL, Base: base, Headers: func(_ context.Context, r *http.Request) error {
			asked++
			r.Header.Set("Authorization", "Bearer token")
			return nil
		}})
		require.NoError(t, err)
		defer s.end()
		require.NoError(t, s.wire.Delete(t.Context()))
		require.Equal(t, []string{"initialize", "notifications/initialized", "DELETE"}, f.methods())
		require.Equal(t, 3, asked)
		for _, h := range f.headers {
			require.Equal(t, "Bearer token", h.Get("Authorization"))
		}
		require.Equal(t, "session-1", f.headers[2].Get("Mcp-Session-Id"))
		require.Equal(t, "2025-11-25", f.headers[2].Get("Mcp-Protocol-Version"))
	})
}

func TestHeadersThatFailSendNothing(t *testing.T) {
	f := &fake{}
	cause := errors.New("no token")
	bubble(t, f, func(t *testing.T, base *http.Transport) {
		_, err := connect(t.Context(), Config{Endpoint: testURL, Base: base, Headers: func(context.Context, *http.Request) error { return cause }})
		require.ErrorIs(t, err, cause)
		require.Empty(t, f.methods())
	})
}

func TestRenewal(t *testing.T) {
	token := "old"
	f := &fake{other: func(w http.ResponseWriter, r *http.Request, _ message) bool {
		if r.Header.Get("Authorization") == "new" {
			return false
		}
		w.Header().Add("WWW-Authenticate", `Bearer error="invalid_token"`)
		w.WriteHeader(http.StatusUnauthorized)
		return true
	}}
	config := func(base *http.Transport) Config {
		return Config{Endpoint: testURL, Base: base, Headers: func(_ context.Context, r *http.Request) error {
			r.Header.Set("Authorization", token)
			return nil
		}}
	}
	t.Run("renewed", func(t *testing.T) {
		token = "old"
		bubble(t, f, func(t *testing.T, base *http.Transport) {
			c := config(base)
			c.Renew = func(_ context.Context, refused http.Header) (bool, error) {
				require.Equal(t, "old", refused.Get("Authorization"))
				token = "new"
				return true, nil
			}
			s, err := connect(t.Context(), c)
			require.NoError(t, err)
			defer s.end()
			said, err := s.echo(t.Context(), "x")
			require.NoError(t, err)
			require.Equal(t, "x", said)
		})
	})
	t.Run("still refused", func(t *testing.T) {
		token = "old"
		bubble(t, f, func(t *testing.T, base *http.Transport) {
			asked := 0
			c := config(base)
			c.Renew = func(context.Context, http.Header) (bool, error) { asked++; return true, nil }
			_, err := connect(t.Context(), c)
			var refused *HTTPError
			require.ErrorAs(t, err, &refused)
			require.Equal(t, 401, refused.Status)
			require.Equal(t, []string{`Bearer error="invalid_token"`}, refused.Challenge)
			require.Equal(t, 1, asked)
		})
	})
	t.Run("grant is dead", func(t *testing.T) {
		dead := errors.New("grant revoked")
		bubble(t, f, func(t *testing.T, base *http.Transport) {
			c := config(base)
			c.Renew = func(context.Context, http.Header) (bool, error) { return false, dead }
			_, err := connect(t.Context(), c)
			var refused *HTTPError
			require.ErrorAs(t, err, &refused)
			require.ErrorIs(t, err, dead)
		})
	})
}
