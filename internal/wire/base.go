package wire

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"runtime/debug"
	"sync"

	"github.com/mcpclient-go/mcpclient/internal/wire/address"
)

// trip is what the steps of the chain learn about one request. It belongs to the goroutine that runs the chain.
type trip struct {
	exchange   *Exchange   // nil: nobody follows the request
	hadSession bool        // the request names a session
	headers    http.Header // as they were sent to the configured origin
	renewal    error       // why credentials couldn't be renewed
	sent       bool        // see Exchange.Sent
	denied     error       // why the connection must not be used
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

// ErrPanic is the error of a request, or of the reading of its answer, in which Config.Base panicked. What it panicked with is for
// Config.Panicked alone: it may hold anything.
var ErrPanic = errors.New("the host's http.RoundTripper panicked; the log has it")

var errNoResponse = errors.New("the host's http.RoundTripper returned neither a response nor an error")

// base hands requests to the caller's RoundTripper and notes what became of the connection. A RoundTripper that is not net/http's own
// may be sloppy: those above rely on what http.RoundTripper promises, and some of them run on goroutines that nobody else guards.
type base struct {
	next   http.RoundTripper
	policy *address.Policy // nil: no addresses are judged here
	traced bool            // next reports its connections
	report *panicReport    // nil: a panic is that of whoever sends the request
}

func newBase(next http.RoundTripper, policy *address.Policy, report *panicReport) *base {
	_, traced := next.(*http.Transport)
	return &base{next: next, policy: policy, traced: traced, report: report}
}

// panicReport is told of panics that became errors.
type panicReport struct {
	tell func(value any, stack []byte) // nil: nobody wants to know
}

// caught is deferred around the host's code. It makes an error of a panic.
func (p *panicReport) caught(err *error) {
	if p == nil {
		return
	}
	value := recover()
	if value == nil {
		return
	}
	*err = ErrPanic
	if p.tell != nil {
		p.tell(value, debug.Stack())
	}
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
	resp, err := b.hand(r)
	if err == nil {
		if resp.StatusCode < 200 {
			// The rest of the connection is the body of a 101, whose reads no context ends.
			_ = resp.Body.Close()
			resp.Body = http.NoBody
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

// hand asks the caller's RoundTripper. Of the answer, everything is there that http.RoundTripper promises.
func (b *base) hand(r *http.Request) (resp *http.Response, err error) {
	defer b.report.caught(&err)
	resp, err = b.next.RoundTrip(r)
	switch {
	case b.traced:
		return resp, err
	case err != nil:
		if resp != nil && resp.Body != nil {
			_ = (&boundBody{body: resp.Body, report: b.report}).closeOnce()
		}
		return nil, err
	case resp == nil:
		return nil, errNoResponse
	}
	whole := *resp // the host may hand out the same one again
	if whole.Header == nil {
		whole.Header = http.Header{}
	}
	if whole.Request == nil {
		whole.Request = r
	}
	if whole.Body == nil {
		whole.Body = http.NoBody
	} else if whole.ContentLength == 0 {
		whole.ContentLength = -1 // left out, as far as one can know
	}
	whole.Body = b.endWith(r.Context(), whole.Body)
	return &whole, nil
}

// endWith closes a body when ctx ends: what a caller's own RoundTripper serves, over a pipe for one, may know nothing of contexts.
func (b *base) endWith(ctx context.Context, body io.ReadCloser) io.ReadCloser {
	out := &boundBody{body: body, report: b.report}
	out.close = sync.OnceValue(out.closeOnce)
	out.stop = context.AfterFunc(ctx, func() { _ = out.close() })
	return out
}

type boundBody struct {
	body   io.ReadCloser
	report *panicReport
	close  func() error
	stop   func() bool
}

func (b *boundBody) Read(p []byte) (n int, err error) {
	defer b.report.caught(&err)
	return b.body.Read(p)
}

func (b *boundBody) closeOnce() (err error) {
	defer b.report.caught(&err)
	return b.body.Close()
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
	return newBase(next, policy, nil)
}
