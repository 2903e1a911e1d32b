package mcpclient_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"charm.land/fantasy"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

// losses are what can happen to a session, or to its connections alone, between
// two calls.
var losses = []struct {
	name   string
	over   mcptest.Over
	server func(*mcptest.Server)
	lose   func(*scene)
	renews int // sessions that the calls after it may open, all together
}{
	{name: "restart, 404", over: overHTTP, lose: restart, renews: 1},
	{name: "restart, 404 as Python says it", over: overHTTP, lose: restart, renews: 1,
		server: unknownAs(404, `{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Session not found"}}`)},
	{name: "restart, 400", over: overHTTP, lose: restart, renews: 1,
		server: unknownAs(400, `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}`)},
	{name: "restart, 401", over: overHTTP, lose: restart, renews: 1, server: unknownAs(401, `{"error":"invalid session"}`)},
	{name: "restart", over: overLegacy, lose: restart, renews: 1},
	{name: "network cut", over: overLegacy, lose: cutNetwork, renews: 1},
	{name: "network cut", over: overHTTP, lose: cutNetwork},
	{name: "the client's idle timer", over: overAll, lose: func(*scene) { time.Sleep(2 * time.Minute) }},
	{name: "the server's idle timer, which ends the session as well", over: overHTTP, renews: 1, lose: func(s *scene) {
		time.Sleep(time.Hour)
		s.server.Forget()
	}},
}

func TestLostSessionIsRenewedOnceForAllCalls(t *testing.T) {
	const calls = 50
	for _, loss := range losses {
		for _, over := range []mcptest.Over{overJSON, overSSE, overLegacy} {
			if loss.over&over == 0 {
				continue
			}
			t.Run(fmt.Sprintf("%s/%v", loss.name, over), func(t *testing.T) {
				inWorld(t, func(t *testing.T, w *world) {
					w.opts.Limits.ParallelCalls = calls
					s := &mcptest.Server{SSE: over == overSSE, LegacySSE: over == overLegacy}
					if loss.server != nil {
						loss.server(s)
					}
					w.serve("good", s)
					r := w.connect()
					names := r.names()
					tool := r.tool("good__args")
					info := tool.Info()
					for round := range 3 {
						synctest.Wait()
						loss.lose(&scene{world: w, server: s})
						synctest.Wait()
						before := s.Recorder.Count("initialize")
						var running sync.WaitGroup
						for i := range calls {
							running.Go(func() {
								args := fmt.Sprintf(`{"round":%d,"call":%d}`, round, i)
								response, err := tool.Run(t.Context(), fantasy.ToolCall{ID: "c", Name: "good__args", Input: args})
								require.NoError(t, err)
								require.Equal(t, args, response.Content)
							})
						}
						running.Wait()
						require.Equal(t, loss.renews, s.Recorder.Count("initialize")-before)
					}
					require.Equal(t, 3*calls, s.Executed("args"))
					require.Equal(t, names, r.names())
					require.Equal(t, info, tool.Info())
					r.cleanup()
					w.background.Wait()
				})
			})
		}
	}
}

// TestServersIdleTimerCostsNothing is about the race of every connection that a
// server closes while the client thinks that it can use it.
func TestServersIdleTimerCostsNothing(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		s := &mcptest.Server{}
		defer s.Close()
		server := &http.Server{Handler: s, IdleTimeout: 30 * time.Second}
		listener := w.net.Listen("good.test:80")
		w.background.Go(func() { _ = server.Serve(listener) })
		w.add("good", "http://good.test/mcp")
		r := w.connect()
		for range 3 {
			time.Sleep(time.Minute)
			require.Equal(t, `{"a":1}`, r.call("good__args", `{"a":1}`).Content)
		}
		require.Equal(t, 1, s.Recorder.Count("initialize"))
		require.Equal(t, 3, s.Executed("args"))
		require.GreaterOrEqual(t, s.Recorder.Connections(), 4)
		r.cleanup()
		w.opts.HTTPClient.CloseIdleConnections()
		require.NoError(t, server.Close())
		w.background.Wait()
	})
}

// watched tells when the client has closed its connection.
type watched struct {
	net.Conn
	once   sync.Once
	closed func()
}

func (c *watched) Close() error {
	c.once.Do(c.closed)
	return c.Conn.Close()
}

