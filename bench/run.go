package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/mcpclient-go/mcpclient"
)

// run is one run of all measurements.
type run struct {
	ctx     context.Context
	servers *servers
	rounds  int
	// scale is by how much less is done in a round; 1 is all of it.
	scale  int
	counts []int         // of servers, for the time to tools
	budget time.Duration // for connecting where a server does not answer
	// delays are what a server takes for a request, for the time to tools.
	delays []time.Duration
	// failures are turns that failed and were repeated.
	failures []error
}

// maxFailures is when it is no use to go on.
const maxFailures = 20

// samples are the figures of each peer, one a round; -1 where there is none.
type samples map[string][]float64

func (s samples) add(peer string, value float64) { s[peer] = append(s[peer], value) }

// against gives each peer's ratio to the base.
func (s samples) against(base string) map[string]ratio {
	all := map[string]ratio{}
	for name, values := range s {
		if r, ok := compare(values, s[base]); ok && name != base {
			all[name] = r
		}
	}
	return all
}

// interleave lets every peer have its turn in every round, each round in
// another order: none is always the first. A turn adds its figures when it has
// succeeded; one that fails is repeated, and told of.
func (r *run) interleave(turn func(p peer) error) error {
	for round := range r.rounds {
		for i := range peers {
			p := peers[(i+round)%len(peers)]
			for err := turn(p); err != nil; err = turn(p) {
				err = fmt.Errorf("%s: %w", p.name, err)
				r.failures = append(r.failures, err)
				if len(r.failures) > maxFailures || r.ctx.Err() != nil {
					return err
				}
			}
		}
	}
	return nil
}

const (
	patience    = 30 * time.Second // a budget that no server that works uses up
	serialLimit = 3 * time.Second  // what takes a serial peer longer is left out
	bareTrips   = 5                // requests in series that bare go-sdk makes
)

// timing is the time to the tools of count servers, delay being what a server
// takes for each request.
type timing struct {
	delay time.Duration
	count int
	taken samples
}

func (r *run) timeToTools() (all []timing, err error) {
	const tools = 10
	for _, delay := range r.delays {
		for _, count := range r.counts {
			t := timing{delay, count, samples{}}
			to := targetsOf(r.servers.urls(count, tools, delay))
			err := r.interleave(func(p peer) error {
				if p.serial && time.Duration(count*bareTrips)*delay > serialLimit {
					return nil
				}
				if len(t.taken[p.name]) == 0 {
					p.connect(r.ctx, nil, to, patience).close() // connections are open from here on
				}
				taken, err := r.connecting(p, to, r.repeats(count, delay), count*tools)
				if err != nil {
					return err
				}
				t.taken.add(p.name, taken)
				return nil
			})
			if err != nil {
				return nil, fmt.Errorf("time to tools: %w", err)
			}
			all = append(all, t)
		}
	}
	return all, nil
}

// connecting is the mean time of a peer to want tools, in seconds.
func (r *run) connecting(p peer, to targets, times, want int) (float64, error) {
	var taken time.Duration
	for range times {
		start := time.Now()
		s := p.connect(r.ctx, nil, to, patience)
		taken += time.Since(start)
		s.close()
		if s.tools != want {
			return 0, s.lacking(want)
		}
	}
	return taken.Seconds() / float64(times), nil
}

// repeats is how often a peer connects in one turn: what is over in a few
// milliseconds depends too much on what else happens in them.
func (r *run) repeats(count int, delay time.Duration) int {
	if delay > 0 {
		return 1
	}
	return max(1, 20/count/r.scale)
}

// leaving is what a step with ten servers leaves behind, all good or one wedged.
// It has to be measured before anything else: connections that others have left
// end at any time.
type leaving struct {
	connect, cleanup    samples // seconds
	goroutines, sockets samples // 100 ms after cleanup, beside idle connections
}

// rescue is after how long a peer is helped that does not keep to its budget.
func (r *run) rescue() time.Duration { return 2 * r.budget }

func (r *run) leave(wedged string) (leaving, error) {
	out := leaving{samples{}, samples{}, samples{}, samples{}}
	const count, tools = 10, 10
	urls, want := r.servers.urls(count, tools, 0), count*tools
	if wedged != never {
		urls[count/2], want = r.servers.wedged(count/2, wedged), (count-1)*tools
	}
	to := targetsOf(urls)
	err := r.interleave(func(p peer) error {
		transport := http.DefaultTransport.(*http.Transport).Clone()
		if err := r.servers.wedge(r.ctx); err != nil {
			return err
		}
		time.Sleep(20 * time.Millisecond) // for the connection of that to be gone
		before := remaining()
		start := time.Now()
		rescue := time.AfterFunc(r.rescue(), func() { _ = r.servers.release(r.ctx) })
		s := p.connect(r.ctx, &http.Client{Transport: transport}, to, r.budget)
		rescue.Stop()
		connected := time.Now()
		s.cleanup()
		cleaned := time.Now()
		time.Sleep(100 * time.Millisecond)
		transport.CloseIdleConnections() // those are for the next step
		time.Sleep(20 * time.Millisecond)
		left := remaining().minus(before)
		s.wait()
		if err := r.settle(transport, before); err != nil {
			return err
		}
		if s.tools != want {
			return s.lacking(want)
		}
		out.goroutines.add(p.name, float64(left.goroutines))
		out.sockets.add(p.name, float64(left.sockets))
		out.connect.add(p.name, connected.Sub(start).Seconds())
		out.cleanup.add(p.name, cleaned.Sub(connected).Seconds())
		return nil
	})
	return out, err
}

