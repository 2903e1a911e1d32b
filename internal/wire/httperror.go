package wire

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/mcpclient-go/mcpclient/internal/wire/rpc"
)

// HTTPError says that the server answered a request with a status that refuses it.
type HTTPError struct {
	Status     int
	RetryAfter time.Duration  // of a Retry-After header
	SaysWhen   bool           // there was one that could be read
	Challenge  []string       // WWW-Authenticate headers, cut
	RPC        *jsonrpc.Error // the error of a JSON-RPC body, whatever id it has; nil: none
	HadSession bool           // the request was one of an existing session
	Excerpt    string         // start of its message or of another body, one line of at most 200 bytes; "" for HTML
	Renewal    error          // why new credentials could not be had after a 401; nil: not asked, or they were

	method      string // of the message, or GET or DELETE
	legacy      bool
	saysSession bool // the body speaks of a session
	takesGet    bool // the Allow header has GET and not POST
}

// Unwrap gives the JSON-RPC error and the error of Config.Renew.
func (e *HTTPError) Unwrap() []error {
	var errs []error
	if e.RPC != nil {
		errs = append(errs, e.RPC)
	}
	if e.Renewal != nil {
		errs = append(errs, e.Renewal)
	}
	return errs
}

// SessionLost reports that the server doesn't know the session of the request any more; the request has not run. It goes by the
// status, as codes and ids of such answers differ from one server to the next. Servers that say 400 or 401 for it name the
// session in the body. Credentials that the session began with were good then: whether they still are is what a new one shows.
func (e *HTTPError) SessionLost() bool {
	if !e.HadSession {
		return false
	}
	switch e.Status {
	case http.StatusNotFound, http.StatusGone:
		return true
	case http.StatusBadRequest, http.StatusUnauthorized:
		return e.saysSession
	}
	return false
}

// SaysSession reports that the body of an answer to a request of a session speaks of a session: what it refuses may be that.
func (e *HTTPError) SaysSession() bool { return e.HadSession && e.saysSession }

func (e *HTTPError) Error() string {
	text := fmt.Sprintf("HTTP %d: %s", e.Status, e.meaning())
	if e.Excerpt != "" {
		text += ": " + e.Excerpt
	}
	return text
}

func (e *HTTPError) meaning() string {
	first := !e.HadSession && e.method == methodInitialize
	opening := e.legacy && e.method == http.MethodGet
	// An endpoint of either transport that is taken for the other says that the method is wrong or that a session id is missing.
	confused := e.Status == http.StatusMethodNotAllowed || e.Status == http.StatusBadRequest && e.saysSession
	switch {
	case e.SessionLost():
		return "the server no longer knows the session"
	case opening && confused:
		return "no event stream here, looks like a streamable HTTP endpoint"
	case first && (confused || e.takesGet):
		return "no streamable HTTP here, looks like a legacy SSE endpoint"
	case e.Status == http.StatusNotFound && !e.HadSession:
		return "no MCP endpoint at this path"
	}
	switch e.Status {
	case http.StatusUnauthorized:
		return "the server wants credentials or refuses the ones sent"
	case http.StatusForbidden:
		return "access is forbidden"
	case http.StatusNotAcceptable:
		return "the server refuses the Accept header; a proxy may have changed it"
	case http.StatusTooManyRequests:
		return "too many requests"
	}
	if name := http.StatusText(e.Status); name != "" {
		return strings.ToLower(name)
	}
	return "unknown status"
}

const (
	errorBodyBytes = 64 << 10
	errorBodyTime  = time.Second
)

// httpError reads a response that refuses a request, within limits of its own, and ends it.
func (s *Session) httpError(line *lifeline, resp *http.Response, t *trip, method string, hadSession bool) *HTTPError {
	e := &HTTPError{
		Status:     resp.StatusCode,
		Challenge:  challenges(resp.Header),
		HadSession: hadSession,
		Renewal:    t.renewal,
		method:     method,
		legacy:     s.config.LegacySSE,
	}
	e.RetryAfter, e.SaysWhen = retryAfter(resp.Header.Get("Retry-After"), time.Now())
	if allow := strings.ToUpper(strings.Join(resp.Header.Values("Allow"), ",")); strings.Contains(allow, "GET") {
		e.takesGet = !strings.Contains(allow, "POST")
	}
	body := errorBody(line, resp, t.exchange)
	e.saysSession = bytes.Contains(bytes.ToLower(body), []byte("session"))
	messages, err := rpc.Parse(body)
	for _, m := range messages {
		if m.Error != nil && m.Tagged {
			e.RPC = rpcError(m.Error)
			break
		}
	}
	switch {
	case e.RPC != nil:
		e.Excerpt = s.excerpt([]byte(e.RPC.Message), maxExcerpt, false)
	case err != rpc.ErrHTML && err != rpc.ErrXML && err != rpc.ErrBinary:
		e.Excerpt = s.excerpt(body, maxExcerpt, len(body) == errorBodyBytes)
	}
	if e.SessionLost() {
		s.mu.Lock()
		s.lost = true
		s.mu.Unlock()
	}
	return e
}

const (
	maxChallenges     = 8
	maxChallengeBytes = 16 << 10
)

func challenges(h http.Header) []string {
	var all []string
	for _, c := range h.Values("Www-Authenticate") {
		if len(all) == maxChallenges {
			break
		}
		if len(c) <= maxChallengeBytes { // half of one may be half a secret
			all = append(all, c)
		}
	}
	return all
}

// errorBody is the start of a body: what an error needs of it, even of one that never ends.
func errorBody(line *lifeline, resp *http.Response, e *Exchange) []byte {
	defer line.within(errorBodyTime)()
	body, err := decoded(resp)
	if err != nil {
		_ = resp.Body.Close()
		return nil
	}
	start, _ := io.ReadAll(io.LimitReader(counter{body, e, line.ctx}, errorBodyBytes))
	line.drain(resp.Body)
	return start
}

// retryAfter reads both forms of the header, see RFC 9110, section 10.2.3.
func retryAfter(value string, now time.Time) (wait time.Duration, says bool) {
	if seconds, err := strconv.ParseInt(value, 10, 32); err == nil {
		return max(time.Duration(seconds)*time.Second, 0), seconds >= 0
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(at.Sub(now), 0), true
	}
	return 0, false
}
