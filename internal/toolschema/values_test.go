package toolschema_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient/internal/toolschema"
)

// visible takes out what hides from a reader.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)
}

// A value that a model must not see goes, with a note; the argument stays.
func TestValuesThatMustNotBeSeen(t *testing.T) {
	t.Parallel()
	o := toolschema.Options{
		Clean:  visible,
		Secret: func(s string) bool { return strings.Contains(s, "12345678") },
	}
	cases := []struct{ name, in, want, note string }{
		{"default with an escape", `{"type":"string","default":"a\u001b[31m"}`, `{"type":"string"}`, "a default with hidden characters is left out"},
		{"default with NUL", `{"type":"string","default":"a\u0000b"}`, `{"type":"string"}`, "a default that is unreadable is left out"},
		{"default with tags", `{"type":"string","default":"a\udb40\udc41"}`, `{"type":"string"}`, "a default with hidden characters is left out"},
		{"default with a lone surrogate", `{"type":"string","default":"\ud800"}`, `{"type":"string"}`, "a default that is unreadable is left out"},
		{"default of several lines stays", `{"type":"string","default":"a\n\tb"}`, `{"type":"string","default":"a\n\tb"}`, ""},
		{"default with a secret", `{"type":"string","default":"t12345678"}`, `{"type":"string"}`, "a default with a secret is left out"},
		{"default that is a secret number", `{"type":"integer","default":12345678}`, `{"type":"integer"}`, "a default with a secret is left out"},
		{"default that holds a secret number", `{"default":912345678.5}`, anyJSON, "a default with a secret is left out"},
		{"default beyond 2^53", `{"type":"integer","default":9223372036854775807}`, `{"type":"integer"}`, "a default beyond 2^53 is left out"},

		{"one value of an enum", `{"enum":["a\u202e","b"]}`, `{"type":"string","enum":["b"]}`, "an enum value with hidden characters is left out"},
		{"all values of an enum", `{"enum":["a\u202e","\u200b"]}`, `{"type":"string"}`, "an enum value with hidden characters is left out"},
		{"all values of a typed enum", `{"type":"string","enum":["\u001b"]}`, `{"type":"string"}`, "an enum value with hidden characters is left out"},
		{"const", `{"const":"a\u200bb"}`, `{"type":"string"}`, "an enum value with hidden characters is left out"},
		{"all values of one type", `{"enum":["\u200b",1]}`, `{"anyOf":[{"type":"string"},{"type":"integer","enum":[1]}]}`, "an enum value with hidden characters is left out"},
		{"enum with NUL", `{"enum":["\u0000","b"]}`, `{"type":"string","enum":["b"]}`, "an enum value that is unreadable is left out"},
		{"enum with a lone surrogate", `{"type":"string","enum":["\ud800","b"]}`, `{"type":"string","enum":["b"]}`, "an enum value that is unreadable is left out"},
		{"enum of a lone surrogate", `{"enum":["\udc00"]}`, `{"type":"string"}`, "an enum value that is unreadable is left out"},
		{"enum with a secret number", `{"enum":[12345678,2]}`, `{"type":"integer","enum":[2]}`, "an enum value with a secret is left out"},
		{"const that is a secret number", `{"const":-12345678}`, `{"type":"integer"}`, "an enum value with a secret is left out"},

		{"pattern", `{"type":"string","pattern":"[\u202e]"}`, `{"type":"string"}`, "a pattern with hidden characters is left out"},
		{"pattern with NUL", `{"type":"string","pattern":"\u0000"}`, `{"type":"string"}`, "a pattern that is unreadable is left out"},
		{"media type", `{"type":"string","contentMediaType":"a\u001b[31m"}`, `{"type":"string"}`, "a value of contentMediaType with hidden characters is left out"},
		{"encoding", `{"type":"string","contentEncoding":"base64\u200b"}`, `{"type":"string"}`, "a value of contentEncoding with hidden characters is left out"},
		{"format", `{"type":"string","format":"a\u200bb"}`, `{"type":"string"}`, "a format with hidden characters is left out"},
		{"format with a secret", `{"type":"string","format":"12345678"}`, `{"type":"string"}`, "a format with a secret is left out"},
		{"bounds with a secret", `{"type":"integer","minimum":12345678,"maximum":112345678}`, `{"type":"integer"}`, "a value of minimum with a secret is left out"},
		{"length with a secret", `{"type":"string","maxLength":12345678}`, `{"type":"string"}`, "a value of maxLength with a secret is left out"},

		{"bounds beyond 2^53", `{"type":"integer","minimum":-9223372036854775808,"maximum":9223372036854775807}`, `{"type":"integer"}`, "a value of maximum beyond 2^53 is left out"},
		{"other bounds beyond 2^53", `{"type":"number","exclusiveMaximum":1e300,"exclusiveMinimum":-1e400,"multipleOf":9007199254740992}`, `{"type":"number"}`, "a value of multipleOf beyond 2^53 is left out"},
		{"draft-04 bound beyond 2^53", `{"type":"number","minimum":1e17,"exclusiveMinimum":true}`, `{"type":"number"}`, "a value of minimum beyond 2^53 is left out"},
		{"lengths beyond 2^53", `{"type":"string","maxLength":18446744073709551615,"minLength":2.0}`, `{"type":"string","minLength":2}`, "a value of maxLength beyond 2^53 is left out"},
		{"bounds within 2^53", `{"type":"integer","minimum":-9007199254740991,"maximum":9007199254740991}`, `{"type":"integer","minimum":-9007199254740991,"maximum":9007199254740991}`, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, err := toolschema.Convert(json.RawMessage(`{"properties":{"p":`+c.in+`},"required":["p"]}`), o)
			require.NoError(t, err)
			checkSchema(t, c.name, s)
			require.Equal(t, []string{"p"}, s.Required)
			got, err := json.Marshal(s.Properties["p"])
			require.NoError(t, err)
			require.JSONEq(t, c.want, string(got))
			if c.note == "" {
				require.Empty(t, s.Notes)
				return
			}
			require.Contains(t, s.Notes, c.note)
		})
	}
}

