package toolschema

import (
	"bytes"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// eclipsed finds, by the offsets of their names, members that are not to be
// sent: those whose name becomes that of another member when it is made plain
// Unicode text. A server would take the last of the two, and the exact one is
// meant. text is a valid JSON value.
func eclipsed(text []byte) map[int]bool {
	if !mayRename(text) {
		return nil
	}
	out := map[int]bool{}
	var objects []taken // those around the next token
	dec := jsontext.NewDecoder(bytes.NewBuffer(text), lenient...)
	for {
		parent, n := dec.StackIndex(dec.StackDepth())
		kind := dec.PeekKind()
		switch {
		case kind == 0:
			return out
		case kind == '{':
			objects = append(objects, taken{})
		case kind == '}':
			objects = objects[:len(objects)-1]
		}
		if kind != '"' || parent != '{' || n%2 != 0 {
			if _, err := dec.ReadToken(); err != nil {
				return out
			}
			continue
		}
		name, err := dec.ReadValue()
		if err != nil {
			return out
		}
		if loser := objects[len(objects)-1].add(name, int(dec.InputOffset())-len(name)); loser >= 0 {
			out[loser] = true
		}
	}
}

// taken are the names of one object as they are sent, each with the offset of
// the member whose name becomes so, or exact.
type taken map[string]int

const exact = -1

// add tells the offset of a member that is not to be sent because of a name;
// -1: there is none.
func (t taken) add(raw []byte, at int) (loser int) {
	name := nameOf(raw)
	other, ok := t[name]
	if bytes.Equal(appendText(nil, raw), raw) {
		t[name] = exact
		if ok {
			return other
		}
		return -1
	}
	if ok {
		return at
	}
	t[name] = at
	return -1
}

// mayRename is a quick look for text that appendText changes.
func mayRename(text []byte) bool {
	for _, part := range []string{`\u0000`, `\ud`, `\uD`} {
		if bytes.Contains(text, []byte(part)) {
			return true
		}
	}
	return !utf8.Valid(text)
}
