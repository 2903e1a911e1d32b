package toolschema_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient/internal/toolschema"
)

// bombs are schemas that are small to send and costly to follow. Each is cut
// or refused; what it costs is seen with -bench Bombs.
func bombs() map[string]string {
	return map[string]string{
		"500 levels of objects":   nest(`{"type":"object","properties":{"a":`, 500, `{}`, `}}`),
		"500 levels of arrays":    `{"properties":{"a":` + nest(`{"type":"array","items":`, 500, `{}`, `}`) + `}}`,
		"500 levels of allOf":     `{"properties":{"a":` + nest(`{"allOf":[`, 500, `{"type":"string"}`, `]}`) + `}}`,
		"a reference to itself":   `{"properties":{"a":{"$ref":"#/properties/a"}}}`,
		"references in a circle":  `{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"allOf":[{"$ref":"#/$defs/a"}]}},"properties":{"p":{"$ref":"#/$defs/a"}}}`,
		"the root in itself":      `{"type":"object","properties":{"a":{"$ref":"#"},"b":{"type":"array","items":{"$ref":"#"}}}}`,
		"fan-out of properties":   fanOut(40, `{"type":"object","properties":{"l":NEXT,"r":NEXT}}`),
		"fan-out of allOf":        fanOut(40, `{"allOf":[NEXT,NEXT]}`),
		"fan-out of anyOf":        fanOut(40, `{"anyOf":[NEXT,NEXT,{"type":"object","properties":{"x":{}}}]}`),
		"everyone to everyone":    mesh(40),
		"many long references":    `{"$defs":{"t":{"description":"` + strings.Repeat("x", 20_000) + `","type":"string"}},"properties":{` + members(2_000, `{"$ref":"#/$defs/t"}`) + `}}`,
		"64 KiB of [":             strings.Repeat("[", 64<<10),
		"64 KiB of [ in an enum":  `{"properties":{"a":{"enum":` + strings.Repeat("[", 64<<10),
		"64 KiB of { in a string": `{"properties":{"a":{"default":"` + strings.Repeat("{", 64<<10) + `"}}}`,
		"a million properties":    `{"properties":{` + members(1_000_000, `{}`) + `}}`,
		"9,000 properties":        `{"properties":{` + members(4_400, `{"type":"string"}`) + `}}`,
		"3,000 required":          `{"properties":{` + members(3_000, `{"type":"string"}`) + `},"required":[` + numbered(3_000, `"p%d"`) + `]}`,
		"a product of unions":     product(9, 60),
		"an enum of 9,000":        `{"properties":{"a":{"enum":[` + strings.TrimSuffix(strings.Repeat(`"a",`, 9_000), ",") + `]}}}`,
		"anyOf of 2,000 patterns": `{"properties":{"a":{"anyOf":[` + numbered(2_000, `{"pattern":"a%d"}`) + `]}}}`,
		"anyOf of 2,000 consts":   `{"properties":{"a":{"anyOf":[` + numbered(2_000, `{"const":"a%d"}`) + `]}}}`,
		"anyOf of 1,500 objects":  `{"properties":{"a":{"anyOf":[` + numbered(1_500, `{"required":["a%d"]}`) + `]}}}`,
		"allOf of 1,500 objects":  `{"properties":{"a":{"allOf":[` + numbered(1_500, `{"required":["a%d"]}`) + `]}}}`,
		"a pattern of 5,000 ((":   `{"properties":{"a":{"pattern":"` + strings.Repeat("(", 5_000) + `"}}}`,
		"a pattern that repeats":  `{"properties":{"a":{"pattern":"((((a{1000}){1000}){1000}){1000})"}}}`,
		"9,000 identifiers":       `{"properties":{"a":{"$ref":"#nope"},"b":{"anyOf":[` + numbered(4_000, `{"$id":"i%d"}`) + `]}}}`,
		"illegal names that meet": `{"properties":{` + numbered(4_000, `"%[1]s$":{}`) + `}}`,
	}
}

func nest(open string, n int, inner, closing string) string {
	return strings.Repeat(open, n) + inner + strings.Repeat(closing, n)
}

