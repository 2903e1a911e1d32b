// Package sse reads and writes server-sent events as MCP servers send them.
//
// The format is https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream.
// The package is pure: a Reader pulls from the io.Reader it was given and starts nothing.
package sse

import (
	"bytes"
	"fmt"
	"io"
	"time"
)

const (
	// readSize is what one Read asks for at most. Streams may live as long as a session, and an idle one holds what its next Read
	// asks for: it begins with firstRead, and grows as far as reads come back full.
	readSize  = 16 << 10
	firstRead = 512
	// keepSize is the largest data buffer that is kept for the next event.
	keepSize = 64 << 10
	// partSize is the size from which on data is kept in parts: to move what is there into ever larger buffers would hold an
	// event that is longer than allowed almost twice.
	partSize = 1 << 20
	// maxField bounds names and ids. An id goes back to the server in a request header, where more would be refused.
	maxField = 4 << 10
	// maxEmptyReads is how many reads in a row may bring neither a byte nor an error, as in package bufio.
	maxEmptyReads = 100
)

// Event is one server-sent event.
type Event struct {
	Name  string        // of the `event` field; "" stands for "message"
	Data  []byte        // lines joined by "\n"; valid until the next call of Next
	ID    string        // of the `id` field; "" where HasID is false
	HasID bool          // the event has a usable `id` field, which may be empty
	Retry time.Duration // of the `retry` field; 0: none
	Cut   bool          // the stream ended before the blank line that ends the event; Data may be cut
}

// IsMessage reports whether the event has data of the default type, the only one that carries JSON-RPC messages.
func (e Event) IsMessage() bool {
	return len(e.Data) > 0 && (e.Name == "" || e.Name == "message")
}

// LimitError says that one event was longer than the reader allows.
type LimitError struct {
	Limit int64 // bytes
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("event longer than %d bytes", e.Limit)
}

// Reader reads events. It holds what the current event needs and one read buffer: comments and fields without a
// meaning are counted but not kept. It is not safe for concurrent use.
type Reader struct {
	src   io.Reader
	limit int64
	buf   []byte // unread bytes of the last Read
	space []byte // what buf is a part of
	err   error  // ends the stream once buf is used up

	line   line
	crSeen bool  // the last byte was a CR that ended a line: an LF right after it belongs to it
	size   int64 // bytes of the event so far

	event   Event
	full    [][]byte // parts of a long event's data, before data
	data    []byte   // of the event, reused
	hasData bool
	lastID  string
}

// NewReader returns a Reader of r. An event may have maxEvent bytes, counted on the wire from the blank line before it,
// comments and ignored fields included; zero or less: no limit.
func NewReader(r io.Reader, maxEvent int64) *Reader {
	return &Reader{src: r, limit: maxEvent}
}

// LastID is the id that a request to resume the stream names: that of the newest event which was received whole, or of
// one before it. "" where no event had one.
func (r *Reader) LastID() string { return r.lastID }

// Next returns the next event that has data, an id or a retry time; all others are skipped. It returns as soon as the
// byte that ends the event was read. An event that the end of the stream cuts is returned where it has data, with Cut
// set, although browsers drop it: servers do leave out the last blank line. The error is io.EOF at the end, a
// *LimitError, or what the underlying reader returned; it is returned again by every later call.
func (r *Reader) Next() (Event, error) {
	r.recycle()
	for {
		if len(r.buf) == 0 && !r.fill() {
			return r.finish()
		}
		if r.crSeen {
			r.crSeen = false
			if r.buf[0] == '\n' {
				r.buf = r.buf[1:]
				continue
			}
		}
		done, err := r.step()
		if err != nil {
			return r.fail(err)
		}
		if done {
			return r.take(), nil
		}
	}
}

// recycle makes room for the next event. A large buffer isn't kept: the stream may be idle from now on.
func (r *Reader) recycle() {
	if cap(r.data) > keepSize {
		r.data = nil
	}
}

// fill reads more. It is false at the end of the stream, with r.err set.
func (r *Reader) fill() bool {
	if r.space == nil && r.err == nil {
		r.space = make([]byte, firstRead)
	}
	for tries := 0; r.err == nil; tries++ {
		n, err := r.src.Read(r.space)
		r.err = err
		if n > 0 {
			r.buf = r.space[:n]
			if n == len(r.space) && n < readSize {
				r.space = make([]byte, 4*n) // of what was read, buf is all there is
			}
			return true
		}
		if err == nil && tries == maxEmptyReads {
			r.err = io.ErrNoProgress
		}
	}
	return false
}

// step takes the unread bytes up to and including the next line end, and reports whether they complete an event.
func (r *Reader) step() (done bool, err error) {
	end := lineEnd(r.buf)
	part, ended := r.buf, end >= 0
	r.buf = nil
	if ended {
		r.crSeen = part[end] == '\r'
		r.buf = part[end+1:]
		part = part[:end]
		r.size++
	}
	r.size += int64(len(part))
	if r.limit > 0 && r.size > r.limit {
		return false, &LimitError{Limit: r.limit}
	}
	r.feed(part)
	if !ended {
		return false, nil
	}
	if !r.line.blank() {
		r.endLine()
		return false, nil
	}
	r.line.reset()
	return r.endEvent(), nil
}

// endEvent is called at the blank line after an event. It reports whether there is anything to return.
func (r *Reader) endEvent() bool {
	r.size = 0
	if r.event.HasID {
		r.lastID = r.event.ID
	}
	if r.some() || r.event.HasID || r.event.Retry > 0 {
		return true
	}
	r.take()
	return false
}

// take hands the event over and starts a new one.
func (r *Reader) take() Event {
	event := r.event
	if r.full != nil {
		r.data, r.full = bytes.Join(append(r.full, r.data), nil), nil
	}
	event.Data = r.data
	r.event, r.data, r.hasData = Event{}, r.data[:0], false
	return event
}

// some reports whether the event has data.
func (r *Reader) some() bool { return len(r.data) > 0 || r.full != nil }

func (r *Reader) finish() (Event, error) {
	if r.err != io.EOF {
		return r.fail(r.err)
	}
	if !r.line.blank() {
		r.endLine()
	}
	if !r.some() {
		return r.fail(io.EOF)
	}
	event := r.take()
	event.Cut = true
	return event, nil
}

func (r *Reader) fail(err error) (Event, error) {
	r.err, r.buf, r.space = err, nil, nil
	r.line, r.event, r.full, r.data, r.hasData = line{}, Event{}, nil, nil, false
	return Event{}, err
}

// lineEnd is the index of the first LF or CR, or -1.
func lineEnd(b []byte) int {
	lf := bytes.IndexByte(b, '\n')
	if lf >= 0 {
		b = b[:lf]
	}
	if cr := bytes.IndexByte(b, '\r'); cr >= 0 {
		return cr
	}
	return lf
}
