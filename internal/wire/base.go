package wire

import (
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync"

	"github.com/mcpclient-go/mcpclient/internal/wire/address"
)

// trip is what the steps of the chain learn about one request. It belongs to the goroutine that runs the chain.
type trip struct {
	exchange    *Exchange   // nil: nobody follows the request
	hadSession  bool        // the request names a session
	credentials bool        // headers were set by Config.Headers
	headers     http.Header // as they were sent to the configured origin
	renewed     bool        // the request was sent again with new credentials
	renewal     error       // why credentials couldn't be renewed
	sent        bool        // see Exchange.Sent
	denied      error       // why the connection must not be used
}

// tripOf never returns nil.
func tripOf(ctx context.Context) *trip {
	if t, ok := ctx.Value(tripKey{}).(*trip); ok && t != nil {
		return t
	}
	return &trip{}
}

func (t *trip) setSent(sent bool) {
	t.sent = sent
	t.exchange.setSent(sent)
}

func (t *trip) connected(reused bool, size int64) {
	t.setSent(true)
	t.exchange.connected(reused, size)
}

// base hands requests to the caller's RoundTripper and notes what became of the connection.
type base struct {
	next   http.RoundTripper
	policy *address.Policy // nil: no addresses are judged here
	traced bool            // next reports its connections
}

func newBase(next http.RoundTripper, policy *address.Policy) *base {
	_, traced := next.(*http.Transport)
	return &base{next: next, policy: policy, traced: traced}
}

func (b *base) RoundTrip(r *http.Request) (*http.Response, error) {
	t := tripOf(r.Context())
	t.denied = nil
	if b.traced {
		if b.policy != nil {
			if err := b.policy.CheckHost(r.URL.Hostname()); err != nil {
				closeBody(r)
				return nil, err
			}
		}
		trace, ctx := b.trace(t, r), r.Context()
		if r.URL.Scheme == "https" {
			ctx = withHandshake(ctx, trace)
		}
		r = r.WithContext(httptrace.WithClientTrace(ctx, trace))
	} else {
		t.connected(false, r.ContentLength)
	}
	resp, err := b.next.RoundTrip(r)
	if err == nil {
		if !b.traced {
			resp.Body = endWith(r.Context(), resp.Body)
		}
		return resp, nil
	}
	if t.denied != nil {
		return nil, t.denied
	}
	if t.sent {
		err = &AnswerError{Reason: "the connection failed before an answer came", Cause: err}
	}
	return nil, err
}

// endWith closes a body when ctx ends: what a caller's own RoundTripper serves, over a pipe for one, may know nothing of contexts.
func endWith(ctx context.Context, body io.ReadCloser) io.ReadCloser {
	b := &boundBody{Reader: body, close: sync.OnceValue(body.Close)}
	b.stop = context.AfterFunc(ctx, func() { _ = b.close() })
	return b
}

type boundBody struct {
	io.Reader
	close func() error
	stop  func() bool
}

func (b *boundBody) Close() error {
	b.stop()
	return b.close()
}

// trace follows one request of an *http.Transport. The hooks run on the goroutine of RoundTrip. Where the transport finds a kept
// connection dead before anything was sent on it, it asks for another one by itself: what it had then doesn't count.
func (b *base) trace(t *trip, r *http.Request) *httptrace.ClientTrace {
	before := t.sent
	return &httptrace.ClientTrace{
		GetConn: func(string) { t.setSent(before) },
		GotConn: func(info httptrace.GotConnInfo) {
			if b.policy != nil {
				if err := b.policy.CheckPeer(r.URL.Hostname(), info.Conn.RemoteAddr()); err != nil {
					t.denied = err
					_ = info.Conn.Close() // before the request is written to it
					return
				}
			}
			t.connected(info.Reused, r.ContentLength)
		},
	}
}

// Judged applies a policy to whom the connections of an *http.Transport were made to, for requests that no session makes.
func Judged(next http.RoundTripper, policy *address.Policy) http.RoundTripper {
	return newBase(next, policy)
}
