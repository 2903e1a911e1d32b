package rpc

import (
	"bytes"
	"math"
	"strconv"
)

type idKind uint8

const (
	idAbsent idKind = iota
	idNull
	idInt
	idNumber // no integer that an int64 holds
	idString
)

// ID is the id of a message: a number, a string, null or absent, which is its zero value. IDs are comparable: they are
// equal where the JSON values are, so 4 is 4.0 but not "4".
type ID struct {
	kind idKind
	n    int64
	text string // of a string, decoded; of another number, as it came
}

// IntID returns the ID of a number.
func IntID(n int64) ID { return ID{kind: idInt, n: n} }

// IsAbsent reports that the message has no id.
func (id ID) IsAbsent() bool { return id.kind == idAbsent }

// IsNull reports an id of null, or of a type that no id can have.
func (id ID) IsNull() bool { return id.kind == idNull }

// Int returns the id as an integer where it has that value exactly, as a number in any notation or as the text of one.
func (id ID) Int() (int64, bool) {
	switch id.kind {
	case idInt:
		return id.n, true
	case idString:
		return exactInt([]byte(id.text))
	}
	return 0, false
}

// Size is how many bytes of text the id holds; 0 for an integer.
func (id ID) Size() int { return len(id.text) }

// Raw returns the id as JSON; nil where it is absent.
func (id ID) Raw() []byte { return id.append(nil) }

func (id ID) append(dst []byte) []byte {
	switch id.kind {
	case idNull:
		return append(dst, "null"...)
	case idInt:
		return strconv.AppendInt(dst, id.n, 10)
	case idNumber:
		return append(dst, id.text...)
	case idString:
		return AppendString(dst, id.text)
	}
	return dst
}

func parseID(raw []byte) ID {
	if len(raw) == 0 {
		return ID{}
	}
	switch c := raw[0]; {
	case c == '"':
		return ID{kind: idString, text: text(raw)}
	case c == '-', c >= '0' && c <= '9':
		if n, ok := exactInt(raw); ok {
			return IntID(n)
		}
		return ID{kind: idNumber, text: string(raw)}
	}
	return ID{kind: idNull}
}

// exactInt returns the value of a JSON number that is an integer of 64 bits, like 4, 4.0 or 40e-1.
func exactInt(raw []byte) (int64, bool) {
	if s := (scanner{data: raw}); len(raw) == 0 || s.number() != nil || s.pos != len(raw) || s.dirty {
		return 0, false
	}
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return n, true
	}
	digits, negative := bytes.CutPrefix(raw, []byte("-"))
	exponent := 0
	if e := bytes.IndexAny(digits, "eE"); e >= 0 {
		var err error
		if exponent, err = strconv.Atoi(string(digits[e+1:])); err != nil {
			exponent = math.MaxInt32 // out of range: only zero is an integer then
		}
		digits = digits[:e]
	}
	whole, fraction, _ := bytes.Cut(digits, []byte("."))
	fraction = bytes.TrimRight(fraction, "0")
	mantissa := bytes.TrimLeft(append(bytes.Clone(whole), fraction...), "0")
	exponent -= len(fraction)
	if len(mantissa) == 0 {
		return 0, true
	}
	short := bytes.TrimRight(mantissa, "0")
	exponent += len(mantissa) - len(short)
	if exponent < 0 || exponent > 18 || len(short)+exponent > 19 {
		return 0, false
	}
	number := string(short) + "0000000000000000000"[:exponent]
	if negative {
		number = "-" + number
	}
	n, err := strconv.ParseInt(number, 10, 64)
	return n, err == nil
}
