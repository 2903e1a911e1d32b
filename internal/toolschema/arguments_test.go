package toolschema_test

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient/internal/toolschema"
)

// argumentSchema has one of each kind that Arguments has to tell apart.
const argumentSchema = `{"type":"object","properties":{
	"id":{"type":"integer"},
	"opt":{"type":"string"},
	"maybe":{"type":["string","null"]},
	"free":{},
	"any of":{"anyOf":[{"type":"integer"},{"type":"null"}]},
	"$where":{"type":"object","properties":{"$eq":{"type":"string"},"n":{"type":"integer"}},"required":["n"]},
	"rows":{"type":"array","items":{"type":"object","properties":{"a b":{"type":"integer"},"c":{"type":"boolean"}}}},
	"map":{"type":"object","additionalProperties":{"type":"object","properties":{"@x":{"type":"string"}}}},
	"either":{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"object","properties":{"ö":{"type":"string"}}}}]}
},"required":["id"]}`

func TestArguments(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, in, want string }{
		{"nothing", ``, `{}`},
		{"blanks", " \n\t ", `{}`},
		{"null", `null`, `{}`},
		{"null with blanks", "\n null ", `{}`},
		{"empty object", `{}`, `{}`},
		{"white space around goes, inside stays", " \r\n{ \"id\" : 1 }\n", `{ "id" : 1 }`},
		{"byte order mark", "\ufeff{\"id\":1}", `{"id":1}`},
		{"object in a string", `"{}"`, `{}`},
		{"object in a string, with members", `"{\"id\": 9007199254740993, \"opt\":\"a\\nb\"}"`, `{"id": 9007199254740993, "opt":"a\nb"}`},
		{"null in a string", `"null"`, `{}`},
		{"nothing in a string", `""`, `{}`},
		{"blanks in a string", `"  "`, `{}`},
		{"numbers beyond 2^53", `{"id":9007199254740993,"n":-18446744073709551616}`, `{"id":9007199254740993,"n":-18446744073709551616}`},
		{"1.0 and 1e400", `{"id":1.0,"opt":1e400,"z":-0}`, `{"id":1.0,"opt":1e400,"z":-0}`},
		{"duplicate names", `{"id":1,"id":2}`, `{"id":1,"id":2}`},
		{"order and escapes", `{"opt":"\/\u00e9\ud83d\ude00","id":1}`, `{"opt":"\/\u00e9\ud83d\ude00","id":1}`},
		{"unknown names and wrong types", `{"id":"x","foo":[null,{"bar":null}]}`, `{"id":"x","foo":[null,{"bar":null}]}`},
		{"broken UTF-8", "{\"id\":1,\"opt\":\"a\xffb\xed\xa0\x80\"}", "{\"id\":1,\"opt\":\"a\uFFFDb\uFFFD\uFFFD\uFFFD\"}"},
		{"broken UTF-8 in a name", "{\"a\xff\":1}", "{\"a\uFFFD\":1}"},
		{"lone surrogates", `{"opt":"\ud800 \udc00 \ud800\u0041 \uD83D\uDE00"}`, "{\"opt\":\"\uFFFD \uFFFD \uFFFD\\u0041 \\uD83D\\uDE00\"}"},
		{"NUL", `{"opt":"a\u0000b","x\u0000":"\\u0000"}`, `{"opt":"ab","x":"\\u0000"}`},
		{"NUL in a name that is there without it", `{"id":"a","id\u0000":1}`, `{"id":"a"}`},
		{"NUL in a name that comes without it", `{"id\u0000":1, "id":"a","x":2}`, `{ "id":"a","x":2}`},
		{"NUL in a name, twice", `{"x\u0000":{"a":1},"\u0000x":2,"y":3}`, `{"x":{"a":1},"y":3}`},
		{"NUL in a name, among others", `{"x\u0000":1,"\u0000x":2,"x":3,"x\u0000\u0000":4,"y\u0000":5}`, `{"x":3,"y":5}`},
		{"NUL in a name of a nested object", `{"rows":[{"c":true,"c\u0000":[{"c\u0000":1}]},{"c\u0000":1}]}`, `{"rows":[{"c":true},{"c":1}]}`},
		{"NUL in a name of the schema", `{"_where":{"n":1},"_where\u0000":{"n":2}}`, `{"$where":{"n":1}}`},
		{"lone surrogate in a name", "{\"a\\ud800\":1,\"a\uFFFD\":2,\"b\\ud83d\\ude00\":3}", "{\"a\uFFFD\":2,\"b\\ud83d\\ude00\":3}"},
		{"duplicate names beside NUL", `{"id":1,"id":2,"x\u0000":3}`, `{"id":1,"id":2,"x":3}`},
		{"names and values alike", `{"id":"x\u0000","x":"x\u0000"}`, `{"id":"x","x":"x"}`},
		{"null for an optional one", `{"id":1,"opt":null}`, `{"id":1}`},
		{"null for the first", `{ "opt" : null , "id" : 1 }`, `{  "id" : 1 }`},
		{"null for all", `{"opt":null,"rows":null}`, `{}`},
		{"null for a nullable one", `{"maybe":null,"free":null,"id":1}`, `{"maybe":null,"free":null,"id":1}`},
		{"null for a required one", `{"id":null}`, `{"id":null}`},
		{"null for an unknown one", `{"foo":null}`, `{"foo":null}`},
		{"null nested", `{"_where":{"n":null,"_eq":null},"rows":[{"c":null},null]}`, `{"$where":{"n":null},"rows":[{},null]}`},
		{"name in disguise", `{"\u006fpt":null,"id":1}`, `{"id":1}`},
		{"renamed", `{"_where":{"_eq":"null","n":1},"any_of":null}`, `{"$where":{"$eq":"null","n":1},"any of":null}`},
		{"renamed in lists", `{"rows":[{"a_b":1},{"a_b" : 2, "c":true}]}`, `{"rows":[{"a b":1},{"a b" : 2, "c":true}]}`},
		{"renamed in maps", `{"map":{"k":{"_x":"v"},"_x":{"_x":null}}}`, `{"map":{"k":{"@x":"v"},"_x":{}}}`},
		{"renamed in one of two types", `{"either":[{"p_6dbd11fd":"x"}]}`, `{"either":[{"ö":"x"}]}`},
		{"the server's own name is fine too", `{"$where":{"$eq":"x","n":1}}`, `{"$where":{"$eq":"x","n":1}}`},
		{"renamed only where it is known", `{"foo":{"_where":1}}`, `{"foo":{"_where":1}}`},
		{"intent is not ours here", `{"model_intent":"why"}`, `{"model_intent":"why"}`},
	}
	s, err := toolschema.Convert(json.RawMessage(argumentSchema), toolschema.Options{})
	require.NoError(t, err)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := s.Arguments(c.in)
			require.NoError(t, err)
			require.Equal(t, c.want, string(got))
			require.True(t, utf8.Valid(got) && json.Valid(got))
		})
	}
}

