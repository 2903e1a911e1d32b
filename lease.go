package mcpclient

import (
	"context"
	"time"

	"charm.land/fantasy"
)

// lease is a step's hold on one server's connection: what the step's tools of
// that server share. It ends with the step's cleanup.
type lease struct {
	connection                  *connection
	opts                        *Options // the step's
	callTimeout, maxCallTimeout time.Duration

	open  context.Context // the step's: its end is that of all calls
	entry *poolEntry      // who gets the connection back; nil: it ends with the lease
}

// end is called once, by cleanup. It does not wait.
func (l *lease) end() {
	if l.entry != nil {
		l.entry.returned()
		return
	}
	if end := l.connection.end(); end != nil {
		l.opts.outlive(end)
	}
}

// append makes the step's own values of what the server offers: they differ
// from those of other steps in whose cleanup ends them.
func (l *lease) append(tools []fantasy.AgentTool, offers []*offered) []fantasy.AgentTool {
	values := make([]tool, len(offers))
	for i, o := range offers {
		values[i].offered, values[i].lease = o, l
		tools = append(tools, &values[i])
	}
	return tools
}
