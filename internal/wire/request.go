package wire

import (
	"context"
	"io"
	"net/http"

	"github.com/mcpclient-go/mcpclient/internal/wire/rpc"
)

// Request is a request that a session sends by itself, without the SDK.
type Request struct {
	Method   string
	Params   []byte // a JSON object
	Protocol string // the version that the session speaks
	// OnConn is as in ExchangeOptions.
	OnConn func(reused bool)
}

// ownIDs is what the ids of a session's own requests count from, above all that the SDK will ever use. With idBase they are below
// 2^53, and so exact in a float64.
const ownIDs = 1 << 51

// Request sends a request of a streamable HTTP session past the SDK, which would encode and decode it several times, and returns
// when it has an outcome or ctx ends. Of the Exchange that it returns nothing changes any more. Beside the
// answer the server is served as by the SDK: it is told when a request that may be running is given up, its notifications go to
// Config.Notified, and its requests are refused, but for ping.
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
	if ctx.Err() != nil && e.Sent() && !e.Done() {
		s.giveUp(ctx, q.Protocol, id)
	}
	return e
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
	values := [...]string{"application/json", "application/json, " + eventStream, protocol, s.SessionID()}
	r.Header = make(http.Header, len(values))
	for i, name := range [...]string{"Content-Type", "Accept", headerProtocol, headerSession} {
		if values[i] != "" {
			r.Header[name] = values[i : i+1 : i+1]
		}
	}
	return r
}

// ask sends the request and brings what comes of it to the exchange.
func (p *posted) ask() {
	resp, err := p.s.dispatch(p.line, p.trip, p.request)
	if err != nil {
		_ = p.refuse(err)
		return
	}
	events, m, err := p.content(resp)
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
