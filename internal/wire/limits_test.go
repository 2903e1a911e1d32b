package wire

import (
	"compress/gzip"
	"context"
	"github.com/mcpclient-go/mcpclient/internal/wire/address"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// defaultBody is the limit that the module sets by default.
const defaultBody = 32 << 20

// bombs are bodies without an end, or of a gibibyte.
var bombs = map[string]func(http.ResponseWriter, *http.Request, message){
	"gzip bomb": func(w http.ResponseWriter, _ *http.Request, _ message) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Encoding", "gzip")
		z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
		block := []byte(strings.Repeat("[", 1<<20))
		for range 1 << 10 {
			if _, err := z.Write(block); err != nil {
				return
			}
		}
		_ = z.Close()
	},
	"JSON": func(w http.ResponseWriter, r *http.Request, _ message) {
		endless(w, r, "application/json", 200, "[", "[")
	},
	"error": func(w http.ResponseWriter, r *http.Request, _ message) {
		endless(w, r, "application/json", 500, "[", "[")
	},
	"line": func(w http.ResponseWriter, r *http.Request, _ message) {
		endless(w, r, eventStream, 200, "data: ", "a")
	},
	"event": func(w http.ResponseWriter, r *http.Request, _ message) {
		endless(w, r, eventStream, 200, "", "data: aaaaaaaa\n")
	},
	"no line end": func(w http.ResponseWriter, r *http.Request, _ message) { endless(w, r, eventStream, 200, "", "a") },
	"header": func(w http.ResponseWriter, r *http.Request, _ message) {
		conn, _, _ := http.NewResponseController(w).Hijack()
		defer conn.Close()
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nX-Long: ")
		for block := strings.Repeat("a", 64<<10); ; {
			if _, err := io.WriteString(conn, block); err != nil {
				return
			}
		}
	},
}

func TestBodiesWithoutEndCostTheLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("reads up to the default limit several times")
	}
	bothWays(t, func(t *testing.T, past bool) {
		for name, send := range bombs {
			t.Run(name, func(t *testing.T) {
				peak := &meter{}
				server := httptest.NewServer(&fake{bad: func(w http.ResponseWriter, r *http.Request, m message) {
					runtime.GC()
					peak.ResponseWriter = w
					peak.before.Store(inUse())
					send(peak, r, m)
				}})
				defer server.Close()
				base := DefaultTransport(address.Policy{})
				defer base.CloseIdleConnections()
				c, err := connect(t.Context(), Config{Endpoint: server.URL, Base: base, BodyBytes: defaultBody})
				require.NoError(t, err)
				defer c.end()
				c.past = past
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()

				_, err = c.echo(ctx, "bad")
				require.Error(t, err)
				require.NoError(t, ctx.Err())
				grown := (peak.most.Load() - peak.before.Load()) >> 20
				require.Less(t, grown, int64(64), "MiB")
				t.Logf("grew by %d MiB: %.80s", grown, err)

				said, err := c.echo(t.Context(), "next")
				require.NoError(t, err)
				require.Equal(t, "next", said)
			})
		}
	})
}

// meter measures the memory in use, live and not yet collected, while a server sends.
type meter struct {
	http.ResponseWriter
	before, most atomic.Int64
	written      int
}

func (m *meter) Unwrap() http.ResponseWriter { return m.ResponseWriter }

func (m *meter) Write(p []byte) (int, error) {
	if m.written += len(p); m.written >= 256<<10 {
		m.written = 0
		m.most.Store(max(m.most.Load(), inUse()))
	}
	return m.ResponseWriter.Write(p)
}

func inUse() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}

func TestReadAll(t *testing.T) {
	body := strings.Repeat("a", 100_000)
	for _, c := range []struct {
		size, limit int64
		ok          bool
	}{
		{-1, 0, true},
		{-1, 100_000, true},
		{100_000, 100_000, true},
		{10, 100_000, true}, // sizes that lie
		{1 << 40, 1 << 40, true},
		{-1, 99_999, false},
		{99_999, 99_999, false},
		{0, 1, false},
	} {
		got, err := readAll(strings.NewReader(body), c.size, c.limit)
		if !c.ok {
			require.Equal(t, &LimitError{What: "answer", Limit: c.limit}, err)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, body, string(got))
	}
}
