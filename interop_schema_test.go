package mcpclient_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"testing"
	"unicode/utf8"

	"charm.land/fantasy"
	"charm.land/fantasy/schema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// checkShapes asserts of each tool what some provider or fantasy itself can't
// do without.
func checkShapes(t *testing.T, tools []fantasy.AgentTool) {
	t.Helper()
	for _, tool := range tools {
		info := tool.Info()
		assert.Empty(t, faultsOf(info.Name, info.Parameters), "schema of %s", info.Name)
		assert.True(t, utf8.ValidString(info.Description), "description of %s", info.Name)
		root := map[string]any{"type": "object", "properties": info.Parameters, "required": info.Required}
		before, err := json.Marshal(root)
		require.NoError(t, err, info.Name)
		schema.Normalize(root) // in the very maps that all steps share
		after, err := json.Marshal(root)
		require.NoError(t, err, info.Name)
		assert.Equal(t, string(before), string(after), "fantasy's Normalize changes the schema of %s", info.Name)
	}
}

var legalArgument = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)

// faultsOf says what is wrong with the properties of an object.
func faultsOf(where string, properties map[string]any) (faults []string) {
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if !legalArgument.MatchString(name) {
			faults = append(faults, fmt.Sprintf("%s: the name %q", where, name))
		}
		faults = append(faults, faultsIn(where+"."+name, properties[name])...)
	}
	return faults
}

func faultsIn(where string, v any) (faults []string) {
	node, ok := v.(map[string]any)
	if !ok {
		return []string{fmt.Sprintf("%s: %T is no schema", where, v)}
	}
	for key, value := range node {
		if value == nil {
			faults = append(faults, where+": no value for "+key)
		}
	}
	for _, key := range []string{"$ref", "$defs", "definitions", "oneOf", "allOf"} {
		if _, there := node[key]; there {
			faults = append(faults, where+": "+key)
		}
	}
	if items, there := node["items"]; there || node["type"] == "array" {
		faults = append(faults, faultsIn(where+"[]", items)...)
	}
	if properties, there := node["properties"]; there {
		object, _ := properties.(map[string]any)
		faults = append(faults, faultsOf(where, object)...)
	}
	branches, _ := node["anyOf"].([]any)
	for i, branch := range branches {
		faults = append(faults, faultsIn(fmt.Sprintf("%s|%d", where, i), branch)...)
	}
	if enum, there := node["enum"].([]any); there && slices.Contains(enum, nil) {
		faults = append(faults, where+": null in enum")
	}
	return faults
}
