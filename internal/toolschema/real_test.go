package toolschema_test

import (
	"compress/gzip"
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient/internal/toolschema"
)

type realTool struct {
	Name        string          `json:"name"`
	InputSchema json.RawMessage `json:"inputSchema"`
}

// realTools are the tool lists of 67 published MCP servers.
func realTools(tb testing.TB) map[string][]realTool {
	tb.Helper()
	f, err := os.Open("testdata/real.json.gz")
	require.NoError(tb, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(tb, err)
	var lists map[string][]realTool
	require.NoError(tb, json.NewDecoder(z).Decode(&lists))
	return lists
}

func TestRealTools(t *testing.T) {
	t.Parallel()
	lists := realTools(t)
	in, out, noted := 0, 0, 0
	for _, server := range slices.Sorted(maps.Keys(lists)) {
		for _, tool := range lists[server] {
			in++
			s, err := toolschema.Convert(tool.InputSchema, toolschema.Options{})
			if err != nil {
				t.Errorf("%s %s: %v", server, tool.Name, err)
				continue
			}
			out++
			if len(s.Notes) > 0 {
				noted++
			}
			where := server + " " + tool.Name
			checkSchema(t, where, s)
			checkKept(t, where, tool.InputSchema, s)
			checkArguments(t, where, s)
		}
	}
	t.Logf("%d tools in, %d out, %d with notes", in, out, noted)
	require.Equal(t, 2133, in)
	require.Equal(t, in, out)
}

// A tool's schema as decoded by the SDK and as JSON text come to the same.
func TestTextAndValueAgree(t *testing.T) {
	t.Parallel()
	for server, tools := range realTools(t) {
		for _, tool := range tools {
			var decoded any
			require.NoError(t, json.Unmarshal(tool.InputSchema, &decoded))
			before, err := json.Marshal(decoded)
			require.NoError(t, err)
			a, err := toolschema.Convert(decoded, toolschema.Options{})
			require.NoError(t, err)
			after, err := json.Marshal(decoded)
			require.NoError(t, err)
			require.Equal(t, string(before), string(after), "%s %s was written to", server, tool.Name)
			if slices.Contains(a.Notes, "references inside references are cut for size") {
				continue // the sizes of text and value differ a little
			}
			b, err := toolschema.Convert(tool.InputSchema, toolschema.Options{})
			require.NoError(t, err)
			if !reflect.DeepEqual(a.Properties, b.Properties) || !slices.Equal(a.Required, b.Required) {
				t.Errorf("%s %s differs", server, tool.Name)
			}
		}
	}
}
