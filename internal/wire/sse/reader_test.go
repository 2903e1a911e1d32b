package sse

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"
)

// readAll returns copies of all events and the error that ended them.
func readAll(r *Reader) ([]Event, error) {
	var events []Event
	for {
		event, err := r.Next()
		if err != nil {
			return events, err
		}
		if event.Data = append([]byte(nil), event.Data...); len(event.Data) == 0 {
			event.Data = nil
		}
		events = append(events, event)
	}
}

func message(data string) Event { return Event{Name: "message", Data: []byte(data)} }
func unnamed(data string) Event { return Event{Data: []byte(data)} }

func TestReaderEvents(t *testing.T) {
	tests := map[string]struct {
		in   string
		want []Event
	}{
		"nothing":                     {"", nil},
		"LF":                          {"event: message\ndata: {}\n\n", []Event{message("{}")}},
		"CR":                          {"event: message\rdata: {}\r\r", []Event{message("{}")}},
		"CRLF":                        {"event: message\r\ndata: {}\r\n\r\n", []Event{message("{}")}},
		"mixed line ends":             {"event: message\rdata: {\ndata: }\r\n\ndata: 1\n\r\ndata: 2\r\n\r", []Event{message("{\n}"), unnamed("1"), unnamed("2")}},
		"mark before data":            {"\uFEFFdata: {}\n\n", []Event{unnamed("{}")}},
		"mark before event":           {"\uFEFFevent: message\ndata: {}\n\n", []Event{message("{}")}},
		"mark before a comment":       {"\uFEFF: hi\ndata: {}\n\n", []Event{unnamed("{}")}},
		"mark on its own":             {"\uFEFF\n\ndata: {}\n\n", []Event{unnamed("{}")}},
		"mark before a later event":   {"data: 1\n\n\uFEFFdata: 2\n\n", []Event{unnamed("1"), unnamed("2")}},
		"mark in the data stays":      {"data: \uFEFF{}\n\n", []Event{unnamed("\uFEFF{}")}},
		"half a mark":                 {"\xef\xbbdata: 1\n\ndata: 2\n\n", []Event{unnamed("2")}},
		"space around a name":         {"event:  message\t\ndata: {}\n\n", []Event{message("{}")}},
		"no space":                    {"data:{}\n\n", []Event{unnamed("{}")}},
		"only one space goes":         {"data:  {} \n\n", []Event{unnamed(" {} ")}},
		"several data lines":          {"data: {\ndata\ndata: }\n\n", []Event{unnamed("{\n\n}")}},
		"data lines apart":            {"data: {\nevent: message\n: x\ndata: }\n\n", []Event{message("{\n}")}},
		"colons in data":              {"data: a: b:c\n\n", []Event{unnamed("a: b:c")}},
		"comments":                    {": ping\n\n:\n:data: x\ndata: {}\n\n", []Event{unnamed("{}")}},
		"line without a colon":        {"hello\nevent\ndata: {}\n\n", []Event{unnamed("{}")}},
		"unknown fields":              {"Data: x\n data: x\ndata : x\ndatax: x\nevents: x\ndata: {}\n\n", []Event{unnamed("{}")}},
		"named events":                {"event: ping\ndata: 1\n\nevent: endpoint\ndata: /m?s=1\n\n", []Event{{Name: "ping", Data: []byte("1")}, {Name: "endpoint", Data: []byte("/m?s=1")}}},
		"the last name counts":        {"event: a\nevent: b\ndata: 1\n\n", []Event{{Name: "b", Data: []byte("1")}}},
		"the name ends with an event": {"event: a\ndata: 1\n\ndata: 2\n\n", []Event{{Name: "a", Data: []byte("1")}, unnamed("2")}},
		"nothing but a name":          {"event: ping\n\ndata: 1\n\n", []Event{unnamed("1")}},
		"no data":                     {"data:\n\ndata\n\ndata: 1\n\n", []Event{unnamed("1")}},
		"blank lines":                 {"\n\n\r\n\r\rdata: 1\n\n\n\n", []Event{unnamed("1")}},
		"priming event":               {"id: 7\ndata:\n\n", []Event{{ID: "7", HasID: true}}},
		"priming event with retry":    {"id: 7\nretry: 3000\n\n", []Event{{ID: "7", HasID: true, Retry: 3 * time.Second}}},
		"empty id":                    {"id\ndata: 1\n\n", []Event{{Data: []byte("1"), HasID: true}}},
		"NUL in the id":               {"id: a\x00b\ndata: 1\n\n", []Event{unnamed("1")}},
		"NUL keeps an earlier id":     {"id: a\nid: b\x00\n\n", []Event{{ID: "a", HasID: true}}},
		"id too long":                 {"id: " + strings.Repeat("x", maxField+1) + "\ndata: 1\n\n", []Event{unnamed("1")}},
		"id of the largest size":      {"id: " + strings.Repeat("x", maxField) + "\n\n", []Event{{ID: strings.Repeat("x", maxField), HasID: true}}},
		"retry alone":                 {"retry: 1\n\n", []Event{{Retry: time.Millisecond}}},
		"retry garbage":               {"retry: 1s\nretry: -1\nretry: 1.5\nretry:\nretry\nretry: 0\n\n", nil},
		"retry of ages":               {"retry: 99999999999999999999\n\n", []Event{{Retry: 9223372036854 * time.Millisecond}}},
		"cut before the blank line":   {"data: 1\n\ndata: 2\n", []Event{unnamed("1"), {Data: []byte("2"), Cut: true}}},
		"cut before the line end":     {"event: message\ndata: 2", []Event{{Name: "message", Data: []byte("2"), Cut: true}}},
		"cut between CR and LF":       {"data: 2\r\n\r", []Event{unnamed("2")}},
		"cut without data":            {"data: 1\n\nid: 3\nevent: x", []Event{unnamed("1")}},
		"cut at a field":              {"data: 1\n\ndat", []Event{unnamed("1")}},
		"NUL in data":                 {"data: a\x00b\n\n", []Event{unnamed("a\x00b")}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for chunks, src := range map[string]io.Reader{
				"at once":             strings.NewReader(tt.in),
				"bytes":               iotest.OneByteReader(strings.NewReader(tt.in)),
				"halves":              iotest.HalfReader(strings.NewReader(tt.in)),
				"error with the data": iotest.DataErrReader(strings.NewReader(tt.in)),
			} {
				got, err := readAll(NewReader(src, 0))
				require.Equal(t, io.EOF, err, chunks)
				require.Equal(t, tt.want, got, chunks)
			}
		})
	}
}

