package wire

import (
	"context"
	"net/http"
)

// renewal answers a 401 with new credentials, once per request. Nothing depends on a DELETE, which ends a session, and nobody may
// be left to store what it would renew.
type renewal struct {
	renew func(ctx context.Context, refused http.Header) (bool, error)
	next  http.RoundTripper
}

func (n *renewal) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := n.next.RoundTrip(r)
	if err != nil || resp.StatusCode != http.StatusUnauthorized || n.renew == nil || r.Method == http.MethodDelete {
		return resp, err
	}
	t := tripOf(r.Context())
	retry, err := n.renew(r.Context(), t.headers)
	if err != nil {
		t.renewal = err
		return resp, nil
	}
	if !retry {
		return resp, nil
	}
	again, err := repeat(r, r.URL)
	if err != nil {
		return resp, nil
	}
	discard(resp)
	return n.next.RoundTrip(again)
}

// Apart is ctx for a request that belongs to no session though one has asked for it, as that for a new token: with the host's
// values, and without those by which a session follows its own requests and ends the connections that they wait for.
func Apart(ctx context.Context) context.Context { return apart{ctx} }

type apart struct{ context.Context }

func (a apart) Value(key any) any {
	switch key.(type) {
	case sessionKey, tripKey, handshakeKey:
		return nil
	}
	return a.Context.Value(key)
}
