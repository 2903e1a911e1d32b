package wire

import (
	"net/http"
	"sync"
)

// Record is what is known of a session for its summary.
type Record struct {
	Status    int      // of the last response; 0: none came
	Challenge []string // WWW-Authenticate headers of the last 401 or 403, without too long ones
	Reused    bool     // the last request went over a connection that already existed
	Responses int      // how many came
	Protocol  string   // the newest Mcp-Protocol-Version that was sent, "" before initialize
	Err       error    // the last failure of a request or of the session's stream
	Delivered int64    // requests and notifications of the server that the SDK got
	Dropped   int64    // messages of the server that it didn't
}

// Record is a snapshot. The strings are what the server sent.
func (s *Session) Record() Record {
	r := s.record.snapshot()
	s.mu.Lock()
	r.Protocol = s.protocol
	s.mu.Unlock()
	r.Delivered, r.Dropped = s.delivered.Load(), s.dropped.Load()
	return r
}

type recorder struct {
	mu sync.Mutex
	r  Record
}

func (r *recorder) snapshot() Record {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.r
}

func (r *recorder) response(resp *http.Response) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.r.Status = resp.StatusCode
	r.r.Responses++
	if resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden {
		r.r.Challenge = challenges(resp.Header)
	}
}

func (r *recorder) connection(reused bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.r.Reused = reused
}

func (r *recorder) failure(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.r.Err = err
}

const (
	maxChallenges     = 8
	maxChallengeBytes = 16 << 10
)

func challenges(h http.Header) []string {
	var all []string
	for _, c := range h.Values("Www-Authenticate") {
		if len(all) == maxChallenges {
			break
		}
		if len(c) <= maxChallengeBytes { // half of one may be half a secret
			all = append(all, c)
		}
	}
	return all
}
