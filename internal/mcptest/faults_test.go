package mcptest_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

var update = flag.Bool("update", false, "write what faults send to testdata")

// transcripts is what each fault sends, for a reader and for the test.
const transcripts = "testdata/faults.txt"

// probe is a client that knows HTTP and no more, and so sees what is really sent.
type probe struct {
	client  *http.Client
	url     string
	session string // Mcp-Session-Id
	post    string // where the older transport posts to
	stream  stream
}

// stream is what came on the event stream of the older transport. It stops reading at a bound.
type stream struct {
	sync.Mutex
	got     bytes.Buffer
	end     error
	unbound bool // it does not stop
}

const (
	probeTime  = time.Minute - time.Second/2 // between two beats of whatever drips
	probeBytes = 1 << 20
)

func (p *probe) request(method, url, body string) string {
	ctx, cancel := context.WithTimeout(context.Background(), probeTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return err.Error()
	}
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Content-Type", "application/json")
	if p.session != "" {
		req.Header.Set("Mcp-Session-Id", p.session)
	}
	res, err := p.client.Do(req)
	if err != nil {
		return failure(err)
	}
	defer func() { _ = res.Body.Close() }()
	if id := res.Header.Get("Mcp-Session-Id"); id != "" && p.session == "" {
		p.session = id
	}
	data, err := io.ReadAll(io.LimitReader(res.Body, probeBytes))
	return head(res) + excerpt(data) + failure(err)
}

// head is the status and the header fields that matter.
func head(res *http.Response) string {
	out := fmt.Sprint(res.StatusCode)
	for _, name := range []string{
		"Content-Type", "Content-Encoding", "Location", "Www-Authenticate", "Retry-After", "Mcp-Session-Id", "Allow",
	} {
		if v, found := res.Header[name]; found {
			out += fmt.Sprintf(" %s=%q", name, strings.Join(v, "|"))
		}
	}
	return out
}

func failure(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, context.DeadlineExceeded):
		return " (then nothing for the whole time)"
	case errors.Is(err, syscall.EPIPE), strings.Contains(err.Error(), "server closed idle connection"):
		err = io.EOF // the peer has closed; who sees it first, a write, a read or the pool, is chance
	}
	text := err.Error()
	if _, after, found := strings.Cut(text, "\": "); found { // without the URL
		text = after
	}
	return " (" + excerpt([]byte(text))[1:] + ")"
}

// excerpt is the begin and the end of a text, quoted.
func excerpt(data []byte) string {
	if len(data) >= probeBytes {
		return fmt.Sprintf(" %.100q… at least 1 MiB", data)
	}
	if len(data) > 420 {
		return fmt.Sprintf(" %.200q… %q of %d bytes", data, data[len(data)-200:], len(data))
	}
	return fmt.Sprintf(" %q", data)
}

// listen opens the stream of the older transport. The goroutine that reads ends with the stream, the latest when the network
// closes; the bubble waits for it.
func (p *probe) listen() string {
	ctx, cancel := context.WithTimeout(context.Background(), probeTime)
	timer := time.AfterFunc(probeTime, cancel)
	req, _ := http.NewRequestWithContext(context.WithoutCancel(ctx), http.MethodGet, p.url, nil)
	req.Header.Set("Accept", "text/event-stream")
	answered := make(chan string, 1)
	go func() {
		res, err := p.client.Do(req)
		if err != nil {
			answered <- failure(err)
			return
		}
		defer func() { _ = res.Body.Close() }()
		answered <- head(res)
		p.stream.read(res.Body)
	}()
	defer timer.Stop()
	defer cancel()
	select {
	case head := <-answered:
		return head + p.heard()
	case <-ctx.Done():
		return failure(context.DeadlineExceeded)
	}
}

func (s *stream) read(body io.Reader) {
	buf := make([]byte, 4096)
	total, bound := 0, probeBytes
	for total < bound {
		n, err := body.Read(buf)
		total += n
		s.Lock()
		if s.unbound {
			bound = 1 << 30
		}
		s.got.Write(buf[:n])
		s.end = err
		s.Unlock()
		if err != nil {
			return
		}
	}
}

// heard is what came on the stream since it was asked last.
func (p *probe) heard() string {
	synctest.Wait()
	p.stream.Lock()
	defer p.stream.Unlock()
	data := bytes.Clone(p.stream.got.Bytes())
	p.stream.got.Reset()
	if _, after, found := bytes.Cut(data, []byte("/message?sessionId=")); found && p.post == "" {
		id, _, _ := bytes.Cut(after, []byte("\n"))
		p.post = strings.TrimSuffix(p.url, "/sse") + "/message?sessionId=" + strings.TrimSpace(string(id))
	}
	out := " stream:" + excerpt(data)
	if p.stream.end != nil {
		out += " (" + p.stream.end.Error() + ")"
	}
	return out
}

