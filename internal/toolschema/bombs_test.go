package toolschema_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient/internal/toolschema"
)

// bombs are schemas that are small to send and costly to follow. Each is cut
// or refused; what it costs is seen with -bench Bombs.
var bombs = sync.OnceValue(func() map[string]string {
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

		"a union of 60 objects, 40 times":  `{"$defs":{"u":{"anyOf":[` + numbered(60, `{"type":"object","properties":{"p%[1]d":{"type":"string","minLength":%[1]d},"x":{"type":"string","maxLength":%[1]d}}}`) + `]}},` + references(40) + `}`,
		"an enum of 5,000, 1,500 times":    `{"$defs":{"u":{"enum":[` + numbered(5_000, `"v%d"`) + `]}},` + references(1_500) + `}`,
		"5,000 required, 1,500 times":      `{"$defs":{"u":{"type":"object","required":[` + numbered(5_000, `"v%d"`) + `]}},` + references(1_500) + `}`,
		"3,000 branches, 2,000 times":      `{"$defs":{"u":{"anyOf":[` + repeated(3_000, `{}`) + `]}},` + references(2_000) + `}`,
		"a pattern of 4 KB, 2,000 times":   `{"$defs":{"u":{"pattern":"` + strings.Repeat("(a|b)", 800) + `"}},` + references(2_000) + `}`,
		"a name of 60 KB, 1,000 times":     `{"$defs":{"u":{"properties":{"` + strings.Repeat("k", 60_000) + `":{}}}},` + references(1_000) + `}`,
		"a value of 60 KB, 1,000 times":    `{"$defs":{"u":{"enum":["` + strings.Repeat("k", 60_000) + `"]}},` + references(1_000) + `}`,
		"a pointer of 100 KB, 500 times":   `{"$defs":{"u":{"$ref":"#` + strings.Repeat("/x", 50_000) + `"}},` + references(500) + `}`,
		"an enum of 3,000 met 1,500 times": `{"$defs":{"u":{"enum":[` + numbered(3_000, `"v%d"`) + `]}},"properties":{"a":{"allOf":[` + repeated(1_500, `{"$ref":"#/$defs/u"}`) + `]}}}`,
		"allOf of 400 times 20 required":   `{"properties":{"a":{"allOf":[` + repeated(400, `{"required":[`+numbered(20, `"p%d"`)+`]}`) + `]}}}`,
		"1,500 objects of one name":        `{"properties":{"a":{"anyOf":[` + numbered(1_500, `{"properties":{"x":{"properties":{"y%d":{}}}}}`) + `]}}}`,
		"1,500 lists of objects":           `{"properties":{"a":{"anyOf":[` + numbered(1_500, `{"items":{"properties":{"y%d":{}}}}`) + `]}}}`,
		"60 KB of words beside 1,500":      `{"properties":{"a":{"description":"` + strings.Repeat("k", 60_000) + `","allOf":[` + repeated(1_500, `{"description":"kkkkkkkkkkkkkkkz"}`) + `]}}}`,
		"900 identifiers in one another":   `{"properties":{"a":{"$ref":"#nope"}},"x":` + nest(`{"$id":"`+strings.Repeat("a", 64)+`/","x":`, 900, `1`, `}`) + `}`,
		"an identifier of 40 KB":           `{"properties":{"a":{"$ref":"#nope"}},"$id":"http://h/` + strings.Repeat("a/", 20_000) + `","x":[` + repeated(2_000, `{"$id":"b"}`) + `]}`,
		"an identifier of 2 KB":            `{"$id":"http://h/` + strings.Repeat("a/", 1_000) + `","properties":{` + members(3_000, `{"$id":"b"}`) + `}}`,
		"pointers through pointers":        `{"$defs":{` + chain(1_500) + `},"properties":{` + numbered(1_500, `"p%[1]d":{"$ref":"#/$defs/d%[1]d/properties/x"}`) + `}}`,
		"pointers through a long one":      `{"x":` + nest(`{"x":`, 300, `{}`, `}`) + `,"$defs":{"u":{"$ref":"#` + strings.Repeat("/x", 300) + `"}},"properties":{` + numbered(1_500, `"p%[1]d":{"$ref":"#/$defs/u/y%[1]d"}`) + `}}`,
		"2,000 references to nothing":      `{"$defs":{"u":{}},"properties":{` + members(2_000, `{"$ref":"#/$defs/no"}`) + `}}`,
		"30 patterns of all letters":       `{"properties":{` + members(30, `{"type":"string","pattern":"(?i)[`+strings.Repeat(`\\pL`, 1_000)+`]"}`) + `}}`,
	}
})

// references are n properties that are all the same definition.
func references(n int) string { return `"properties":{` + members(n, `{"$ref":"#/$defs/u"}`) + `}` }

// chain are n definitions each of which leads through the next one.
func chain(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`"d%d":{"$ref":"#/$defs/d%d/properties/x"}`, i, i+1)
	}
	return strings.Join(list, ",")
}

func repeated(n int, s string) string { return strings.TrimSuffix(strings.Repeat(s+",", n), ",") }

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
	return `{"properties":{"a":{"allOf":[` + repeated(factors, one) + `]}}}`
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

// What a bomb takes is bounded: the work, which Stop is asked in the course of,
// and the garbage.
func TestBombsAreCheap(t *testing.T) { // not parallel: it counts the bytes of the process
	const maxAsked, maxGarbage = 520, 24 << 20
	for name, text := range bombs() {
		if len(text) > 160<<10 {
			continue
		}
		asked := 0
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _ = toolschema.Convert(json.RawMessage(text), toolschema.Options{Stop: func() bool { asked++; return false }})
		runtime.ReadMemStats(&after)
		assert.LessOrEqual(t, asked, maxAsked, name)
		assert.LessOrEqual(t, after.TotalAlloc-before.TotalAlloc, uint64(maxGarbage), name)
	}
}

// Definitions that are too much to repeat become stubs, beside which the rest
// stays.
func TestBombsLeaveAUsableSchema(t *testing.T) {
	t.Parallel()
	for name, text := range bombs() {
		if !strings.Contains(text, `"$defs":{"u":`) {
			continue
		}
		s, err := toolschema.Convert(json.RawMessage(text), toolschema.Options{})
		if assert.NoError(t, err, name) {
			assert.NotEmpty(t, s.Properties, name)
		}
	}
}

func TestStop(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{}`, ordinary, bombs()["a union of 60 objects, 40 times"], bombs()["an enum of 5,000, 1,500 times"]} {
		total := 0
		want, err := toolschema.Convert(json.RawMessage(text), toolschema.Options{Stop: func() bool { total++; return false }})
		require.NoError(t, err)
		for _, at := range []int{1, (total + 1) / 2, total} {
			asked := 0
			s, err := toolschema.Convert(json.RawMessage(text), toolschema.Options{Stop: func() bool { asked++; return asked >= at }})
			require.ErrorIs(t, err, toolschema.ErrStopped)
			require.Nil(t, s)
			require.Equal(t, at, asked, "asked again after it said yes")
		}
		again, err := toolschema.Convert(json.RawMessage(text), toolschema.Options{})
		require.NoError(t, err)
		require.Equal(t, want.Properties, again.Properties)
	}
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
	union := `{"anyOf":[` + numbered(60, `{"type":"string","maxLength":%d}`) + `]}`
	_, err = toolschema.Convert(json.RawMessage(`{"properties":{`+members(150, union)+`}}`), toolschema.Options{MaxNodes: 50_000, MaxBytes: 1 << 20})
	require.EqualError(t, err, "schema takes too much work to convert")
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
