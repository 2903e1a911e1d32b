// Package mcpclient connects a chat backend to all of a chat's MCP servers at
// once and returns their tools as fantasy.AgentTool values.
//
// # One call per step
//
// [ConnectAll] attempts every enabled server at the same time, each under one
// wall-clock budget that the package enforces itself. It returns the tools of
// the servers that answered, one [ConnectSummary] for every server, and a
// cleanup that never blocks. A slow, broken or hostile server costs its own
// tools and nothing else: never the step, never another server, never the
// caller's time. Faults of servers are never Go errors.
//
// A [Pool] has the same method, and keeps sessions warm between steps: the choice
// of a backend whose chats have many steps.
//
// # Who owns what
//
// The caller owns the tools from the moment ConnectAll returns until it calls
// cleanup, and must call cleanup exactly when the step is over (more often does
// no harm). Tools work until then, also after ConnectAll's context has ended.
// A tool that is called after cleanup answers with an error response. What
// outlives a call (the polite close of a session, at most 5 seconds; the
// teardown of an abandoned attempt) is counted in [Options].Background; with a
// Pool, [Pool.Close] waits for it.
//
// # Trust
//
// Servers are untrusted. Their text is cleaned, bounded and searched for the
// caller's secrets before it leaves the package; credentials are sent to the
// configured origin only; nothing that a server asks of the client (sampling,
// elicitation, roots) is granted.
package mcpclient

import (
	"context"
	"time"

	"cdr.dev/slog/v3"
	"charm.land/fantasy"
	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ConnectAll connects to all enabled servers of configs and lists their tools.
//
// It returns within the largest budget of the configs (see
// [Options].ConnectTimeout) plus 100 ms, whatever the servers do, and at once
// when ctx ends. ctx bounds the connecting alone: its end does not end the
// returned tools, but the values in it (trace identifiers, for example) stay
// visible to requests made later.
//
// tools are sorted by name; names are legal for every provider, distinct
// without regard to case, and the same in every step that has the same config
// list and Options.ReservedNames, whichever servers answer. summaries has exactly one entry per enabled
// config, sorted by slug and then ID. cleanup is never nil, returns at once,
// may be called from any goroutine, any number of times, also while calls are
// running; those end with an error response.
//
// tokens are the user's OAuth2 tokens for configs with [OAuth2]; entries for
// other servers are ignored. logger gets one warning per failed server, and one
// for what a host should know of the others: a slow connect, a credential that
// could not be had, a token that could not be stored, a deny pattern that can't
// match, a recovered panic. It gets no secret; its zero value is silent.
//
// ConnectAll may be called concurrently.
func ConnectAll(
	ctx context.Context,
	logger slog.Logger,
	configs []ServerConfig,
	tokens []UserToken,
	opts Options,
) (tools []fantasy.AgentTool, summaries []ConnectSummary, cleanup func()) {
	s := newStep(ctx, logger, configs, opts.withDefaults())
	s.run(tokens)
	return s.tools(), s.summaries(), s.cleanup
}

// ServerConfig is one MCP server of a chat. It is not modified, and must not be
// modified by others before cleanup.
type ServerConfig struct {
	// ID identifies the server in summaries and tokens; unique within a list,
	// Disabled entries aside. Zero is an ID like any other.
	ID uuid.UUID
	// Slug is the prefix of the names of the server's tools; not empty, unique
	// within a list. What is not legal in such a name is replaced there.
	Slug string
	// URL is the server's endpoint, http or https, used byte for byte. User
	// information in it is sent as Basic authentication and shown nowhere. It
	// and the values of the query are treated as secrets.
	URL string
	// Transport is the protocol spoken at URL. Zero means
	// TransportStreamableHTTP.
	Transport Transport
	// Disabled leaves the server out: no connection, no summary.
	Disabled bool
	// Auth is how requests to the server are authenticated; nil means not.
	Auth Auth
	// ForwardHeaders sends Options.ForwardHeaders to this server.
	ForwardHeaders bool
	// ToolAllowList, where not empty, keeps only the tools whose raw name it
	// matches; ToolDenyList removes what it matches, and always wins. Entries
	// are raw tool names or patterns as in path.Match; in a deny, wildcards also
	// stand for a slash. Both are enforced again when a tool is called.
	ToolAllowList, ToolDenyList []string
	// ModelIntent asks the model for a short reason with every call, as an
	// optional argument model_intent that is never sent to the server.
	ModelIntent bool
	// ConnectTimeout and CallTimeout replace those of Options for this server.
	// Zero means Options' values.
	ConnectTimeout, CallTimeout time.Duration
	// ProtocolVersion, where set, is the MCP protocol version to ask for;
	// "2026-07-28" for a server that is known to speak it. The server may answer
	// with another one that this package speaks. Zero means that 2025-11-25 is
	// asked for first.
	ProtocolVersion string
}

// Transport is the way in which a server speaks MCP over HTTP.
type Transport string

const (
	// TransportStreamableHTTP is the Streamable HTTP transport of MCP
	// 2025-03-26 and later. It is what the zero Transport means.
	TransportStreamableHTTP Transport = "streamable_http"
	// TransportSSE is the HTTP+SSE transport of MCP 2024-11-05.
	TransportSSE Transport = "sse"
)

// Tool is what every tool returned by ConnectAll is, beside being a
// fantasy.AgentTool. All methods may be called concurrently and, except Run,
// return at once.
//
// Run never returns a Go error: every failure, also the end of ctx, is an error
// response whose text lets the model go on. (Up to v0.45.2 fantasy ends the
// run on an error of a tool, and runs the model and all tools of the step again
// where the error looks like one of the network.)
type Tool interface {
	fantasy.AgentTool
	// ServerID and ServerSlug are those of the tool's ServerConfig.
	ServerID() uuid.UUID
	ServerSlug() string
	// Definition is the tool as its server listed it, with its raw name: what
	// is neither cleaned nor cut nor searched for secrets, unlike all that Info
	// returns. It is shared, and not to be modified.
	Definition() *mcp.Tool
}