func TestArgumentErrors(t *testing.T) {
	t.Parallel()
	const tail = `. Write them as one JSON object with at least "id". Nothing was sent.`
	cases := []struct{ name, in, wrong string }{
		{"array", `[]`, `they are an array`},
		{"number", `12`, `they are a number`},
		{"boolean", `true`, `they are a boolean`},
		{"text in a string", `"hello"`, `they are a string`},
		{"array in a string", `"[1]"`, `they are a string`},
		{"string in a string", `"\"{}\""`, `they are a string`},
		{"broken object in a string", `"{\"id\":"`, `the JSON ends before it is complete`},
		{"trailing text", `{"id":1} and more`, `there is more text after the end of the JSON value`},
		{"two objects", `{"id":1}{"id":2}`, `there is more text after the end of the JSON value`},
		{"trailing text after null", `null x`, `there is more text after the end of the JSON value`},
		{"cut", `{"id":`, `the JSON ends before it is complete`},
		{"cut in a string", `{"opt":"ab`, `the JSON ends before it is complete`},
		{"cut string", `"{\"id\"`, `the JSON ends before it is complete`},
		{"no JSON", `id=1`, `they are not valid JSON at character 1`},
		{"trailing comma", `{"ö":1,}`, `they are not valid JSON at character 7`},
		{"single quotes", `{'id':1}`, `they are not valid JSON at character 2`},
		{"NaN", `{"id":NaN}`, `they are not valid JSON at character 7`},
		{"raw control character", "{\"opt\":\"a\x00b\"}", `they are not valid JSON at character 10`},
	}
	s, err := toolschema.Convert(json.RawMessage(argumentSchema), toolschema.Options{})
	require.NoError(t, err)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := s.Arguments(c.in)
			require.Nil(t, got)
			require.EqualError(t, err, "The arguments can't be used: "+c.wrong+tail)
		})
	}
}