// startHTTP2 serves handler over TLS and HTTP/2. The client tells of each
// connection that it has closed.
func startHTTP2(t *testing.T, handler http.Handler, idle time.Duration) (url string, client *http.Client, closed <-chan struct{}) {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Config.IdleTimeout = idle
	server.StartTLS()
	t.Cleanup(func() {
		server.CloseClientConnections() // else Close waits for GOAWAY's grace
		server.Close()
	})
	ends := make(chan struct{}, 1000)
	transport := server.Client().Transport.(*http.Transport).Clone()
	transport.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return &watched{Conn: c, closed: func() { ends <- struct{}{} }}, nil
	}
	t.Cleanup(transport.CloseIdleConnections)
	return server.URL + "/mcp", &http.Client{Transport: transport}, ends
}

func TestHTTP2ConnectionThatTheServerClosesCostsNothing(t *testing.T) {
	for name, tt := range map[string]struct {
		goAway bool // with every answer to a call
		idle   time.Duration
	}{
		"GOAWAY":     {goAway: true},
		"idle timer": {idle: 20 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			s := &mcptest.Server{}
			t.Cleanup(s.Close)
			url, client, closed := startHTTP2(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				if tt.goAway {
					rw.Header().Set("Connection", "close") // net/http makes a GOAWAY of it
				}
				s.ServeHTTP(rw, r)
			}), tt.idle)
			w := &world{t: t, logs: &logSink{}}
			w.opts = mcpclient.Options{HTTPClient: client, Background: &w.background}
			w.opts.Limits.ParallelCalls = 50
			w.add("good", url)
			r := w.connect()
			require.Equal(t, mcpclient.ConnectOutcomeConnected, r.of("good").Outcome, r.of("good").Error)
			if tt.idle > 0 {
				<-closed
			}
			for range 2 {
				var running sync.WaitGroup
				for i := range 50 {
					running.Go(func() {
						args := fmt.Sprintf(`{"call":%d}`, i)
						require.Equal(t, args, r.call("good__args", args).Content)
					})
				}
				running.Wait()
			}
			require.Equal(t, 100, s.Executed("args"))
			require.Equal(t, 1, s.Recorder.Count("initialize"))
			r.cleanup()
			w.background.Wait()
		})
	}
}

func TestRenewalThatFailsIsAnErrorAndTheNextCallTriesAgain(t *testing.T) {
	overBoth(t, func(t *testing.T, w *world, legacy bool) {
		down := false // written while nothing runs
		s := &mcptest.Server{LegacySSE: legacy, Fault: func(phase mcptest.Phase, rw http.ResponseWriter, _ *http.Request) bool {
			if !down || phase != mcptest.Initialize && phase != mcptest.SSEGet {
				return false
			}
			rw.WriteHeader(http.StatusInternalServerError)
			return true
		}}
		w.serve("good", s)
		r := w.connect()
		synctest.Wait()
		s.Forget()
		synctest.Wait()
		down = true
		for range 2 {
			require.True(t, r.call("good__args", `{"a":1}`).IsError)
		}
		require.Zero(t, s.Executed("args"))
		down = false
		require.Equal(t, `{"a":1}`, r.call("good__args", `{"a":1}`).Content)
		require.Equal(t, 1, s.Executed("args"))
		r.cleanup()
		w.background.Wait()
	})
}

// TestDeadServerIsNotHammered makes 100 calls within a second to a server that
// is gone. Calls that come one after the other share the gate's tries: one, and
// then one after each pause of 0.1 to 0.3 s, 0.2 to 0.6 s, 0.4 to 1.2 s, which
// makes five at most. So do calls at the same moment: where nothing is known of
// the server, one tries and the others wait for what it learns.
func TestDeadServerIsNotHammered(t *testing.T) {
	const parallel, tries = 16, 5
	for _, legacy := range bothTransports {
		for name, tt := range map[string]struct {
			apart time.Duration
			dials int
		}{
			"one after the other": {10 * time.Millisecond, tries},
			"at once":             {0, tries},
		} {
			t.Run(transportName(legacy)+"/"+name, func(t *testing.T) {
				inWorld(t, func(t *testing.T, w *world) {
					w.opts.Limits.ParallelCalls = parallel
					w.net.Latency = 10 * time.Millisecond
					w.serve("dead", &mcptest.Server{LegacySSE: legacy})
					r := w.connect()
					synctest.Wait()
					w.net.Shut("dead.test:80")
					w.net.Cut()
					synctest.Wait()
					before := w.net.Dials("dead.test:80")
					ctx, cancel := context.WithTimeout(t.Context(), time.Second)
					defer cancel()
					var running sync.WaitGroup
					for range 100 {
						running.Go(func() { require.True(t, r.callContext(ctx, "dead__args", `{}`).IsError) })
						time.Sleep(tt.apart)
					}
					running.Wait()
					dials := w.net.Dials("dead.test:80") - before
					t.Logf("%d dials", dials)
					require.LessOrEqual(t, dials, tt.dials)
					r.cleanup()
					w.background.Wait()
				})
			})
		}
	}
}

