package sse

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"testing"
	"testing/iotest"
)

// chunked gives its bytes in pieces of the lengths in sizes, over and over.
type chunked struct {
	data, sizes []byte
	reads       int
}

func (c *chunked) Read(p []byte) (int, error) {
	if len(c.data) == 0 {
		return 0, io.EOF
	}
	size := 1
	if len(c.sizes) > 0 {
		size += int(c.sizes[c.reads%len(c.sizes)]) % 16
	}
	c.reads++
	n := copy(p, c.data[:min(size, len(c.data))])
	c.data = c.data[n:]
	return n, nil
}

func FuzzReader(f *testing.F) {
	for _, seed := range []string{
		"\uFEFFevent: message\r\nid: 1\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\n: ping\r\n\r\n",
		"retry: 3000\rdata\rdata: x\r\r\ndata: cut",
		"id: a\x00\nevent: endpoint\ndata: /m?s=1\n\nno colon\n\n\n\r\r\n",
	} {
		f.Add([]byte(seed), []byte{0, 3, 1}, int64(0))
		f.Add([]byte(seed), []byte{15}, int64(20))
	}
	f.Fuzz(func(t *testing.T, data, sizes []byte, limit int64) {
		whole := NewReader(bytes.NewReader(data), limit)
		want, wantErr := readAll(whole)
		for name, src := range map[string]io.Reader{
			"bytes":  iotest.OneByteReader(bytes.NewReader(data)),
			"chunks": &chunked{data: data, sizes: sizes},
			"error":  iotest.DataErrReader(&chunked{data: data, sizes: sizes}),
		} {
			reader := NewReader(src, limit)
			got, err := readAll(reader)
			if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(err, wantErr) || reader.LastID() != whole.LastID() {
				t.Fatalf("%s: %+v, %v; at once %+v, %v", name, got, err, want, wantErr)
			}
		}
		checkEvents(t, data, limit, want, wantErr)
	})
}

func checkEvents(t *testing.T, data []byte, limit int64, events []Event, err error) {
	var tooLong *LimitError
	if err != io.EOF && !(limit > 0 && errors.As(err, &tooLong)) {
		t.Fatalf("error %v", err)
	}
	total := 0
	for _, event := range events {
		total += len(event.Data)
		if len(event.Data) == 0 && !event.HasID && event.Retry == 0 {
			t.Fatalf("event of nothing: %+v", event)
		}
		if limit > 0 && int64(len(event.Data)) > limit {
			t.Fatalf("%d bytes over the limit of %d", len(event.Data), limit)
		}
		if len(event.Data) == 0 {
			continue
		}
		again, err := NewReader(bytes.NewReader(AppendEvent(nil, event.Name, event.Data)), 0).Next()
		if err != nil || again.Name != event.Name || !bytes.Equal(again.Data, event.Data) {
			t.Fatalf("%+v became %+v, %v", event, again, err)
		}
	}
	if total > len(data) {
		t.Fatalf("%d bytes of data from %d", total, len(data))
	}
}
