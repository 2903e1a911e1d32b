package mcpclient_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cdr.dev/slog/v3"
	"charm.land/fantasy"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

// soakTime is MCP_SOAK, a duration; ten seconds in CI, and a glance elsewhere.
func soakTime(t *testing.T) time.Duration {
	t.Helper()
	if text := os.Getenv("MCP_SOAK"); text != "" {
		d, err := time.ParseDuration(text)
		require.NoError(t, err, "MCP_SOAK")
		return d
	}
	if os.Getenv("CI") == "true" {
		return 10 * time.Second
	}
	return time.Second
}

func soakSeed(t *testing.T) uint64 {
	t.Helper()
	seed := rand.Uint64()
	if text := os.Getenv("MCP_SOAK_SEED"); text != "" {
		var err error
		seed, err = strconv.ParseUint(text, 10, 64)
		require.NoError(t, err, "MCP_SOAK_SEED")
	}
	t.Logf("MCP_SOAK_SEED=%d", seed)
	return seed
}

// chaos is a server that does a random thing wrong now and then. Its tool write
// has no hints, read is read-only; both return their arguments.
type chaos struct {
	server *mcptest.Server

	mu     sync.Mutex
	rand   *rand.Rand
	faults int
	runs   map[string]int // of write, by its arguments
}

func newChaos(seed, i uint64) *chaos {
	c := &chaos{rand: rand.New(rand.NewPCG(seed, i)), runs: map[string]int{}}
	over := threeWays[i%uint64(len(threeWays))]
	c.server = serverOver(over,
		mcptest.Tool{Name: "write", Result: func(args json.RawMessage) any {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.runs[string(args)]++
			return string(args)
		}},
		mcptest.Tool{Name: "read", Annotations: map[string]any{"readOnlyHint": true}, Result: func(args json.RawMessage) any { return string(args) }},
	)
	c.server.Fault = c.before
	c.server.Wedges = map[mcptest.Phase]mcptest.Behaviour{mcptest.Call: mcptest.Do(c.during)}
	return c
}

// roll is a number below 100; from up on there is no fault.
func (c *chaos) roll(up int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.rand.IntN(100)
	if n < up {
		c.faults++
	}
	return n
}

// before is what can become of any request before anything is done.
func (c *chaos) before(phase mcptest.Phase, w http.ResponseWriter, r *http.Request) (handled bool) {
	if phase != mcptest.Every {
		return false
	}
	switch c.roll(9) {
	case 0, 1:
		drop(w, false)
	case 2:
		drop(w, true)
	case 3:
		w.WriteHeader(http.StatusInternalServerError)
	case 4:
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusServiceUnavailable)
	case 5:
		select {
		case <-r.Context().Done():
		case <-time.After(time.Second):
		}
		drop(w, false)
	case 6:
		_, _ = w.Write([]byte("<html><body>Please log in</body></html>"))
	case 7:
		c.server.Forget()
		return false
	case 8:
		time.Sleep(20 * time.Millisecond)
		return false
	default:
		return false
	}
	return true
}

// during is what can become of a call once its tool has run.
func (c *chaos) during(x *mcptest.Exchange) {
	switch c.roll(7) {
	case 0, 1:
		x.Answer()
		drop(x.W, false)
	case 2:
		x.Answer()
		drop(x.W, true)
	case 3:
		answer := x.Answer()
		x.W.Header().Set("Content-Length", strconv.Itoa(len(answer)))
		_, _ = x.W.Write(answer[:len(answer)/2])
		panic(http.ErrAbortHandler)
	case 4:
		x.Answer()
		x.Hang()
	case 5:
		x.Answer()
		x.Server().Forget()
	case 6:
		x.Answer()
		x.W.WriteHeader(http.StatusAccepted)
	default:
		x.Serve()
	}
}

// drop ends the connection of a request.
func drop(w http.ResponseWriter, reset bool) {
	c, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := c.(*net.TCPConn); ok && reset {
		_ = tcp.SetLinger(0)
	}
	_ = c.Close()
}

// countingClient counts its connections: those that are open, and all.
func countingClient(open, dials *atomic.Int64) *http.Client {
	return &http.Client{Transport: &http.Transport{
		MaxIdleConnsPerHost: 16,
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			c, err := new(net.Dialer).DialContext(ctx, network, addr)
			if err != nil {
				return nil, err
			}
			open.Add(1)
			dials.Add(1)
			return &watched{Conn: c, closed: func() { open.Add(-1) }}, nil
		},
	}}
}

