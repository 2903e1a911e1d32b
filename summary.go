package mcpclient

import (
	"cmp"
	"slices"

	"github.com/google/uuid"

	"github.com/mcpclient-go/mcpclient/internal/toollist"
)

// ConnectOutcome is how the attempt to connect one server ended.
type ConnectOutcome string

const (
	// ConnectOutcomeConnected means that the server's tools are offered.
	ConnectOutcomeConnected ConnectOutcome = "connected"
	// ConnectOutcomeNoTools means that the server answered and offers no tool,
	// or none that passed the filters.
	ConnectOutcomeNoTools ConnectOutcome = "no_tools"
	// ConnectOutcomeTimeout means that the server's budget ran out; Phase says
	// where.
	ConnectOutcomeTimeout ConnectOutcome = "timeout"
	// ConnectOutcomeError means that the server, the network or the config is
	// at fault; Error says how.
	ConnectOutcomeError ConnectOutcome = "error"
	// ConnectOutcomeAuthRequired means that the server wants credentials, or
	// other ones than it got.
	ConnectOutcomeAuthRequired ConnectOutcome = "auth_required"
	// ConnectOutcomeSkipped means that a Pool left the server alone, since it
	// failed a short while ago; Error says how it failed then.
	ConnectOutcomeSkipped ConnectOutcome = "skipped"
	// ConnectOutcomeCanceled means that ConnectAll's context ended first.
	ConnectOutcomeCanceled ConnectOutcome = "canceled"
)

// ConnectSummary is the record of one server's attempt, fit to be stored and
// shown: text from the server in it is cleaned, bounded and free of the
// server's secrets. The elements of Dropped may be shared with other summaries,
// and must not be modified.
type ConnectSummary struct {
	// ConfigID and Slug are those of the ServerConfig.
	ConfigID uuid.UUID `json:"config_id"`
	Slug     string    `json:"slug"`
	// Outcome is how the attempt ended.
	Outcome ConnectOutcome `json:"outcome"`
	// DurationMS is how long the attempt took, in whole milliseconds.
	DurationMS int64 `json:"duration_ms"`
	// ToolCount is how many of the server's tools are offered.
	ToolCount int `json:"tool_count,omitempty"`
	// Error says in plain words why the attempt failed, in at most 512 bytes.
	// It, Phase and HTTPStatus are there beside connected too where a Pool offers
	// the known tools of a server that fails (Reused).
	Error string `json:"error,omitempty"`
	// Phase is where a failed attempt was: credentials, connect, initialize,
	// list_tools or tools. It is empty for a mistake in the config.
	Phase string `json:"phase,omitempty"`
	// HTTPStatus is that of the answer that made the attempt fail; zero where
	// none did.
	HTTPStatus int `json:"http_status,omitempty"`
	// Protocol is the negotiated protocol version, such as 2025-11-25; empty
	// where the attempt failed before.
	Protocol string `json:"protocol,omitempty"`
	// Server is the name and version by which the server calls itself, as
	// name/version, in at most 128 bytes.
	Server string `json:"server,omitempty"`
	// Filtered is how many tools the allow and deny lists hid.
	Filtered int `json:"filtered,omitempty"`
	// Dropped are tools that can't be offered, the first 20 of DroppedCount.
	Dropped      []DroppedTool `json:"dropped,omitempty"`
	DroppedCount int           `json:"dropped_count,omitempty"`
	// Truncated says that a limit cut the list of tools.
	Truncated bool `json:"truncated,omitempty"`
	// AuthChallenge is, of auth_required, what the server asked for: scheme,
	// error, scope (RFC 6750) and resource_metadata (RFC 9728), in the form of a
	// WWW-Authenticate header. Nothing of it was fetched.
	AuthChallenge string `json:"auth_challenge,omitempty"`
	// Reused says that no session was made: the tools are those of a session
	// that a Pool had, or that it knows of a server which fails now.
	Reused bool `json:"reused,omitempty"`
}

// DroppedTool is a tool that its server lists and that can't be offered. Name is
// the raw name, cleaned, redacted and cut at 128 bytes; Reason is plain words.
type DroppedTool struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

const (
	maxErrorBytes   = 512
	maxDroppedTools = toollist.MaxDropped // a list names no more of them
	maxNameBytes    = 128
)

// failed says whether the outcome is one that a warning is due for.
func (o ConnectOutcome) failed() bool {
	return o == ConnectOutcomeTimeout || o == ConnectOutcomeError || o == ConnectOutcomeAuthRequired
}

// sortSummaries orders by slug, then ID: the order never depends on timing.
func sortSummaries(summaries []ConnectSummary) {
	slices.SortStableFunc(summaries, func(a, b ConnectSummary) int {
		return cmp.Or(cmp.Compare(a.Slug, b.Slug), slices.Compare(a.ConfigID[:], b.ConfigID[:]))
	})
}
