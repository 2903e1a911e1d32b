package mcptest_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

// TestWedgesStopThePhase goes through a session until nothing more comes, and then looks that Close lets go of all.
func TestWedgesStopThePhase(t *testing.T) {
	for transport, legacy := range map[string]bool{"streamable": false, "legacy": true} {
		for _, w := range mcptest.Wedges(legacy) {
			t.Run(transport+"/"+w.Name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					n := mcptest.NewNetwork()
					defer n.Close()
					s := w.NewServer(legacy)
					p := &probe{client: n.Client(), url: mcptest.Start(t, n, "bad.test:80", s)}
					got := p.wedge(w, legacy)
					require.Contains(t, got, "for the whole time")

					p.hold(t, w) // a request that hangs when the server closes
					s.Close()
					n.Close()
				})
			})
		}
	}
}

// wedge goes through a session up to the phase of the wedge.
func (p *probe) wedge(w mcptest.Wedge, legacy bool) string {
	c := mcptest.Case{Fault: mcptest.Fault{At: w.At}, Way: mcptest.OverJSON}
	if legacy {
		c.Way = mcptest.OverLegacy
	}
	switch w.At {
	case mcptest.Accept:
		return p.request(http.MethodPost, p.url, steps[mcptest.Initialize])
	case mcptest.SSEPost:
		c.At = mcptest.Initialize
	}
	got := p.until(c)
	if legacy && strings.HasSuffix(got, nothing) {
		got += " for the whole time" // a stream that is open and says nothing
	}
	return got
}

// hold sends one more request and leaves it to hang. The goroutine ends when the server closes.
func (p *probe) hold(t *testing.T, w mcptest.Wedge) {
	t.Helper()
	body := steps[w.At]
	if body == "" {
		body = steps[mcptest.Initialize]
	}
	url := p.url
	if p.post != "" {
		url = p.post
	}
	method := http.MethodPost
	switch w.At {
	case mcptest.Get:
		method = http.MethodGet
	case mcptest.Delete:
		method = http.MethodDelete
	}
	go func() { p.request(method, url, body) }()
	synctest.Wait()
}

func TestCloseReleasesHangingRequestsOverTCP(t *testing.T) {
	for name, b := range map[string]mcptest.Behaviour{
		"headers never": mcptest.Hang, "body never": mcptest.HangBody, "event never": mcptest.HangStream, "drip": mcptest.SlowAnswer,
		"endless body":   mcptest.Endless(200, "text/plain", "", "x"),
		"endless header": mcptest.EndlessHeader,
		"endless stream": mcptest.EndlessStream("", ": x\n"),
	} {
		t.Run(name, func(t *testing.T) {
			reached := make(chan struct{})
			s := &mcptest.Server{}
			s.Wedges = map[mcptest.Phase]mcptest.Behaviour{mcptest.Initialize: b}
			s.Fault = func(p mcptest.Phase, _ http.ResponseWriter, _ *http.Request) bool {
				if p == mcptest.Initialize {
					close(reached)
				}
				return false
			}
			url := mcptest.StartTCP(t, s)
			client := &http.Client{Transport: &http.Transport{MaxResponseHeaderBytes: 1 << 30}}
			defer client.CloseIdleConnections()
			done := make(chan error, 1)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() { // ends when the server closes; awaited below
				req, _ := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(steps[mcptest.Initialize]))
				res, err := client.Do(req)
				if err == nil {
					err = errors.New(res.Status)
					defer func() { _ = res.Body.Close() }()
					<-ctx.Done() // the body is never read
				}
				done <- err
			}()
			<-reached
			s.Close()
			cancel()
			require.Error(t, <-done)
		})
	}
}

func TestSilentTCP(t *testing.T) {
	url := mcptest.StartTCP(t, &mcptest.Server{Wedges: map[mcptest.Phase]mcptest.Behaviour{mcptest.Accept: mcptest.Hang}})
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, nil)
	require.NoError(t, err)
	_, err = client.Do(req)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}
