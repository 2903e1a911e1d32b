package toolresult

import (
	"bytes"
	"encoding/base64"
	"net/url"
	"strings"
)

// base64Text gives the text of a JSON string that should be base64, without what
// is around it, and the type that a data: URI says. false: it is no base64.
func base64Text(quoted []byte) (text []byte, mime string, ok bool) {
	text, ok = plain(quoted)
	if !ok {
		text = unquote(quoted)
	}
	text, mime, ok = cutDataURI(unwrapText(text))
	if ok && bytes.IndexByte(text, '%') >= 0 { // some digits and the padding have another meaning in a URL
		if s, err := url.PathUnescape(string(text)); err == nil {
			text = []byte(s)
		}
	}
	return text, mime, ok
}

// unwrapText takes off what comes to stand around base64 on its way: a byte
// order mark, quotes, and what Python writes bytes in.
func unwrapText(text []byte) []byte {
	text = bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(text), []byte("\ufeff")))
	literal := bytes.TrimPrefix(text, []byte("b"))
	for _, quote := range []string{`'`, `"`} {
		if inner, ok := bytes.CutPrefix(literal, []byte(quote)); ok {
			if inner, ok = bytes.CutSuffix(inner, []byte(quote)); ok {
				return bytes.TrimSpace(inner)
			}
		}
	}
	return text
}

// cutDataURI takes the head off a data: URI (RFC 2397) and gives its type.
// Text without one is given back as it is; false: the URI is not base64.
func cutDataURI(text []byte) (rest []byte, mime string, ok bool) {
	if !isDataURI(text) {
		return text, "", true
	}
	head, rest, found := bytes.Cut(text[5:], []byte(","))
	if !found {
		return nil, "", false
	}
	params := strings.Split(string(head), ";")
	last := strings.TrimSpace(params[len(params)-1])
	return bytes.TrimSpace(rest), strings.TrimSpace(params[0]), strings.EqualFold(last, "base64")
}

func isDataURI[T ~string | ~[]byte](text T) bool {
	return len(text) >= 5 && strings.EqualFold(string(text[:5]), "data:")
}

// Classes in base64Values of what is not one of the 64 digits.
const (
	b64Bad   = 0x80
	b64Space = 0x81
	b64Pad   = 0x82
)

// base64Values has the digits of both alphabets of RFC 4648.
var base64Values = func() (values [256]byte) {
	for i := range values {
		values[i] = b64Bad
	}
	const std = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	for i := range len(std) {
		values[std[i]] = byte(i)
	}
	values['-'], values['_'] = 62, 63
	for _, b := range []byte(" \t\r\n\f\v") {
		values[b] = b64Space
	}
	values['='] = b64Pad
	return values
}()

// measureBase64 returns how many bytes src holds in lenient base64: either
// alphabet, whitespace anywhere, with or without padding. false: it is not
// base64.
func measureBase64(src []byte) (n int, ok bool) {
	digits, padded := 0, false
	for _, b := range src {
		switch v := base64Values[b]; {
		case v < 64 && !padded:
			digits++
		case v == b64Space:
		case v == b64Pad:
			padded = true
		default:
			return 0, false
		}
	}
	return digits * 3 / 4, digits%4 != 1
}

// decodeBase64 decodes what measureBase64 accepts, as far as dst is long, and
// returns how many bytes it stored.
func decodeBase64(dst, src []byte) (n int) {
	var bits uint32
	digits := 0
	for _, b := range src {
		v := base64Values[b]
		if v >= 64 {
			continue
		}
		bits = bits<<6 | uint32(v)
		if digits++; digits%4 == 1 {
			continue
		}
		if n == len(dst) {
			break
		}
		dst[n] = byte(bits >> (2 * (-digits & 3)))
		n++
	}
	return n
}

// bytes decodes the media; it has no fault.
func (m media) bytes() []byte {
	if len(m.text)%4 == 0 { // most likely the plain form, for which this is several times faster
		dst := make([]byte, base64.StdEncoding.DecodedLen(len(m.text)))
		if n, err := base64.StdEncoding.Decode(dst, m.text); err == nil {
			return dst[:n]
		}
	}
	dst := make([]byte, m.size)
	return dst[:decodeBase64(dst, m.text)]
}
