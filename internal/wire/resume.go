package wire

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/mcpclient-go/mcpclient/internal/wire/sse"
)

// A server of a protocol from 2025-03-26 to 2025-11-25 may give its events ids and end the stream of a call before the answer, on
// purpose or not; the client then asks for the rest with a GET that names the last id. See the section on resumability and
// redelivery of those specifications.
const (
	headerLastEvent = "Last-Event-ID"

	firstStateless = "2026-07-28" // the protocol version that ended this

	resumeDelay    = time.Second
	minResumeDelay = 50 * time.Millisecond
	maxResumeDelay = 30 * time.Second
	maxResumes     = 3 // in a row that bring no new event
)

// resumption is where the stream of a call stands.
type resumption struct {
	lastID string
	retry  time.Duration // as the server wishes; 0: it has none
	idle   int           // resumes since the last event with an id
}

// note keeps what an event says for a resumption.
func (r *resumption) note(event sse.Event) {
	if event.Retry > 0 {
		r.retry = event.Retry
	}
	if event.HasID && !event.Cut && event.ID != r.lastID {
		r.lastID, r.idle = event.ID, 0
	}
}

func (r *resumption) delay() time.Duration {
	if r.retry == 0 {
		return resumeDelay
	}
	return min(max(r.retry, minResumeDelay), maxResumeDelay)
}

// resumable reports whether the stream may be asked for again after it ended with err.
func (a *answers) resumable(err error) bool {
	if _, tooLong := brokenOff(err).(*LimitError); tooLong || a.place.lastID == "" {
		return false
	}
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	return a.s.protocol < firstStateless
}

// resume replaces the stream by a new one that goes on where the old one ended. nil: it did.
func (a *answers) resume(cause error) error {
	_ = a.closeUpstream()
	for ; a.place.idle < maxResumes; a.place.idle++ {
		if err := sleep(a.line.ctx, a.place.delay()); err != nil {
			return err
		}
		retry, err := a.reopen()
		if err == nil {
			a.place.idle++ // until an event shows that it brought something
			return nil
		}
		if cause = err; !retry {
			break
		}
	}
	// What became of the GET says nothing of the call: an error that unwraps to it would make the call look refused.
	return &AnswerError{Reason: "the stream ended without an answer and could not be resumed", Cause: told{cause}}
}

// told is an error of which only the text is passed on.
type told struct{ error }

func (told) Unwrap() error { return nil }

// reopen asks for the rest of the stream. retry: it may be asked again.
func (a *answers) reopen() (retry bool, err error) {
	line := a.s.lifeline(a.line.ctx)
	defer func() {
		if err != nil {
			line.end()
		}
	}()
	r, err := http.NewRequestWithContext(line.ctx, http.MethodGet, a.request.URL.String(), nil)
	if err != nil {
		return false, err
	}
	for _, name := range []string{headerSession, headerProtocol} {
		if v := a.request.Header.Get(name); v != "" {
			r.Header.Set(name, v)
		}
	}
	r.Header.Set("Accept", eventStream)
	r.Header.Set(headerLastEvent, a.place.lastID)
	t := &trip{hadSession: a.trip.hadSession}
	resp, err := a.s.send(line, t, r, nil)
	if err != nil {
		return a.line.ctx.Err() == nil, err
	}
	if declines(resp) {
		transient := resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests
		return transient, a.s.httpError(line, resp, t, http.MethodGet, a.trip.hadSession)
	}
	body, err := decoded(resp)
	if err == nil && mediaType(resp) != eventStream {
		err = &AnswerError{Reason: "the server answered with no event stream"}
	}
	if err != nil {
		line.drain(resp.Body)
		return false, err
	}
	a.replace(&resumed{resp.Body, line}, counter{body, a.call.exchange, line.ctx})
	return false, nil
}

// resumed is what a resumed stream comes from. Its request ends with that of the call, or before it.
type resumed struct {
	io.Closer
	line *lifeline
}

func (r *resumed) Close() error {
	r.line.end()
	return r.Closer.Close()
}

// replace makes body the stream that is read from now on.
func (a *answers) replace(upstream io.Closer, body io.Reader) {
	a.mu.Lock()
	a.upstream = upstream
	a.mu.Unlock()
	a.body, a.events = body, nil
}

// sleep waits for d, or less if ctx ends; then it says why.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
