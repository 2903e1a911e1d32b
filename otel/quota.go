package mcpclientotel

import (
	"math"
	"sync"
)

// quota admits the first max distinct keys it is asked about, and no other.
// That bounds the series of a metric whose attribute values others choose.
type quota[K comparable] struct {
	max      int
	mu       sync.Mutex
	admitted map[K]struct{}
}

func (q *quota[K]) admits(key K) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if _, ok := q.admitted[key]; ok {
		return true
	}
	if len(q.admitted) >= q.max {
		return false
	}
	if q.admitted == nil {
		q.admitted = map[K]struct{}{}
	}
	q.admitted[key] = struct{}{}
	return true
}

// limit is what v asks for: zero the default, negative none.
func limit(v, byDefault int) int {
	switch {
	case v == 0:
		return byDefault
	case v < 0:
		return math.MaxInt
	}
	return v
}
