package toolschema_test

import (
	"encoding/json"
	"math"
	"strings"
	"sync"
	"testing"
	"unicode"

	"charm.land/fantasy/schema"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient/internal/toolschema"
)

const (
	anyJSON   = `{"anyOf":[{"type":"string"},{"type":"number"},{"type":"boolean"},{"type":"object"},{"type":"array","items":` + itemsJSON + `}]}`
	itemsJSON = `{"anyOf":[{"type":"string"},{"type":"number"},{"type":"boolean"},{"type":"object"}]}`
)

// One property p, before and after; no "after" means that it is dropped.
func TestProperty(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, in, want string }{
		{"plain stays whole", `{"type":"string","title":"T","description":"d","format":"uri","pattern":"^h","minLength":1,"maxLength":9,"default":"h"}`, `{"type":"string","title":"T","description":"d","format":"uri","pattern":"^h","minLength":1,"maxLength":9,"default":"h"}`},
		{"bounds stay", `{"type":"integer","minimum":-9007199254740991,"exclusiveMaximum":10,"multipleOf":2,"format":"int32"}`, `{"type":"integer","minimum":-9007199254740991,"exclusiveMaximum":10,"multipleOf":2,"format":"int32"}`},
		{"list rules stay", `{"type":"array","items":{"type":"string","enum":["a"]},"minItems":1,"maxItems":2,"uniqueItems":true}`, `{"type":"array","items":{"type":"string","enum":["a"]},"minItems":1,"maxItems":2,"uniqueItems":true}`},
		{"nested required stays", `{"type":"object","properties":{"a":{"type":"string"}},"required":["a","b","a",1],"additionalProperties":false}`, `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`},
		{"no properties", `{"type":"object","properties":{},"additionalProperties":true}`, `{"type":"object","properties":{},"additionalProperties":true}`},
		{"values of a map", `{"type":"object","additionalProperties":{"type":["integer","null"]}}`, `{"type":"object","additionalProperties":{"type":"integer"}}`},
		{"keywords that go", `{"type":"string","$schema":"s","$id":"i","$comment":"c","$anchor":"a","examples":["e"],"example":"e","x-mcp-header":"h","$defs":{},"definitions":{},"$vocabulary":{}}`, `{"type":"string"}`},
		{"default of objects and lists go", `{"type":"object","default":{"type":["a"]}}`, `{"type":"object"}`},
		{"default null goes", `{"type":"string","default":null}`, `{"type":"string"}`},
		{"default of another type goes", `{"type":"integer","default":"x"}`, `{"type":"integer"}`},

		{"true", `true`, anyJSON},
		{"empty", `{}`, anyJSON},
		{"type any", `{"type":"any"}`, anyJSON},
		{"false", `false`, ``}, {"null", `null`, ``}, {"string", `"string"`, ``}, {"list", `[1]`, ``}, {"empty list", `[]`, anyJSON}, {"number", `1`, ``},
		{"null alone", `{"type":"null"}`, ``},
		{"a type from a default", `{"default":3}`, `{"type":"number","default":3}`},

		{"type and null", `{"type":["string","null"],"enum":["a",null]}`, `{"type":"string","enum":["a"]}`},
		{"list type and null with items", `{"type":["null","array"],"items":{"type":"integer"}}`, `{"type":"array","items":{"type":"integer"}}`},
		{"object type and null with anyOf", `{"type":["object","null"],"anyOf":[{"properties":{"a":{"type":"string"}}}]}`, `{"type":"object","properties":{"a":{"type":"string"}}}`},
		{"anyOf with null keeps words", `{"anyOf":[{"type":"integer","description":"inner","minimum":1},{"type":"null"}],"title":"T","default":null}`, `{"type":"integer","description":"inner","minimum":1,"title":"T"}`},
		{"oneOf with null and outer words", `{"oneOf":[{"type":"null"},{"type":"string","description":"inner"}],"description":"outer"}`, `{"type":"string","description":"outer. inner"}`},
		{"enum with null alone and type", `{"type":["string","null"],"anyOf":[{"enum":["a"]},{"type":"null"}]}`, `{"type":"string","enum":["a"]}`},

		{"inferred from properties", `{"properties":{"a":{"type":"string"}}}`, `{"type":"object","properties":{"a":{"type":"string"}}}`},
		{"inferred from items", `{"items":{"type":"string"}}`, `{"type":"array","items":{"type":"string"}}`},
		{"inferred from enum", `{"enum":["a","b"]}`, `{"type":"string","enum":["a","b"]}`},
		{"inferred from const", `{"const":true}`, `{"type":"boolean","enum":[true]}`},
		{"inferred from bounds", `{"minimum":1}`, `{"type":"number","minimum":1}`},
		{"inferred from format", `{"format":"uuid"}`, `{"type":"string","format":"uuid"}`},
		{"types by other names", `{"type":"STRING"}`, `{"type":"string"}`},
		{"garbage type", `{"type":42,"items":{"type":"str"}}`, `{"type":"array","items":{"type":"string"}}`},

		{"const", `{"type":"string","const":"a"}`, `{"type":"string","enum":["a"]}`},
		{"enum of empty and odd values", `{"type":"string","enum":["","a",{"type":["x"]},["y"],1,"a"]}`, `{"type":"string","enum":["a"]}`},
		{"enum of another type", `{"type":"string","enum":[1,2]}`, `{"type":"string"}`},
		{"enum of integers", `{"type":"integer","enum":[1,2.5,3]}`, `{"type":"integer","enum":[1,3]}`},
		{"enum beyond 2^53", `{"type":"integer","enum":[9007199254740993,1]}`, `{"type":"integer","enum":[1]}`},
		{"enum of both booleans", `{"enum":[true,false]}`, `{"type":"boolean"}`},
		{"enum of two types", `{"enum":["a",1]}`, `{"anyOf":[{"type":"string","enum":["a"]},{"type":"integer","enum":[1]}]}`},
		{"empty enum", `{"type":"string","enum":[]}`, `{"type":"string"}`},

		{"list without items", `{"type":"array"}`, `{"type":"array","items":` + itemsJSON + `}`},
		{"items true", `{"type":"array","items":true}`, `{"type":"array","items":` + itemsJSON + `}`},
		{"items null", `{"type":"array","items":null}`, `{"type":"array","items":` + itemsJSON + `}`},
		{"items null alone", `{"type":"array","items":{"type":"null"}}`, `{"type":"array","items":` + anyJSON + `}`},
		{"null is all that two rules share", `{"type":["string","null"],"allOf":[{"type":["integer","null"]}]}`, ``},
		{"old tuple", `{"type":"array","items":[{"type":"string"},{"type":"string"}]}`, `{"type":"array","items":{"type":"string"}}`},
		{"new tuple", `{"type":"array","prefixItems":[{"type":"string"},{"type":"number"}],"items":false}`, `{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"number"}]}}`},
		{"list in a union", `{"type":["array","string"]}`, `{"anyOf":[{"type":"string"},{"type":"array","items":` + itemsJSON + `}]}`},

		{"draft-04 exclusive bounds", `{"type":"number","minimum":1,"exclusiveMinimum":true,"maximum":2,"exclusiveMaximum":false}`, `{"type":"number","exclusiveMinimum":1,"maximum":2}`},
		{"draft-03 required", `{"type":"object","properties":{"a":{"type":"string","required":true}}}`, `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`},
		{"rules of the wrong kind", `{"type":"string","minimum":1,"minLength":"1","maxLength":-1,"pattern":"[","format":1,"properties":{},"required":["a"],"items":{}}`, `{"type":"string"}`},
		{"a pattern of another dialect", `{"type":"string","pattern":"^(?!x)\\p{L}+$"}`, `{"type":"string","pattern":"^(?!x)\\p{L}+$"}`},

		{"allOf", `{"allOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{"type":"integer","minimum":1}}}],"required":["b"]}`, `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer","minimum":1}},"required":["b","a"]}`},
		{"allOf narrows", `{"type":"integer","minimum":1,"allOf":[{"minimum":5},{"type":"number","maximum":9}]}`, `{"type":"integer","minimum":5,"maximum":9}`},
		{"contradiction", `{"type":"string","allOf":[{"type":"integer"}]}`, `{"type":"string"}`},
		{"union of types", `{"type":["string","integer"],"minLength":1,"minimum":2,"description":"d"}`, `{"description":"d","anyOf":[{"type":"string","minLength":1},{"type":"integer","minimum":2}]}`},
		{"integer or number", `{"anyOf":[{"type":"integer"},{"type":"number"}]}`, `{"type":"number"}`},
		{"enums unite", `{"anyOf":[{"type":"string","enum":["a"]},{"const":"b"},{"enum":["a",null]}]}`, `{"type":"string","enum":["a","b"]}`},
		{"strings of two rules", `{"anyOf":[{"type":"string","format":"uri"},{"type":"string","maxLength":0}]}`, `{"type":"string","anyOf":[{"type":"string","format":"uri"},{"type":"string","maxLength":0}]}`},
		{"lists unite", `{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"array","items":{"type":"number"},"minItems":1}]}`, `{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"number"}]}}`},
		{"either required", `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`, `{"type":"object","description":"One of: a; b.","properties":{"a":{"type":"string"},"b":{"type":"string"}}}`},
		{"condition", `{"type":"object","properties":{"a":{"type":"string"}},"if":{"required":["a"]},"then":{"properties":{"b":{"type":"string"}},"required":["b"]}}`, `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}}}`},
		{"dependent schemas", `{"type":"object","properties":{"a":{"type":"string"}},"dependentSchemas":{"a":{"properties":{"b":{"type":"integer"}}}}}`, `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}}}`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, err := toolschema.Convert(json.RawMessage(`{"type":"object","properties":{"p":`+c.in+`,"q":{"type":"string"}},"required":["p"]}`), toolschema.Options{})
			require.NoError(t, err)
			checkSchema(t, c.name, s)
			require.Equal(t, map[string]any{"type": "string"}, s.Properties["q"])
			if c.want == "" {
				require.NotContains(t, s.Properties, "p")
				require.Empty(t, s.Required)
				return
			}
			require.Equal(t, []string{"p"}, s.Required)
			got, err := json.Marshal(s.Properties["p"])
			require.NoError(t, err)
			require.JSONEq(t, c.want, string(got))
		})
	}
}