// steps is a reader of given chunks that fails the test where more is asked for.
type steps struct {
	t      *testing.T
	chunks []string
}

func (s *steps) Read(p []byte) (int, error) {
	if len(s.chunks) == 0 {
		s.t.Fatal("waited for another byte")
	}
	n := copy(p, s.chunks[0])
	s.chunks = s.chunks[1:]
	return n, nil
}

func TestReaderNeedsNoByteAfterTheEvent(t *testing.T) {
	for name, chunks := range map[string][]string{
		"LF":                {"data: 1\n\n"},
		"CR":                {"data: 1\r\r"},
		"CRLF":              {"data: 1\r\n\r\n"},
		"CRLF without LF":   {"data: 1\r\n\r"},
		"CRLF split":        {"data: 1\r", "\n", "\r"},
		"LF after CR":       {"data: 1\r", "\n\r"},
		"CR CR in two":      {"data: 1\r", "\r"},
		"empty reads first": {"", "", "data: 1\n\n"},
	} {
		t.Run(name, func(t *testing.T) {
			event, err := NewReader(&steps{t: t, chunks: chunks}, 0).Next()
			require.NoError(t, err)
			require.Equal(t, "1", string(event.Data))
		})
	}
}

func TestReaderLimit(t *testing.T) {
	const limit = 64
	pad := func(prefix string, n int) string { return prefix + strings.Repeat("x", n-len(prefix)) }
	tests := map[string]struct {
		in     string
		events int
		ok     bool
	}{
		"event of the limit":         {pad("data: ", limit-2) + "\n\n", 1, true},
		"one more":                   {pad("data: ", limit-1) + "\n\n", 0, false},
		"many events":                {strings.Repeat("data: 1\n\n", 100), 100, true},
		"many heartbeats":            {strings.Repeat(": ping\n\n", 100), 0, true},
		"comments before the data":   {strings.Repeat(": ping\n", 20) + "data: 1\n\n", 0, false},
		"ignored lines":              {"data: 1\n\n" + strings.Repeat("x\n", 40), 1, false},
		"endless line":               {pad("data: ", 1000), 0, false},
		"endless comment":            {pad(":", 1000), 0, false},
		"endless name of a field":    {pad("", 1000), 0, false},
		"endless event":              {strings.Repeat("data: x\n", 100), 0, false},
		"endless id":                 {pad("id: ", 1000), 0, false},
		"cut event within the limit": {pad("data: ", limit), 1, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for _, src := range []io.Reader{strings.NewReader(tt.in), iotest.OneByteReader(strings.NewReader(tt.in))} {
				reader := NewReader(src, limit)
				got, err := readAll(reader)
				require.Len(t, got, tt.events)
				if tt.ok {
					require.Equal(t, io.EOF, err)
					continue
				}
				var tooLong *LimitError
				require.ErrorAs(t, err, &tooLong)
				require.EqualValues(t, limit, tooLong.Limit)
				_, again := reader.Next()
				require.Equal(t, err, again)
			}
		})
	}
}

