// Package toolresult turns the answer to an MCP tools/call into the one
// response that fantasy carries to a model: a text and at most one image.
//
// The raw JSON is read block by block, because a typed decoder loses the
// whole result over one unknown block and rounds large integers. What can't
// be carried becomes one line of text that says what was there.
package toolresult

import (
	"strings"

	"charm.land/fantasy"
)

// Options says what a conversion may hand on. The zero value has no limits,
// gives images natively and redacts nothing.
type Options struct {
	TextBytes    int64 // most bytes of Content; zero or less: no limit
	MediaBytes   int64 // most bytes of an image after decoding; zero or less: no limit
	ImagesAsText bool  // every image becomes a line, for providers that lose media

	// Hide takes secrets out of a text. It is called on cleaned text before
	// anything is cut, so that half a secret never remains. nil: nothing is
	// hidden. Its result is trusted to be valid UTF-8 for valid input.
	Hide func(string) string

	Server, Tool string // slug and raw tool name, for Metadata only
}

// Fixed texts: fantasy and the providers' APIs refuse an empty tool result.
const (
	noOutput      = "(no output)"
	forUserOnly   = "(the output was for the user only)"
	noReason      = "The tool failed and gave no reason."
	reasonForUser = "The tool failed; what it said was for the user only."
	notJSON       = "The server's answer is not valid JSON."
	restNotJSON   = "[the rest of the server's answer is not valid JSON]"
)

// Convert turns the raw result member of a tools/call answer into the one
// response fantasy carries. It never panics and never returns a blank
// Content. An error response has no Data, since fantasy would drop it.
//
// Metadata is always a JSON object of at most 16 KiB; see [Metadata].
//
// raw is only read, and nothing returned refers to it.
func Convert(raw []byte, o Options) fantasy.ToolResponse {
	c := conversion{opts: o}
	c.read(raw)
	return c.response()
}

// conversion is the state of one Convert.
type conversion struct {
	opts Options

	text      parts // cleaned, in the order of the blocks
	lines     int   // how many parts describe something that is not text
	moreLines int   // how many such lines were left out, see maxLines

	image     []byte // the one image that is carried, nil: none
	imageType string

	isError  bool
	broken   bool // the JSON ended early
	userOnly bool // something was left out because it is for the user only

	structured structured
	seen       map[uint64]string // media of the blocks: a line by the sum of its base64
	instead    map[*byte]string  // what compact writes for a string, by its first byte
	meta       Metadata

	// Made when first used.
	within   cursor // of walk
	contents cursor // of addResources
	json     cursor // of compact
	scratch  []byte
}

// parts are texts joined by newlines. One alone is not copied, and many small
// ones cost no more than their bytes.
type parts struct {
	n      int
	first  string
	joined strings.Builder // from the second part on
}

func (p *parts) add(s string) {
	switch p.n++; p.n {
	case 1:
		p.first = s
		return
	case 2:
		p.joined.WriteString(p.first)
	}
	p.joined.WriteByte('\n')
	p.joined.WriteString(s)
}

func (p *parts) String() string {
	if p.n == 1 {
		return p.first
	}
	return p.joined.String()
}

// maxLines bounds how many descriptions of non-text blocks one result gives
// the model: a block costs a server two bytes, a line costs the model dozens.
const maxLines = 1000

// addText takes text as the server gave it.
func (c *conversion) addText(s string) {
	if s = c.clean(s); !blank(s) {
		c.text.add(s)
	}
}

// addLine takes a line that this package wrote from cleaned fields.
func (c *conversion) addLine(s string) {
	if c.lines++; c.lines > maxLines {
		c.moreLines++
		return
	}
	c.text.add(s)
}

// response puts together what read has collected.
func (c *conversion) response() fantasy.ToolResponse {
	text := c.hide(c.text.String())
	if blank(text) {
		text = c.phrase()
	}
	size := int64(len(text))
	text = limit(text, c.opts.TextBytes)
	if int64(len(text)) < size {
		c.meta.Truncated, c.meta.OriginalBytes = true, size
	}

	r := fantasy.NewTextResponse(text)
	switch {
	case c.isError:
		r = fantasy.NewTextErrorResponse(text)
	case c.image != nil:
		r = fantasy.NewImageResponse(c.image, c.imageType)
		r.Content = text
	}
	r.Metadata = c.metadata()
	return r
}

// phrase is the text of a result that has none.
func (c *conversion) phrase() string {
	switch {
	case c.broken:
		return notJSON
	case c.isError && c.userOnly:
		return reasonForUser
	case c.isError:
		return noReason
	case c.image != nil:
		return mediaLine("image", "", c.imageType, int64(len(c.image)), "")
	case c.userOnly:
		return forUserOnly
	default:
		return noOutput
	}
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }
