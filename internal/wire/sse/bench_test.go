package sse

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func BenchmarkReader(b *testing.B) {
	small := []byte(strings.Repeat("event: message\r\ndata: {\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{}}\r\n\r\n", 1000))
	large := []byte("event: message\ndata: " + strings.Repeat("x", 1<<20) + "\n\n")
	pings := []byte(strings.Repeat(": ping - 2025-11-25 12:00:00\r\n\r\n", 1000))
	for _, in := range []struct {
		name string
		src  func() io.Reader
		size int
	}{
		{"small", func() io.Reader { return bytes.NewReader(small) }, len(small)},
		{"1M", func() io.Reader { return bytes.NewReader(large) }, len(large)},
		{"heartbeats", func() io.Reader { return bytes.NewReader(pings) }, len(pings)},
		{"byte-by-byte", func() io.Reader { return iotest.OneByteReader(bytes.NewReader(small)) }, len(small)},
	} {
		b.Run(in.name, func(b *testing.B) {
			b.SetBytes(int64(in.size))
			b.ReportAllocs()
			for b.Loop() {
				reader := NewReader(in.src(), 32<<20)
				for {
					if _, err := reader.Next(); err != nil {
						break
					}
				}
			}
		})
	}
}
