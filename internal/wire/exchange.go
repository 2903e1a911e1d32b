package wire

import (
	"context"
	"sync"

	"github.com/mcpclient-go/mcpclient/internal/wire/rpc"
)

// ExchangeOptions says what an Exchange does beside looking on.
type ExchangeOptions struct {
	// Stub, if not nil, replaces the result that the SDK decodes; the raw one is kept for Result. It must return a JSON value and
	// not change or keep its argument. nil: the SDK gets the result as it came.
	Stub func(result []byte) []byte
	// OnConn is called once, when the request has its connection; where Config.Base is no *http.Transport, right before it is
	// handed over. reused: the connection had existed. It must not block.
	OnConn func(reused bool)
}

// Exchange follows one request or notification through its session: that of a Request, or the SDK's first POST that is made with its
// context and is neither a notifications/cancelled nor an answer to the server, as the SDK passes the values of a call's context on
// to those.
// All methods are safe for concurrent use, and on a nil Exchange.
type Exchange struct {
	options ExchangeOptions
	alone   bool               // the SDK has no part in it
	cancel  context.CancelFunc // nil: there is no context of its own

	mu       sync.Mutex
	claimed  bool
	closed   bool
	told     bool // OnConn was called
	sent     bool
	done     bool
	result   []byte
	err      error
	said     string
	bytesIn  int64
	bytesOut int64
}

type exchangeKey struct{}

// NewExchange returns a context for one request, and the Exchange that follows it. Close releases both.
func NewExchange(ctx context.Context, o ExchangeOptions) (context.Context, *Exchange) {
	ctx, cancel := context.WithCancel(ctx)
	e := &Exchange{options: o, cancel: cancel}
	return context.WithValue(ctx, exchangeKey{}, e), e
}

// Close ends the exchange and its context. Nothing of it changes any more, and no option is called.
func (e *Exchange) Close() {
	if e == nil {
		return
	}
	e.update(func() { e.closed = true })
	if e.cancel != nil {
		e.cancel()
	}
}

// Result is the `result` member of the answer as it came, repaired where it was no valid JSON; nil if none came. It is the
// caller's own.
func (e *Exchange) Result() []byte {
	if e == nil {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.result
}

// Err is why there is no result: a *jsonrpc.Error that the server answered with, or one of the errors of this package, or what
// Base or Headers returned. It is nil where nothing is known, also while the answer isn't there yet and after the end of the
// caller's own context.
func (e *Exchange) Err() error {
	if e == nil {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err
}

// Done reports that Result or Err is final. Where it is true with a Result, an error of the SDK's call is about the session's end
// and not about this request.
func (e *Exchange) Done() bool {
	if e == nil {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.done
}

// Sent is false if no byte of the request can have reached a server: it could not dial, or was refused or ended before.
func (e *Exchange) Sent() bool {
	if e == nil {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.sent
}

// BytesIn counts the decoded bytes that were read as the answer.
func (e *Exchange) BytesIn() int64 {
	if e == nil {
		return 0
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.bytesIn
}

// BytesOut counts the bytes of the request's body, as often as it was sent.
func (e *Exchange) BytesOut() int64 {
	if e == nil {
		return 0
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.bytesOut
}

// Said is what an HTTP+SSE server responded with when it took a call, where that was neither the answer nor an acceptance: the start of
// a text, quoted, or what it is. It may be why no answer comes. "" where there is nothing of the kind.
func (e *Exchange) Said() string {
	if e == nil {
		return ""
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.said
}

func (e *Exchange) note(said string) { e.update(func() { e.said = said }) }

func exchangeOf(ctx context.Context) *Exchange {
	e, _ := ctx.Value(exchangeKey{}).(*Exchange)
	return e
}

// claim returns the exchange of ctx if this message is the one that it follows.
func claim(ctx context.Context, kind rpc.Kind, method string) *Exchange {
	e := exchangeOf(ctx)
	if e == nil || kind == rpc.Response || method == methodCancelled {
		return nil
	}
	mine := false
	e.update(func() {
		mine = !e.claimed
		e.claimed = true
	})
	if !mine {
		return nil
	}
	return e
}

// update runs change under the lock unless e is closed.
func (e *Exchange) update(change func()) {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.closed {
		change()
	}
}

func (e *Exchange) setSent(sent bool) { e.update(func() { e.sent = sent }) }

func (e *Exchange) connected(reused bool, size int64) {
	tell := false
	e.update(func() {
		e.bytesOut += max(size, 0)
		tell = !e.told && e.options.OnConn != nil
		e.told = true
	})
	if tell {
		e.options.OnConn(reused)
	}
}

func (e *Exchange) received(n int) { e.update(func() { e.bytesIn += int64(n) }) }

// fail records why there is no result. The first outcome stays.
func (e *Exchange) fail(err error) {
	e.update(func() {
		if !e.done {
			e.done, e.err = true, err
		}
	})
}

// answered records the result, which must not change any more.
func (e *Exchange) answered(result []byte) {
	e.update(func() {
		if !e.done {
			e.done, e.result = true, result
		}
	})
}

// captures reports that the SDK gets something else than the result, or nothing.
func (e *Exchange) captures() bool { return e != nil && (e.alone || e.options.Stub != nil) }

// stub is what the SDK gets as the result.
func (e *Exchange) stub(result []byte) []byte {
	if e == nil || e.options.Stub == nil {
		return result
	}
	open := false
	e.update(func() { open = true })
	if !open {
		return result
	}
	return e.options.Stub(result)
}
