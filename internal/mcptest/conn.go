package mcptest

import (
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// streamBuffer is how many bytes one direction of a connection takes before its writer waits, as a kernel's socket buffer does.
const streamBuffer = 64 << 10

// stream is one direction of a connection. Whoever waits for it waits on a channel, never on the mutex, so that a testing/synctest
// bubble sees the wait as durable.
type stream struct {
	latency time.Duration

	mu           sync.Mutex
	chunks       []chunk
	size         int       // bytes in chunks
	end          error     // what the reader gets behind the chunks; nil while the writer is open
	endAt        time.Time // when end has travelled to the reader
	writerClosed bool
	readerClosed bool
	readBy       time.Time // deadlines; zero: none
	writeBy      time.Time
	changed      chan struct{} // closed and replaced at each change of the above
}

type chunk struct {
	data []byte
	at   time.Time // when it has travelled to the reader
}

func newStream(latency time.Duration) *stream {
	return &stream{latency: latency, changed: make(chan struct{})}
}

// update changes the stream under its lock and wakes everyone who waits for it.
func (s *stream) update(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
	s.wake()
}

// wake is called with the lock held.
func (s *stream) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *stream) read(p []byte) (int, error) {
	for {
		n, w, err := s.tryRead(p)
		if n > 0 || err != nil || len(p) == 0 {
			return n, err
		}
		w.await()
	}
}

// tryRead takes what has arrived. With nothing to return it says what to wait for.
func (s *stream) tryRead(p []byte) (n int, w wait, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if s.readerClosed {
		return 0, wait{}, net.ErrClosed
	}
	if passed(s.readBy, now) {
		return 0, wait{}, os.ErrDeadlineExceeded
	}
	until := s.readBy
	if len(s.chunks) == 0 {
		if s.end == nil {
			return 0, wait{s.changed, until}, nil
		}
		if !now.Before(s.endAt) {
			return 0, wait{}, s.end
		}
		return 0, wait{s.changed, earlier(until, s.endAt)}, nil
	}
	first := &s.chunks[0]
	if now.Before(first.at) {
		return 0, wait{s.changed, earlier(until, first.at)}, nil
	}
	n = copy(p, first.data)
	first.data = first.data[n:]
	if len(first.data) == 0 {
		s.chunks = s.chunks[1:]
	}
	s.size -= n
	s.wake()
	return n, wait{}, nil
}

func (s *stream) write(p []byte) (int, error) {
	written := 0
	for {
		n, w, err := s.tryWrite(p[written:])
		written += n
		if err != nil || written == len(p) {
			return written, err
		}
		if n == 0 {
			w.await()
		}
	}
}

func (s *stream) tryWrite(p []byte) (n int, w wait, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	switch {
	case s.writerClosed:
		return 0, wait{}, net.ErrClosed
	case s.readerClosed:
		return 0, wait{}, syscall.EPIPE
	case passed(s.writeBy, now):
		return 0, wait{}, os.ErrDeadlineExceeded
	case s.size >= streamBuffer:
		return 0, wait{s.changed, s.writeBy}, nil
	}
	if len(p) == 0 {
		return 0, wait{}, nil
	}
	n = min(len(p), streamBuffer-s.size)
	s.chunks = append(s.chunks, chunk{append([]byte(nil), p[:n]...), now.Add(s.latency)})
	s.size += n
	s.wake()
	return n, wait{}, nil
}

// finish ends the stream behind what was written; the first end stays.
func (s *stream) finish(end error) {
	s.update(func() {
		if s.end == nil {
			s.end, s.endAt = end, time.Now().Add(s.latency)
		}
		s.writerClosed = true
	})
}

// abort ends the stream now; what was written and not read yet is lost.
func (s *stream) abort(end error) {
	s.update(func() {
		s.chunks, s.size = nil, 0
		s.end, s.endAt = end, time.Now()
		s.writerClosed = true
	})
}

// abandon is the end of the reader.
func (s *stream) abandon() {
	s.update(func() {
		s.chunks, s.size = nil, 0
		s.readerClosed = true
	})
}

func passed(deadline, now time.Time) bool { return !deadline.IsZero() && !now.Before(deadline) }

// earlier is the earlier of two times, where a zero time is none.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}

// wait is what a stream waits for: a change, or a time if that is not zero.
type wait struct {
	changed <-chan struct{}
	until   time.Time
}

func (w wait) await() {
	if w.until.IsZero() {
		<-w.changed
		return
	}
	timer := time.NewTimer(time.Until(w.until))
	defer timer.Stop()
	select {
	case <-w.changed:
	case <-timer.C:
	}
}

// conn is one end of a connection in memory. It is safe for concurrent use.
type conn struct {
	in, out       *stream
	local, remote address
	closed        func(*conn) // told once
	once          sync.Once
}

type address string

func (address) Network() string  { return "tcp" }
func (a address) String() string { return string(a) }

// connPair makes both ends of a connection; closed is called once for each end when it is closed.
func connPair(client, server address, latency time.Duration, closed func(*conn)) (c, s *conn) {
	up, down := newStream(latency), newStream(latency)
	c = &conn{in: down, out: up, local: client, remote: server, closed: closed}
	s = &conn{in: up, out: down, local: server, remote: client, closed: closed}
	return c, s
}

func (c *conn) Read(p []byte) (int, error) {
	n, err := c.in.read(p)
	return n, c.wrap("read", err)
}

func (c *conn) Write(p []byte) (int, error) {
	n, err := c.out.write(p)
	return n, c.wrap("write", err)
}

// wrap gives errors the form of the net package, which callers take apart with errors.As.
func (c *conn) wrap(op string, err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return &net.OpError{Op: op, Net: "tcp", Source: c.local, Addr: c.remote, Err: err}
}

// Close ends both directions; the peer still reads what was written before. This end stops reading first: nothing that the peer
// says to the close can be read.
func (c *conn) Close() error {
	c.in.abandon()
	c.out.finish(io.EOF)
	c.once.Do(func() { c.closed(c) })
	return nil
}

// Reset ends the connection as a TCP reset does: the peer loses what it has not read and gets ECONNRESET.
func (c *conn) Reset() {
	c.in.abandon()
	c.out.abort(syscall.ECONNRESET)
	_ = c.Close()
}

// CloseWrite ends the direction to the peer only.
func (c *conn) CloseWrite() error {
	c.out.finish(io.EOF)
	return nil
}

func (c *conn) LocalAddr() net.Addr  { return c.local }
func (c *conn) RemoteAddr() net.Addr { return c.remote }

func (c *conn) SetDeadline(t time.Time) error {
	_ = c.SetReadDeadline(t)
	return c.SetWriteDeadline(t)
}

func (c *conn) SetReadDeadline(t time.Time) error {
	c.in.update(func() { c.in.readBy = t })
	return nil
}

func (c *conn) SetWriteDeadline(t time.Time) error {
	c.out.update(func() { c.out.writeBy = t })
	return nil
}
