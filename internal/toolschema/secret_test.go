package toolschema_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient/internal/toolschema"
)

func TestSecretIsNowhereInTheSchema(t *testing.T) {
	t.Parallel()
	const secret = "s3cr3t/v4lue"
	schema := map[string]any{"type": "object", "required": []any{secret, "plain"}, "properties": map[string]any{
		"plain":        map[string]any{"enum": []any{"a", "x" + secret}, "default": secret, "description": "It is " + secret + "."},
		"fixed":        map[string]any{"const": secret},
		"pattern":      map[string]any{"type": "string", "pattern": "^" + secret + "$", "format": secret, "contentEncoding": secret},
		"reference":    map[string]any{"$ref": "#/$defs/" + secret},
		secret:         map[string]any{"type": "integer"},
		"in " + secret: map[string]any{"type": "integer"},
		"either": map[string]any{"oneOf": []any{
			map[string]any{"type": "object", "properties": map[string]any{secret: map[string]any{"const": "a"}}, "required": []any{secret}},
			map[string]any{"type": "object", "properties": map[string]any{"b": map[string]any{"const": secret}}, "required": []any{"b"}},
		}},
	}}
	s, err := toolschema.Convert(schema, toolschema.Options{
		Clean:  func(text string) string { return strings.ReplaceAll(text, secret, "[REDACTED]") },
		Secret: func(text string) bool { return strings.Contains(text, secret) },
	})
	require.NoError(t, err)
	checkSchema(t, "secret", s)
	out, err := json.Marshal(s)
	require.NoError(t, err)
	require.NotContains(t, string(out), "s3cr3t")
	require.NotContains(t, string(out), "v4lue")
	require.Equal(t, []any{"a"}, s.Properties["plain"].(map[string]any)["enum"], "what may be seen stays")

	args, err := s.Arguments(`{"plain":"a","_REDACTED_":1,"in__REDACTED_":2}`)
	require.NoError(t, err)
	require.JSONEq(t, `{"plain":"a","s3cr3t/v4lue":1,"in s3cr3t/v4lue":2}`, string(args), "the server gets its own names")
}
