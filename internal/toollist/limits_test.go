package toollist_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient/internal/toollist"
)

// page is a list of the same entry, over and over.
func page(entry string, bytes int) []byte {
	return []byte(`{"tools":[` + strings.Repeat(entry+",", bytes/(len(entry)+1)) + `{"name":"last"}]}`)
}

func TestPageOfCountlessEntriesCostsLittle(t *testing.T) {
	t.Parallel()
	for _, entry := range []string{`1`, `{}`, `{"name":""}`, `{"name":"a"}`} {
		raw := page(entry, 4<<20)
		got, err := toollist.Decode(raw, toollist.Limits{Bytes: 4 << 20, ToolBytes: 128 << 10})
		require.NoError(t, err)
		require.True(t, got.Truncated, entry)
		require.LessOrEqual(t, len(got.Tools)+got.DroppedCount, 100_000)
		require.LessOrEqual(t, len(got.Dropped), toollist.MaxDropped)
	}
}

func TestDecodingStopsWhenItIsAsked(t *testing.T) {
	t.Parallel()
	asked := 0
	_, err := toollist.Decode(page(`{}`, 1<<20), toollist.Limits{Stop: func() bool { asked++; return asked == 3 }})
	require.ErrorIs(t, err, toollist.ErrStopped)
	require.Equal(t, 3, asked)
}

func TestLargeDefinitionCostsItself(t *testing.T) {
	t.Parallel()
	giant := `{"name":"giant","description":"` + strings.Repeat("x", 200<<10) + `"}`
	raw := `{"tools":[` + strings.Repeat(giant+",", 30) + `{"name":"a"},{"name":"b"}]}`
	got, err := toollist.Decode([]byte(raw), toollist.Limits{Bytes: 1 << 20, ToolBytes: 128 << 10})
	require.NoError(t, err)
	require.Len(t, got.Tools, 2)
	require.False(t, got.Truncated)
	require.Equal(t, 30, got.DroppedCount)
	require.Len(t, got.Dropped, toollist.MaxDropped)
	require.Equal(t, "giant", got.Dropped[0].Name)
	require.Contains(t, got.Dropped[0].Reason, "more than the limit of 131072")
}

func TestLongNameOfADroppedEntryIsLeftOut(t *testing.T) {
	t.Parallel()
	raw := `{"tools":[{"name":"` + strings.Repeat("n", 200<<10) + `"}]}`
	got, err := toollist.Decode([]byte(raw), toollist.Limits{ToolBytes: 128 << 10})
	require.NoError(t, err)
	require.Equal(t, 1, got.DroppedCount)
	require.Empty(t, got.Dropped[0].Name)
}

func TestNumberAsCursorIsItsText(t *testing.T) {
	t.Parallel()
	got, err := toollist.Decode([]byte(`{"tools":[],"nextCursor":12345678901234567890}`), toollist.Limits{})
	require.NoError(t, err)
	require.Equal(t, "12345678901234567890", got.NextCursor)
}

func TestDefinitionKeepsNumbersThatAFloatWouldChange(t *testing.T) {
	t.Parallel()
	got, err := toollist.Decode([]byte(`{"tools":[{"name":"a","inputSchema":{"maximum":9007199254740993,"minimum":7,"multipleOf":0.1}}]}`), toollist.Limits{})
	require.NoError(t, err)
	schema := got.Tools[0].Definition().InputSchema.(map[string]any)
	require.EqualValues(t, "9007199254740993", schema["maximum"])
	require.Equal(t, 7.0, schema["minimum"])
	require.Equal(t, 0.1, schema["multipleOf"])
}
