package toolschema_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient/internal/toolschema"
)

// What nothing else of the outcome can say of the arguments as a whole.
func TestRemarks(t *testing.T) {
	t.Parallel()
	const idOrName = `"type":"object","properties":{"id":{"type":"string"},"name":{"type":"string"}}`
	cases := []struct{ name, in, want, note string }{
		{"none", `{` + idOrName + `,"required":["id"]}`, ``, ``},
		{"no schema", ``, ``, ``},
		{"either is required", `{` + idOrName + `,"oneOf":[{"required":["id"]},{"required":["name"]}]}`, `One of: id; name.`, `alternative objects became one`},
		{"either is required, in anyOf", `{` + idOrName + `,"anyOf":[{"required":["id"]},{"required":["name"]}]}`, `One of: id; name.`, `alternative objects became one`},
		{"branches with words", `{"description":"All.","oneOf":[{"description":"By id","properties":{"id":{"type":"string"}},"required":["id"]},{"title":"By name","properties":{"name":{"type":"string"}},"required":["name"]}]}`,
			`One of: By id (id); By name (name).`, `alternative objects became one`},
		{"branches told apart by a value", `{"oneOf":[{"properties":{"op":{"const":"get"},"id":{}},"required":["id"]},{"properties":{"op":{"const":"list"}}}]}`,
			`One of: id + op="get"; op="list".`, `alternative objects became one`},
		{"behind a reference", `{"$ref":"#/$defs/A","$defs":{"A":{` + idOrName + `,"oneOf":[{"required":["id"]},{"required":["name"]}]}}}`, `One of: id; name.`, `alternative objects became one`},
		{"a remote reference", `{"$ref":"https://example.com/args.json"}`, `The definition of args.json is elsewhere.`, `reference "https://example.com/args.json" is not local`},
		{"a missing reference", `{"$ref":"#/$defs/Args"}`, `The definition of Args is missing.`, `reference "#/$defs/Args" points nowhere`},
		{"a missing reference beside properties", `{"$ref":"#/$defs/Args",` + idOrName + `}`, `The definition of Args is missing.`, `reference "#/$defs/Args" points nowhere`},
		{"bare properties", `{"city":{"type":"string"}}`, ``, `properties stand where a schema should`},
		{"properties without a name", `{"properties":[{"type":"string"}]}`, ``, `an entry of properties without a name of its own is left out`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, err := toolschema.Convert(json.RawMessage(c.in), toolschema.Options{})
			require.NoError(t, err)
			checkSchema(t, c.name, s)
			require.Equal(t, c.want, s.Remarks)
			if c.note == "" {
				require.Empty(t, s.Notes)
				return
			}
			require.Contains(t, s.Notes, c.note)
		})
	}
}

func TestRemarksAreCleanAndCut(t *testing.T) {
	t.Parallel()
	in := json.RawMessage(`{"oneOf":[{"description":"x\u202ey","required":["a"]},{"description":"z","required":["b"]}]}`)
	s, err := toolschema.Convert(in, toolschema.Options{Clean: visible})
	require.NoError(t, err)
	require.Equal(t, "One of: xy (a); z (b).", s.Remarks)
	s, err = toolschema.Convert(in, toolschema.Options{Clean: visible, DescriptionLength: 12})
	require.NoError(t, err)
	require.Equal(t, "One of: xy …", s.Remarks)
}