func TestReferences(t *testing.T) {
	t.Parallel()
	const defs = `"$defs":{"a/b~c d":{"type":"integer","minimum":1},"S":{"$anchor":"here","type":"string","description":"inner","format":"uri"},
		"Id":{"$id":"https://example.com/x.json","$defs":{"in":{"type":"boolean"}},"type":"object","properties":{"y":{"$ref":"#/$defs/in"}}},
		"list":[{"type":"number"}],"yes":true,"no":false,"V":{"anyOf":[{"type":"string"},{"type":"array","items":{"$ref":"#/$defs/V"}}]},"L":{"$ref":"#/$defs/S"},
		"Alias":{"$ref":"#/$defs/Id","$defs":{"near":{"type":"number"}}},"Alias2":{"allOf":[{"$ref":"#/$defs/Alias"}]},"Round":{"$ref":"#/$defs/Round2"},"Round2":{"$ref":"#/$defs/Round"},
		"Old":{"$id":"#old","type":"array","items":{"$ref":"#/$defs/S"}}}`
	str := `{"type":"string","format":"uri","description":"inner"}`
	cases := []struct{ name, in, want string }{
		{"pointer", `{"$ref":"#/$defs/S"}`, str},
		{"siblings count", `{"$ref":"#/$defs/S","description":"outer","default":"x","maxLength":5}`, `{"type":"string","format":"uri","description":"outer","default":"x","maxLength":5}`},
		{"chain", `{"$ref":"#/$defs/L"}`, str},
		{"escapes", `{"$ref":"#/$defs/a~1b~0c%20d"}`, `{"type":"integer","minimum":1}`},
		{"into a list", `{"$ref":"#/$defs/list/0"}`, `{"type":"number"}`},
		{"to a property", `{"$ref":"#/properties/q"}`, `{"type":"string","maxLength":3}`},
		{"to items of a property", `{"$ref":"#/properties/r/items"}`, `{"type":"integer"}`},
		{"anchor", `{"$ref":"#here"}`, str},
		{"dynamic", `{"$dynamicRef":"#here"}`, str},
		{"old anchor", `{"$ref":"#old"}`, `{"type":"array","items":` + str + `}`},
		{"identifier", `{"$ref":"https://example.com/x.json"}`, `{"type":"object","properties":{"y":{"type":"boolean"}}}`},
		{"pointer behind an identifier", `{"$ref":"https://example.com/x.json#/$defs/in"}`, `{"type":"boolean"}`},
		{"to true", `{"$ref":"#/$defs/yes"}`, anyJSON},
		{"to false", `{"$ref":"#/$defs/no"}`, ``},
		{"nullable", `{"anyOf":[{"$ref":"#/$defs/S"},{"type":"null"}]}`, str},
		{"in allOf", `{"allOf":[{"$ref":"#/$defs/S"}],"default":"d"}`, `{"type":"string","format":"uri","description":"inner","default":"d"}`},
		{"missing", `{"$ref":"#/$defs/gone","description":"Words."}`, `{"description":"Words. The definition of gone is missing.",` + anyJSON[1:]},
		{"missing with a type", `{"$ref":"#/$defs/gone","type":"string"}`, `{"type":"string","description":"The definition of gone is missing."}`},
		{"external", `{"$ref":"https://example.org/schemas/User.json"}`, `{"description":"The definition of User.json is elsewhere.",` + anyJSON[1:]},
		{"to itself", `{"$ref":"#/properties/p"}`, `{"description":"Recursive: the same shape as p again.",` + anyJSON[1:]},
		{"a value of any shape", `{"$ref":"#/$defs/V"}`, `{"anyOf":[{"type":"string"},{"type":"array","items":{"description":"Recursive: the same shape as V again.","anyOf":[{"type":"string"},{"type":"array","items":` + itemsJSON + `}]}}]}`},
		{"no text", `{"$ref":1,"type":"string"}`, `{"type":"string"}`},
		{"through a reference", `{"$ref":"#/$defs/Alias/properties/y"}`, `{"type":"boolean"}`},
		{"through references, in a list", `{"$ref":"#/$defs/Alias2/allOf/0/properties/y"}`, `{"type":"boolean"}`},
		{"beside a reference", `{"$ref":"#/$defs/Alias/$defs/near"}`, `{"type":"number"}`},
		{"through a circle", `{"$ref":"#/$defs/Round/properties/y"}`, `{"description":"The definition of y is missing.",` + anyJSON[1:]},
		{"definitions for $defs", `{"$ref":"#/definitions/S"}`, str},
		{"components for $defs", `{"$ref":"#/components/schemas/S"}`, str},
		{"components for $defs, and further", `{"$ref":"#/components/schemas/Alias/properties/y"}`, `{"type":"boolean"}`},
		{"a name alone", `{"$ref":"S"}`, str},
		{"a name alone as an anchor", `{"$ref":"#S"}`, str},
		{"a name alone, and further", `{"$ref":"Alias#/properties/y"}`, `{"type":"boolean"}`},
		{"a name at the end of an address", `{"$ref":"https://example.org/S"}`, `{"description":"The definition of S is elsewhere.",` + anyJSON[1:]},
		{"a name in another place", `{"$ref":"#/parameters/S"}`, `{"description":"The definition of S is missing.",` + anyJSON[1:]},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			in := `{"type":"object","properties":{"p":` + c.in + `,"q":{"type":"string","maxLength":3},"r":{"type":"array","items":{"type":"integer"}}},` + defs + `}`
			s, err := toolschema.Convert(json.RawMessage(in), toolschema.Options{})
			require.NoError(t, err)
			checkSchema(t, c.name, s)
			if c.want == "" {
				require.NotContains(t, s.Properties, "p")
				return
			}
			got, err := json.Marshal(s.Properties["p"])
			require.NoError(t, err)
			require.JSONEq(t, c.want, string(got))
		})
	}
}

