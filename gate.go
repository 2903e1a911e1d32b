package mcpclient

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// gate keeps many calls from hammering a server that can't be reached. While it
// is open all pass. A failure shuts it: then one at a time may try, after a
// pause that grows with each failure, and what that one learns is told to all
// who wait. The zero value is open.
type gate struct {
	mu       sync.Mutex // never held while waiting
	failures int
	until    time.Time     // no try before it
	probe    chan struct{} // closed when the try under way has ended; nil: none
	err      error         // of the last try
}

const (
	minPause = 200 * time.Millisecond
	maxPause = 10 * time.Second
)

// enter waits until the caller may try. Who gets probe true must call leave; an
// error is that of the try that the caller has waited for, or the end of ctx.
func (g *gate) enter(ctx context.Context) (probe bool, err error) {
	for {
		g.mu.Lock()
		if g.failures == 0 {
			g.mu.Unlock()
			return false, nil
		}
		under, pause := g.probe, time.Until(g.until)
		if under == nil && pause <= 0 {
			g.probe = make(chan struct{})
			g.mu.Unlock()
			return true, nil
		}
		g.mu.Unlock()
		if under == nil {
			if err := sleep(ctx, pause); err != nil {
				return false, err
			}
			continue
		}
		select {
		case <-under:
		case <-ctx.Done():
			return false, context.Cause(ctx)
		}
		if err := g.lastErr(); err != nil {
			return false, err
		}
	}
}

// leave ends a try: err says that the server could not be reached; nil that it
// could.
func (g *gate) leave(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.end()
	g.err = err
	if err == nil {
		g.failures = 0
		return
	}
	g.failures++
	pause := min(minPause<<min(g.failures-1, 10), maxPause)
	g.until = time.Now().Add(pause/2 + rand.N(pause))
}

// giveUp ends a try that has learned nothing, as its caller went away.
func (g *gate) giveUp() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.end()
}

func (g *gate) end() {
	if g.probe != nil {
		close(g.probe)
		g.probe = nil
	}
}

func (g *gate) lastErr() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.err
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
