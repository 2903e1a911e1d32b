package toolschema_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient/internal/toolschema"
)

var update = flag.Bool("update", false, "write the golden file anew")

const goldenFile = "testdata/golden.json"

// golden is one telling schema before and after. Error stands for a tool that
// can't be offered.
type golden struct {
	Name   string          `json:"name"`
	Before json.RawMessage `json:"before"`
	After  *goldenAfter    `json:"after,omitempty"`
	Error  string          `json:"error,omitempty"`
}

type goldenAfter struct {
	Properties map[string]any `json:"properties"`
	Required   []string       `json:"required"`
	Remarks    string         `json:"remarks,omitempty"`
	Notes      []string       `json:"notes,omitempty"`
}

func TestGolden(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(goldenFile)
	require.NoError(t, err)
	var list []golden
	require.NoError(t, json.Unmarshal(text, &list))
	for i := range list {
		g := &list[i]
		s, err := toolschema.Convert(g.Before, toolschema.Options{})
		g.After, g.Error = nil, ""
		if err != nil {
			g.Error = err.Error()
			continue
		}
		checkSchema(t, g.Name, s)
		g.After = &goldenAfter{s.Properties, s.Required, s.Remarks, s.Notes}
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	require.NoError(t, enc.Encode(list))
	if *update {
		require.NoError(t, os.WriteFile(goldenFile, out.Bytes(), 0o644))
		return
	}
	require.Equal(t, string(text), out.String(), "run with -update and read the difference")
}
