package toolresult

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"

	"github.com/mcpclient-go/mcpclient/internal/redact"
)

// Metadata is what a response's Metadata holds as JSON, for the host: no
// model sees it. All text in it is cleaned and hidden. It is never longer
// than 16 KiB; what does not fit is left out, the least important first.
type Metadata struct {
	Server string `json:"server"`
	Tool   string `json:"tool"`

	// The result's structuredContent and _meta, if they fit.
	StructuredContent json.RawMessage `json:"structured_content,omitempty"`
	Meta              json.RawMessage `json:"meta,omitempty"`

	// UserText is the text that was for the user only, cut where it is long.
	UserText string `json:"user_text,omitempty"`

	Truncated     bool  `json:"truncated,omitempty"`      // the text was cut
	OriginalBytes int64 `json:"original_bytes,omitempty"` // its length before; only with Truncated

	Omitted      []Omitted `json:"omitted,omitempty"`       // the first 20
	OmittedCount int       `json:"omitted_count,omitempty"` // all of them
}

// Omitted is something that the model was not given, other than in a line.
type Omitted struct {
	Kind   string `json:"kind"`           // the content block's type
	MIME   string `json:"mime,omitempty"` // by its bytes where they tell, else as the server said
	Bytes  int64  `json:"bytes"`          // decoded; -1: unknown
	Reason string `json:"reason"`
}

const (
	maxMetadata   = 16 << 10
	maxStructured = 12 << 10 // leaves room for the names and what was omitted
	maxMeta       = 4 << 10  // of _meta, and of the user's text
	maxOmitted    = 20
)

func (c *conversion) omit(k, mime string, size int64, reason string) {
	c.meta.OmittedCount++
	if len(c.meta.Omitted) < maxOmitted {
		o := Omitted{Kind: c.field(k, maxField), MIME: mime, Bytes: size, Reason: reason}
		c.meta.Omitted = append(c.meta.Omitted, o)
	}
}

// omitForUser keeps a block of the user's from the model, with the resource
// within it or nil. Its text goes to the host, which would have no other way to
// show it. size is that of the block, for want of a better one; -1: unknown.
func (c *conversion) omitForUser(k string, b, inner *block, size int64) {
	c.userOnly = true
	mime := ""
	for _, part := range []*block{b, inner} {
		if part == nil {
			continue
		}
		mime = cmp.Or(str(part.mime), mime)
		if text := c.hide(c.clean(c.textOf(part.text))); text != "" {
			size = int64(len(text))
			c.addUserText(text)
		}
		for _, data := range [][]byte{part.data, part.blob} {
			if !absent(data) {
				size = c.open(k, mime, data).size
			}
		}
	}
	c.omit(k, c.field(mime, maxField), size, forUser)
}

func (c *conversion) addUserText(text string) {
	switch have := c.meta.UserText; {
	case have == "":
		c.meta.UserText = redact.Cut(text, maxMeta)
	case len(have) < maxMeta/2: // else no more of it, so that many blocks cost no more than few
		c.meta.UserText = redact.Cut(have+"\n"+text, maxMeta)
	}
}

func (c *conversion) setMetaStructured(compact string) {
	if compact != "" && len(compact) <= maxStructured {
		c.meta.StructuredContent = json.RawMessage(compact)
	}
}

func (c *conversion) readMeta(raw []byte) {
	if absent(raw) || len(raw) > maxMeta {
		return
	}
	if compact := c.compact(raw); compact != "" && compact != "{}" {
		c.meta.Meta = json.RawMessage(compact)
	}
}

// metadata writes the Metadata, without parts that make it too long.
func (c *conversion) metadata() string {
	m := &c.meta
	m.Server, m.Tool = c.name(c.opts.Server), c.name(c.opts.Tool)
	leaveOut := []func(){
		func() {},
		func() { m.UserText = "" },
		func() { m.Meta = nil },
		func() { m.Omitted = nil },
		func() { m.StructuredContent = nil },
	}
	for _, leave := range leaveOut {
		leave()
		if s := m.encode(); s != "" && len(s) <= maxMetadata {
			return c.hideJSON(s)
		}
	}
	return "{}"
}

// name keeps a name as the server spells it, as far as it is valid text.
func (c *conversion) name(s string) string {
	return redact.Cut(c.hide(c.clean(s)), maxField)
}

// encode does not escape for HTML: Hide has to see text as it is.
func (m *Metadata) encode() string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(m) != nil {
		return ""
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// hideJSON is for secrets that come about only by putting the parts together.
func (c *conversion) hideJSON(s string) string {
	hidden := c.hide(s)
	if hidden != s && (!json.Valid([]byte(hidden)) || len(hidden) > maxMetadata) {
		return "{}"
	}
	return hidden
}
