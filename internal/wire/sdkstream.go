package wire

import (
	"io"
	"net/http"

	"github.com/mcpclient-go/mcpclient/internal/wire/rpc"
)

// stream answers a call of the SDK with the events of the response, as they come.
func (p *posted) stream(resp *http.Response, session string, events io.Reader) *http.Response {
	body := &answerStream{answers: answers{posted: p, upstream: resp.Body, body: events}}
	body.to = body
	answer := p.respond(eventStream, session, nil)
	answer.Body = body
	return answer
}

// answerStream is the event stream of one call as the SDK reads it. The SDK's goroutine for the call pulls it; Read isn't called
// concurrently, Close may be.
type answerStream struct {
	answers
	out []byte // for the SDK
}

func (a *answerStream) Read(p []byte) (int, error) {
	for len(a.out) == 0 {
		switch {
		case a.ended:
			return 0, io.EOF
		case a.answers.answered: // the SDK has it by now
			a.finish()
			continue
		}
		if err := a.pull(); err != nil {
			a.end()
			return 0, err
		}
	}
	n := copy(p, a.out)
	a.out = a.out[n:]
	return n, nil
}

func (a *answerStream) incoming(m rpc.Message) { a.out = a.s.appendIncoming(a.out, m) }

func (a *answerStream) answered(c *call, m rpc.Message) {
	a.out = appendEvent(a.out, c.answer(m, false))
}

func (a *answerStream) failed(c *call, err error) { a.out = appendEvent(a.out, c.fail(err)) }
