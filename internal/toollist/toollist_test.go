package toollist_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient/internal/toollist"
)

func TestDecodeKeepsEveryUsableTool(t *testing.T) {
	t.Parallel()
	const good = `{"name":"good","inputSchema":{"type":"object"}}`
	for name, tt := range map[string]struct {
		raw     string
		tools   []string
		dropped []string // reasons
	}{
		"empty":                      {`{"tools":[]}`, nil, nil},
		"no list":                    {`{"_meta":{}}`, nil, nil},
		"null list":                  {`{"tools":null}`, nil, nil},
		"null entry":                 {`{"tools":[null,` + good + `]}`, []string{"good"}, []string{"the entry is no object"}},
		"string entry":               {`{"tools":["x",` + good + `]}`, []string{"good"}, []string{"the entry is no object"}},
		"name of a wrong type":       {`{"tools":[{"name":7},` + good + `]}`, []string{"good"}, []string{"the name is missing or no string"}},
		"no name":                    {`{"tools":[{},` + good + `]}`, []string{"good"}, []string{"the name is missing or no string"}},
		"empty name":                 {`{"tools":[{"name":""}]}`, []string{""}, nil},
		"description of wrong type":  {`{"tools":[{"name":"a","description":{"x":1}},` + good + `]}`, []string{"a", "good"}, nil},
		"annotations of wrong type":  {`{"tools":[{"name":"a","annotations":"x"},` + good + `]}`, []string{"a", "good"}, nil},
		"hint of wrong type":         {`{"tools":[{"name":"a","annotations":{"readOnlyHint":"yes","title":[]}}]}`, []string{"a"}, nil},
		"icons and meta wrong":       {`{"tools":[{"name":"a","icons":7,"_meta":"x","title":null,"execution":1}]}`, []string{"a"}, nil},
		"schema missing":             {`{"tools":[{"name":"a"}]}`, []string{"a"}, nil},
		"repeated member":            {`{"tools":[{"name":"a","name":"b"}]}`, []string{"b"}, nil},
		"members in another order":   {`{"nextCursor":"","tools":[{"inputSchema":null,"name":"a"}],"_meta":{}}`, []string{"a"}, nil},
		"names in another case lost": {`{"tools":[{"Name":"a"}]}`, nil, []string{"the name is missing or no string"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page, err := toollist.Decode([]byte(tt.raw), toollist.Limits{})
			require.NoError(t, err)
			var names, reasons []string
			for _, tool := range page.Tools {
				names = append(names, tool.Name)
				require.Equal(t, tool.Name, tool.Definition().Name)
			}
			for _, d := range page.Dropped {
				reasons = append(reasons, d.Reason)
			}
			require.Equal(t, tt.tools, names)
			require.Equal(t, tt.dropped, reasons)
		})
	}
}

func TestDecodeRefusesWhatIsNoList(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{``, `null`, `7`, `[]`, `{"tools":{}}`, `{"tools":"x"}`, `{"tools":[`, `{"tools":[{"name":"a"`} {
		_, err := toollist.Decode([]byte(raw), toollist.Limits{})
		require.Error(t, err, raw)
	}
}

func TestDefinitionIsAsListed(t *testing.T) {
	t.Parallel()
	page, err := toollist.Decode([]byte(`{"tools":[{"name":"n","title":"T","description":"D","annotations":{"title":"A","readOnlyHint":true,
		"idempotentHint":true,"destructiveHint":false,"openWorldHint":true},"inputSchema":{"type":"object","x":[1]},
		"outputSchema":{"type":"object"},"_meta":{"k":"v"},"icons":[{"src":"s"}],"execution":{"taskSupport":"required"}}],"nextCursor":"c","ttlMs":5}`), toollist.Limits{})
	require.NoError(t, err)
	require.Equal(t, "c", page.NextCursor)
	require.Equal(t, int64(5), *page.TTLMs)
	tool := page.Tools[0]
	require.True(t, tool.TaskRequired)
	no, yes := false, true
	require.Equal(t, &mcp.Tool{
		Meta: mcp.Meta{"k": "v"}, Name: "n", Title: "T", Description: "D",
		Annotations:  &mcp.ToolAnnotations{Title: "A", ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: &no, OpenWorldHint: &yes},
		InputSchema:  map[string]any{"type": "object", "x": []any{1.0}},
		OutputSchema: map[string]any{"type": "object"},
		Icons:        []mcp.Icon{{Source: "s"}},
	}, tool.Definition())
}

func TestSameAndSize(t *testing.T) {
	t.Parallel()
	page, err := toollist.Decode([]byte(`{"tools":[ {"name":"a"} ,{"name":"a"},{"name":"a","x":1}]}`), toollist.Limits{})
	require.NoError(t, err)
	a, b, c := page.Tools[0], page.Tools[1], page.Tools[2]
	require.True(t, a.Same(&b))
	require.False(t, a.Same(&c))
	require.Equal(t, int64(len(`{"name":"a"}`)), a.Size())
	require.Equal(t, int64(len(`{"name":"a"}`)), b.Size())
}

func FuzzDecode(f *testing.F) {
	f.Add(list(2))
	f.Add([]byte(`{"tools":[null,{"name":"a","annotations":{"readOnlyHint":1}}],"nextCursor":7,"ttlMs":1.5}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		page, err := toollist.Decode(raw, toollist.Limits{})
		if err != nil {
			return
		}
		for _, tool := range page.Tools {
			require.Equal(t, tool.Name, tool.Definition().Name)
			require.LessOrEqual(t, tool.Size(), int64(len(raw)))
		}
	})
}

// list is a result with n tools of an ordinary size.
func list(n int) []byte {
	var tools []string
	for i := range n {
		tools = append(tools, fmt.Sprintf(`{"name":"tool_%d","description":%q,"annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"query":{"type":"string","description":"what to look for"},"limit":{"type":"integer","minimum":1,"maximum":100},"tags":{"type":"array","items":{"type":"string"}}},"required":["query"]}}`,
			i, strings.Repeat("What the tool does. ", 10)))
	}
	return []byte(`{"tools":[` + strings.Join(tools, ",") + `]}`)
}

func BenchmarkDecode100(b *testing.B) {
	raw := list(100)
	b.ReportAllocs()
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		if _, err := toollist.Decode(raw, toollist.Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncodingJSON100(b *testing.B) {
	raw := list(100)
	b.ReportAllocs()
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		var result mcp.ListToolsResult
		if err := json.Unmarshal(raw, &result); err != nil {
			b.Fatal(err)
		}
	}
}
