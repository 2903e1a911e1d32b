package rpc

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Bodies in the shape that servers and what stands before them really send, and what the SDK gets of them.
func TestAnswersOfServers(t *testing.T) {
	tests := map[string]struct {
		in     string
		id     string // as the server sent it
		tagged bool
		want   string // under id 7
	}{
		"Python SDK, unknown session": {
			in: `{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Session not found"}}`,
			id: `"server-error"`, tagged: true,
			want: `{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"Session not found"}}`,
		},
		"TypeScript SDK, no session": {
			in: `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: Server not initialized"},"id":null}`,
			id: `null`, tagged: true,
			want: `{"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"Bad Request: Server not initialized"}}`,
		},
		"always id 0": {
			in: `{"jsonrpc":"2.0","id":0,"result":{"tools":[]}}`,
			id: `0`, tagged: true,
			want: `{"jsonrpc":"2.0","id":7,"result":{"tools":[]}}`,
		},
		"id as a float, without jsonrpc": {
			in:   `{"id":4.503599627370495e+15,"result":{"content":[{"type":"text","text":"ok"}]}}`,
			id:   `4503599627370495`,
			want: `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"ok"}]}}`,
		},
		"Windows, indented": {
			in: "\uFEFF{\r\n  \"jsonrpc\": \"2.0\",\r\n  \"id\": \"4\",\r\n  \"result\": {\r\n    \"content\": []\r\n  }\r\n}\r\n",
			id: `"4"`, tagged: true,
			want: `{"jsonrpc":"2.0","id":7,"result":{      "content": []    }}`,
		},
		"Python with NaN in the structured content": {
			in: `{"jsonrpc": "2.0", "id": 4, "result": {"structuredContent": {"mean": NaN, "n": 9007199254740993}}}`,
			id: `4`, tagged: true,
			want: `{"jsonrpc":"2.0","id":7,"result":{"structuredContent": {"mean": null, "n": 9007199254740993}}}`,
		},
		"terminal colours, unescaped": {
			in: "{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"\x1b[31mred\nline\"}]}}",
			id: `4`, tagged: true,
			want: `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"\u001b[31mred\nline"}]}}`,
		},
		"all members, Java": {
			in: `{"jsonrpc":"2.0","id":4,"result":{"isError":false,"content":[]},"error":null,"method":null,"params":null}`,
			id: `4`, tagged: true,
			want: `{"jsonrpc":"2.0","id":7,"result":{"isError":false,"content":[]}}`,
		},
		"OAuth gateway": {
			in:   `{"error":"invalid_token","error_description":"The access token expired"}`,
			id:   ``,
			want: `{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"invalid_token"}}`,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			m := parseOne(t, tt.in)
			require.Equal(t, Response, m.Kind)
			require.Equal(t, tt.id, string(m.ID.Raw()))
			require.Equal(t, tt.tagged, m.Tagged)
			out := AppendResponse(nil, 7, m)
			require.Equal(t, tt.want, string(out))
			decodeBySDK(t, out)
		})
	}
}

func TestAnswersOfOthers(t *testing.T) {
	for in, want := range map[string]error{
		`{"detail":"Not Found"}`:                                           ErrNotRPC,
		`{"message":"Bad credentials","status":"401"}`:                     ErrNotRPC,
		`[{"id":1,"name":"a"},{"id":2,"name":"b"}]`:                        ErrNotRPC,
		"404 page not found\n":                                             ErrText,
		"<br />\n<b>Warning</b>: x in y on line 3<br />\n" + `{"id":4}`:    ErrHTML,
		"event: message\r\ndata: {\"jsonrpc\":\"2.0\"}\r\n\r\n":            ErrEvents,
		"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xabV\xca*\xce\xcfS\xb2R": ErrBinary,
	} {
		_, err := Parse([]byte(in))
		require.ErrorIs(t, err, want, in)
	}
}
