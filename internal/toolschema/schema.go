// Package toolschema turns the JSON schema of an MCP tool's arguments into
// what fantasy carries of it (properties and required names), in a form that
// every model provider takes, and turns the arguments a model writes back
// into the JSON object that the server expects.
//
// The package is pure: no I/O, no goroutines, no state that changes.
package toolschema

import (
	"strings"
)

// IntentProperty is the name of the property that [Options.Intent] adds.
const IntentProperty = "model_intent"

const intentDescription = "A short reason, in a few words, why this tool is called now. Shown to the user."

// Limits of a schema, where Options leaves them at zero. Real tools stay far
// below: of 2,133 the largest has 85 KB and 11 levels.
const (
	defaultMaxNodes = 10_000
	defaultMaxDepth = 32
	defaultMaxBytes = 256 << 10
)

// maxNotes bounds Schema.Notes, maxNoteLength each of them in bytes.
const (
	maxNotes      = 16
	maxNoteLength = 160
)

// Options sets how a schema is converted. The zero value is ready to use.
type Options struct {
	// Intent adds one more optional top-level string property,
	// [IntentProperty], that Arguments takes off again. A tool that has a
	// property of that name keeps its own; then nothing is added or taken off.
	Intent bool

	// MaxNodes is the most JSON values of the schema that comes in, and of
	// the one that goes out after its references are inlined. 0: 10,000.
	MaxNodes int
	// MaxDepth is the most levels of objects and arrays that the model sees;
	// what is deeper becomes a stub of its type. 0: 32.
	MaxDepth int
	// MaxBytes is the most bytes of JSON text that come in, and about the
	// most that go out. 0: 256 KiB.
	MaxBytes int

	// DescriptionLength is the most characters of each description and title.
	// Clean sees the whole text, before it is cut. 0 or less: no limit.
	DescriptionLength int

	// Stop is asked now and then in the course of a conversion whether to end it;
	// then Convert returns ErrStopped. nil: never.
	Stop func() bool

	// Clean takes characters that a model or a log should not see out of
	// descriptions, titles and names in notes. Values and rules that it would
	// change are left out. nil: all stay as they are.
	Clean func(string) string
	// Secret reports that a text, or a number's, must not be seen by a model at
	// all. Values and rules with such a text are left out, since a server takes no others in
	// their place; a property is named without it. Clean must take it out of
	// text too. nil: nothing is secret.
	Secret func(string) bool
}

// Schema is what fantasy carries of one tool's schema, and the way back for
// the arguments. It is immutable and safe for concurrent use. The zero value
// has nil maps; use Convert.
type Schema struct {
	// Properties is never nil and never written again, so that it can be
	// shared. {"type":"object","properties":Properties,"required":Required} is
	// a fixpoint of fantasy's schema.Normalize, which otherwise writes into
	// the map. It holds map[string]any, []any, string, float64 and bool only.
	Properties map[string]any
	// Required is never nil and names keys of Properties, each once.
	Required []string
	// Remarks are sentences about the arguments as a whole, such as which of them
	// belong together, for the tool's description: nothing else of the schema
	// says so. Clean, and within Options.DescriptionLength. "": none.
	Remarks string
	// Notes says in a few words each what was lost or changed in meaning, for
	// debug logs. At most 16; schema text beyond names is not quoted.
	Notes []string

	args   *shape
	intent bool // IntentProperty was added here and is taken off the arguments
}

// Convert makes a Schema of a tool's inputSchema: JSON text as
// json.RawMessage or []byte, a decoded value as the MCP SDK has it, or nil.
// The value is only read, and the work is bounded whatever it holds. The error
// is ErrStopped, or says in plain words why a tool with this schema can't be
// offered.
func Convert(inputSchema any, o Options) (*Schema, error) {
	o = o.withDefaults()
	root, size, err := load(inputSchema, o)
	if err != nil {
		return nil, err
	}
	return convertRoot(root, size, o)
}

func (o Options) withDefaults() Options {
	if o.MaxNodes <= 0 {
		o.MaxNodes = defaultMaxNodes
	}
	if o.MaxDepth <= 0 {
		o.MaxDepth = defaultMaxDepth
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = defaultMaxBytes
	}
	return o
}

func (o Options) clean(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if o.Clean == nil {
		return s
	}
	return o.Clean(s)
}

func (o Options) secret(s string) bool { return o.Secret != nil && o.Secret(s) }

// shown is a property's name as far as it may be seen.
func (o Options) shown(name string) string {
	if o.secret(name) {
		return o.clean(name)
	}
	return name
}
