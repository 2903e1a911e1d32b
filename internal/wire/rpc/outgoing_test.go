package rpc

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOutgoingIDs(t *testing.T) {
	tests := map[string]struct {
		in, withID, withRequestID string
		want                      Outgoing
	}{
		"call": {
			in:            `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"id":3,"n":12345678901234567890, "requestId":1}}`,
			withID:        `{"jsonrpc":"2.0","id":4503599627370495,"method":"tools/call","params":{"id":3,"n":12345678901234567890, "requestId":1}}`,
			withRequestID: `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"id":3,"n":12345678901234567890, "requestId":1}}`,
			want:          Outgoing{Kind: Request, Method: "tools/call", ID: IntID(3)},
		},
		"id last": {
			in:            `{"method":"ping", "id" : 3 }`,
			withID:        `{"method":"ping", "id" : 4503599627370495 }`,
			withRequestID: `{"method":"ping", "id" : 3 }`,
			want:          Outgoing{Kind: Request, Method: "ping", ID: IntID(3)},
		},
		"cancelled": {
			in:            `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"x","requestId":3}}`,
			withID:        `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"x","requestId":3}}`,
			withRequestID: `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"x","requestId":4503599627370495}}`,
			want:          Outgoing{Kind: Notification, Method: "notifications/cancelled", RequestID: IntID(3)},
		},
		"answer": {
			in:            `{"jsonrpc":"2.0","id":"srv","result":{}}`,
			withID:        `{"jsonrpc":"2.0","id":4503599627370495,"result":{}}`,
			withRequestID: `{"jsonrpc":"2.0","id":"srv","result":{}}`,
			want:          Outgoing{Kind: Response, ID: ID{kind: idString, text: "srv"}},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			o, err := ParseOutgoing([]byte(tt.in))
			require.NoError(t, err)
			require.Equal(t, tt.withID, string(o.WithID(4503599627370495)))
			require.Equal(t, tt.withRequestID, string(o.WithRequestID(4503599627370495)))
			require.Equal(t, tt.want, Outgoing{Kind: o.Kind, Method: o.Method, ID: o.ID, RequestID: o.RequestID})
		})
	}
}

func TestOutgoingRefuses(t *testing.T) {
	for in, want := range map[string]error{
		``: ErrNotRPC, `[]`: ErrNotRPC, `{}`: ErrNotRPC, `{"id":1`: ErrCut, `{"id":1,}`: ErrSyntax, "{\"method\":\"\x01\"}": ErrNotRPC,
	} {
		_, err := ParseOutgoing([]byte(in))
		require.ErrorIs(t, err, want, in)
	}
}
