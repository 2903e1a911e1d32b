package toolschema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Arguments makes the JSON object to send of what the model wrote. Where
// nothing has to change, the bytes are those of input, without white space
// around them: numbers, duplicate names, order and escapes stay as they are.
//
// Nothing at all and null are an object without members, and so is a string
// that holds one of these; a string that holds an object is unwrapped once.
// Changed are: property names that were renamed, null for an optional argument
// that does not take it, the property of Options.Intent, broken UTF-8 and lone
// surrogates (U+FFFD), and NUL (taken out). A member whose name becomes that of
// another one by this is left out.
//
// An error is a sentence that tells the model what to write instead.
func (s *Schema) Arguments(input string) (json.RawMessage, error) {
	text, err := s.object(input)
	if err != nil {
		return nil, err
	}
	if !s.needsRewrite(text) {
		return text, nil
	}
	r := rewriter{text: text, dec: jsontext.NewDecoder(bytes.NewBuffer(text), lenient...), eclipsed: eclipsed(text)}
	r.out = make([]byte, 0, len(text))
	var hidden string
	if s.intent {
		hidden = IntentProperty
	}
	if err := r.object(s.args, hidden); err != nil {
		return nil, s.explain(text, err)
	}
	return r.done(), nil
}

var noArguments = json.RawMessage("{}")

// object finds the text of the object in input and makes sure that it is one
// valid JSON value.
func (s *Schema) object(input string) ([]byte, error) {
	text := trim(input)
	if isNothing(text) {
		return slices.Clone(noArguments), nil
	}
	if text[0] == '"' {
		inner, err := unquote([]byte(text))
		if err != nil {
			return nil, s.explain([]byte(text), err)
		}
		text = trim(inner)
		if isNothing(text) {
			return slices.Clone(noArguments), nil
		}
		if text[0] != '{' {
			return nil, s.wrongKind("a string")
		}
	}
	b := []byte(text)
	if b[0] == '{' && jsontext.Value(b).IsValid(lenient...) {
		return b, nil
	}
	return nil, s.explain(b, syntaxError(b))
}

// trim also takes a byte order mark and white space that JSON does not know.
func trim(s string) string {
	return strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(s), "\ufeff"))
}

func isNothing(s string) bool { return s == "" || s == "null" }

// unquote decodes a JSON string; what is broken in its Unicode is U+FFFD.
func unquote(text []byte) (string, error) {
	if err := syntaxError(text); err != nil {
		return "", err
	}
	b, _ := jsontext.AppendUnquote(nil, text)
	return string(b), nil
}

var errTrailing = errors.New("trailing text")

// syntaxError reads the whole text as one JSON value.
func syntaxError(text []byte) error {
	dec := jsontext.NewDecoder(bytes.NewBuffer(text), lenient...)
	if err := dec.SkipValue(); err != nil {
		return err
	}
	if rest := bytes.TrimSpace(text[dec.InputOffset():]); len(rest) > 0 {
		return errTrailing
	}
	return nil
}

// explain tells the model what is wrong with its text.
func (s *Schema) explain(text []byte, err error) error {
	var syntax *jsontext.SyntacticError
	switch {
	case err == nil:
		return s.wrongKind(kindText(text))
	case errors.Is(err, errTrailing):
		return s.expected("there is more text after the end of the JSON value")
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return s.expected("the JSON ends before it is complete")
	case errors.As(err, &syntax):
		at := min(int(syntax.ByteOffset), len(text))
		return s.expected(fmt.Sprintf("they are not valid JSON at character %d", utf8.RuneCount(text[:at])+1))
	}
	return s.expected("they are not valid JSON")
}

func kindText(text []byte) string {
	switch jsontext.Value(text).Kind() {
	case '[':
		return "an array"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 't', 'f':
		return "a boolean"
	}
	return "something else"
}

func (s *Schema) wrongKind(got string) error {
	return s.expected("they are " + got)
}

// maxNamed bounds the properties that an error names.
const maxNamed = 12

// expected is a sentence for the model.
func (s *Schema) expected(wrong string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "The arguments can't be used: %s. Write them as one JSON object", wrong)
	switch {
	case len(s.Properties) == 0:
		b.WriteString("; this tool takes no arguments, so write {}")
	case len(s.Required) > 0:
		fmt.Fprintf(&b, " with at least %s", list(s.Required))
	default:
		names := make([]string, 0, len(s.Properties))
		for name := range s.Properties {
			names = append(names, name)
		}
		slices.Sort(names)
		fmt.Fprintf(&b, " with any of %s", list(names))
	}
	b.WriteString(". Nothing was sent.")
	return errors.New(b.String())
}

func list(names []string) string {
	more := ""
	if len(names) > maxNamed {
		names, more = names[:maxNamed], ", …"
	}
	return `"` + strings.Join(names, `", "`) + `"` + more
}
