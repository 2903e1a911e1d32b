package toolschema_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient/internal/toolschema"
)

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
