package wire

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"math"
	"mime"
	"net/http"
	"strings"
	"time"
)

const (
	drainBytes = 64 << 10
	drainTime  = 250 * time.Millisecond
)

// drain reads a body that nobody needs to its end, if that is near, so that the connection can be used again, and closes it. A
// reader that waits is ended by the request's context, and not by a Close beside it, for which HTTP/1 bodies may wait in their turn.
func (l *lifeline) drain(body io.ReadCloser) {
	defer l.within(drainTime)()
	_, _ = io.CopyN(io.Discard, body, drainBytes)
	_ = body.Close()
}

// discard does the same between two requests that have one context.
func discard(resp *http.Response) {
	timer := time.AfterFunc(drainTime, func() { _ = resp.Body.Close() })
	defer timer.Stop()
	_, _ = io.CopyN(io.Discard, resp.Body, drainBytes)
	_ = resp.Body.Close()
}

// decoded is the body of a response without its content encoding. http.Transport has removed a gzip encoding that it asked for;
// servers and proxies also send what nobody asked for.
func decoded(resp *http.Response) (io.Reader, error) {
	switch encoding := strings.ToLower(strings.TrimSpace(strings.Join(resp.Header.Values("Content-Encoding"), ","))); encoding {
	case "", "identity":
		return resp.Body, nil
	case "gzip", "x-gzip":
		return &gunzip{src: resp.Body}, nil
	default:
		return nil, &AnswerError{Reason: "the answer is encoded as " + or(whole(encoding, 40), "something") + ", which was not asked for"}
	}
}

// gunzip starts to read when it is read from: a stream's first byte may be far away.
type gunzip struct {
	src io.Reader
	z   *gzip.Reader
	err error
}

func (g *gunzip) Read(p []byte) (int, error) {
	if g.z == nil && g.err == nil {
		g.z, g.err = gzip.NewReader(g.src)
	}
	if g.err != nil {
		return 0, g.err
	}
	return g.z.Read(p)
}

// counter counts what is read for an exchange, and ends with the request: a transport may have much of a body already, of which
// nothing is wanted any more.
type counter struct {
	io.Reader
	exchange *Exchange
	ctx      context.Context
}

func (c counter) Read(p []byte) (int, error) {
	if c.ctx.Err() != nil {
		return 0, context.Cause(c.ctx)
	}
	n, err := c.Reader.Read(p)
	c.exchange.received(n)
	return n, err
}

const (
	firstChunk = 16 << 10
	largeChunk = 4 << 20
)

// readAll reads a body of at most limit bytes, or without a limit if that is zero or less. size is what the response says it has,
// which need not be so: memory is taken as bytes arrive.
func readAll(r io.Reader, size, limit int64) ([]byte, error) {
	if limit <= 0 {
		limit = math.MaxInt64 - 1
	}
	next := int64(firstChunk)
	if size > 0 && size < min(largeChunk, limit) {
		next = size + 1 // one more, to see the end without another chunk
	}
	var chunks [][]byte
	for total := int64(0); ; {
		chunk := make([]byte, min(next, limit-total+1))
		n, err := fill(r, chunk)
		chunks = append(chunks, chunk[:n])
		total += int64(n)
		switch {
		case total > limit:
			return nil, &LimitError{What: "answer", Limit: limit}
		case err == io.EOF:
			return join(chunks), nil
		case err != nil:
			return nil, err
		}
		next = min(max(2*next, firstChunk), largeChunk)
	}
}

// fill is io.ReadFull without its own errors: net/http tells a body that was cut with io.ErrUnexpectedEOF.
func fill(r io.Reader, p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var m int
		m, err = r.Read(p[n:])
		n += m
	}
	return n, err
}

func join(chunks [][]byte) []byte {
	if len(chunks) == 1 {
		return chunks[0]
	}
	return bytes.Join(chunks, nil)
}

// declines says whether a response is no success. One that is not final, 101 for one, is none: nothing that this package could read
// follows it.
func declines(resp *http.Response) bool { return resp.StatusCode < 200 || resp.StatusCode >= 300 }

// eventStream is the media type of server-sent events.
const eventStream = "text/event-stream"

func mediaType(resp *http.Response) string {
	header := resp.Header.Get("Content-Type")
	if header == eventStream || header == "application/json" {
		return header // nearly always
	}
	media, _, err := mime.ParseMediaType(header)
	if err != nil {
		media, _, _ = strings.Cut(header, ";")
		media = strings.ToLower(strings.TrimSpace(media))
	}
	return media
}