func TestRoot(t *testing.T) {
	t.Parallel()
	const ab = `{"a":{"type":"string"},"b":{"type":"integer"}}`
	cases := []struct{ name, in, props, required string }{
		{"null", `null`, `{}`, `[]`},
		{"true", `true`, `{}`, `[]`},
		{"empty", `{}`, `{}`, `[]`},
		{"no text", ``, `{}`, `[]`},
		{"object alone", `{"type":"object"}`, `{}`, `[]`},
		{"object that is closed", `{"type":"object","additionalProperties":false}`, `{}`, `[]`},
		{"$schema alone", `{"$schema":"http://json-schema.org/draft-07/schema#"}`, `{}`, `[]`},
		{"null for all", `{"type":"object","properties":null,"required":null}`, `{}`, `[]`},
		{"object or null", `{"type":["object","null"],"properties":` + ab + `}`, ab, `[]`},
		{"no type", `{"properties":` + ab + `,"required":["b","a","b","c"]}`, ab, `["b","a"]`},
		{"reference", `{"$ref":"#/$defs/Args","$defs":{"Args":{"type":"object","properties":` + ab + `,"required":["a"]}}}`, ab, `["a"]`},
		{"allOf", `{"type":"object","allOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{"type":"integer"}},"required":["b"]}]}`, ab, `["a","b"]`},
		{"allOf of anyOf", `{"allOf":[{"anyOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{"type":"integer"}}}]},{"properties":{"b":{"type":"integer"}},"required":["b"]}]}`, ab, `["b"]`},
		{"anyOf", `{"type":"object","properties":{"b":{"type":"integer"}},"required":["b"],"anyOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"required":["a"]},{"type":"object"}]}`, ab, `["b"]`},
		{"oneOf with a common name", `{"oneOf":[{"type":"object","properties":` + ab + `,"required":["a","b"]},{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}]}`, ab, `["a"]`},
		{"object or string", `{"anyOf":[{"type":"string"},{"type":"object","properties":` + ab + `}]}`, ab, `[]`},
		{"unknown type", `{"type":"whatever"}`, `{}`, `[]`},
		{"empty list", `[]`, `{}`, `[]`},
		{"empty lists for objects", `{"type":"object","properties":[],"required":[],"additionalProperties":[]}`, `{}`, `[]`},
		{"list of named properties", `{"type":"object","properties":[{"name":"a","type":"string"},{"name":"b","type":"integer","required":true}],"required":["a"]}`, ab, `["b","a"]`},
		{"list of properties, some without a name", `{"properties":[{"name":"a","type":"string"},{"type":"string"},"x",{"name":"a"},{"name":7},{"name":"b","type":"integer"}]}`, ab, `[]`},
		{"bare properties", ab, ab, `[]`},
		{"bare properties with names of keywords", `{"title":{"type":"string"},"type":{"enum":["x"]},"id":{"type":"integer","required":true}}`, `{"title":{"type":"string"},"type":{"type":"string","enum":["x"]},"id":{"type":"integer"}}`, `["id"]`},
		{"bare properties that say little", `{"a":{"type":"string"},"b":{},"c":true,"d":false}`, `{"a":{"type":"string"},"b":` + anyJSON + `,"c":` + anyJSON + `}`, `[]`},
		{"bare properties with references", `{"a":{"type":"string"},"b":{"$ref":"#/a"}}`, `{"a":{"type":"string"},"b":{"type":"string"}}`, `[]`},
		{"a keyword beside properties", `{"city":{"type":"string"},"description":"d"}`, `{}`, `[]`},
		{"definitions alone", `{"$defs":{"type":{"type":"string"}}}`, `{}`, `[]`},
		{"an extension alone", `{"x-order":{"type":"a"}}`, `{}`, `[]`},
		{"data alone", `{"city":{"name":"x"}}`, `{}`, `[]`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, err := toolschema.Convert(json.RawMessage(c.in), toolschema.Options{})
			require.NoError(t, err)
			checkSchema(t, c.name, s)
			props, err := json.Marshal(s.Properties)
			require.NoError(t, err)
			require.JSONEq(t, c.props, string(props))
			required, err := json.Marshal(s.Required)
			require.NoError(t, err)
			require.Equal(t, c.required, string(required))
		})
	}
	s, err := toolschema.Convert(nil, toolschema.Options{})
	require.NoError(t, err)
	require.Equal(t, map[string]any{}, s.Properties)
	require.Equal(t, []string{}, s.Required)
	require.Empty(t, s.Notes)
}

