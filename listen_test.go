package mcpclient_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

// ownStream is a server's stream for what belongs to no call. The test sends
// events on it.
type ownStream struct{ events chan string }

func (o ownStream) serve(phase mcptest.Phase, w http.ResponseWriter, r *http.Request) bool {
	if phase != mcptest.Get {
		return false
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for {
		_ = http.NewResponseController(w).Flush()
		select {
		case event := <-o.events:
			_, _ = io.WriteString(w, "data: "+event+"\n\n")
		case <-r.Context().Done():
			return true
		}
	}
}

func requestsOf(s *mcptest.Server, is func(mcptest.Request) bool) (found []mcptest.Request) {
	for _, r := range s.Recorder.Requests() {
		if is(r) {
			found = append(found, r)
		}
	}
	return found
}

func TestListeningFollowsTheHandshake(t *testing.T) {
	for name, tt := range map[string]struct {
		initialized func()
		after       time.Duration
	}{
		"answered":       {func() { time.Sleep(time.Second) }, time.Second},
		"never answered": {func() { time.Sleep(time.Minute) }, 2 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			inPool(t, mcpclient.PoolOptions{}, func(t *testing.T, w *world, p *mcpclient.Pool) {
				s := &mcptest.Server{Protocols: []string{"2025-03-26"}, Fault: func(phase mcptest.Phase, _ http.ResponseWriter, _ *http.Request) bool {
					if phase == mcptest.Initialized {
						tt.initialized()
					}
					return false
				}}
				w.serve("s", s)
				w.connect()
				time.Sleep(10 * time.Second)
				told := requestsOf(s, func(r mcptest.Request) bool { return r.RPC == "notifications/initialized" })
				gets := requestsOf(s, func(r mcptest.Request) bool { return r.Method == http.MethodGet })
				require.Len(t, told, 1)
				require.Len(t, gets, 1)
				require.Equal(t, tt.after, gets[0].Start.Sub(told[0].Start))
				require.Equal(t, "2025-03-26", gets[0].Header.Get("Mcp-Protocol-Version"))
				require.NotEmpty(t, gets[0].Header.Get("Mcp-Session-Id"))
			})
		})
	}
}

// Servers ask on their own stream whether the client is alive, and end the
// session of one that does not answer.
func TestServerIsAnsweredOnItsOwnStream(t *testing.T) {
	inPool(t, mcpclient.PoolOptions{}, func(t *testing.T, w *world, p *mcpclient.Pool) {
		own := ownStream{make(chan string)}
		s := &mcptest.Server{Fault: own.serve}
		w.serve("s", s)
		w.connect()
		synctest.Wait()
		own.events <- `{"jsonrpc":"2.0","id":"alive?","method":"ping"}`
		own.events <- `{"jsonrpc":"2.0","id":2,"method":"elicitation/create","params":{}}`
		synctest.Wait()
		replies := map[string]bool{}
		for _, r := range requestsOf(s, func(r mcptest.Request) bool { return r.Method == http.MethodPost && r.RPC == "" }) {
			require.NotEmpty(t, r.Header.Get("Mcp-Session-Id"))
			replies[string(r.Body)] = true
		}
		require.Equal(t, map[string]bool{
			`{"jsonrpc":"2.0","id":"alive?","result":{}}`:                                                               true,
			`{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"the client does not offer elicitation/create"}}`: true,
		}, replies)
	})
}

func TestProgressOnTheServersOwnStreamCounts(t *testing.T) {
	inPool(t, mcpclient.PoolOptions{}, func(t *testing.T, w *world, p *mcpclient.Pool) {
		own := ownStream{make(chan string)}
		long := mcptest.Tool{Name: "long", Run: func(_ context.Context, c *mcptest.Invocation) any {
			for i := range 5 {
				time.Sleep(40 * time.Second)
				own.events <- fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`, c.ProgressToken, i)
			}
			return mcptest.Text("done")
		}}
		w.serve("s", &mcptest.Server{Tools: []mcptest.Tool{long}, Fault: own.serve})
		r := w.connect()
		start := time.Now()
		require.Equal(t, "done", r.call("s__long", `{}`).Content)
		require.Equal(t, 200*time.Second, time.Since(start))
	})
}

func TestChangeAnnouncedOnTheServersOwnStreamIsSeen(t *testing.T) {
	inPool(t, mcpclient.PoolOptions{}, func(t *testing.T, w *world, p *mcpclient.Pool) {
		own := ownStream{make(chan string)}
		s := &mcptest.Server{Fault: own.serve}
		w.serve("s", s)
		w.connect()
		time.Sleep(time.Minute)
		own.events <- `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
		synctest.Wait()
		w.connect()
		require.Equal(t, 2, s.Recorder.Count("tools/list"))
	})
}
