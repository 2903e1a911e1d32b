package toolschema_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient/internal/toolschema"
)

func TestDescriptionLength(t *testing.T) {
	t.Parallel()
	long, ü := strings.Repeat("y", 20_000), strings.Repeat("ü", 100)
	in := map[string]any{"properties": map[string]any{
		"long":    map[string]any{"type": "string", "title": strings.Repeat("t", 20_000), "description": long},
		"short":   map[string]any{"type": "string", "title": "T", "description": strings.Repeat("d", 40)},
		"runes":   map[string]any{"type": "string", "description": ü},
		"$named":  map[string]any{"type": "string", "description": long},
		"again":   map[string]any{"$ref": "#", "description": long},
		"deep":    map[string]any{"type": "array", "items": map[string]any{"type": "string", "description": long}},
		"either":  map[string]any{"anyOf": []any{map[string]any{"type": "string", "description": long, "maxLength": 1.0}, map[string]any{"type": "string", "title": long}}},
		"objects": map[string]any{"anyOf": []any{map[string]any{"required": []any{"a"}, "description": long}, map[string]any{"required": []any{"b"}, "description": ü}}},
		"secret":  map[string]any{"type": "string", "description": strings.Repeat("d", 36) + "SECRET"},
	}}
	s, err := toolschema.Convert(in, toolschema.Options{
		DescriptionLength: 40,
		Clean:             func(s string) string { return strings.ReplaceAll(s, "SECRET", "[REDACTED]") },
	})
	require.NoError(t, err)
	checkSchema(t, "length", s)
	checker{t, "length"}.brief(s.Properties, 40)
	of := func(name, key string) any { return s.Properties[name].(map[string]any)[key] }
	require.Equal(t, strings.Repeat("y", 39)+"…", of("long", "description"))
	require.Equal(t, strings.Repeat("t", 39)+"…", of("long", "title"))
	require.Equal(t, strings.Repeat("d", 40), of("short", "description"), "what fits stays")
	require.Equal(t, strings.Repeat("ü", 39)+"…", of("runes", "description"), "characters count, not bytes")
	require.Equal(t, strings.Repeat("y", 19)+`… (Sent as "$named".)`, of("_named", "description"), "what has to be said stays")
	require.Equal(t, strings.Repeat("d", 36)+"…", of("secret", "description"), "a secret goes before the cut")
	require.True(t, utf8.ValidString(of("objects", "description").(string)))

	out, err := json.Marshal(s.Properties)
	require.NoError(t, err)
	require.Less(t, len(out), 2_000)

	whole, err := toolschema.Convert(in, toolschema.Options{})
	require.NoError(t, err)
	require.Equal(t, long, whole.Properties["long"].(map[string]any)["description"], "0 is no limit")
}
