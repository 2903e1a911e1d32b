package toolresult

import (
	"bytes"
	"strings"
)

// result is a tools/call result, each member as undecoded JSON.
type result struct {
	content, structured, meta, isError, toolResult, inner, resultType, inputRequests []byte

	other bool // has a member that MCP does not know
}

func (r *result) set(name, value []byte) {
	switch string(name) {
	case "content":
		r.content = value
	case "structuredContent":
		r.structured = value
	case "_meta":
		r.meta = value
	case "isError":
		r.isError = value
	case "toolResult":
		r.toolResult = value
	case "resultType":
		r.resultType = value
	case "inputRequests":
		r.inputRequests = value
	case "requestState":
	case "result":
		r.inner, r.other = value, true
	default:
		r.other = true
	}
}

// unwrap takes out a result that is within another: protocol 2024-10-07 has it in toolResult, and bridges that speak a newer
// protocol put an empty content beside it; others pass on an answer of JSON-RPC as a whole. Either may be anything; only where it
// looks like a result it is one.
func (r *result) unwrap() {
	if !absent(r.content) && !emptyArray(r.content) {
		return
	}
	if inner, ok := resultIn(r.toolResult); ok {
		r.take(inner)
		r.toolResult = nil
	} else if inner, ok := resultIn(r.inner); ok && absent(r.toolResult) && inner.certain() {
		r.take(inner)
		r.other = inner.other
	}
	if !absent(r.toolResult) {
		r.content = nil
	}
}

func resultIn(raw []byte) (r result, ok bool) {
	if kind(raw) != '{' || newCursor(raw).members(r.set) != nil {
		return r, false
	}
	return r, !absent(r.content) || !absent(r.structured)
}

// certain tells a result from an object of the server's own with members of the same names.
func (r *result) certain() bool {
	return isContent(r.content) || emptyArray(r.content) && !r.other || absent(r.content)
}

func (r *result) take(inner result) {
	r.content = inner.content
	if !truth(r.isError) {
		r.isError = inner.isError
	}
	if absent(r.structured) {
		r.structured = inner.structured
	}
	if absent(r.meta) {
		r.meta = inner.meta
	}
}

func emptyArray(raw []byte) bool {
	inner, isArray := bytes.CutPrefix(bytes.TrimSpace(raw), []byte("["))
	return isArray && string(bytes.TrimSpace(inner)) == "]"
}

// read takes in a whole result, whatever it is.
func (c *conversion) read(raw []byte) {
	raw = bytes.TrimSpace(raw)
	switch kind(raw) {
	case 0:
		return
	case '{':
		c.readResult(raw)
	case '[':
		if isContent(raw) {
			c.readContent(raw)
			return
		}
		c.readBare(raw)
	default:
		c.readBare(raw)
	}
}

// readBare takes in a result that is not the object it has to be.
func (c *conversion) readBare(raw []byte) {
	cur := newCursor(raw)
	value, err := cur.value()
	if err != nil {
		c.breakOff()
		return
	}
	c.addText(c.textOf(value))
}

// breakOff notes that the JSON is not valid from here on. With nothing
// before it the call is a failed one.
func (c *conversion) breakOff() {
	c.broken = true
	if c.text.n == 0 && c.image == nil {
		c.isError = true
		return
	}
	c.text.add(restNotJSON)
}

func (c *conversion) readResult(raw []byte) {
	var r result
	err := newCursor(raw).members(r.set)
	r.unwrap()
	c.isError = truth(r.isError)
	if str(r.resultType) == "input_required" {
		c.isError = true
		c.text.add(c.inputRequired(r.inputRequests))
	}
	c.structured.set(r.structured)
	c.readMeta(r.meta)

	switch {
	case !absent(r.content):
		c.readContent(r.content)
	case !absent(r.toolResult): // protocol 2024-10-07
		c.addText(c.textOf(r.toolResult))
	}
	if r.other && absent(r.structured) && err == nil && c.nothing() {
		c.addText(c.textOf(raw)) // a server that forgot the envelope
	}
	c.addMoreLines()
	c.addStructured()
	if err != nil && !c.broken {
		c.breakOff()
	}
}

// readContent takes in the content member: an array of blocks, or what
// servers put in its place.
func (c *conversion) readContent(content []byte) {
	cur := newCursor(content)
	if kind(content) != '[' {
		if c.readBlock(cur) != nil {
			c.breakOff()
		}
		return
	}
	_, _ = cur.dec.ReadToken() // the bracket
	for cur.dec.PeekKind() != ']' {
		if c.readBlock(cur) != nil {
			c.breakOff()
			return
		}
	}
}

// nothing says whether there is nothing to show so far, neither to the model nor
// to the user.
func (c *conversion) nothing() bool { return c.text.n == 0 && c.image == nil && !c.userOnly }

// addMoreLines says how many lines maxLines has cost.
func (c *conversion) addMoreLines() {
	if c.moreLines > 0 {
		c.text.add("[" + count(int64(c.moreLines), "more block") + " not shown]")
	}
}

// isContent tells an array of blocks, sent without its envelope, from other
// data: every element has to name a type that MCP has.
func isContent(array []byte) bool {
	cur := newCursor(array)
	if _, err := cur.dec.ReadToken(); err != nil || cur.dec.PeekKind() == ']' {
		return false
	}
	for cur.dec.PeekKind() == '{' {
		var b block
		if cur.members(b.set) != nil || !b.known() {
			return false
		}
	}
	return cur.dec.PeekKind() == ']'
}

// textOf renders a value for the model: a string as it is, null as nothing,
// anything else as its JSON.
func (c *conversion) textOf(value []byte) string {
	switch kind(value) {
	case 0, 'n':
		return ""
	case '"':
		return string(unquote(value))
	case '{', '[':
		return c.compact(value)
	default:
		return string(value)
	}
}

// truth reads a flag as its sender meant it: true, "true", "1", 1.
func truth(value []byte) bool {
	switch k := kind(value); {
	case k == 't':
		return true
	case k == '"':
		s := strings.TrimSpace(str(value))
		return strings.EqualFold(s, "true") || s == "1"
	case k == '-', k >= '0' && k <= '9':
		return string(appendNumber(nil, value)) != "0"
	default:
		return false
	}
}

// maxRequests is how many of a server's questions the model is shown.
const maxRequests = 5

// inputRequired is the text of a call that the server did not finish because
// it wants input first (multi round-trip requests of protocol 2026-07-28).
// The questions are shown: often an argument of the tool answers them.
func (c *conversion) inputRequired(requests []byte) string {
	text := "The server asked for more input, which this client does not give; the call did not finish."
	if kind(requests) != '{' {
		return text
	}
	n := 0
	_ = newCursor(requests).members(func(_, request []byte) {
		if n++; n <= maxRequests && kind(request) == '{' {
			text += c.inputRequest(request)
		}
	})
	return text
}

func (c *conversion) inputRequest(request []byte) string {
	var method, message string
	_ = newCursor(request).members(func(name, value []byte) {
		switch {
		case string(name) == "method":
			method = c.field(str(value), maxField)
		case string(name) == "params" && kind(value) == '{':
			_ = newCursor(value).members(func(name, value []byte) {
				if string(name) == "message" {
					message = c.field(str(value), maxDescription)
				}
			})
		}
	})
	switch {
	case method == "":
		return ""
	case message == "":
		return "\n- " + method
	default:
		return "\n- " + method + ": " + message
	}
}
