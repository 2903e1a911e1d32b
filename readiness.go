package mcpclient

import (
	"context"
	"sync"
	"sync/atomic"
)

// readiness is the notifications/initialized of a session: sent beside the
// first tools/list instead of before it, which saves a round trip.
type readiness struct {
	send  func(onConn func()) error // nil: nothing to send
	once  sync.Once
	begun atomic.Bool
	onWay chan struct{} // closed when it has a connection, or failed to get one
	done  chan struct{} // closed when it was answered, or failed
}

// start sends the notification, the first time, in a goroutine that run starts.
// The session's end ends it, and wait awaits it. The channel is closed when the
// notification has its connection, or failed to get one.
func (r *readiness) start(run func(func())) <-chan struct{} {
	r.once.Do(func() {
		r.onWay = make(chan struct{})
		reached := sync.OnceFunc(func() { close(r.onWay) })
		if r.send == nil {
			reached()
			return
		}
		r.begun.Store(true)
		run(func() {
			defer close(r.done)
			defer reached()
			_ = r.send(reached) // a server that refuses it is served all the same
		})
	})
	return r.onWay
}

// awaited waits until the notification was answered, or failed, but not for
// longer than announceTimeout: some servers never answer it. It is false where
// life ends before.
func (r *readiness) awaited(life context.Context) bool {
	ctx, cancel := context.WithTimeout(life, announceTimeout)
	defer cancel()
	select {
	case <-r.done:
	case <-ctx.Done():
	}
	return life.Err() == nil
}

func (r *readiness) wait() { r.waitWithin(context.Background()) }

func (r *readiness) waitWithin(ctx context.Context) {
	if !r.begun.Load() {
		return
	}
	select {
	case <-r.done:
	case <-ctx.Done():
	}
}
