package mcpclient

import (
	"encoding/json"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// progressTable brings progress notifications to the calls that they are about.
// The zero value needs a prefix, which makes tokens unique beyond the session:
// some bridges send the messages for one client to all of them.
type progressTable struct {
	prefix string

	mu      sync.Mutex // never held while a call is told
	last    int64
	waiting map[string]func(*mcp.ProgressNotificationParams)
}

// register makes a token whose notifications go to on until forget. on must not
// block, and may be called by several goroutines.
func (p *progressTable) register(on func(*mcp.ProgressNotificationParams)) (token string, forget func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last++
	token = p.prefix + "-" + strconv.FormatInt(p.last, 10)
	if p.waiting == nil {
		p.waiting = map[string]func(*mcp.ProgressNotificationParams){}
	}
	p.waiting[token] = on
	return token, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.waiting, token)
	}
}

// notified takes a notification as it came, and must not block. What has a wrong
// type is left out: that there is progress is what counts.
func (p *progressTable) notified(raw []byte) {
	var in struct{ ProgressToken, Message, Progress, Total json.RawMessage }
	if json.Unmarshal(raw, &in) != nil {
		return
	}
	token := text(in.ProgressToken)
	p.mu.Lock()
	on := p.waiting[token]
	p.mu.Unlock()
	if on != nil {
		on(&mcp.ProgressNotificationParams{
			ProgressToken: token, Message: text(in.Message), Progress: number(in.Progress), Total: number(in.Total),
		})
	}
}

// number is the number that raw holds; zero where it holds none.
func number(raw json.RawMessage) (n float64) {
	if json.Unmarshal(raw, &n) != nil {
		return 0
	}
	return n
}