// endless repeats a text for ever and counts what was read.
type endless struct {
	text string
	read int64
}

func (e *endless) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		n += copy(p[n:], e.text[(e.read+int64(n))%int64(len(e.text)):])
	}
	e.read += int64(n)
	return n, nil
}

func TestReaderStopsAtTheLimit(t *testing.T) {
	const limit = 1 << 20
	for _, text := range []string{"x", ":", "\ufeff", "data: x\n", "id: x\n", "event: x\n", ": x\n"} {
		src := &endless{text: text}
		reader := NewReader(src, limit)
		_, err := reader.Next()
		require.EqualError(t, err, "event longer than 1048576 bytes", text)
		require.LessOrEqual(t, src.read, int64(limit+readSize), text)
		require.Nil(t, reader.data)
	}
}

// What has no meaning isn't held, however much there is.
func TestReaderHoldsNoComments(t *testing.T) {
	for _, text := range []string{":", "unknown: field\n", ": ping\n\n"} {
		allocated := testing.AllocsPerRun(1, func() {
			reader := NewReader(io.LimitReader(&endless{text: text}, 4<<20), 0)
			for {
				if _, err := reader.Next(); err != nil {
					require.Equal(t, io.EOF, err)
					return
				}
			}
		})
		require.Less(t, allocated, 16.0, text)
	}
}

func TestReaderDropsALargeBuffer(t *testing.T) {
	reader := NewReader(strings.NewReader("data: "+strings.Repeat("x", 1<<20)+"\n\ndata: 1\n\n"), 0)
	event, err := reader.Next()
	require.NoError(t, err)
	require.Len(t, event.Data, 1<<20)
	_, err = reader.Next()
	require.NoError(t, err)
	require.LessOrEqual(t, cap(reader.data), keepSize)
}

func TestReaderErrors(t *testing.T) {
	broken := errors.New("connection reset")
	src := io.MultiReader(strings.NewReader("data: 1\n\nid: 2\ndata: 2\n"), iotest.ErrReader(broken))
	reader := NewReader(iotest.DataErrReader(src), 0)
	got, err := readAll(reader)
	require.Equal(t, []Event{unnamed("1")}, got, "an event that an error cuts isn't returned")
	require.Equal(t, broken, err)
	_, err = reader.Next()
	require.Equal(t, broken, err)
	require.Empty(t, reader.LastID())

	_, err = NewReader(noProgress{}, 0).Next()
	require.Equal(t, io.ErrNoProgress, err)
}

type noProgress struct{}

func (noProgress) Read([]byte) (int, error) { return 0, nil }

func TestReaderLastID(t *testing.T) {
	reader := NewReader(strings.NewReader("id: 1\n\ndata: x\n\nevent: ping\nid: 2\n\nid: 3\ndata: cut\n"), 0)
	for _, want := range []string{"1", "1", "2", "2"} {
		event, err := reader.Next()
		require.NoError(t, err)
		require.Equal(t, want, reader.LastID(), "after %+v", event)
	}
	_, err := reader.Next()
	require.Equal(t, io.EOF, err)
	require.Equal(t, "2", reader.LastID())
}

func TestEventIsMessage(t *testing.T) {
	require.True(t, message("{}").IsMessage())
	require.True(t, unnamed("{}").IsMessage())
	require.False(t, Event{Name: "ping", Data: []byte("{}")}.IsMessage())
	require.False(t, Event{ID: "1", HasID: true}.IsMessage())
}
