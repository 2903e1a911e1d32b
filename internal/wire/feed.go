package wire

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/mcpclient-go/mcpclient/internal/wire/rpc"
	"github.com/mcpclient-go/mcpclient/internal/wire/sse"
)

// feed is the event stream of an HTTP+SSE session as the SDK reads it.
//
// Answers come on this stream, but whether a request failed is often learnt elsewhere, by its POST. The SDK ends the session at
// any POST that fails, so such a failure is put into the stream as the answer to that request. This is what the goroutine is for:
// it reads the server's events while Read waits for those and for failures. Close and the end of the session's life stop it, by
// ending the request that it reads from; Session.Wait waits for it.
type feed struct {
	s        *Session
	line     *lifeline
	upstream io.Closer
	events   *sse.Reader

	fromServer chan []byte   // unbuffered: an idle SDK holds the server back
	wake       chan struct{} // one element: something is in injected
	closed     chan struct{}
	closeOnce  sync.Once

	mu       sync.Mutex
	injected []byte

	out []byte // of the goroutine that calls Read
}

func newFeed(s *Session, line *lifeline, upstream io.Closer, events *sse.Reader, first []byte) *feed {
	return &feed{
		s: s, line: line, upstream: upstream, events: events, out: first,
		fromServer: make(chan []byte),
		wake:       make(chan struct{}, 1),
		closed:     make(chan struct{}),
	}
}

func (f *feed) Read(p []byte) (int, error) {
	for len(f.out) == 0 {
		select {
		case <-f.wake:
			f.out = f.takeInjected()
		case more, ok := <-f.fromServer:
			if !ok {
				if f.out = f.takeInjected(); len(f.out) == 0 {
					return 0, io.EOF
				}
			}
			f.out = append(f.out, more...)
		case <-f.closed:
			return 0, io.ErrClosedPipe
		}
	}
	n := copy(p, f.out)
	f.out = f.out[n:]
	return n, nil
}

func (f *feed) Close() (err error) {
	f.closeOnce.Do(func() {
		close(f.closed)
		f.line.end()
		err = f.upstream.Close()
	})
	return err
}

func (f *feed) isClosed() bool {
	select {
	case <-f.closed:
		return true
	default:
		return false
	}
}

// inject puts a message for the SDK into the stream.
func (f *feed) inject(message []byte) {
	f.mu.Lock()
	f.injected = appendEvent(f.injected, message)
	f.mu.Unlock()
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

func (f *feed) takeInjected() []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	taken := f.injected
	f.injected = nil
	return taken
}

// run is the goroutine that Session.openStream starts.
func (f *feed) run() {
	defer close(f.fromServer)
	for {
		event, err := f.events.Next()
		if err != nil {
			f.broken(err)
			return
		}
		if !event.IsMessage() {
			continue
		}
		messages, err := rpc.Parse(event.Data)
		if err != nil {
			continue
		}
		var out []byte
		for _, m := range messages {
			out = f.take(out, m)
		}
		if len(out) == 0 {
			continue
		}
		select {
		case f.fromServer <- out:
		case <-f.line.ctx.Done(): // also when it is closed
			f.broken(context.Cause(f.line.ctx))
			return
		}
	}
}

func (f *feed) take(out []byte, m rpc.Message) []byte {
	if m.Kind != rpc.Response {
		return f.s.appendIncoming(out, m)
	}
	var c *call
	if id, ok := m.ID.Int(); ok {
		c = f.s.calls.settle(id)
	}
	if c == nil {
		return out
	}
	if c.line.ctx.Err() == nil {
		// The SDK waits for the POST as well, which has nothing to say any more.
		c.line.within(drainTime)
	}
	c.exchange.received(len(m.Result) + len(m.Error))
	return appendEvent(out, c.answer(m, false))
}

// broken ends all calls with the stream. The SDK fails them as well when it reads the end; their exchanges tell why.
func (f *feed) broken(err error) {
	switch {
	case f.s.ended() != nil:
		err = f.s.ended()
	case f.isClosed():
		err = ErrKilled
	case err == io.EOF:
		err = &AnswerError{Reason: "no answer came", Cause: ErrStreamEnded}
	default:
		err = &AnswerError{Reason: "no answer came", Cause: fmt.Errorf("%w: %w", ErrStreamEnded, brokenOff(err))}
	}
	f.s.mu.Lock()
	f.s.feedErr = err
	f.s.mu.Unlock()
	for _, c := range f.s.calls.all() {
		f.s.finish(c, err)
	}
	_ = f.upstream.Close()
	f.line.end()
}