func TestArgumentErrorSaysWhatIsExpected(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{}`: `The arguments can't be used: they are an array. Write them as one JSON object; this tool takes no arguments, so write {}. Nothing was sent.`,
		`{"properties":{"b":{"type":"string"},"a":{"type":"string"}}}`: `The arguments can't be used: they are an array. Write them as one JSON object with any of "a", "b". Nothing was sent.`,
	} {
		s, err := toolschema.Convert(json.RawMessage(in), toolschema.Options{})
		require.NoError(t, err)
		_, err = s.Arguments(`[]`)
		require.EqualError(t, err, want)
	}
}

func TestIntent(t *testing.T) {
	t.Parallel()
	o := toolschema.Options{Intent: true}
	cases := []struct{ name, schema, in, want string }{
		{"taken off", `{"properties":{"a":{"type":"string"}}}`, `{"a":"x", "model_intent":"why"}`, `{"a":"x"}`},
		{"taken off, first", `{"properties":{"a":{"type":"string"}}}`, `{"model_intent":"why","a":"x"}`, `{"a":"x"}`},
		{"taken off, alone", `{}`, `{"model_intent":"why"}`, `{}`},
		{"taken off, twice and null", `{}`, `{"model_intent":null,"model_intent":{"a":1}}`, `{}`},
		{"taken off, in disguise", `{}`, `{"model\u005fintent":"why"}`, `{}`},
		{"taken off, in a string", `{}`, `"{\"model_intent\":\"why\"}"`, `{}`},
		{"only at the top", `{"properties":{"a":{"type":"object"}}}`, `{"a":{"model_intent":"why"}}`, `{"a":{"model_intent":"why"}}`},
		{"the tool's own stays", `{"properties":{"model_intent":{"type":"integer"}}}`, `{"model_intent":3}`, `{"model_intent":3}`},
		{"a name that would become it", `{"properties":{"model intent":{"type":"string"}}}`, `{"model_intent":"why"}`, ``},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, err := toolschema.Convert(json.RawMessage(c.schema), o)
			require.NoError(t, err)
			checkSchema(t, c.name, s)
			require.Contains(t, s.Properties, toolschema.IntentProperty)
			require.NotContains(t, s.Required, toolschema.IntentProperty)
			if c.want == "" {
				require.Len(t, s.Properties, 2)
				return
			}
			got, err := s.Arguments(c.in)
			require.NoError(t, err)
			require.Equal(t, c.want, string(got))
		})
	}
	own, err := toolschema.Convert(json.RawMessage(`{"properties":{"model_intent":{"type":"integer"}},"required":["model_intent"]}`), o)
	require.NoError(t, err)
	require.Equal(t, map[string]any{"model_intent": map[string]any{"type": "integer"}}, own.Properties)
	require.Equal(t, []string{"model_intent"}, own.Required)
}

// What comes back can be changed by the caller without harm to later calls.
func TestArgumentsAreNotShared(t *testing.T) {
	t.Parallel()
	s, err := toolschema.Convert(nil, toolschema.Options{})
	require.NoError(t, err)
	for range 2 {
		got, err := s.Arguments("")
		require.NoError(t, err)
		require.Equal(t, `{}`, string(got))
		got[0] = 'x'
	}
}
