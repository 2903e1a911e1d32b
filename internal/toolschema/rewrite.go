package toolschema

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// needsRewrite is a quick look for anything that may have to change. It may
// say yes needlessly: rewriting text that needs no change copies it.
func (s *Schema) needsRewrite(text []byte) bool {
	if !utf8.Valid(text) {
		return true
	}
	if bytes.Contains(text, []byte(`\u`)) {
		return true // may be a surrogate, NUL, or a name in disguise
	}
	if s.intent && bytes.Contains(text, []byte(IntentProperty)) {
		return true
	}
	if s.args == nil {
		return false
	}
	return s.args.renames() || bytes.Contains(text, []byte("null"))
}

// rewriter copies a valid JSON object and changes what has to change; every
// other byte stays.
type rewriter struct {
	text []byte
	dec  *jsontext.Decoder
	out  []byte
	last int // text up to here is dealt with

	eclipsed map[int]bool // members to leave out, by the offsets of their names
}

func (r *rewriter) done() json.RawMessage {
	r.copyTo(len(r.text))
	return r.out
}

// copyTo copies the text up to an offset.
func (r *rewriter) copyTo(end int) {
	r.out = append(r.out, r.text[r.last:end]...)
	r.last = end
}

func (r *rewriter) offset() int { return int(r.dec.InputOffset()) }

// value copies one value.
func (r *rewriter) value(sh *shape) error {
	switch r.dec.PeekKind() {
	case '{':
		return r.object(sh, "")
	case '[':
		return r.array(sh)
	}
	v, err := r.dec.ReadValue()
	if err != nil {
		return err
	}
	end := r.offset()
	if v.Kind() == '"' {
		r.copyTo(end - len(v))
		r.out = appendText(r.out, r.text[end-len(v):end])
		r.last = end
		return nil
	}
	r.copyTo(end)
	return nil
}

func (r *rewriter) array(sh *shape) error {
	if _, err := r.dec.ReadToken(); err != nil {
		return err
	}
	var items *shape
	if sh != nil {
		items = sh.items
	}
	for r.dec.PeekKind() != ']' {
		if err := r.value(items); err != nil {
			return err
		}
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return err
	}
	r.copyTo(r.offset())
	return nil
}

// object copies an object without the member called hidden.
func (r *rewriter) object(sh *shape, hidden string) error {
	if _, err := r.dec.ReadToken(); err != nil {
		return err
	}
	r.copyTo(r.offset())
	first := true
	for r.dec.PeekKind() != '}' {
		kept, err := r.member(sh, hidden, first)
		if err != nil {
			return err
		}
		first = first && !kept
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return err
	}
	r.copyTo(r.offset())
	return nil
}

// member copies or leaves out one member of an object.
func (r *rewriter) member(sh *shape, hidden string, first bool) (kept bool, err error) {
	raw, err := r.dec.ReadValue()
	if err != nil {
		return false, err
	}
	end := r.offset()
	start := end - len(raw)
	raw = r.text[start:end] // the decoder's own value ends with the next read
	name := nameOf(raw)
	var f field
	if sh != nil {
		var known bool
		if f, known = sh.fields[name]; !known {
			f = field{shape: sh.extra}
		}
	}
	if r.eclipsed[start] || hidden != "" && name == hidden || f.dropNull && r.dec.PeekKind() == 'n' {
		if err := r.dec.SkipValue(); err != nil {
			return false, err
		}
		r.last = r.offset()
		return false, nil
	}
	r.gap(start, first)
	if f.renamed {
		r.out, _ = jsontext.AppendQuote(r.out, f.name)
	} else {
		r.out = appendText(r.out, raw)
	}
	r.last = end
	return true, r.value(f.shape)
}

// gap copies what stands before a member. Where that member is now the first
// one, the comma of a member that was left out goes.
func (r *rewriter) gap(end int, first bool) {
	for _, c := range r.text[r.last:end] {
		if c != ',' || !first {
			r.out = append(r.out, c)
		}
	}
	r.last = end
}

func nameOf(raw []byte) string {
	b, _ := jsontext.AppendUnquote(nil, appendText(nil, raw))
	return string(b)
}

// appendText appends a JSON string with its quotes as it is, but for what is
// not Unicode text: a broken byte or a lone surrogate becomes U+FFFD, and NUL
// goes, since databases and C code behind servers choke on it.
func appendText(dst, s []byte) []byte {
	if bytes.IndexByte(s, '\\') < 0 && utf8.Valid(s) {
		return append(dst, s...)
	}
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '\\' && s[i+1] != 'u':
			dst = append(dst, c, s[i+1])
			i += 2
		case c == '\\':
			n, unit := 6, hex4(s[i+2:])
			switch {
			case unit == 0:
			case unit >= 0xDC00 && unit < 0xE000:
				dst = utf8.AppendRune(dst, utf8.RuneError)
			case unit >= 0xD800 && unit < 0xDC00:
				if !lowSurrogate(s[i+6:]) {
					dst = utf8.AppendRune(dst, utf8.RuneError)
					break
				}
				n = 12
				dst = append(dst, s[i:i+n]...)
			default:
				dst = append(dst, s[i:i+n]...)
			}
			i += n
		case c < utf8.RuneSelf:
			dst = append(dst, c)
			i++
		default:
			r, n := utf8.DecodeRune(s[i:])
			dst = utf8.AppendRune(dst, r)
			i += n
		}
	}
	return dst
}

func lowSurrogate(s []byte) bool {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return false
	}
	unit := hex4(s[2:])
	return unit >= 0xDC00 && unit < 0xE000
}

// hex4 reads the four hex digits of an escape in valid JSON.
func hex4(s []byte) (v rune) {
	for _, c := range s[:4] {
		v <<= 4
		switch {
		case c >= 'a':
			v |= rune(c - 'a' + 10)
		case c >= 'A':
			v |= rune(c - 'A' + 10)
		default:
			v |= rune(c - '0')
		}
	}
	return v
}