// settle waits until nothing of a turn is left, so that it does not count as
// the next one's.
func (r *run) settle(transport *http.Transport, before remains) error {
	if err := r.servers.release(r.ctx); err != nil {
		return err
	}
	for range 200 {
		transport.CloseIdleConnections()
		if left := remaining().minus(before); left.goroutines <= 0 && left.sockets <= 0 {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return nil // what is left is in the next turn's figure of before
}

// costs are what something takes of the process.
type costs struct{ user, allocs, bytes, wall samples }

func newCosts() costs { return costs{samples{}, samples{}, samples{}, samples{}} }

func (c costs) add(peer string, of cost, times int) {
	n := float64(times)
	c.user.add(peer, of.user.Seconds()/n)
	c.allocs.add(peer, float64(of.allocs)/n)
	c.bytes.add(peer, float64(of.bytes)/n)
	c.wall.add(peer, of.wall.Seconds()/n)
}

const listedTools = 100

// connectCost is of connecting a server, listing its tools, and closing.
func (r *run) connectCost() (costs, error) {
	out, times := newCosts(), 20/r.scale
	to := targetsOf(r.servers.urls(1, listedTools, 0))
	err := r.interleave(func(p peer) error {
		spent, err := spend(func() error {
			for range times {
				s := p.connect(r.ctx, nil, to, patience)
				s.close()
				if s.tools != listedTools {
					return s.lacking(listedTools)
				}
			}
			return nil
		})
		if err == nil {
			out.add(p.name, spent, times)
		}
		return err
	})
	return out, err
}

// callCost is of a call that returns size bytes of text.
func (r *run) callCost(size int) (costs, error) {
	out, times := newCosts(), 100/r.scale
	steps, to := map[string]*step{}, targetsOf(r.servers.urls(1, 1, 0))
	for _, p := range peers {
		steps[p.name] = p.connect(r.ctx, nil, to, patience)
		defer steps[p.name].close()
		if steps[p.name].tools != 1 {
			return out, fmt.Errorf("%s: no tool", p.name)
		}
	}
	err := r.interleave(func(p peer) error {
		spent, err := spend(func() error {
			for range times {
				ctx, cancel := context.WithCancel(r.ctx)
				err := steps[p.name].call(ctx, size)
				cancel()
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err == nil {
			out.add(p.name, spent, times)
		}
		return err
	})
	return out, err
}

// stepping is what a step costs with a warm Pool, and without.
type stepping struct {
	costs
	requests int64 // that all warm steps have sent
}

func (r *run) steps() (out stepping, err error) {
	const count, tools = 10, 50
	to := targetsOf(r.servers.urls(count, tools, 5*time.Millisecond))
	out.costs = newCosts()
	pool := mcpclient.NewPool(mcpclient.PoolOptions{})
	defer func() { err = errors.Join(err, pool.Close(context.WithoutCancel(r.ctx))) }()
	warm := peer{name: pooled, connect: connectOurs(pool.ConnectAll)}
	warm.connect(r.ctx, nil, to, patience).close()
	time.Sleep(300 * time.Millisecond) // what a new session does on the side
	turn := func(p peer, times int) error {
		spent, err := spend(func() error {
			for range times {
				s := p.connect(r.ctx, nil, to, patience)
				s.close()
				if s.tools != count*tools {
					return s.lacking(count * tools)
				}
			}
			return nil
		})
		if err == nil {
			out.add(p.name, spent, times)
		}
		return err
	}
	err = r.interleave(func(p peer) error {
		if p.name == ours {
			before, err := r.servers.requests(r.ctx)
			if err != nil {
				return err
			}
			if err := turn(warm, 500/r.scale); err != nil {
				return err
			}
			after, err := r.servers.requests(r.ctx)
			if err != nil {
				return err
			}
			out.requests += after - before
		}
		return turn(p, 2)
	})
	return out, err
}

// idleMemory is the heap that an idle session with ten tools holds, in bytes.
func (r *run) idleMemory() (samples, error) {
	const tools = 10
	out, count := samples{}, 100/r.scale
	urls := make([]string, count)
	for i := range urls {
		urls[i] = r.servers.urls(1, tools, 0)[0]
	}
	to := targetsOf(urls)
	turn := func(p peer) error {
		transport := http.DefaultTransport.(*http.Transport).Clone()
		before := heap()
		s := p.connect(r.ctx, &http.Client{Transport: transport}, to, patience)
		time.Sleep(100 * time.Millisecond) // what a new session does on the side
		transport.CloseIdleConnections()
		time.Sleep(20 * time.Millisecond)
		held := (heap() - before) / float64(count)
		s.close()
		transport.CloseIdleConnections()
		if s.tools != count*tools {
			return s.lacking(count * tools)
		}
		out.add(p.name, held)
		return nil
	}
	err := r.interleave(func(p peer) error {
		if p.name == ours {
			pool := mcpclient.NewPool(mcpclient.PoolOptions{})
			err := turn(peer{name: pooled, connect: connectOurs(pool.ConnectAll)})
			if err := errors.Join(err, pool.Close(context.WithoutCancel(r.ctx))); err != nil {
				return err
			}
		}
		return turn(p)
	})
	return out, err
}
