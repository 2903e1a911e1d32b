package wire

import (
	"errors"
	"net/http"
	"net/url"
)

const maxRedirects = 5

// redirects follows 307 and 308, which repeat the request as it is, within the origin. 301, 302 and 303 turn a POST into a GET,
// and another origin gets nothing of a session: both are errors.
type redirects struct {
	origin origin
	next   http.RoundTripper
}

func (d *redirects) RoundTrip(r *http.Request) (*http.Response, error) {
	for hops := 0; ; hops++ {
		resp, err := d.next.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		if resp.StatusCode < 300 || resp.StatusCode > 399 {
			resp.Request = r // the base may have rewritten the one that it got
			return resp, nil
		}
		discard(resp)
		refused := &RedirectError{Status: resp.StatusCode}
		target, err := r.URL.Parse(resp.Header.Get("Location"))
		if err != nil || resp.Header.Get("Location") == "" {
			return nil, refused
		}
		refused.Origin = originName(target)
		if resp.StatusCode != http.StatusTemporaryRedirect && resp.StatusCode != http.StatusPermanentRedirect {
			return nil, refused
		}
		if to, err := originOf(target); err != nil || to != d.origin {
			return nil, refused
		}
		target.Scheme, target.Host, target.User = r.URL.Scheme, r.URL.Host, nil
		if hops == maxRedirects {
			refused.Loop = true
			return nil, refused
		}
		if r, err = repeat(r, target); err != nil {
			return nil, refused
		}
	}
}

// repeat is the same request to another URL, its body from the start.
func repeat(r *http.Request, to *url.URL) (*http.Request, error) {
	again := r.Clone(r.Context())
	again.URL = to
	again.Host = ""
	if r.Body == nil || r.Body == http.NoBody {
		return again, nil
	}
	if r.GetBody == nil {
		return nil, errors.New("the request's body can't be sent again")
	}
	body, err := r.GetBody()
	again.Body = body
	return again, err
}
