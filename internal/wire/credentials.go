package wire

import (
	"context"
	"net/http"
)

// credentials sets the configured headers on each request, for the configured origin and no other: it is the last step that looks
// at the URL, so that neither a redirect nor an endpoint event can take a secret elsewhere.
type credentials struct {
	origin  origin
	headers func(context.Context, *http.Request) error
	next    http.RoundTripper
}

func (c *credentials) RoundTrip(r *http.Request) (*http.Response, error) {
	to, err := originOf(r.URL)
	if err != nil || to != c.origin {
		closeBody(r)
		return nil, &OriginError{Origin: originName(r.URL)}
	}
	out := new(http.Request)
	*out = *r
	out.Header = r.Header.Clone()
	// The request is the base's own, which may rewrite it. Of user information net/http would make an Authorization header.
	own := *r.URL
	own.User = nil
	out.URL = &own
	t := tripOf(r.Context())
	if c.headers != nil {
		if err := c.headers(r.Context(), out); err != nil {
			closeBody(r)
			return nil, err
		}
	}
	t.headers = out.Header
	return c.next.RoundTrip(out)
}
