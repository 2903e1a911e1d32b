package wire

import (
	"context"
	"io"
	"net/http"

	"github.com/mcpclient-go/mcpclient/internal/wire/rpc"
)

// Request is a request or notification that a session sends by itself, without the SDK.
type Request struct {
	Method   string
	Params   []byte // a JSON object
	Protocol string // the version that the session speaks; "" before that is known
	// OnConn is as in ExchangeOptions.
	OnConn func(reused bool)
}

// ownIDs is what the ids of a session's own requests count from, above all that the SDK will ever use. With idBase they are below
// 2^53, and so exact in a float64.
const ownIDs = 1 << 51

// Request sends a request of a streamable HTTP session past the SDK, which would encode and decode it several times, and returns
// when it has an outcome or ctx ends. Of the Exchange that it returns nothing changes any more. Beside the answer the server is
// served as by the SDK: it is told when a request that may be running is given up, its notifications go to Config.Notified, and its
// requests are refused, but for ping.
func (s *Session) Request(ctx context.Context, q Request) *Exchange {
	r := &requested{exchange: Exchange{options: ExchangeOptions{OnConn: q.OnConn}, alone: true}}
	e := &r.exchange
	defer e.Close()
	if err := s.over(ctx); err != nil {
		_ = s.lose(e, ctx, err)
		return e
	}
	id := s.idBase + ownIDs + s.requests.Add(1)
	line := s.lifeline(ctx)
	r.call = call{wire: id, method: q.Method, exchange: e, line: line}
	r.trip = trip{exchange: e}
	r.posted = posted{s: s, call: &r.call, trip: &r.trip, request: s.newPost(line.ctx, q.Protocol), ctx: ctx, line: line}
	p := &r.posted
	p.trip.hadSession = p.request.Header[headerSession] != nil
	setBody(p.request, rpc.AppendRequest(make([]byte, 0, len(q.Params)+len(q.Method)+96), id, q.Method, q.Params))
	p.ask()
	if ctx.Err() != nil && e.Sent() && !e.Done() && q.Method != methodInitialize { // which can't be cancelled
		s.giveUp(ctx, q.Protocol, id)
	}
	return e
}

// Notify sends a notification in the same way, and returns when the server has taken it. The error is as that of an Exchange.
func (s *Session) Notify(ctx context.Context, q Request) error {
	e := &Exchange{options: ExchangeOptions{OnConn: q.OnConn}, alone: true}
	defer e.Close()
	if err := s.over(ctx); err != nil {
		return s.lose(e, ctx, err)
	}
	line := s.lifeline(ctx)
	defer line.end()
	r := s.newPost(line.ctx, q.Protocol)
	setBody(r, rpc.AppendNotification(nil, q.Method, q.Params))
	t := &trip{exchange: e, hadSession: r.Header[headerSession] != nil}
	resp, err := s.dispatch(line, t, r)
	if err != nil {
		return s.lose(e, ctx, err)
	}
	return s.taken(line, t, resp, q.Method)
}

// taken is nil if the server has taken a notification, or an answer to it.
func (s *Session) taken(line *lifeline, t *trip, resp *http.Response, method string) error {
	if declines(resp) {
		return s.httpError(line, resp, t, method, t.hadSession)
	}
	line.drain(resp.Body)
	return nil
}

// requested is all that a request of the session's own needs, in one piece.
type requested struct {
	exchange Exchange
	call     call
	trip     trip
	posted   posted
}

// newPost is a POST to the endpoint, with the headers that the SDK sends.
func (s *Session) newPost(ctx context.Context, protocol string) *http.Request {
	r := s.template.WithContext(ctx)
	values := [...]string{"application/json", "application/json, " + eventStream, protocol, s.speak(protocol)}
	r.Header = make(http.Header, len(values))
	for i, name := range [...]string{"Content-Type", "Accept", headerProtocol, headerSession} {
		if values[i] != "" {
			r.Header[name] = values[i : i+1 : i+1]
		}
	}
	return r
}

// speak notes the version that the session speaks, if one is given, and returns its id.
func (s *Session) speak(protocol string) (session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if protocol != "" {
		s.protocol = protocol
	}
	return s.sessionID
}

// ask sends the request and brings what comes of it to the exchange.
func (p *posted) ask() {
	resp, err := p.s.dispatch(p.line, p.trip, p.request)
	if err != nil {
		_ = p.refuse(err)
		return
	}
	events, m, err := p.content(resp)
	if err == nil {
		_, err = p.adopt(resp, events != nil || m.Result != nil)
	}
	if err != nil {
		_ = resp.Body.Close()
		_ = p.refuse(err)
		return
	}
	if events == nil {
		p.line.end()
		p.call.take(m, true)
		return
	}
	p.follow(resp.Body, events)
}

// follow reads the event stream up to the answer. Its end is awaited elsewhere: some servers take their time with it.
func (p *posted) follow(upstream io.Closer, events io.Reader) {
	a := &answers{posted: p, upstream: upstream, body: events, to: asker{p}}
	for !a.answered && !a.ended {
		if a.pull() != nil {
			a.end()
		}
	}
	if !a.ended && !p.s.spawn(a.finish) {
		a.end()
	}
}

// asker receives what comes for a request of the session's own.
type asker struct{ p *posted }

func (k asker) incoming(m rpc.Message) {
	k.p.s.receive(k.p.ctx, k.p.request.Header.Get(headerProtocol), m)
}

func (asker) answered(c *call, m rpc.Message) { c.take(m, false) }

func (asker) failed(c *call, err error) { c.exchange.fail(err) }
