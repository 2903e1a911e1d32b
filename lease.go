package mcpclient

import (
	"context"

	"charm.land/fantasy"
)

// lease is a step's hold on one server's connection: what the step's tools of
// that server share. It ends with the step's cleanup; calls that run then are
// cancelled, later ones are refused.
type lease struct {
	connection *connection
	opts       Options // the step's, with the server's own limits in time
	open       context.Context
	close      context.CancelFunc
}

func newLease(c *connection, opts Options) *lease {
	open, shut := context.WithCancel(context.Background())
	return &lease{connection: c, opts: opts, open: open, close: shut}
}

// tools makes the step's own values of what the server offers: they differ
// from those of other steps in whose cleanup ends them.
func (l *lease) tools(offers []*offered) []fantasy.AgentTool {
	values := make([]tool, len(offers))
	tools := make([]fantasy.AgentTool, len(offers))
	for i, o := range offers {
		values[i].offered, values[i].lease = o, l
		tools[i] = &values[i]
	}
	return tools
}
