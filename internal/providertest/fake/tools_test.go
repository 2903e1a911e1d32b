package fake_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

const empty = `{"type":"object","properties":{},"required":[]}`

func one(property string) string {
	return `{"type":"object","properties":{"p":` + property + `},"required":[]}`
}

// all and the rest name who refuses a tool.
const (
	all     = "openai openrouter responses anthropic google"
	strict  = "openrouter google"
	byRules = "openai openrouter responses anthropic"
	nobody  = ""
)

func TestSchemas(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ schema, by string }{
		"no properties":             {empty, nobody},
		"a string":                  {one(`{"type":"string","description":"d"}`), nobody},
		"an array with items":       {one(`{"type":"array","items":{"type":"string"}}`), nobody},
		"nested object":             {one(`{"type":"object","properties":{"q":{"type":"string"}},"required":["q"]}`), nobody},
		"string enum":               {one(`{"type":"string","enum":["a"]}`), nobody},
		"properties missing":        {`{"type":"object","required":[]}`, byRules},
		"properties null":           {`{"type":"object","properties":null,"required":[]}`, all},
		"required null":             {`{"type":"object","properties":{},"required":null}`, all},
		"root of another type":      {`{"type":"string","properties":{},"required":[]}`, all},
		"root anyOf":                {`{"type":"object","properties":{},"required":[],"anyOf":[{"type":"object"}]}`, byRules},
		"root oneOf":                {`{"type":"object","properties":{},"required":[],"oneOf":[{"type":"object"}]}`, all},
		"required is no property":   {`{"type":"object","properties":{},"required":["x"]}`, all},
		"nested required is none":   {one(`{"type":"object","properties":{},"required":["x"]}`), all},
		"required twice":            {`{"type":"object","properties":{"x":{"type":"string"}},"required":["x","x"]}`, byRules},
		"array without items":       {one(`{"type":"array"}`), all},
		"array in items":            {one(`{"type":"array","items":{"type":"array"}}`), all},
		"array in anyOf":            {one(`{"anyOf":[{"type":"array"},{"type":"string"}]}`), all},
		"array in a list of types":  {one(`{"type":["array","null"]}`), all},
		"array-form items":          {one(`{"type":"array","items":[{"type":"string"}]}`), all},
		"dangling reference":        {one(`{"$ref":"#/$defs/x"}`), all},
		"reference that leads":      {`{"type":"object","properties":{"a":{"type":"string"},"p":{"$ref":"#/properties/a"}},"required":[]}`, "google"},
		"remote reference":          {one(`{"$ref":"https://example.com/x"}`), all},
		"list of types":             {one(`{"type":["string","integer"]}`), strict},
		"unknown type":              {one(`{"type":"any"}`), all},
		"boolean schema":            {one(`true`), strict},
		"null schema":               {one(`null`), all},
		"string schema":             {one(`"string"`), all},
		"number in a string enum":   {one(`{"type":"string","enum":["a",1]}`), strict},
		"blank in a string enum":    {one(`{"type":"string","enum":["a",""]}`), strict},
		"enum of integers":          {one(`{"type":"integer","enum":[1]}`), "google"},
		"empty enum":                {one(`{"type":"string","enum":[]}`), byRules},
		"boolean exclusiveMinimum":  {one(`{"type":"integer","exclusiveMinimum":true}`), all},
		"required of a string":      {one(`{"type":"string","required":[]}`), strict},
		"properties of a string":    {one(`{"type":"string","properties":{}}`), strict},
		"property name with dollar": {`{"type":"object","properties":{"$filter":{"type":"string"}},"required":[]}`, "openrouter anthropic"},
		"nested name with dollar":   {one(`{"type":"object","properties":{"$filter":{"type":"string"}}}`), "openrouter anthropic"},
	}
	for name, tt := range tests {
		for _, api := range slices.Sorted(maps.Keys(apis)) {
			t.Run(name+" "+api, func(t *testing.T) {
				t.Parallel()
				refused := ask(t, api, apis[api].body(apis[api].tool("t", tt.schema), ""))
				assert.Equal(t, slices.Contains(strings.Fields(tt.by), api), refused != "", refused)
			})
		}
	}
}

func TestToolNames(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ name, by string }{
		"plain":         {"a-b_C1", nobody},
		"64":            {strings.Repeat("a", 64), nobody},
		"65":            {strings.Repeat("a", 65), "openai openrouter responses google"},
		"129":           {strings.Repeat("a", 129), all},
		"empty":         {"", all},
		"dot":           {"a.b", byRules},
		"space":         {"a b", all},
		"not ASCII":     {"é", all},
		"leading digit": {"1a", strict},
	}
	for name, tt := range tests {
		for _, api := range slices.Sorted(maps.Keys(apis)) {
			t.Run(name+" "+api, func(t *testing.T) {
				t.Parallel()
				refused := ask(t, api, apis[api].body(apis[api].tool(tt.name, empty), ""))
				assert.Equal(t, slices.Contains(strings.Fields(tt.by), api), refused != "", refused)
			})
		}
	}
}

func TestToolLists(t *testing.T) {
	t.Parallel()
	most := map[string]int{"openai": 128, "openrouter": 128, "responses": 128, "google": 512}
	for api, a := range apis {
		t.Run(api, func(t *testing.T) {
			t.Parallel()
			list := func(n int) string {
				tools := make([]string, n)
				for i := range tools {
					tools[i] = a.tool(fmt.Sprintf("t%d", i), empty)
				}
				return a.body(strings.Join(tools, ","), "")
			}
			n, limited := most[api]
			if !limited {
				n = 600
			}
			assert.Empty(t, ask(t, api, list(n)))
			assert.Equal(t, limited, ask(t, api, list(n+1)) != "")
			twice := a.tool("t", empty) + "," + a.tool("t", empty)
			assert.Contains(t, ask(t, api, a.body(twice, "")), "duplicate")
		})
	}
}
