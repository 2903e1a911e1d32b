package mcpclient_test

import (
	"net/http"
	"runtime"
	"testing"

	"cdr.dev/slog/v3"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

// BenchmarkPoolParallelSteps takes warm steps of ten servers from eight
// goroutines at once: contention for what they share would show beside
// BenchmarkPoolWarmStep. Run it with -mutexprofile to see where.
func BenchmarkPoolParallelSteps(b *testing.B) {
	pool := mcpclient.NewPool(mcpclient.PoolOptions{})
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 32}}
	defer client.CloseIdleConnections()
	opts := mcpclient.Options{HTTPClient: client}
	var configs []mcpclient.ServerConfig
	for i := range 10 {
		slug := string(rune('a' + i))
		configs = append(configs, mcpclient.ServerConfig{ID: idOf(slug), Slug: slug, URL: mcptest.StartTCP(b, &mcptest.Server{})})
	}
	_, summaries, cleanup := pool.ConnectAll(b.Context(), slog.Logger{}, configs, nil, opts)
	for _, s := range summaries {
		require.Equal(b, mcpclient.ConnectOutcomeConnected, s.Outcome, s.Error)
	}
	cleanup()
	b.ReportAllocs()
	b.SetParallelism(8 / min(8, runtime.GOMAXPROCS(0)))
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			_, _, cleanup := pool.ConnectAll(b.Context(), slog.Logger{}, configs, nil, opts)
			cleanup()
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "steps/s")
	require.NoError(b, pool.Close(b.Context()))
}

// BenchmarkPoolMemory keeps a thousand sessions of a thousand users with one
// server of eight tools, and reports the heap that each takes.
func BenchmarkPoolMemory(b *testing.B) {
	const keys = 1000
	url := mcptest.StartTCP(b, &mcptest.Server{})
	for b.Loop() {
		pool := mcpclient.NewPool(mcpclient.PoolOptions{})
		client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4}}
		before := heapInUse()
		for range keys {
			opts := mcpclient.Options{HTTPClient: client, UserID: uuid.New()}
			_, _, cleanup := pool.ConnectAll(b.Context(), slog.Logger{}, []mcpclient.ServerConfig{{ID: idOf("s"), Slug: "s", URL: url}}, nil, opts)
			cleanup()
		}
		require.Equal(b, keys, pool.Stats().Sessions)
		b.ReportMetric(float64(heapInUse()-before)/keys/1024, "KiB/session")
		require.NoError(b, pool.Close(b.Context()))
		client.CloseIdleConnections()
	}
}

func heapInUse() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
