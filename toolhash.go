package mcpclient

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math/big"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ToolHash identifies a tool's definition, so that a host can notice that a
// server has changed what a user approved: the hex form of SHA-256 over the raw
// name, the description (or the title that a model is shown where there is none),
// and the input and output schema. Definitions that differ only in the order of
// keys, in white space or in how a number is written have the same hash. Other
// titles, annotations, icons and _meta are not part of it. It is empty for nil.
// The form may change with a major version of this module. It may be called
// concurrently.
func ToolHash(t *mcp.Tool) string {
	if t == nil {
		return ""
	}
	form := []any{t.Name, shownText(t.Description, t.Title, t.Annotations), canonical(t.InputSchema), canonical(t.OutputSchema)}
	text, err := json.Marshal(form) // keys of maps are sorted
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// canonical makes of a schema, in whatever Go form, values of which equal ones
// marshal equally.
func canonical(schema any) any {
	text, err := json.Marshal(schema)
	if err != nil {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return nil
	}
	return canonicalNumbers(v)
}

func canonicalNumbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, member := range v {
			v[k] = canonicalNumbers(member)
		}
	case []any:
		for i, element := range v {
			v[i] = canonicalNumbers(element)
		}
	case json.Number:
		return canonicalNumber(string(v))
	}
	return v
}

// maxExponent bounds what is written out: a few bytes of exponent can stand for
// gigabytes of digits.
const maxExponent = 400

func canonicalNumber(text string) json.Number {
	if _, exponent, ok := strings.Cut(strings.ToLower(text), "e"); ok {
		if n, err := strconv.Atoi(exponent); err != nil || n > maxExponent || n < -maxExponent {
			return json.Number(text)
		}
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return json.Number(text)
	}
	digits, _ := r.FloatPrec() // exact, as the text is a decimal
	return json.Number(r.FloatString(digits))
}
