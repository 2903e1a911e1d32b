package mcptest_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

func TestServerListsInPages(t *testing.T) {
	for name, server := range servers {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := mcptest.NewNetwork()
				defer n.Close()
				s := server()
				s.PageSize = 3
				session := connect(t, t.Context(), s, mcptest.Start(t, n, "good.test:80", s), n.Client())
				defer func() { _ = session.Close() }()
				var names []string
				for tool, err := range session.Tools(t.Context(), nil) {
					require.NoError(t, err)
					names = append(names, tool.Name)
				}
				require.Len(t, names, len(mcptest.DefaultTools()))
				require.Equal(t, 3, s.Recorder.Count("tools/list"))
			})
		})
	}
}

func TestServerWithoutTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := mcptest.NewNetwork()
		defer n.Close()
		s := &mcptest.Server{NoTools: true, Instructions: "be kind", Name: "empty", Version: "2"}
		session := connect(t, t.Context(), s, mcptest.Start(t, n, "good.test:80", s), n.Client())
		defer func() { _ = session.Close() }()
		require.Nil(t, session.InitializeResult().Capabilities.Tools)
		require.Equal(t, "be kind", session.InitializeResult().Instructions)
		require.Equal(t, "empty", session.InitializeResult().ServerInfo.Name)
		_, err := session.ListTools(t.Context(), nil)
		require.ErrorContains(t, err, "Method not found")
	})
}

func TestServerEchoesKnownVersions(t *testing.T) {
	for asked, want := range map[string]string{"2024-11-05": "2024-11-05", "2025-06-18": "2025-06-18", "1999-01-01": "2025-11-25"} {
		synctest.Test(t, func(t *testing.T) {
			n := mcptest.NewNetwork()
			defer n.Close()
			p := &probe{client: n.Client(), url: mcptest.Start(t, n, "good.test:80", &mcptest.Server{})}
			require.Contains(t, p.request(http.MethodPost, p.url, strings.Replace(steps[mcptest.Initialize], "2025-11-25", asked, 1)), want)
		})
	}
}

func TestSlowCallRunsUntilToldOrCancelled(t *testing.T) {
	for name, server := range servers {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := mcptest.NewNetwork()
				defer n.Close()
				s := server()
				session := connect(t, t.Context(), s, mcptest.Start(t, n, "good.test:80", s), n.Client())
				defer func() { _ = session.Close() }()
				slow := func(ctx context.Context) <-chan error {
					done := make(chan error, 1)
					go func() { // ends with the call; done is awaited
						result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "slow"})
						if err == nil && text(result) != "released" {
							err = errors.New(text(result))
						}
						done <- err
					}()
					return done
				}
				told := slow(t.Context())
				require.NoError(t, s.Running(t.Context(), "slow", 1))
				s.Release()
				require.NoError(t, <-told)

				ctx, cancel := context.WithCancel(t.Context())
				cancelled := slow(ctx)
				require.NoError(t, s.Running(t.Context(), "slow", 1))
				cancel()
				require.ErrorIs(t, <-cancelled, context.Canceled)
				synctest.Wait()
				ended, stop := context.WithCancel(t.Context())
				stop()
				require.NoError(t, s.Running(ended, "slow", 0))
				require.Error(t, s.Running(ended, "slow", 1), "the server has seen the cancellation")
				require.Equal(t, 2, s.Executed("slow"))
			})
		})
	}
}

func TestProgressReachesTheClient(t *testing.T) {
	for name, server := range servers {
		if strings.HasSuffix(name, "json") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := mcptest.NewNetwork()
				defer n.Close()
				s := server()
				p := &probe{client: n.Client(), url: mcptest.Start(t, n, "good.test:80", s)}
				c := mcptest.Case{Way: mcptest.OverSSE}
				if s.LegacySSE {
					c.Way = mcptest.OverLegacy
					p.listen()
				}
				p.step(c, steps[mcptest.Initialize])
				got := p.step(c, `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"progress","arguments":{"steps":2},"_meta":{"progressToken":"tok"}}}`)
				require.Equal(t, 2, strings.Count(got, `notifications/progress`), got)
				require.Equal(t, 2, strings.Count(got, `\"progressToken\":\"tok\"`), got)
				require.Contains(t, got, "all steps done")
			})
		})
	}
}

func TestSessionsOpenAndClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := mcptest.NewNetwork()
		defer n.Close()
		s := &mcptest.Server{}
		url := mcptest.Start(t, n, "good.test:80", s)
		first := connect(t, t.Context(), s, url, n.Client())
		second := connect(t, t.Context(), s, url, n.Client())
		require.NoError(t, first.Close())
		opened, deleted := s.Recorder.Sessions()
		require.Equal(t, []int{2, 1}, []int{opened, deleted})
		require.Equal(t, 1, s.Recorder.Count("DELETE"))
		s.Forget()
		_, err := second.ListTools(t.Context(), nil)
		require.ErrorIs(t, err, mcp.ErrSessionMissing)
		_ = second.Close()
	})
}

