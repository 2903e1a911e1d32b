package sse

import (
	"bytes"
	"math"
	"time"
)

type field uint8

const (
	fieldUnread field = iota // the name isn't complete yet
	fieldIgnored
	fieldData
	fieldEvent
	fieldID
	fieldRetry
)

const bom = "\uFEFF"

// line is what is known of the current line. Its zero value is the start of a line.
type line struct {
	field    field
	name     [len(bom) + len("event")]byte // the bytes before the colon, as far as a known name is possible
	nameLen  int
	started  bool   // the value has begun: a space is part of it from now on
	tooLong  bool   // the value was cut at maxField
	contents []byte // value of a field other than data
}

// blank reports whether the line, now at its end, has nothing on it. A byte order mark is nothing: it may stand at the
// start of the stream, and relays that join streams leave it before other lines.
func (l *line) blank() bool {
	return l.field == fieldUnread && len(l.rawName()) == 0
}

// reset starts the next line and keeps the buffer.
func (l *line) reset() { *l = line{contents: l.contents[:0]} }

func (l *line) rawName() []byte {
	return bytes.TrimPrefix(l.name[:l.nameLen], []byte(bom))
}

// known resolves the name; a line without a colon is a field with an empty value, one that starts with it a comment.
func (l *line) known() field {
	switch string(l.rawName()) {
	case "data":
		return fieldData
	case "event":
		return fieldEvent
	case "id":
		return fieldID
	case "retry":
		return fieldRetry
	}
	return fieldIgnored
}

// feed takes a part of the current line, without its end.
func (r *Reader) feed(part []byte) {
	if r.line.field == fieldUnread {
		part = r.feedName(part)
	}
	if len(part) == 0 || r.line.field == fieldIgnored {
		return
	}
	if !r.line.started {
		r.line.started = true
		if part[0] == ' ' {
			part = part[1:]
		}
	}
	if r.line.field == fieldData {
		r.grow(len(part))
		r.data = append(r.data, part...)
		return
	}
	if room := maxField - len(r.line.contents); len(part) > room {
		part, r.line.tooLong = part[:room], true
	}
	r.line.contents = append(r.line.contents, part...)
}

// grow makes room for n more bytes of data: up to partSize in a buffer that doubles, beyond it in further parts.
func (r *Reader) grow(n int) {
	need := len(r.data) + n
	if need <= cap(r.data) {
		return
	}
	if len(r.data) >= partSize {
		r.full = append(r.full, r.data)
		r.data = make([]byte, 0, max(n, partSize))
		return
	}
	r.data = append(make([]byte, 0, max(need, 2*cap(r.data))), r.data...)
}

// feedName takes the part up to the colon and returns what is behind it.
func (r *Reader) feedName(part []byte) (value []byte) {
	l := &r.line
	colon := bytes.IndexByte(part, ':')
	name := part
	if colon >= 0 {
		name = part[:colon]
	}
	if len(name) > len(l.name)-l.nameLen {
		l.field = fieldIgnored
		return nil
	}
	l.nameLen += copy(l.name[l.nameLen:], name)
	if colon < 0 {
		return nil
	}
	r.startField(l.known())
	return part[colon+1:]
}

func (r *Reader) startField(f field) {
	r.line.field = f
	if f != fieldData {
		return
	}
	if r.hasData {
		r.grow(1)
		r.data = append(r.data, '\n')
	}
	r.hasData = true
}

// endLine is called at the end of a line that isn't blank.
func (r *Reader) endLine() {
	if r.line.field == fieldUnread {
		r.startField(r.line.known())
	}
	value := r.line.contents
	switch r.line.field {
	case fieldEvent:
		r.event.Name = name(value)
	case fieldID:
		// The format ignores an id with a NUL; one that is cut would resume the stream anywhere.
		if !r.line.tooLong && bytes.IndexByte(value, 0) < 0 {
			r.event.ID, r.event.HasID = string(value), true
		}
	case fieldRetry:
		if d, ok := milliseconds(value); ok {
			r.event.Retry = d
		}
	}
	r.line.reset()
}

// name forgives white space around it, and saves the allocation for the name that nearly all events have.
func name(value []byte) string {
	value = bytes.Trim(value, " \t")
	if string(value) == "message" {
		return "message"
	}
	return string(value)
}

// milliseconds parses ASCII digits; what is too large for a Duration is the largest one.
func milliseconds(digits []byte) (time.Duration, bool) {
	const limit = math.MaxInt64 / int64(time.Millisecond)
	var n int64
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = min(n*10+int64(c-'0'), limit)
	}
	return time.Duration(n) * time.Millisecond, len(digits) > 0
}
