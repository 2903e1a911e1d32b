package mcpclient

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// gate keeps many calls from hammering a server that can't be reached. While it
// is open all pass. It shuts when a try fails, and while nothing is known of the
// server for a moment: then one at a time may try, after a failure only when a
// pause is over that grows with each further one, and what that one learns is
// told to all who wait. The zero value knows nothing yet.
type gate struct {
	mu       sync.Mutex // never held while waiting
	failures int
	until    time.Time // no try before it
	proved   time.Time // when the server was reached last
	probe    *probe    // under way; nil: none
}

// probe is one try that others wait for.
type probe struct {
	ended chan struct{} // closed when err is written
	err   error         // nil: the server was reached, or nothing was learned
}

const (
	minPause = 200 * time.Millisecond
	maxPause = 10 * time.Second
	// proofTime is for how long all may pass after the server was reached.
	proofTime = time.Second
)

// enter waits until the caller may try. Who gets a probe must end it, by reached,
// failed or giveUp; nil is for callers who pass. An error is that of the try
// which the caller has waited for, or the end of ctx.
func (g *gate) enter(ctx context.Context) (*probe, error) {
	for {
		g.mu.Lock()
		if g.failures == 0 && time.Since(g.proved) < proofTime {
			g.mu.Unlock()
			return nil, nil
		}
		under, pause := g.probe, time.Until(g.until)
		if under == nil && (g.failures == 0 || pause <= 0) {
			g.probe = &probe{ended: make(chan struct{})}
			defer g.mu.Unlock()
			return g.probe, nil
		}
		g.mu.Unlock()
		if under == nil {
			if err := sleep(ctx, pause); err != nil {
				return nil, err
			}
			continue
		}
		select {
		case <-under.ended:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		if under.err != nil {
			return nil, under.err
		}
	}
}

// reached notes that the server was reached, by a try or by one who passed.
func (g *gate) reached(t *probe) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if t == nil && g.failures > 0 {
		return // it began before the failure: whoever tries now knows better
	}
	g.failures, g.proved = 0, time.Now()
	g.end(t, nil)
}

// failed notes that the server could not be reached. Of those who passed
// together, one failure counts.
func (g *gate) failed(t *probe, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if t != nil && g.probe != t || t == nil && g.failures > 0 {
		return
	}
	g.failures++
	pause := min(minPause<<min(g.failures-1, 10), maxPause)
	g.until = time.Now().Add(pause/2 + rand.N(pause))
	g.end(t, err)
}

// giveUp ends a try that has learned nothing, as its caller went away.
func (g *gate) giveUp(t *probe) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.end(t, nil)
}

func (g *gate) end(t *probe, err error) {
	if t == nil || g.probe != t {
		return
	}
	t.err = err
	close(t.ended)
	g.probe = nil
}

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
