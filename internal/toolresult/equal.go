package toolresult

import (
	"bytes"
	"hash/maphash"
	"math/bits"
	"strconv"
)

// hasher gives equal JSON values equal sums, whatever their spelling: order
// of members, escapes, spaces, forms of a number. Numbers are compared as
// decimals of any length, never as floats. It uses constant memory a level,
// so that a hostile value costs no more than its length.
//
// Its seed is random, so no server can make two values collide; if two do,
// the model is spared a text it does not have.
type hasher struct {
	seed    maphash.Seed
	cur     cursor
	levels  []level
	scratch []byte

	nullIsAbsent bool // {"a":null} equals {}
}

func newHasher() *hasher { return &hasher{seed: maphash.MakeSeed(), cur: newCursor(nil)} }

// level is an object or array that is being summed.
type level struct {
	object bool
	named  bool   // a name was read, its value comes next
	name   uint64 // that name's sum
	sum    uint64
}

func (l *level) add(v uint64) {
	switch {
	case !l.object:
		l.sum = mix(l.sum+1, v)
	case !l.named:
		l.name, l.named = v, true
	default:
		l.sum += mix(l.name, v) // a sum has no order
		l.named = false
	}
}

// sum returns false if src is not exactly one JSON value.
func (h *hasher) sum(src []byte) (uint64, bool) {
	cur := h.cur.over(src)
	h.levels = append(h.levels[:0], level{})
	for {
		switch k := cur.dec.PeekKind(); k {
		case '{', '[':
			if _, err := cur.dec.ReadToken(); err != nil {
				return 0, false
			}
			h.levels = append(h.levels, level{object: k == '{'})
			continue
		case '}', ']':
			if _, err := cur.dec.ReadToken(); err != nil {
				return 0, false
			}
			last := h.levels[len(h.levels)-1]
			h.levels = h.levels[:len(h.levels)-1]
			h.levels[len(h.levels)-1].add(mix(last.sum, uint64(k)))
		default:
			v, err := cur.value()
			if err != nil {
				return 0, false
			}
			if top := &h.levels[len(h.levels)-1]; h.nullIsAbsent && top.named && kind(v) == 'n' {
				top.named = false
			} else {
				top.add(h.scalar(v))
			}
		}
		if len(h.levels) == 1 {
			return h.levels[0].sum, cur.done()
		}
	}
}

// text gives equal texts equal sums.
func (h *hasher) text(text []byte) uint64 { return maphash.Bytes(h.seed, text) }

func (h *hasher) scalar(v []byte) uint64 {
	k := kind(v)
	if number(k) {
		k, h.scratch = '0', appendNumber(h.scratch[:0], v)
		v = h.scratch
	} else if k == '"' {
		v = unquote(v)
	}
	return mix(maphash.Bytes(h.seed, v), uint64(k))
}

// alike says whether two JSON values can be equal, by what they begin with. It
// costs next to nothing and tells apart most that differ.
func alike[A, B ~string | ~[]byte](a A, b B) bool {
	for {
		a, b = skipSpace(a), skipSpace(b)
		k := kind(a)
		if !sameKind(k, kind(b)) {
			return false
		}
		if k != '[' {
			return true // members of an object have no order
		}
		a, b = a[1:], b[1:]
	}
}

// sameKind says whether two values that begin so can be equal.
func sameKind(a, b byte) bool { return a == b || number(a) && number(b) }

func number(k byte) bool { return k == '-' || k >= '0' && k <= '9' }

// mix makes one sum of two, in which their order counts.
func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0x9e3779b97f4a7c15, b^0xd1b54a32d192ed03)
	return hi ^ lo
}

// appendNumber writes a JSON number in its one shortest form: digits without
// zeros at either end, and an exponent. Exponents beyond 64 bits stay as they
// are.
func appendNumber(dst, v []byte) []byte {
	mantissa, expText := v, []byte(nil)
	if i := bytes.IndexAny(v, "eE"); i >= 0 {
		mantissa, expText = v[:i], bytes.TrimPrefix(v[i+1:], []byte("+"))
	}
	if len(bytes.Trim(mantissa, "-.0")) == 0 {
		return append(dst, '0') // minus zero is zero
	}
	exp := int64(0)
	if len(expText) > 0 {
		var err error
		if exp, err = strconv.ParseInt(string(expText), 10, 64); err != nil || exp > 1<<60 || exp < -1<<60 {
			return append(dst, v...)
		}
	}
	if bytes.HasPrefix(mantissa, []byte("-")) {
		dst, mantissa = append(dst, '-'), mantissa[1:]
	}
	whole, fraction, _ := bytes.Cut(mantissa, []byte("."))
	digits := len(dst)
	dst = append(append(dst, whole...), fraction...)
	exp -= int64(len(fraction))
	trimmed := bytes.TrimRight(dst[digits:], "0")
	exp += int64(len(dst) - digits - len(trimmed))
	dst = dst[:digits+copy(dst[digits:], bytes.TrimLeft(trimmed, "0"))]
	if exp != 0 {
		dst = strconv.AppendInt(append(dst, 'e'), exp, 10)
	}
	return dst
}