func TestRootThatIsNoObject(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`"x"`:                    "schema is not a JSON object",
		`[{}]`:                   "schema is not a JSON object",
		`7`:                      "schema is not a JSON object",
		`false`:                  "schema allows no arguments at all",
		`{"type":"string"}`:      "schema is of type string, not an object",
		`{"type":"array"}`:       "schema is of type array, not an object",
		`{"type":"null"}`:        "schema is of type null, not an object",
		`{"enum":["a",1]}`:       "schema is of type string or integer, not an object",
		`{"$ref":"#/x","x":[1]}`: "schema allows no arguments at all",
		`{"type":"object"`:       "schema is not valid JSON",
		`{} {}`:                  "schema is not valid JSON",
	} {
		s, err := toolschema.Convert(json.RawMessage(in), toolschema.Options{})
		require.Nil(t, s, in)
		require.EqualError(t, err, want, in)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 65)
	in := map[string]any{"type": "object", "properties": map[string]any{}}
	raws := []string{"ok", "a.b-c_D9", "a b", "a$b", "a_b", "a/b", "", "   ", "名前", "日付", long, long + "y", "$x"}
	for _, name := range raws {
		in["properties"].(map[string]any)[name] = map[string]any{"type": "string"}
	}
	s, err := toolschema.Convert(in, toolschema.Options{})
	require.NoError(t, err)
	checkSchema(t, "names", s)
	require.Len(t, s.Properties, len(raws), "names met")
	require.Contains(t, s.Properties, "_x")
	back := map[string]bool{}
	for name := range s.Properties {
		args, err := s.Arguments(`{` + quoted(name) + `:"v"}`)
		require.NoError(t, err)
		var m map[string]string
		require.NoError(t, json.Unmarshal(args, &m))
		for raw := range m {
			back[raw] = true
		}
	}
	for _, name := range raws {
		require.True(t, back[name], "%q does not come back", name)
	}
	again, err := toolschema.Convert(in, toolschema.Options{})
	require.NoError(t, err)
	require.Equal(t, s.Properties, again.Properties)
	require.Equal(t, s.Notes, again.Notes)
}

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

