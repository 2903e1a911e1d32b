// Package mcptest has MCP servers for tests: good, slow, silent, broken and hostile ones.
//
// A [Server] is an [net/http.Handler] that speaks streamable HTTP and the older HTTP+SSE transport; its zero value is a good
// stateful server with a few tools. What it does wrong is data: a [Behaviour] for each [Phase]. [Faults] is the table of
// everything that servers have been seen to do wrong, with what a client must make of it.
//
// A [Network] joins clients and servers in memory, so that a test in a testing/synctest bubble runs in virtual time.
//
// Only tests import this package.
package mcptest