func TestStrictServerWantsInitialized(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := mcptest.NewNetwork()
		defer n.Close()
		p := &probe{client: n.Client(), url: mcptest.Start(t, n, "good.test:80", &mcptest.Server{StrictInit: true})}
		p.request(http.MethodPost, p.url, steps[mcptest.Initialize])
		require.Contains(t, p.request(http.MethodPost, p.url, steps[mcptest.ListPage1]), "before initialization")
		p.request(http.MethodPost, p.url, steps[mcptest.Initialized])
		require.Contains(t, p.request(http.MethodPost, p.url, steps[mcptest.ListPage1]), `\"tools\":[`)
	})
}

func TestAuth(t *testing.T) {
	for _, tt := range []struct {
		name   string
		server *mcptest.Server
		header http.Header
		want   int
		says   string
	}{
		{"no token", &mcptest.Server{Token: "secret"}, nil, 401, `Bearer error="invalid_token", resource_metadata="http://good.test:80/`},
		{"wrong token", &mcptest.Server{Token: "secret"}, http.Header{"Authorization": {"Bearer x"}}, 401, "invalid_token"},
		{"token", &mcptest.Server{Token: "secret"}, http.Header{"Authorization": {"Bearer secret"}}, 200, ""},
		{"scope", &mcptest.Server{Token: "secret", Scope: "write"}, http.Header{"Authorization": {"Bearer secret"}}, 403, `error="insufficient_scope", scope="write"`},
		{"no header", &mcptest.Server{RequireHeader: map[string]string{"X-Key": "k"}}, nil, 401, ""},
		{"header", &mcptest.Server{RequireHeader: map[string]string{"X-Key": "k"}}, http.Header{"X-Key": {"k"}}, 200, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n := mcptest.NewNetwork()
			defer n.Close()
			url := mcptest.Start(t, n, "good.test:80", tt.server)
			req, err := http.NewRequest(http.MethodPost, url, strings.NewReader(steps[mcptest.Initialize]))
			require.NoError(t, err)
			req.Header = tt.header.Clone()
			if req.Header == nil {
				req.Header = http.Header{}
			}
			req.Header.Set("Accept", "*/*")
			res, err := n.Client().Do(req)
			require.NoError(t, err)
			defer func() { _ = res.Body.Close() }()
			require.Equal(t, tt.want, res.StatusCode)
			require.Contains(t, res.Header.Get("WWW-Authenticate"), tt.says)
		})
	}
}

func TestRecorderKeepsRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := mcptest.NewNetwork()
		n.Latency = 25 * time.Millisecond
		defer n.Close()
		s := &mcptest.Server{}
		url := mcptest.Start(t, n, "good.test:80", s)
		p := &probe{client: n.Client(), url: url}
		beside := func(one, other string) {
			done := make(chan string, 1)
			go func() { done <- p.request(http.MethodPost, url, one) }() // ends with the answer; awaited below
			p.request(http.MethodPost, url, other)
			<-done
		}
		beside("", "")
		s.Recorder.Reset()
		p.request(http.MethodPost, url, steps[mcptest.Initialize])
		beside(steps[mcptest.Initialized], steps[mcptest.ListPage1])
		require.Equal(t, 2, s.Recorder.InSeries("tools/list"), "what runs beside the list is no round trip of its own")
		require.Zero(t, s.Recorder.InSeries("tools/call"))

		requests := s.Recorder.Requests()
		require.Len(t, requests, 3)
		require.Equal(t, "initialize", requests[0].RPC)
		require.JSONEq(t, steps[mcptest.Initialize], string(requests[0].Body))
		require.Equal(t, "session-1", requests[1].Header.Get("Mcp-Session-Id"))
		require.Equal(t, "good.test:80", requests[0].Host)
		require.Equal(t, 2, s.Recorder.Connections())
		require.Zero(t, s.Recorder.InFlight())

		p.request(http.MethodPost, url, steps[mcptest.ListPage1])
		require.Equal(t, 2, s.Recorder.InSeries("tools/list"), "the first list counts")
	})
}