func fanOut(levels int, format string) string {
	var b strings.Builder
	b.WriteString(`{"properties":{"p":{"$ref":"#/$defs/d0"}},"$defs":{`)
	for i := range levels {
		next := fmt.Sprintf(`{"$ref":"#/$defs/d%d"}`, i+1)
		fmt.Fprintf(&b, `"d%d":%s,`, i, strings.ReplaceAll(format, "NEXT", next))
	}
	return b.String() + fmt.Sprintf(`"d%d":{"type":"string"}}}`, levels)
}

func mesh(n int) string {
	var b strings.Builder
	b.WriteString(`{"properties":{"p":{"$ref":"#/$defs/d0"}},"$defs":{`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"d%d":{"type":"object","properties":{`, i)
		for j := range n {
			if j > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `"p%d":{"$ref":"#/$defs/d%d"}`, j, j)
		}
		b.WriteString(`}}`)
	}
	return b.String() + `}}`
}

func members(n int, value string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"p%d":%s`, i, value)
	}
	return b.String()
}

func numbered(n int, format string) string {
	list := make([]string, n)
	for i := range list {
		if strings.Contains(format, "%[1]s") {
			list[i] = fmt.Sprintf(format, strings.Repeat("é", i%70)+fmt.Sprint(i))
			continue
		}
		list[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(list, ",")
}

func product(factors, branches int) string {
	one := `{"anyOf":[` + numbered(branches, `{"type":"string","minLength":%d}`) + `]}`
	return `{"properties":{"a":{"allOf":[` + strings.TrimSuffix(strings.Repeat(one+",", factors), ",") + `]}}}`
}

func TestBombs(t *testing.T) {
	t.Parallel()
	for name, text := range bombs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkBomb(t, name, json.RawMessage(text))
			if len(text) > 1<<20 {
				return
			}
			var v any
			if json.Unmarshal([]byte(text), &v) == nil {
				checkBomb(t, name, v)
			}
		})
	}
}

func checkBomb(t *testing.T, name string, in any) {
	t.Helper()
	s, err := toolschema.Convert(in, toolschema.Options{})
	if err != nil {
		assert.Nil(t, s)
		assert.Less(t, len(err.Error()), 200)
		return
	}
	checkSchema(t, name, s)
	out, err := json.Marshal(s.Properties)
	require.NoError(t, err)
	assert.LessOrEqual(t, len(out), 256<<10)
}

// Every level of a schema that is too deep is cut with a note, its
// neighbours stay.
func TestDeepSchemaIsCut(t *testing.T) {
	t.Parallel()
	in := `{"properties":{"deep":` + nest(`{"type":"object","properties":{"a":`, 500, `{}`, `}}`) + `,"flat":{"type":"string","format":"uri"}}}`
	s, err := toolschema.Convert(json.RawMessage(in), toolschema.Options{MaxDepth: 4})
	require.NoError(t, err)
	require.Equal(t, map[string]any{"type": "string", "format": "uri"}, s.Properties["flat"])
	require.Contains(t, s.Notes, "levels below 4 are left out")
	out, err := json.Marshal(s.Properties["deep"])
	require.NoError(t, err)
	require.Equal(t, 4, strings.Count(string(out), `"a":`))
}

func TestLimits(t *testing.T) {
	t.Parallel()
	in := json.RawMessage(`{"properties":{"a":{"type":"string"},"b":{"type":"string"}}}`)
	for name, o := range map[string]toolschema.Options{
		"values": {MaxNodes: 4},
		"bytes":  {MaxBytes: 20},
	} {
		_, err := toolschema.Convert(in, o)
		require.ErrorContains(t, err, "schema is too large", name)
	}
	_, err := toolschema.Convert(json.RawMessage(strings.Repeat("[", 5_000)), toolschema.Options{})
	require.ErrorContains(t, err, "nested too deeply")
}

func BenchmarkBombs(b *testing.B) {
	for name, text := range bombs() {
		b.Run(name, func(b *testing.B) {
			in := json.RawMessage(text)
			b.ReportAllocs()
			for b.Loop() {
				s, err := toolschema.Convert(in, toolschema.Options{})
				if (s == nil) == (err == nil) {
					b.Fatal("neither a schema nor an error")
				}
			}
		})
	}
}
