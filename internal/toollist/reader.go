package toollist

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// reader walks JSON text once, without building values for what is skipped.
type reader struct {
	data []byte
	dec  *jsontext.Decoder
}

// newReader tolerates what go-sdk's decoder does: repeated members (the last
// one wins) and invalid UTF-8.
func newReader(data []byte) *reader {
	dec := jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	return &reader{data, dec}
}

func (r *reader) offset() int64            { return r.dec.InputOffset() }
func (r *reader) since(start int64) []byte { return r.data[start:r.dec.InputOffset()] }
func (r *reader) skip() error              { return r.dec.SkipValue() }

// object calls member for each member of the object that comes next. member
// consumes the value, of which it is told the kind.
func (r *reader) object(member func(key string, kind jsontext.Kind) error) error {
	if r.dec.PeekKind() != '{' {
		return r.skip()
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return err
	}
	for r.dec.PeekKind() != '}' {
		key, err := r.dec.ReadToken()
		if err != nil {
			return err
		}
		if err := member(key.String(), r.dec.PeekKind()); err != nil {
			return err
		}
	}
	_, err := r.dec.ReadToken()
	return err
}

// array calls element for each element of the array that comes next.
func (r *reader) array(element func(kind jsontext.Kind) error) error {
	if _, err := r.dec.ReadToken(); err != nil {
		return err
	}
	for r.dec.PeekKind() != ']' {
		if err := element(r.dec.PeekKind()); err != nil {
			return err
		}
	}
	_, err := r.dec.ReadToken()
	return err
}

func (r *reader) text(to *string) error {
	token, err := r.dec.ReadToken()
	if err != nil {
		return err
	}
	*to = token.String()
	return nil
}

// number takes a number as it is written.
func (r *reader) number(to *string) error {
	value, err := r.dec.ReadValue()
	if err != nil {
		return err
	}
	*to = string(value)
	return nil
}

// integer leaves to alone where the number is no integer of 64 bits.
func (r *reader) integer(to **int64) error {
	value, err := r.dec.ReadValue()
	if err != nil {
		return err
	}
	if n, err := strconv.ParseInt(string(value), 10, 64); err == nil {
		*to = &n
	}
	return nil
}

// raw keeps the value's own bytes of the input.
func (r *reader) raw(to *[]byte) error {
	value, err := r.dec.ReadValue()
	if err != nil {
		return err
	}
	end := r.offset()
	*to = r.data[end-int64(len(value)) : end : end]
	return nil
}