func TestClean(t *testing.T) {
	t.Parallel()
	clean := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Cf, r) || unicode.IsControl(r) {
				return -1
			}
			return r
		}, s)
	}
	s, err := toolschema.Convert(map[string]any{"properties": map[string]any{
		"a":            map[string]any{"type": "string", "description": "x\u202ey\x1b", "title": "\U000e0041t"},
		"n\u200bame":   map[string]any{"anyOf": []any{map[string]any{"type": "string", "description": "p\u200b", "maxLength": 1.0}, map[string]any{"type": "string", "description": "q"}}},
		"broken\xff":   map[string]any{"type": "string", "description": "d\xff"},
		"item\u202e[]": map[string]any{"$ref": "#/\u200bnowhere"},
	}}, toolschema.Options{Clean: clean})
	require.NoError(t, err)
	checkSchema(t, "clean", s)
	out, err := json.Marshal(s)
	require.NoError(t, err)
	require.Equal(t, clean(string(out)), string(out))
	require.Equal(t, "xy", s.Properties["a"].(map[string]any)["description"])
}

// Values of other Go types than JSON decodes to are read through JSON.
func TestForeignValues(t *testing.T) {
	t.Parallel()
	type prop struct {
		Type []string `json:"type"`
	}
	s, err := toolschema.Convert(map[string]any{
		"properties": map[string]prop{"a": {[]string{"string", "null"}}},
		"required":   []string{"a"},
	}, toolschema.Options{})
	require.NoError(t, err)
	require.Equal(t, map[string]any{"a": map[string]any{"type": "string"}}, s.Properties)
	require.Equal(t, []string{"a"}, s.Required)
	_, err = toolschema.Convert(func() {}, toolschema.Options{})
	require.EqualError(t, err, "schema can't be written as JSON")
	s, err = toolschema.Convert(map[string]any{"properties": map[string]any{"a": map[string]any{"minimum": math.Inf(1), "enum": []any{math.NaN(), 1.0}}}}, toolschema.Options{})
	require.NoError(t, err)
	checkSchema(t, "infinite", s)
}

// Agents share tools, and fantasy normalizes the schema in place in each of
// them. This test means something with -race.
func TestNormalizeOnlyReads(t *testing.T) {
	t.Parallel()
	var shared []*toolschema.Schema
	lists := realTools(t)
	for _, server := range []string{"notion", "monday", "mongodb", "hubspot", "gosdk-conformance"} {
		for _, tool := range lists[server] {
			s, err := toolschema.Convert(tool.InputSchema, toolschema.Options{Intent: true})
			require.NoError(t, err)
			shared = append(shared, s)
		}
	}
	before, err := json.Marshal(shared)
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			for _, s := range shared {
				schema.Normalize(map[string]any{"type": "object", "properties": s.Properties, "required": s.Required})
				_, _ = s.Arguments(`{"model_intent":"x","a":null}`)
			}
		})
	}
	wg.Wait()
	after, err := json.Marshal(shared)
	require.NoError(t, err)
	require.Equal(t, string(before), string(after))
}
