package toolschema_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient/internal/toolschema"
)

// pattern is the pattern that a model sees of a string with this one.
func pattern(t *testing.T, in string) any {
	t.Helper()
	s, err := toolschema.Convert(map[string]any{"properties": map[string]any{
		"p": map[string]any{"type": "string", "pattern": in},
	}}, toolschema.Options{})
	require.NoError(t, err)
	checkSchema(t, in, s)
	return s.Properties["p"].(map[string]any)["pattern"]
}

func TestPatternOfAnyDialectStays(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		``, `^[a-z]+$`, `(a|b)*`, `^(?!x)\p{L}+$`, `(?<=a)b`, `(?<n>a)`, `(?i)a`, `(?:)`, `(*UTF)a`, `()`, `a||b`, `a|`,
		`[]`, `[^]`, `[]a]`, `[^]a]`, `[]()]`, `[](a)`, `[[:alpha:]]`, `[[a-z]--[aeiou]]`, `[(]`, `[)*]`, `a]`, `[\]]`,
		`\(`, `\[`, `\\`, `\Q(\E`, `\é(é)`, `a{2}`, `{a}`, `a**`, `a{9999}`,
		`[` + strings.Repeat(`\pL`, 1_300) + `]`,
	} {
		assert.Equal(t, in, or(pattern(t, in), ""), "%.40s", in)
	}
}

func TestPatternThatIsBrokenEverywhereGoes(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		`(`, `)`, `(a`, `a)`, `())(`, `[`, `[^`, `[a`, `[\]`, `[](`, `\`, `a\`, `*`, `+a`, `?`, `a|*`, `(+)`, "a\xff",
		strings.Repeat("a", 5_000),
	} {
		assert.Nil(t, pattern(t, in), "%.40s", in)
	}
}

func or(v, other any) any {
	if v == nil {
		return other
	}
	return v
}