// step sends one message and gives what came of it.
func (p *probe) step(c mcptest.Case, body string) string {
	if c.Way != mcptest.OverLegacy {
		return p.request(http.MethodPost, p.url, body)
	}
	out := p.request(http.MethodPost, p.post, body)
	heard := p.heard()
	if strings.HasPrefix(out, "202") && strings.Contains(body, `"id"`) && heard == nothing {
		time.Sleep(probeTime)
		heard = strings.Replace(p.heard(), nothing, " stream: (nothing for the whole time)", 1)
	}
	return out + heard
}

// nothing is what was heard when nothing came.
const nothing = ` stream: ""`

// steps are the requests of a session by the phase in which they are.
var steps = map[mcptest.Phase]string{
	mcptest.Discover:    `{"jsonrpc":"2.0","id":99,"method":"server/discover"}`,
	mcptest.Initialize:  `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`,
	mcptest.Initialized: `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	mcptest.ListPage1:   `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
	mcptest.ListPage2:   `{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"1"}}`,
	mcptest.Faulty:      `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"faulty","arguments":{"n":9007199254740993}}}`,
}

// transcript is what the server sends where it goes wrong.
func transcript(t *testing.T, c mcptest.Case) string {
	n := mcptest.NewNetwork()
	defer n.Close()
	mcptest.Canary(t, n)
	p := &probe{client: n.Client()}
	p.client.Transport.(*http.Transport).DisableCompression = true
	p.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if c.Host != nil {
		c.Host(n, "bad.test:80")
		return p.request(http.MethodGet, "http://bad.test", "")
	}
	s := c.NewServer()
	p.url = mcptest.Start(t, n, "bad.test:80", s)
	return p.until(c)
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// until goes through a session up to the step that goes wrong.
func (p *probe) until(c mcptest.Case) string {
	if c.Way == mcptest.OverLegacy {
		opened := p.listen()
		if slices.Contains([]mcptest.Phase{mcptest.Every, mcptest.SSEGet, mcptest.SSEEndpoint}, c.At) {
			return opened
		}
	}
	at := c.At
	switch at {
	case mcptest.Every:
		at = mcptest.Initialize
	case "":
		at = mcptest.ListPage1
		if c.Args != "" {
			at = mcptest.Faulty
		}
	case mcptest.List:
		at = mcptest.ListPage1
	case mcptest.Call:
		at = mcptest.Faulty
	}
	for _, phase := range []mcptest.Phase{mcptest.Discover, mcptest.Initialize, mcptest.Initialized, mcptest.ListPage1, mcptest.ListPage2, mcptest.Faulty} {
		if phase == mcptest.Discover && at != phase {
			continue
		}
		if phase == mcptest.ListPage2 && at != phase {
			continue
		}
		body := steps[phase]
		if c.Args != "" {
			body = strings.Replace(body, `{"n":9007199254740993}`, or(strings.TrimSpace(c.Args), `""`), 1)
		}
		out := p.step(c, body)
		if phase == at {
			return out
		}
	}
	return p.request(map[mcptest.Phase]string{mcptest.Get: http.MethodGet, mcptest.Delete: http.MethodDelete}[at], p.url, "")
}

// TestFaultsSendWhatTheySay compares what each fault sends with the checked-in transcript of it, which people have read. With
// -update it is written anew.
func TestFaultsSendWhatTheySay(t *testing.T) {
	var out strings.Builder
	want := map[string]string{}
	if data, err := os.ReadFile(transcripts); err == nil {
		for block := range strings.SplitSeq(strings.TrimSpace(string(data)), "\n\n") {
			name, text, _ := strings.Cut(block, "\n")
			want[name] = strings.TrimSpace(text)
		}
	}
	for _, c := range mcptest.Cases(mcptest.Faults) {
		t.Run(c.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got := strings.TrimSpace(transcript(t, c))
				fmt.Fprintf(&out, "%s\n\t%s\n\n", c, got)
				if !*update {
					require.Equal(t, want[c.String()], got)
				}
			})
		})
	}
	if *update {
		require.NoError(t, os.WriteFile(transcripts, []byte(out.String()), 0o644))
	}
}
