package sse

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAppendMessage(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":1}`:               "event: message\ndata: {\"a\":1}\n\n",
		"{\n\"a\":\r\n[1,\r2]}": "event: message\ndata: { \"a\":  [1, 2]}\n\n",
		"{\"a\": 1}\n":          "event: message\ndata: {\"a\": 1} \n\n",
	} {
		out := AppendMessage([]byte("x"), []byte(in))
		require.Equal(t, "x"+want, string(out))
		event, err := NewReader(strings.NewReader(want), 0).Next()
		require.NoError(t, err)
		require.Equal(t, "message", event.Name)
		require.JSONEq(t, in, string(event.Data))
		require.True(t, json.Valid(event.Data))
	}
}

func TestAppendEvent(t *testing.T) {
	tests := map[string]struct{ name, data, want, read string }{
		"endpoint":      {"endpoint", "/m?s=1", "event: endpoint\ndata: /m?s=1\n\n", "/m?s=1"},
		"no name":       {"", "1", "data: 1\n\n", "1"},
		"name cut":      {"a\ndata: x", "1", "event: a\ndata: 1\n\n", "1"},
		"lines":         {"", "1\n2\r\n3\r4", "data: 1\ndata: 2\ndata: 3\ndata: 4\n\n", "1\n2\n3\n4"},
		"line end last": {"", "1\n", "data: 1\ndata: \n\n", "1\n"},
		"space first":   {"", " 1", "data:  1\n\n", " 1"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			out := AppendEvent(nil, tt.name, []byte(tt.data))
			require.Equal(t, tt.want, string(out))
			event, err := NewReader(strings.NewReader(tt.want), 0).Next()
			require.NoError(t, err)
			require.Equal(t, tt.read, string(event.Data))
		})
	}
}