// soak is the servers and what came of all steps so far.
type soak struct {
	t       *testing.T
	rand    *rand.Rand // of the loop alone
	servers []*chaos
	configs []mcpclient.ServerConfig
	opts    mcpclient.Options
	pending sync.WaitGroup

	open, dials atomic.Int64 // connections
	steps       int

	mu    sync.Mutex
	told  map[string]told // of write, by its arguments, since the last settle
	count map[told]int    // of all calls
}

func newSoak(t *testing.T, seed uint64) *soak {
	k := &soak{t: t, rand: rand.New(rand.NewPCG(seed, 1<<32)), told: map[string]told{}, count: map[told]int{}}
	for i := range uint64(50) {
		c := newChaos(seed, i)
		slug := fmt.Sprintf("s%d", i)
		config := mcpclient.ServerConfig{ID: idOf(slug), Slug: slug, URL: mcptest.StartTCP(t, c.server)}
		if c.server.LegacySSE {
			config.Transport = mcpclient.TransportSSE
		}
		k.servers, k.configs = append(k.servers, c), append(k.configs, config)
	}
	k.opts = mcpclient.Options{
		HTTPClient: countingClient(&k.open, &k.dials), Background: &k.pending,
		ConnectTimeout: 500 * time.Millisecond, CallTimeout: 300 * time.Millisecond,
	}
	return k
}

// step is one generation step: connect all, call each tool in parallel, clean
// up; now and then before the calls have ended.
func (k *soak) step() {
	k.steps++
	tools, summaries, cleanup := mcpclient.ConnectAll(k.t.Context(), slog.Make(), k.configs, nil, k.opts)
	defer cleanup()
	require.Len(k.t, summaries, len(k.configs))
	var running sync.WaitGroup
	for i, tool := range tools {
		for call := range 3 {
			args := fmt.Sprintf(`{"step":%d,"tool":%d,"call":%d}`, k.steps, i, call)
			running.Go(func() { k.call(tool, args) })
		}
	}
	if k.rand.IntN(8) == 0 {
		cleanup()
	}
	running.Wait()
}

func (k *soak) call(tool fantasy.AgentTool, args string) {
	name := tool.(mcpclient.Tool).Definition().Name
	response, err := tool.Run(k.t.Context(), fantasy.ToolCall{ID: args, Name: name, Input: args})
	assert.NoError(k.t, err)
	assert.NotEmpty(k.t, response.Content)
	if !response.IsError {
		assert.Equal(k.t, args, response.Content)
		response.Content = "fine"
	}
	what := toldBy(response)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.count[what]++
	if name == "write" {
		k.told[args] = what
	}
}

// settle waits for what the steps have left, and gives the bytes in use.
func (k *soak) settle() uint64 {
	k.pending.Wait()
	k.opts.HTTPClient.CloseIdleConnections()
	runs := map[string]int{}
	for _, c := range k.servers {
		c.server.Forget()
		c.server.Recorder.Reset()
		c.mu.Lock()
		for args, n := range c.runs {
			runs[args] += n
		}
		clear(c.runs)
		c.mu.Unlock()
	}
	k.verify(runs)
	clear(k.told)
	clear(runs)
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// verify compares what write has done with what models were told.
func (k *soak) verify(runs map[string]int) {
	for args, what := range k.told {
		switch n := runs[args]; what {
		case toldResult:
			assert.Equal(k.t, 1, n, args)
		case toldNotRun:
			assert.Zero(k.t, n, args)
		default:
			assert.LessOrEqual(k.t, n, 1, args)
		}
	}
}

func (k *soak) faults() (n int) {
	for _, c := range k.servers {
		c.mu.Lock()
		n += c.faults
		c.mu.Unlock()
	}
	return n
}

// TestSoak connects, calls and cleans up for a while, to servers that do wrong.
// Nothing of it may be left, no result may be another call's, and no tool
// without hints may have run twice, nor have run where the model was told that
// it has not.
func TestSoak(t *testing.T) {
	seed, length := soakSeed(t), soakTime(t)
	before := goleak.IgnoreCurrent()
	var k *soak
	t.Run("steps", func(t *testing.T) { // its end is that of the servers
		k = newSoak(t, seed)
		k.step()
		heap := k.settle()
		for began := time.Now(); time.Since(began) < length; {
			k.step()
		}
		left := k.settle()
		t.Logf("%d steps, %d faults, %d dials, calls: %v, heap: %d KiB, then %d KiB",
			k.steps, k.faults(), k.dials.Load(), k.count, heap>>10, left>>10)
		require.Positive(t, k.count[toldResult])
		require.Less(t, left, heap+heap/2+4<<20)
	})
	goleak.VerifyNone(t, before)
	require.Zero(t, k.open.Load(), "connections")
}
