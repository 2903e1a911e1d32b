package mcptest

import (
	"fmt"
	"slices"
)

// Fault is one thing that a server does wrong, and what a client must make of it. A test connects to a server that has it, runs the
// tool slow, calls [FaultyTool] beside it, ends slow with [Server.Release], and calls echo.
//
// Most faults are in the one call of FaultyTool, whose good answer is the text "fine"; the others come while the client connects.
type Fault struct {
	Name  string
	Cases []string // ids of the reports it stands for, where there are any
	Over  Over     // zero: OverJSON
	Doc   string   // why it is so, where the name does not say it

	At     Phase // where it goes wrong
	Do     Behaviour
	Also   map[Phase]Behaviour
	Server func(*Server)                 // what else is set
	Host   func(n *Network, host string) // set: there is no server, but this
	Args   string                        // arguments of the call; "": {}

	Connect Connected
	Call    Expectation // of the call of FaultyTool
	Running Expectation // of slow, which ran before that call began
	Next    Expectation // of echo, which is called after it
}

// Over is a set of ways in which a server answers.
type Over int

// The ways: a JSON body, an event stream, the stream of the older transport.
const (
	OverJSON Over = 1 << iota
	OverSSE
	OverLegacy
)

func (o Over) String() string {
	return map[Over]string{OverJSON: "json", OverSSE: "sse", OverLegacy: "legacy"}[o]
}

const (
	anyWay  = OverJSON | OverSSE | OverLegacy
	streams = OverSSE | OverLegacy
)

// Connected is what must be known of a server when its tools should be. Its zero value is a good connection.
type Connected struct {
	Outcome   string   // connected (""), no_tools, timeout, error, auth_required
	Status    int      // HTTP status of a failure; 0: none or not said
	Text      string   // part of the failure's text, without regard to case
	Dropped   []string // tools that must not be offered
	Tools     []string // tools that must be offered
	Truncated bool     // a limit has cut the list
}

// Expectation is what must come of a call. Its zero value is the good answer.
type Expectation struct {
	Kind Kind
	Text string // part of the text for the model, without regard to case
}

// Kind is a kind of outcome of a call.
type Kind int

// The kinds.
const (
	OK       Kind = iota // the good answer
	Repaired             // an answer with the text, though it came broken
	Failed               // an error with the text, soon
	TimedOut             // an error when the client's time is up, as nothing else ends the call
	Limited              // an error that says that a limit was passed
	Renewed              // the good answer of a client that renews sessions; an error of one that does not
	Either               // an answer or an error, but soon
)

func (k Kind) String() string {
	return [...]string{"ok", "repaired", "failed", "timed out", "limited", "renewed", "either"}[k]
}

func repaired(text string) Expectation { return Expectation{Repaired, text} }
func failed(text string) Expectation   { return Expectation{Failed, text} }

var (
	fine     = repaired("fine")
	limited  = Expectation{Kind: Limited}
	timedOut = Expectation{Kind: TimedOut}
	renewed  = Expectation{Renewed, "fine"}
	either   = Expectation{Kind: Either}
)

func refused(status int, text string) Connected {
	return Connected{Outcome: "error", Status: status, Text: text}
}

// Faults is the table, by what goes wrong.
var Faults = slices.Concat(
	hostFaults, connectFaults, handshakeFaults, listFaults, toolFaults, statusFaults, sessionFaults, redirectFaults,
	bodyFaults, messageFaults, contentFaults, streamFaults, chatterFaults, legacyFaults,
)

// Cases makes a test of each fault in each way that it has.
func Cases(faults []Fault) []Case {
	var cases []Case
	for _, f := range faults {
		for _, over := range []Over{OverJSON, OverSSE, OverLegacy} {
			if f.ways()&over != 0 {
				cases = append(cases, Case{Fault: f, Way: over})
			}
		}
	}
	return cases
}

func (f Fault) ways() Over {
	if f.Over == 0 {
		return OverJSON
	}
	return f.Over
}

// Case is a fault in one of its ways.
type Case struct {
	Fault
	Way Over
}

// String is a name that no other case has.
func (c Case) String() string { return fmt.Sprintf("%s/%s", c.Name, c.Way) }

// NewServer is a server that has the fault. It has the DefaultTools and FaultyTool.
func (c Case) NewServer() *Server {
	s := &Server{SSE: c.Way == OverSSE, LegacySSE: c.Way == OverLegacy}
	s.Tools = append(DefaultTools(), Tool{Name: FaultyTool, Description: "Goes wrong.", Result: "fine"})
	s.Wedges = map[Phase]Behaviour{}
	for phase, b := range c.Also {
		s.Wedges[phase] = b
	}
	if c.At != "" {
		s.Wedges[c.At] = c.Do
	}
	if c.Fault.Server != nil {
		c.Fault.Server(s)
	}
	return s
}