func TestRecorderCountsRoundTripsOfTheSDK(t *testing.T) {
	for name, want := range map[string]int{"stateful json": 3, "stateless sse": 3, "legacy": 4} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := mcptest.NewNetwork()
				n.Latency = 25 * time.Millisecond
				defer n.Close()
				s := servers[name]()
				client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
				url := mcptest.Start(t, n, "good.test:80", s)
				var transport mcp.Transport = &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: n.Client(), DisableStandaloneSSE: true}
				if s.LegacySSE {
					transport = &mcp.SSEClientTransport{Endpoint: url, HTTPClient: n.Client()}
				}
				session, err := client.Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
				require.NoError(t, err)
				defer func() { _ = session.Close() }()
				_, err = session.ListTools(t.Context(), nil)
				require.NoError(t, err)
				require.Equal(t, want, s.Recorder.InSeries("tools/list"))
			})
		})
	}
}

func TestFaultHookSeesEachPhase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := mcptest.NewNetwork()
		defer n.Close()
		var seen []mcptest.Phase
		s := &mcptest.Server{Fault: func(p mcptest.Phase, w http.ResponseWriter, _ *http.Request) bool {
			seen = append(seen, p)
			if p == mcptest.ListPage1 {
				w.WriteHeader(http.StatusTeapot)
			}
			return p == mcptest.ListPage1
		}}
		p := &probe{client: n.Client(), url: mcptest.Start(t, n, "good.test:80", s)}
		p.request(http.MethodPost, p.url, steps[mcptest.Initialize])
		require.Equal(t, `418 ""`, p.request(http.MethodPost, p.url, steps[mcptest.ListPage1]))
		require.Equal(t, []mcptest.Phase{mcptest.Every, mcptest.Initialize, mcptest.Every, mcptest.List, mcptest.ListPage1}, seen)
	})
}

func TestToolsAsData(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := mcptest.NewNetwork()
		defer n.Close()
		s := &mcptest.Server{Tools: []mcptest.Tool{
			{Name: "text", Result: "a text"},
			{Name: "raw", Result: json.RawMessage(`{"content":[{"type":"text","text":"raw"}]}`)},
			{Name: "func", Result: func(args json.RawMessage) any { return "got " + string(args) }},
			{Name: "error", Result: mcptest.RPCError{Code: -32001, Message: "no"}},
			{Name: "late", Result: "late", Delay: time.Hour},
			{Name: "nothing"},
		}}
		session := connect(t, t.Context(), s, mcptest.Start(t, n, "good.test:80", s), n.Client())
		defer func() { _ = session.Close() }()
		require.Equal(t, "a text", text(call(t, session, "text", `{}`)))
		require.Equal(t, "raw", text(call(t, session, "raw", `{}`)))
		require.Equal(t, `got {"a":1}`, text(call(t, session, "func", `{"a":1}`)))
		began := time.Now()
		require.Equal(t, "late", text(call(t, session, "late", `{}`)))
		require.Equal(t, time.Hour, time.Since(began))
		require.Empty(t, call(t, session, "nothing", `{}`).Content)
		_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "error"})
		require.ErrorContains(t, err, "no")
		_, err = session.CallTool(t.Context(), &mcp.CallToolParams{Name: "unknown"})
		require.ErrorContains(t, err, "Unknown tool")
		require.Equal(t, 1, s.Executed("error"))
	})
}

func TestResetOverTCP(t *testing.T) {
	s := &mcptest.Server{Wedges: map[mcptest.Phase]mcptest.Behaviour{mcptest.Initialize: mcptest.Reset}}
	url := mcptest.StartTCP(t, s)
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	_, err := client.Post(url, "application/json", strings.NewReader(steps[mcptest.Initialize]))
	require.ErrorIs(t, err, syscall.ECONNRESET)
}

func TestTLS(t *testing.T) {
	for name, http2 := range map[string]bool{"HTTP/1.1": false, "HTTP/2.0": true} {
		t.Run(name, func(t *testing.T) {
			s := &mcptest.Server{SSE: true}
			url, client := mcptest.StartTLS(t, s, http2)
			session := connect(t, t.Context(), s, url, client)
			exercise(t, session)
			require.NoError(t, session.Close())
			res, err := client.Get(url)
			require.NoError(t, err)
			_, _ = io.Copy(io.Discard, res.Body)
			require.NoError(t, res.Body.Close())
			require.Equal(t, name, res.Proto)
		})
	}
}

func TestGzipBombIsOneJSONText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := mcptest.NewNetwork()
		defer n.Close()
		s := &mcptest.Server{Wedges: map[mcptest.Phase]mcptest.Behaviour{mcptest.Initialize: mcptest.GzipBomb(4)}}
		url := mcptest.Start(t, n, "bad.test", s)
		res, err := n.Client().Post(url, "application/json", strings.NewReader(steps[mcptest.Initialize])) // the transport decodes
		require.NoError(t, err)
		defer func() { _ = res.Body.Close() }()
		data, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.True(t, json.Valid(data))
		require.Greater(t, len(data), 4<<20)
	})
}
