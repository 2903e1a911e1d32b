package toolschema_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient/internal/toolschema"
)

// What is left out of a schema still tells its type, where that can be known.
func TestStubs(t *testing.T) {
	t.Parallel()
	const defs = `"$defs":{"S":{"type":"string","maxLength":3},"A":{"$ref":"#/$defs/S"},"U":{"anyOf":[{"$ref":"#/$defs/A"},{"type":"integer"},{"description":"?"}]},
		"O":{"allOf":[{"$ref":"#/$defs/P"},{"required":["a"]}]},"P":{"properties":{"a":{}}},"Round":{"$ref":"#/$defs/Round"}}`
	for in, want := range map[string]string{
		`{"type":"string","maxLength":3}`:           `"type":"string"`,
		`{"enum":["a",{},null]}`:                    `"anyOf":[{"type":"string"},{"type":"object"}]`,
		`{"items":{}}`:                              `"type":"array","items":` + itemsJSON,
		`{"$ref":"#/$defs/A","description":"Way."}`: `"type":"string"`,
		`{"$ref":"#/$defs/U"}`:                      `"anyOf":[{"type":"string"},{"type":"integer"}]`,
		`{"$ref":"#/$defs/O"}`:                      `"type":"object"`,
		`{"$ref":"#/$defs/Round"}`:                  anyJSON[1 : len(anyJSON)-1],
		`{"$ref":"#/$defs/gone"}`:                   anyJSON[1 : len(anyJSON)-1],
		`{}`:                                        anyJSON[1 : len(anyJSON)-1],
	} {
		s, err := toolschema.Convert(json.RawMessage(`{"properties":{"o":{"properties":{"p":`+in+`}}},`+defs+`}`), toolschema.Options{MaxDepth: 1})
		require.NoError(t, err, in)
		checkSchema(t, in, s)
		got, err := json.Marshal(s.Properties["o"].(map[string]any)["properties"].(map[string]any)["p"])
		require.NoError(t, err, in)
		words := "Deeper levels are left out."
		if strings.Contains(in, "Way") {
			words = "Way. " + words
		}
		require.JSONEq(t, `{"description":`+quoted(words)+`,`+want+`}`, string(got), in)
	}
}

// An identifier that is too long to be one does not get in the way of
// references, and neither do more identifiers than any tool has.
func TestIdentifiersThatCostTooMuchAreIgnored(t *testing.T) {
	t.Parallel()
	many := `"many":[` + numbered(2_000, `{"$id":"i%d/`+strings.Repeat("a/", 100)+`"}`) + `]`
	for name, in := range map[string]string{
		"one of 3 KB":        `{"$id":"https://example.com/` + strings.Repeat("a/", 1_500) + `","properties":{"p":{"$ref":"#/$defs/S"}},"$defs":{"S":{"type":"integer"}}}`,
		"one of 3 KB inside": `{"properties":{"p":{"$ref":"#/$defs/S"}},"$defs":{"S":{"$id":"` + strings.Repeat("a/", 1_500) + `","type":"integer"}}}`,
		"2,000 of 200 bytes": `{"$id":"https://example.com/","properties":{"p":{"$ref":"#here"}},"$defs":{"S":{"$anchor":"here","type":"integer"},` + many + `}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := toolschema.Convert(json.RawMessage(in), toolschema.Options{MaxBytes: 1 << 20})
			require.NoError(t, err)
			checkSchema(t, name, s)
			require.Equal(t, map[string]any{"p": map[string]any{"type": "integer"}}, s.Properties)
		})
	}
}
