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
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Limits bound what one page may cost. Zero means no limit.
type Limits struct {
	// ToolBytes is of one definition: a larger one is dropped. Bytes is of all
	// that are kept together: at the first one beyond it the page is cut.
	ToolBytes, Bytes int64
	// Stop is asked now and then; true ends the decoding with ErrStopped.
	// Nil means never.
	Stop func() bool
}

// ErrStopped says that Limits.Stop has ended the decoding.
var ErrStopped = errors.New("decode tools/list: stopped")

const (
	// maxEntries is how many entries of a page are looked at: they may have two
	// bytes each.
	maxEntries = 100_000
	// MaxDropped is how many entries that can't be used are named.
	MaxDropped = 20
	// stopEvery is after how many entries Stop is asked.
	stopEvery = 64
	// maxDroppedName bounds, in bytes, what is kept of the name of such an entry:
	// half of a name may be half a secret, so a longer one is left out.
	maxDroppedName = 1 << 10
)

// Page is one page of a server's list.
type Page struct {
	Tools []Tool
	// Dropped are the first of the entries that can't be used, and DroppedCount
	// is how many there are.
	Dropped      []Dropped
	DroppedCount int
	// Truncated says that a limit has cut the page.
	Truncated bool
	// NextCursor is empty on the last page. A number counts as its text.
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

// decodeAny decodes as encoding/json does, but for numbers that a float64 would
// change: those stay as they are written.
func decodeAny(raw []byte) any {
	if raw == nil {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return nil
	}
	return withFloats(v)
}

func withFloats(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			v[name] = withFloats(member)
		}
	case []any:
		for i, element := range v {
			v[i] = withFloats(element)
		}
	case json.Number:
		if f, ok := exactFloat(string(v)); ok {
			return f
		}
	}
	return v
}

// exactFloat also takes a fraction that a float64 only comes near to: nobody
// tells those apart.
func exactFloat(text string) (float64, bool) {
	const exact = 1 << 53
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return f, strings.ContainsAny(text, ".eE")
	}
	return f, n >= -exact && n <= exact
}

var errNoList = errors.New("the answer to tools/list has no list of tools")

// Decode reads the raw result of a tools/list. Where there are no tools, or null
// in their place, the list is empty. An error means that there is something else
// in it, or that it was stopped.
func Decode(raw []byte, limits Limits) (Page, error) {
	r := newReader(raw)
	if r.dec.PeekKind() != '{' {
		return Page{}, errNoList
	}
	var page Page
	bad := false
	err := r.object(func(key string, kind jsontext.Kind) error {
		switch {
		case key == "tools" && kind == '[':
			return r.tools(&page, limits)
		case key == "tools":
			bad = kind != 'n'
		case key == "nextCursor" && kind == '"':
			return r.text(&page.NextCursor)
		case key == "nextCursor" && kind == '0':
			return r.number(&page.NextCursor)
		case key == "ttlMs" && kind == '0':
			return r.integer(&page.TTLMs)
		}
		return r.skip()
	})
	switch {
	case err == errEnough:
		page.Truncated = true
		return page, nil
	case err == ErrStopped:
		return Page{}, err
	case err != nil:
		return Page{}, fmt.Errorf("decode tools/list: %w", err)
	}
	if bad {
		return Page{}, errNoList
	}
	return page, nil
}

// errEnough ends the reading of a page that a limit has cut.
var errEnough = errors.New("enough")

func (r *reader) tools(page *Page, limits Limits) error {
	page.Tools, page.Dropped, page.DroppedCount = nil, nil, 0 // of repeated members the last one wins
	entries, size := 0, int64(0)
	return r.array(func(kind jsontext.Kind) error {
		if entries++; entries > maxEntries {
			return errEnough
		}
		if limits.Stop != nil && entries%stopEvery == 0 && limits.Stop() {
			return ErrStopped
		}
		if kind != '{' {
			page.Drop("", "the entry is no object")
			return r.skip()
		}
		var t Tool
		reason, err := r.tool(&t)
		if err != nil {
			return err
		}
		if reason == "" && limits.ToolBytes > 0 && t.Size() > limits.ToolBytes {
			reason = fmt.Sprintf("its definition has %d bytes, more than the limit of %d", t.Size(), limits.ToolBytes)
		}
		if reason != "" {
			page.Drop(t.Name, reason)
			return nil
		}
		if size += t.Size(); limits.Bytes > 0 && size > limits.Bytes {
			return errEnough
		}
		page.Tools = append(page.Tools, t)
		return nil
	})
}

// Drop notes an entry that can't be used.
func (p *Page) Drop(name, reason string) {
	p.DroppedCount++
	if len(p.Dropped) >= MaxDropped {
		return
	}
	if len(name) > maxDroppedName {
		name = ""
	}
	p.Dropped = append(p.Dropped, Dropped{name, reason})
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
