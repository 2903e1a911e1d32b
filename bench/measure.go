package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// cost is what something took of this process.
type cost struct {
	wall, user    time.Duration
	allocs, bytes uint64
}

// spend measures f. Garbage of before is collected first.
func spend(f func() error) (cost, error) {
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	user, start := userTime(), time.Now()
	err := f()
	c := cost{wall: time.Since(start), user: userTime() - user}
	runtime.ReadMemStats(&after)
	c.allocs, c.bytes = after.Mallocs-before.Mallocs, after.TotalAlloc-before.TotalAlloc
	return c, err
}

// userTime is the CPU time of this process outside of the kernel.
func userTime() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano())
}

// heap is what is live, in bytes.
func heap() float64 {
	runtime.GC()
	runtime.GC() // what finalizers and pools have let go
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// sockets counts this process's; -1 where the system does not list them.
func sockets() int {
	const list = "/proc/self/fd"
	entries, err := os.ReadDir(list)
	if err != nil {
		return -1
	}
	n := 0
	for _, e := range entries {
		if target, err := os.Readlink(filepath.Join(list, e.Name())); err == nil && strings.HasPrefix(target, "socket:") {
			n++
		}
	}
	return n
}

// remains are what a peer has left behind.
type remains struct{ goroutines, sockets int }

func remaining() remains { return remains{runtime.NumGoroutine(), sockets()} }

func (r remains) minus(before remains) remains {
	if r.sockets < 0 {
		return remains{r.goroutines - before.goroutines, -1}
	}
	return remains{r.goroutines - before.goroutines, r.sockets - before.sockets}
}
