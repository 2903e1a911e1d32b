package mcpclient

import "sync"

// crew counts goroutines, as a sync.WaitGroup does, but may be added to while
// somebody waits: what a shared session starts can begin at any time. The zero
// value is empty. All methods may be called concurrently.
type crew struct {
	mu     sync.Mutex
	at     int
	absent chan struct{} // closed when at gets to zero; nil: nobody waits
}

// run starts a goroutine that wait waits for.
func (c *crew) run(f func()) {
	c.join()
	go func() {
		defer c.leave()
		f()
	}()
}

// join counts something that is no goroutine yet, until leave.
func (c *crew) join() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at++
}

func (c *crew) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at--; c.at == 0 && c.absent != nil {
		close(c.absent)
		c.absent = nil
	}
}

// wait returns at a moment at which nothing is counted.
func (c *crew) wait() {
	c.mu.Lock()
	if c.at == 0 {
		c.mu.Unlock()
		return
	}
	if c.absent == nil {
		c.absent = make(chan struct{})
	}
	absent := c.absent
	c.mu.Unlock()
	<-absent
}
