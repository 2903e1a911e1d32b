package mcpclient

import (
	"cmp"
	"sync"
	"unicode/utf8"

	"charm.land/fantasy"
	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpclient-go/mcpclient/internal/redact"
	"github.com/mcpclient-go/mcpclient/internal/toollist"
	"github.com/mcpclient-go/mcpclient/internal/toolschema"
)

// offered is one tool of a server as it is shown to models. It is written once
// and shared by all steps that offer it.
type offered struct {
	server *server
	listed toollist.Tool
	schema *toolschema.Schema
	info   fantasy.ToolInfo
	// instructions are what the server says about all of its tools.
	instructions string

	definition struct {
		once sync.Once
		tool *mcp.Tool
	}
}

// describe fills in what Info returns. The maps in it are shared by all who
// ask: they are a fixpoint of fantasy's schema.Normalize, which otherwise
// writes into them.
func (o *offered) describe(name string) {
	text := shownText(o.listed.Description, o.listed.Title, o.listed.Annotations)
	text = o.server.redactor().Text(text, 0)
	o.info = fantasy.ToolInfo{
		Name:        name,
		Description: withRemarks(text, o.schema.Remarks, o.server.opts.Limits.DescriptionLength),
		Parameters:  o.schema.Properties,
		Required:    o.schema.Required,
		// A hint is no promise, and a tool without one may write.
		Parallel: o.listed.Annotations != nil && o.listed.Annotations.ReadOnlyHint,
	}
}

// withRemarks adds to a tool's description what has to be said of its arguments
// as a whole, which has no other place. It is cut last.
func withRemarks(text, remarks string, limit int) string {
	if remarks == "" {
		return redact.CutRunes(text, limit)
	}
	room := limit - utf8.RuneCountInString(remarks) - 1
	if text == "" || room <= 0 {
		return redact.CutRunes(remarks, limit)
	}
	return redact.CutRunes(text, room) + "\n" + remarks
}

// shownText is what a model reads about a tool.
func shownText(description, title string, a *mcp.ToolAnnotations) string {
	if description == "" && title == "" && a != nil {
		return a.Title
	}
	return cmp.Or(description, title)
}

func (o *offered) Info() fantasy.ToolInfo { return o.info }

func (o *offered) ServerID() uuid.UUID { return o.server.config.ID }
func (o *offered) ServerSlug() string  { return o.server.config.Slug }

func (o *offered) Definition() *mcp.Tool {
	o.definition.once.Do(func() { o.definition.tool = o.listed.Definition() })
	return o.definition.tool
}

// repeatable says whether the server promises that a second run does no harm.
func (o *offered) repeatable() bool {
	a := o.listed.Annotations
	return a != nil && (a.ReadOnlyHint || a.IdempotentHint)
}
