package mcpclient

import (
	"context"
	"math"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Options are what all servers of one ConnectAll share. The zero value works:
// every field documents what it means when it is left out.
//
// Options are read during ConnectAll and by the tools it returned, so maps and
// functions in them must not be modified before cleanup. All hooks may be
// called from several goroutines at once; they must not block, and a hook that
// panics is recovered.
type Options struct {
	// UserID is the user on whose behalf the servers are connected. It is
	// handed to OIDCTokens, and keeps a Pool's sessions of users apart. It is not
	// sent. Zero is a user like any other.
	UserID uuid.UUID
	// OIDCTokens gives the user's own access token for servers with UserOIDC.
	// Nil means that no user has one.
	OIDCTokens OIDCTokenSource
	// ForwardHeaders are the host's identity headers, sent to servers whose
	// config asks for them, to the configured origin only. Headers of the
	// server's own Auth win over them.
	ForwardHeaders map[string]string

	// HTTPClient supplies the transport for all connections; nil means one
	// shared by all calls in the process. Only its Transport is used, and it
	// is never modified: redirects, time limits and credentials are this
	// package's own concern, and http.Client.Timeout would end long tool
	// calls. It must end a request when the request's context ends, and a body
	// when that is closed; an http.Transport should have a TLSHandshakeTimeout,
	// as a handshake that hangs is its own. A Pool shares sessions only between
	// steps with the same HTTPClient.
	HTTPClient *http.Client

	// AddressPolicy says which addresses may be connected to, for servers and
	// for the authorization servers of their tokens. Zero denies the metadata
	// services of clouds, and link-local addresses.
	AddressPolicy AddressPolicy

	// ConnectTimeout is the budget of one server, from resolving credentials
	// to the last page of its tools. Zero or less means 10 seconds.
	ConnectTimeout time.Duration
	// CallTimeout is how long one tool call may take without a sign of
	// progress from the server. Zero or less means 60 seconds.
	CallTimeout time.Duration
	// MaxCallTimeout ends a tool call even if it reports progress. Zero or less
	// means 10 minutes. A server's longer CallTimeout raises it.
	MaxCallTimeout time.Duration

	// ReservedNames are names that no returned tool may have, compared without
	// case: those of the host's own tools. Nil reserves none.
	ReservedNames []string
	// ToolFilter may drop a tool by its whole definition, as the server listed
	// it; the reason ends up in ConnectSummary.Dropped. It runs after the allow
	// and deny lists, in every step, also on a Pool. It must not modify the
	// tool. A panic in it drops the tool. Nil keeps all.
	ToolFilter func(ServerConfig, *mcp.Tool) (keep bool, reason string)
	// ClientInfo is how the client introduces itself to servers. Without a Name
	// all of it is replaced by this package's name and version.
	ClientInfo mcp.Implementation
	// Limits bound what a server can cost. The zero value has defaults.
	Limits Limits

	// OnTokenRefresh persists a refreshed token. It is called before any request
	// uses the token, and bounded by its context (30 seconds), which it must
	// obey: requests that need the token wait for it. Its error is logged; the
	// token is used all the same. All who hold a grant in this process share one
	// refresh and one call of the hook, that of the step which began it or, on a
	// Pool, of the newest step of that session. Several processes are the host's
	// concern: store a token only over an older one of the same grant. Nil
	// stores nothing.
	OnTokenRefresh func(context.Context, UserToken) error
	// OnConnect is told of every attempt's outcome, in the order in which
	// attempts end, before ConnectAll returns. A panic in it makes the attempt
	// an error. Nil, as that of the other hooks, tells nobody.
	OnConnect func(context.Context, ConnectSummary)
	// OnProgress is told of the progress of running calls, in order; of several
	// reports that come while it runs, the newest. It can't delay a call.
	OnProgress func(context.Context, ToolProgress)
	// OnToolCall is told of every call of a tool as it ends, with the call's
	// context.
	OnToolCall func(context.Context, ToolCallSummary)

	// CallMeta gives further _meta of a tools/call, by the call's context: trace
	// context, for example (SEP-414). The package's own keys win. It must return
	// a map that nobody else writes to; where that can't be encoded as JSON, the
	// call fails and nothing is sent.
	CallMeta func(context.Context) map[string]any

	// Images says how images in tool results reach the model.
	Images ImageMode

	// Background counts the goroutines that outlive a call: abandoned attempts
	// that are being torn down, and sessions that are being closed after
	// cleanup. After cleanup and Wait nothing of the step is left but idle
	// connections of the shared HTTP transport. Don't wait while a ConnectAll or
	// a call may begin (see sync.WaitGroup.Add). A Pool counts its own, see
	// Pool.Close. Nil is fine.
	Background *sync.WaitGroup
}

// Limits bound what one server can cost in memory and in the model's context.
// In each field zero means the default and a negative value means no limit.
// Sizes are in bytes.
type Limits struct {
	// Tools and Pages are of one server's list: 512 and 100. What is over the
	// limit is left out, and the summary says Truncated.
	Tools, Pages int
	// ParallelCalls is how many calls one server works on at a time: 16, for one
	// step or, on a Pool, for all steps that share its session. Further ones
	// wait, within their own time limit.
	ParallelCalls int
	// DescriptionLength is in characters, of a tool's description: 4,096.
	DescriptionLength int
	// ToolBytes is the JSON size of one tool's definition (128 KiB; a larger
	// tool is dropped), ListBytes that of a server's whole list (4 MiB; the
	// rest is left out).
	ToolBytes, ListBytes int64
	// ResultBytes is text of one result to the model (256 KiB; the middle is
	// cut out), MediaBytes an image's decoded size (10 MiB; a larger one
	// becomes a line of text), BodyBytes one decoded answer or event from the
	// network (32 MiB; a larger one is an error).
	ResultBytes, MediaBytes, BodyBytes int64
}

// ImageMode says how images in tool results reach the model. The zero value is
// native where the step's provider takes them; an unknown provider counts as
// one that does. See PrepareStep.
type ImageMode string

// ImagesAsText replaces each image by a line of text that says its type and
// size.
const ImagesAsText ImageMode = "text"

const (
	defaultConnectTimeout = 10 * time.Second
	defaultCallTimeout    = 60 * time.Second
	defaultMaxCallTimeout = 10 * time.Minute
	slowConnect           = 5 * time.Second
	closeTimeout          = 5 * time.Second
	version               = "0.1.0"
)

// withDefaults returns o with every zero field that has a default filled in,
// and every limit positive.
func (o Options) withDefaults() Options {
	o.ConnectTimeout = orDefault(o.ConnectTimeout, defaultConnectTimeout)
	o.CallTimeout = orDefault(o.CallTimeout, defaultCallTimeout)
	o.MaxCallTimeout = orDefault(o.MaxCallTimeout, defaultMaxCallTimeout)
	o.Limits = o.Limits.withDefaults()
	if o.ClientInfo.Name == "" {
		o.ClientInfo = mcp.Implementation{Name: "mcpclient", Version: version}
	}
	if o.Background == nil {
		o.Background = new(sync.WaitGroup)
	}
	return o
}

func (l Limits) withDefaults() Limits {
	return Limits{
		Tools:             bound(l.Tools, 512),
		Pages:             bound(l.Pages, 100),
		ParallelCalls:     bound(l.ParallelCalls, 16),
		DescriptionLength: bound(l.DescriptionLength, 4096),
		ToolBytes:         bound(l.ToolBytes, 128<<10),
		ListBytes:         bound(l.ListBytes, 4<<20),
		ResultBytes:       bound(l.ResultBytes, 256<<10),
		MediaBytes:        bound(l.MediaBytes, 10<<20),
		BodyBytes:         bound(l.BodyBytes, 32<<20),
	}
}

// bound is the limit that v asks for: zero the default, negative none.
func bound[T int | int64](v, byDefault T) T {
	switch {
	case v == 0:
		return byDefault
	case v < 0:
		return math.MaxInt
	}
	return v
}

func orDefault(d, byDefault time.Duration) time.Duration {
	if d <= 0 {
		return byDefault
	}
	return d
}
