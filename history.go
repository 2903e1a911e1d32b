package mcpclient

import (
	"encoding/json"
	"slices"
	"sync"
)

const historySize = 100

// ConnectHistory keeps the newest 100 summaries of many steps, for a debug
// record. The zero value is ready and empty. All methods may be called
// concurrently; it must not be copied after first use, so it is a pointer to it
// that goes into what is encoded as JSON.
type ConnectHistory struct {
	mu      sync.Mutex
	ring    []ConnectSummary
	start   int // index of the oldest entry once the ring is full
	dropped int
}

// Record adds copies of summaries in the order given; beyond 100 the oldest give
// way.
func (h *ConnectHistory) Record(summaries ...ConnectSummary) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range summaries {
		s.Dropped = slices.Clone(s.Dropped)
		if len(h.ring) < historySize {
			h.ring = append(h.ring, s)
			continue
		}
		h.ring[h.start] = s
		h.start = (h.start + 1) % historySize
		h.dropped++
	}
}

// Entries returns a copy of what is kept, oldest first.
func (h *ConnectHistory) Entries() []ConnectSummary {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.entries()
}

func (h *ConnectHistory) entries() []ConnectSummary {
	entries := make([]ConnectSummary, 0, len(h.ring))
	entries = append(entries, h.ring[h.start:]...)
	entries = append(entries, h.ring[:h.start]...)
	for i := range entries {
		entries[i].Dropped = slices.Clone(entries[i].Dropped)
	}
	return entries
}

// Dropped is how many entries gave way to newer ones.
func (h *ConnectHistory) Dropped() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.dropped
}

// MarshalJSON gives {"mcp_connect":[…],"mcp_connect_dropped":n}; the second key
// is there only when entries were dropped.
func (h *ConnectHistory) MarshalJSON() ([]byte, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return json.Marshal(struct {
		Entries []ConnectSummary `json:"mcp_connect"`
		Dropped int              `json:"mcp_connect_dropped,omitempty"`
	}{h.entries(), h.dropped})
}
