package toolresult

import "bytes"

// elements compares an array of structured content with the content blocks
// beside it, one by one while these are read: where a tool returns a list, the
// frameworks of Python make a block of each element, and structuredContent of
// the whole.
type elements struct {
	cur      cursor
	within   cursor // of one element
	open     bool   // every element so far is what its block says
	met      bool   // there was one
	compared int    // how many of them had to be decoded
}

func (e *elements) set(array []byte) {
	if kind(array) != '[' {
		return
	}
	e.cur, e.within = newCursor(array), newCursor(nil)
	_, err := e.cur.dec.ReadToken()
	e.open = err == nil
}

// ended says whether no element is left.
func (e *elements) ended() bool { return e.cur.dec.PeekKind() == ']' }

// all says whether the blocks say everything that is in the array. An empty one
// is in no block.
func (e *elements) all() bool { return e.open && e.met && e.ended() }

// meet compares the next element with a block. shown says whether the model
// sees the block.
func (s *structured) meet(b *block, raw []byte, shown bool) {
	e := &s.elements
	if s.held || !e.open || e.ended() {
		return
	}
	element, err := e.cur.value()
	e.open = err == nil && shown && s.saidBy(b, raw, element)
	e.met = true
}

// saidBy says whether a block says all that element holds: the element is the
// block, its data, its text, or JSON that is its text.
func (s *structured) saidBy(b *block, raw, element []byte) bool {
	switch b.kind() {
	case "image", "audio":
		if sameString(s.elements.dataOf(element), b.data) {
			return true
		}
	case "text":
		said := b.text
		if kind(said) == '"' {
			said = unquote(said)
		}
		if sameString(element, b.text) || s.equal(said, element, false) {
			return true
		}
	}
	return kind(element) == '{' && b.known() && s.equal(raw, element, true)
}

// dataOf gives the data of an element that is nothing but media.
func (e *elements) dataOf(element []byte) []byte {
	if kind(element) != '{' {
		return element
	}
	var b block
	if e.within.over(element).members(b.set) != nil || b.other || !b.known() {
		return nil
	}
	return b.data
}

// equal says whether two texts are the same JSON value. nullIsAbsent: a member
// that is null is none, which is how Python writes what a block does not have.
func (s *structured) equal(a, b []byte, nullIsAbsent bool) bool {
	if bytes.Equal(a, b) {
		return true
	}
	if s.elements.compared == maxCompared || !alike(a, b) {
		return false
	}
	s.elements.compared++
	h := s.hasher()
	h.nullIsAbsent = nullIsAbsent
	first, ok := h.sum(a)
	second, ok2 := h.sum(b)
	h.nullIsAbsent = false
	return ok && ok2 && first == second
}

// sameString says whether both are JSON strings of the same text.
func sameString(a, b []byte) bool {
	if kind(a) != '"' || kind(b) != '"' {
		return false
	}
	return bytes.Equal(a, b) || bytes.Equal(unquote(a), unquote(b))
}