// The values that can't be carried still tell the type.
func TestTypeOfValuesThatAreLeftOut(t *testing.T) {
	t.Parallel()
	const object, list = `{"type":"object"}`, `{"type":"array","items":` + itemsJSON + `}`
	for in, want := range map[string]string{
		`{"const":""}`:                               `{"type":"string"}`,
		`{"enum":["",""]}`:                           `{"type":"string"}`,
		`{"enum":["",null]}`:                         `{"type":"string"}`,
		`{"const":{"a":1}}`:                          object,
		`{"const":[1,2]}`:                            list,
		`{"enum":[{"a":1},[2]]}`:                     `{"anyOf":[` + object + `,` + list + `]}`,
		`{"enum":["a",{"a":1}]}`:                     `{"anyOf":[{"type":"string","enum":["a"]},` + object + `]}`,
		`{"const":9007199254740993}`:                 `{"type":"integer"}`,
		`{"const":1e400}`:                            `{"type":"number"}`,
		`{"enum":[9007199254740993,1.5]}`:            `{"type":"number","enum":[1.5]}`,
		`{"type":"object","enum":[{"a":1}]}`:         object,
		`{"type":["string","object"],"enum":["",1]}`: `{"type":"string"}`,
		`{"type":"string","enum":[{"value":"a"}]}`:   `{"type":"string"}`,
		`{"type":"integer","enum":[1e400]}`:          `{"type":"integer"}`,
	} {
		s, err := toolschema.Convert(json.RawMessage(`{"properties":{"p":`+in+`}}`), toolschema.Options{})
		require.NoError(t, err, in)
		checkSchema(t, in, s)
		got, err := json.Marshal(s.Properties["p"])
		require.NoError(t, err, in)
		require.JSONEq(t, want, string(got), in)
	}
}
