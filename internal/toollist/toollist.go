// Package toollist decodes the result of tools/list from its raw bytes, one
// tool at a time.
//
// A server's list is as good as its worst entry for a decoder that takes it as
// one value: a single wrong-typed field loses every tool. Here a wrong-typed
// optional field costs nothing, and an entry that can't be used costs itself.
// Schemas stay raw: who needs them decodes them, under its own limits.
package toollist

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Page is one page of a server's list.
type Page struct {
	Tools   []Tool
	Dropped []Dropped
	// NextCursor is empty on the last page.
	NextCursor string
	// TTLMs is for how many milliseconds the server says that the list is
	// good; nil where it does not say (SEP-2549).
	TTLMs *int64
}

// Dropped is an entry that can't be used. Name is raw and may be empty.
type Dropped struct{ Name, Reason string }

// Tool is one entry. The raw members alias the bytes given to Decode.
type Tool struct {
	Name, Title, Description string
	Annotations              *mcp.ToolAnnotations // nil where there are none

	// InputSchema is raw JSON of any kind; nil where it is missing.
	InputSchema []byte
	// TaskRequired says that a plain call can only fail:
	// execution.taskSupport is "required".
	TaskRequired bool

	outputSchema, meta, icons []byte
	raw                       []byte
}

// HeaderParams says that the input schema may mark parameters with
// x-mcp-header, which protocol 2026-07-28 mirrors in HTTP headers.
func (t *Tool) HeaderParams() bool { return bytes.Contains(t.InputSchema, []byte(`"x-mcp-header"`)) }

// Size is the number of bytes of the tool's definition.
func (t *Tool) Size() int64 { return int64(len(t.raw)) }

// Same says whether two entries are the same to the byte.
func (t *Tool) Same(other *Tool) bool { return bytes.Equal(t.raw, other.raw) }

// Definition decodes the whole entry as the SDK would, leaving out optional
// members of a wrong type. It is not cheap.
func (t *Tool) Definition() *mcp.Tool {
	def := &mcp.Tool{Name: t.Name, Title: t.Title, Description: t.Description, Annotations: t.Annotations}
	def.InputSchema = decodeAny(t.InputSchema)
	def.OutputSchema = decodeAny(t.outputSchema)
	if meta, ok := decodeAny(t.meta).(map[string]any); ok {
		def.Meta = meta
	}
	if t.icons != nil && json.Unmarshal(t.icons, &def.Icons) != nil {
		def.Icons = nil
	}
	return def
}

func decodeAny(raw []byte) any {
	var v any
	if raw == nil || json.Unmarshal(raw, &v) == nil {
		return v
	}
	// A number that no float64 holds: all numbers stay as they are written.
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if dec.Decode(&v) != nil {
		return nil
	}
	return v
}

var errNoList = errors.New("the answer to tools/list has no list of tools")

// Decode reads the raw result of a tools/list. Where there are no tools, or null
// in their place, the list is empty. An error means that there is something else
// in it.
func Decode(raw []byte) (Page, error) {
	r := newReader(raw)
	if r.dec.PeekKind() != '{' {
		return Page{}, errNoList
	}
	var page Page
	bad := false
	err := r.object(func(key string, kind jsontext.Kind) error {
		switch {
		case key == "tools" && kind == '[':
			return r.tools(&page)
		case key == "tools":
			bad = kind != 'n'
		case key == "nextCursor" && kind == '"':
			return r.text(&page.NextCursor)
		case key == "ttlMs" && kind == '0':
			return r.integer(&page.TTLMs)
		}
		return r.skip()
	})
	if err != nil {
		return Page{}, fmt.Errorf("decode tools/list: %w", err)
	}
	if bad {
		return Page{}, errNoList
	}
	return page, nil
}

func (r *reader) tools(page *Page) error {
	return r.array(func(kind jsontext.Kind) error {
		if kind != '{' {
			page.Dropped = append(page.Dropped, Dropped{Reason: "the entry is no object"})
			return r.skip()
		}
		var t Tool
		reason, err := r.tool(&t)
		if err != nil {
			return err
		}
		if reason != "" {
			page.Dropped = append(page.Dropped, Dropped{t.Name, reason})
			return nil
		}
		page.Tools = append(page.Tools, t)
		return nil
	})
}

// tool reads one entry. A reason says why it can't be used.
func (r *reader) tool(t *Tool) (reason string, err error) {
	start, named := r.offset(), false
	err = r.object(func(key string, kind jsontext.Kind) error {
		switch {
		case key == "name" && kind == '"':
			named = true
			return r.text(&t.Name)
		case key == "title" && kind == '"':
			return r.text(&t.Title)
		case key == "description" && kind == '"':
			return r.text(&t.Description)
		case key == "annotations" && kind == '{':
			t.Annotations = new(mcp.ToolAnnotations)
			return r.annotations(t.Annotations)
		case key == "execution" && kind == '{':
			return r.execution(t)
		case key == "inputSchema":
			return r.raw(&t.InputSchema)
		case key == "outputSchema":
			return r.raw(&t.outputSchema)
		case key == "_meta":
			return r.raw(&t.meta)
		case key == "icons":
			return r.raw(&t.icons)
		}
		return r.skip()
	})
	if err != nil {
		return "", err
	}
	t.raw = bytes.TrimLeft(r.since(start), ", \t\r\n")
	if !named {
		return "the name is missing or no string", nil
	}
	return "", nil
}

func (r *reader) annotations(a *mcp.ToolAnnotations) error {
	return r.object(func(key string, kind jsontext.Kind) error {
		yes, isBool := kind == 't', kind == 't' || kind == 'f'
		switch {
		case key == "title" && kind == '"':
			return r.text(&a.Title)
		case key == "readOnlyHint" && isBool:
			a.ReadOnlyHint = yes
		case key == "idempotentHint" && isBool:
			a.IdempotentHint = yes
		case key == "destructiveHint" && isBool:
			a.DestructiveHint = &yes
		case key == "openWorldHint" && isBool:
			a.OpenWorldHint = &yes
		}
		return r.skip()
	})
}

func (r *reader) execution(t *Tool) error {
	return r.object(func(key string, kind jsontext.Kind) error {
		if key != "taskSupport" || kind != '"' {
			return r.skip()
		}
		var support string
		err := r.text(&support)
		t.TaskRequired = support == "required"
		return err
	})
}
