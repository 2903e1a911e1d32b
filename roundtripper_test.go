package mcpclient_test

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"

	"charm.land/fantasy"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

// inProcess serves requests without a network, as gateways and test doubles do.
// A body ends when it is closed, whatever the request's context says.
type inProcess struct {
	handler http.Handler
	served  sync.WaitGroup
}

func (i *inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil {
		r.Body = http.NoBody // as servers have it
	}
	read, write := io.Pipe()
	w := &pipeWriter{header: http.Header{}, body: write, status: make(chan int, 1)}
	i.served.Go(func() {
		i.handler.ServeHTTP(w, r)
		w.WriteHeader(http.StatusOK)
		_ = write.Close()
	})
	select {
	case status := <-w.status:
		return &http.Response{StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: w.header, Body: read, ContentLength: -1, Request: r}, nil
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

type pipeWriter struct {
	header http.Header
	body   *io.PipeWriter
	status chan int
	once   sync.Once
}

func (p *pipeWriter) Header() http.Header    { return p.header }
func (p *pipeWriter) WriteHeader(status int) { p.once.Do(func() { p.status <- status }) }
func (p *pipeWriter) Flush()                 { p.WriteHeader(http.StatusOK) }

func (p *pipeWriter) Write(b []byte) (int, error) {
	p.WriteHeader(http.StatusOK)
	return p.body.Write(b)
}

func TestBodiesThatKnowNothingOfContextsEndAllTheSame(t *testing.T) {
	for name, tt := range map[string]struct {
		phase   mcptest.Phase
		serve   func(x http.ResponseWriter, held <-chan struct{})
		outcome mcpclient.ConnectOutcome
		status  int
	}{
		"an event stream without an answer": {phase: mcptest.Call, outcome: mcpclient.ConnectOutcomeConnected, serve: func(w http.ResponseWriter, held <-chan struct{}) {
			w.Header().Set("Content-Type", "text/event-stream")
			_ = http.NewResponseController(w).Flush()
			<-held
		}},
		"an error whose body stays open": {phase: mcptest.Initialize, outcome: mcpclient.ConnectOutcomeError, status: 500, serve: func(w http.ResponseWriter, held <-chan struct{}) {
			w.WriteHeader(http.StatusInternalServerError)
			<-held
		}},
		"initialized whose answer stays open": {phase: mcptest.Initialized, outcome: mcpclient.ConnectOutcomeConnected, serve: func(w http.ResponseWriter, held <-chan struct{}) {
			w.Header().Set("Content-Type", "text/event-stream")
			_ = http.NewResponseController(w).Flush()
			<-held
		}},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				held := make(chan struct{})
				s := &mcptest.Server{Fault: func(phase mcptest.Phase, rw http.ResponseWriter, _ *http.Request) bool {
					if phase == tt.phase {
						tt.serve(rw, held)
					}
					return phase == tt.phase
				}}
				base := &inProcess{handler: s}
				w.opts.HTTPClient = &http.Client{Transport: base}
				w.add("s", "http://in.process/mcp")
				r := w.connect()
				require.Equal(t, tt.outcome, r.of("s").Outcome, r.of("s").Error)
				require.Equal(t, tt.status, r.of("s").HTTPStatus)
				if len(r.tools) > 0 {
					ctx, cancel := context.WithTimeout(t.Context(), time.Second)
					defer cancel()
					start := time.Now()
					_, err := r.tools[0].Run(ctx, fantasy.ToolCall{Input: `{"text":"hi"}`})
					require.NoError(t, err)
					require.LessOrEqual(t, time.Since(start), time.Second)
				}
				start := time.Now()
				r.cleanup()
				w.background.Wait()
				require.LessOrEqual(t, time.Since(start), 6*time.Second)
				close(held)
				base.served.Wait()
				s.Close()
			})
		})
	}
}

// sidecar sends everything elsewhere by changing the request that it gets.
type sidecar struct {
	to   *url.URL
	next http.RoundTripper
}

func (s sidecar) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Host = r.URL.Host
	r.URL.Scheme, r.URL.Host = s.to.Scheme, s.to.Host
	return s.next.RoundTrip(r)
}

func TestRoundTripperMayRewriteItsRequest(t *testing.T) {
	overBoth(t, func(t *testing.T, w *world, legacy bool) {
		c := w.serve("s", &mcptest.Server{LegacySSE: legacy})
		to, err := url.Parse(c.URL)
		require.NoError(t, err)
		c.URL = "http://mcp.internal" + to.Path
		w.opts.HTTPClient = &http.Client{Transport: sidecar{to, w.opts.HTTPClient.Transport}}
		r := w.connect()
		for range 3 {
			require.Equal(t, "hi", r.call("s__echo", `{"text":"hi"}`).Content)
		}
	})
}

type panicking struct{}

func (panicking) MarshalJSON() ([]byte, error) { panic("in the host's value") }

// A call that panics on its way must not keep others waiting for what it learns.
func TestPanicOfTheHostsMetadataCostsItsCallOnly(t *testing.T) {
	overBoth(t, func(t *testing.T, w *world, legacy bool) {
		w.serve("s", &mcptest.Server{LegacySSE: legacy})
		var meta map[string]any
		w.opts.CallMeta = func(context.Context) map[string]any { return meta }
		r := w.connect()
		time.Sleep(time.Minute) // nothing is known of the server for a moment
		meta = map[string]any{"x": panicking{}}
		require.True(t, r.call("s__echo", `{"text":"hi"}`).IsError)
		meta = nil
		start := time.Now()
		require.Equal(t, "hi", r.call("s__echo", `{"text":"hi"}`).Content)
		require.Equal(t, start, time.Now())
	})
}

// panickingBase panics when it gets a long call.
type panickingBase struct{ next http.RoundTripper }

func (p *panickingBase) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.ContentLength > 280 {
		panic("in the host's transport")
	}
	return p.next.RoundTrip(r)
}

func TestPanicOfTheHostsTransportCostsItsCallOnly(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("s", &mcptest.Server{})
		w.opts.HTTPClient = &http.Client{Transport: &panickingBase{next: w.opts.HTTPClient.Transport}}
		r := w.connect()
		time.Sleep(time.Minute)
		long := `{"text":"` + "a long text, longer than what a handshake sends: " + `0123456789012345678901234567890123456789012345678901234567890123456789"}`
		require.True(t, r.call("s__echo", long).IsError)
		start := time.Now()
		require.Equal(t, "hi", r.call("s__echo", `{"text":"hi"}`).Content)
		require.Equal(t, start, time.Now())
	})
}
