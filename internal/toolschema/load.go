package toolschema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// maxNesting bounds the nesting of the JSON that comes in. It is far above
// what a schema of MaxDepth levels needs (two or three JSON levels each), so
// that a schema that is merely too deep is cut and not refused, and far below
// what a stack can't take.
const maxNesting = 2_000

// raw marks the decoded input: only nil, bool, float64, string, []any and
// map[string]any, within the limits. Numbers beyond float64 are infinite.
type raw = any

// lenient reads what encoding/json would read: duplicate names, the last of
// which counts, and broken UTF-8, which becomes U+FFFD.
var lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// load also tells about how many bytes of JSON the schema has.
func load(in any, o Options) (v raw, size int, err error) {
	switch v := in.(type) {
	case nil:
		return nil, 0, nil
	case json.RawMessage:
		return decode(v, o)
	case []byte:
		return decode(v, o)
	}
	l := loader{nodes: o.MaxNodes}
	err = l.check(in, 0)
	if l.size > o.MaxBytes {
		err = errTooLarge
	}
	if !errors.Is(err, errForeign) {
		return in, l.size, err
	}
	// A value of other Go types, such as a *jsonschema.Schema of a tool
	// that was made in this process.
	text, err := json.Marshal(in)
	if err != nil {
		return nil, 0, errors.New("schema can't be written as JSON")
	}
	return decode(text, o)
}

func decode(text []byte, o Options) (raw, int, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return nil, 0, nil
	}
	if len(text) > o.MaxBytes {
		return nil, 0, fmt.Errorf("%w: %d bytes, over %d", errTooLarge, len(text), o.MaxBytes)
	}
	l := loader{nodes: o.MaxNodes, dec: jsontext.NewDecoder(bytes.NewBuffer(text), lenient...)}
	v, err := l.value(0)
	if err != nil {
		return nil, 0, err
	}
	if l.dec.PeekKind() != 0 || int(l.dec.InputOffset()) != len(text) {
		return nil, 0, errNotJSON
	}
	return v, len(text), nil
}

var (
	errForeign = errors.New("value of a type that JSON does not decode to")
	errNotJSON = errors.New("schema is not valid JSON")
	errNesting = errors.New("schema is nested too deeply")
)

// loader counts what comes in against the limits.
type loader struct {
	nodes int
	size  int // about the bytes of JSON text of a decoded value
	dec   *jsontext.Decoder
}

func (l *loader) count(depth int) error {
	l.nodes--
	if l.nodes < 0 {
		return fmt.Errorf("%w: too many values", errTooLarge)
	}
	if depth > maxNesting {
		return errNesting
	}
	return nil
}

func (l *loader) value(depth int) (raw, error) {
	if err := l.count(depth); err != nil {
		return nil, err
	}
	switch l.dec.PeekKind() {
	case '{':
		return l.object(depth)
	case '[':
		return l.array(depth)
	}
	if l.dec.PeekKind() == '"' {
		s, boxed, err := l.text()
		if boxed != nil || err != nil {
			return boxed, err
		}
		return s, nil
	}
	tok, err := l.dec.ReadToken()
	if err != nil {
		return nil, errNotJSON
	}
	switch tok.Kind() {
	case 't', 'f':
		return tok.Bool(), nil
	case '0':
		return number(tok.String()), nil
	case 'n':
		return nil, nil
	}
	return nil, errNotJSON
}

// text reads a string. Those that every schema is made of are shared: boxed
// has them as a value already, and is nil for all others.
func (l *loader) text() (s string, boxed any, err error) {
	v, err := l.dec.ReadValue()
	if err != nil || v.Kind() != '"' {
		return "", nil, errNotJSON
	}
	if shared, ok := vocabulary[string(v)]; ok {
		return shared.(string), shared, nil
	}
	if plain := v[1 : len(v)-1]; bytes.IndexByte(plain, '\\') < 0 && utf8.Valid(plain) {
		return string(plain), nil, nil
	}
	text, _ := jsontext.AppendUnquote(nil, v) // its error is about UTF-8 alone, see lenient
	return string(text), nil, nil
}

// vocabulary has the usual strings of schemas, as JSON text.
var vocabulary = words("type", "properties", "required", "description", "title", "items", "enum", "default", "additionalProperties",
	"anyOf", "oneOf", "allOf", "$schema", "$defs", "definitions", "$ref", "format", "minimum", "maximum", "exclusiveMinimum",
	"minLength", "maxLength", "minItems", "maxItems", "pattern", "const", "examples", "nullable",
	"string", "integer", "number", "boolean", "object", "array", "null", "date-time", "uri",
	"http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema")

func words(list ...string) map[string]any {
	m := make(map[string]any, len(list))
	for _, s := range list {
		m[`"`+s+`"`] = s
	}
	return m
}

// number is infinite for what float64 can't hold: such a number is left out of
// the outcome where it would stand, and harms nothing else.
func number(s string) float64 {
	f, _ := strconv.ParseFloat(s, 64)
	return f
}

func (l *loader) object(depth int) (raw, error) {
	if _, err := l.dec.ReadToken(); err != nil {
		return nil, errNotJSON
	}
	m := map[string]any{}
	for l.dec.PeekKind() == '"' {
		key, _, err := l.text()
		if err != nil {
			return nil, err
		}
		v, err := l.value(depth + 1)
		if err != nil {
			return nil, err
		}
		m[key] = v
	}
	if _, err := l.dec.ReadToken(); err != nil {
		return nil, errNotJSON
	}
	return m, nil
}

func (l *loader) array(depth int) (raw, error) {
	if _, err := l.dec.ReadToken(); err != nil {
		return nil, errNotJSON
	}
	a := []any{}
	for l.dec.PeekKind() != ']' {
		v, err := l.value(depth + 1)
		if err != nil {
			return nil, err
		}
		a = append(a, v)
	}
	if _, err := l.dec.ReadToken(); err != nil {
		return nil, errNotJSON
	}
	return a, nil
}

// check does for a decoded value what value does for text.
func (l *loader) check(v any, depth int) error {
	if err := l.count(depth); err != nil {
		return err
	}
	switch v := v.(type) {
	case nil, bool, float64:
		l.size += 4
		return nil
	case string:
		l.size += len(v) + 3
		return nil
	case []any:
		for _, e := range v {
			if err := l.check(e, depth+1); err != nil {
				return err
			}
		}
		return nil
	case map[string]any:
		for name, e := range v {
			l.size += len(name) + 4
			if err := l.check(e, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	return errForeign
}