func TestFreshSessionThatIsLostAtOnceIsTheCallsError(t *testing.T) {
	overBoth(t, func(t *testing.T, w *world, legacy bool) {
		s := &mcptest.Server{
			LegacySSE: legacy,
			Tools:     append(mcptest.DefaultTools(), mcptest.Tool{Name: mcptest.FaultyTool, Annotations: map[string]any{"readOnlyHint": true}}),
			Wedges:    map[mcptest.Phase]mcptest.Behaviour{mcptest.Faulty: mcptest.Status(404, "no such session")},
		}
		w.serve("good", s)
		r := w.connect()
		response := r.call("good__faulty", `{}`)
		require.True(t, response.IsError)
		require.Contains(t, response.Content, "not run")
		require.Equal(t, 2, s.Recorder.Count("tools/call"))
		require.Equal(t, 2, s.Recorder.Count("initialize"), "one renewal a call")
		require.Equal(t, "hi", r.call("good__echo", `{"text":"hi"}`).Content)
		r.cleanup()
		w.background.Wait()
	})
}

func TestToolThatHasVanishedIsSaidInWords(t *testing.T) {
	overBoth(t, func(t *testing.T, w *world, legacy bool) {
		w.serve("good", &mcptest.Server{LegacySSE: legacy})
		r := w.connect()
		synctest.Wait()
		w.net.Shut("good.test:80")
		w.net.Cut()
		synctest.Wait()
		newer := &mcptest.Server{LegacySSE: legacy, Tools: mcptest.DefaultTools()[:1]}
		w.serveAt("good", newer)
		response := r.call("good__args", `{}`)
		require.True(t, response.IsError)
		require.Contains(t, response.Content, "no longer offers this tool, so it was not run")
		require.Equal(t, "hi", r.call("good__echo", `{"text":"hi"}`).Content)
		require.Equal(t, 1, newer.Recorder.Count("initialize"))
		r.cleanup()
		w.background.Wait()
	})
}

// regional is a tool with a parameter that protocol 2026-07-28 mirrors in a
// header.
const regional = `{"name":"where","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}}`

// modernServer is a server of another make, of protocol 2026-07-28. It refuses
// a call whose header for region is missing or wrong.
func modernServer() http.Handler {
	server := mcp.NewServer(&mcp.Implementation{Name: "modern", Version: "1"}, nil)
	var tool mcp.Tool
	if err := json.Unmarshal([]byte(regional), &tool); err != nil {
		panic(err)
	}
	server.AddTool(&tool, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(r.Params.Arguments)}}}, nil
	})
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true})
}

func TestHeaderParametersAreSentAlsoWhenTheServerHasRestarted(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var mu sync.Mutex
		var regions []string
		start := func() *http.Server {
			handler := modernServer()
			server := &http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Mcp-Method") == "tools/call" {
					mu.Lock()
					regions = append(regions, r.Header.Get("Mcp-Param-Region"))
					mu.Unlock()
				}
				handler.ServeHTTP(rw, r)
			})}
			listener := w.net.Listen("modern.test:80")
			w.background.Go(func() { _ = server.Serve(listener) })
			return server
		}
		server := start()
		w.add("modern", "http://modern.test/mcp").ProtocolVersion = "2026-07-28"
		r := w.connect()
		require.Equal(t, "2026-07-28", r.of("modern").Protocol, r.of("modern").Error)
		require.Equal(t, `{"region":"north"}`, r.call("modern__where", `{"region":"north"}`).Content)
		require.NoError(t, server.Close())
		synctest.Wait()
		server = start()
		require.Equal(t, `{"region":"south"}`, r.call("modern__where", `{"region":"south"}`).Content)
		require.Equal(t, []string{"north", "south"}, regions)
		r.cleanup()
		w.opts.HTTPClient.CloseIdleConnections()
		require.NoError(t, server.Close())
		w.background.Wait()
	})
}
