package wire

import (
	"context"
	"fmt"
	"github.com/mcpclient-go/mcpclient/internal/wire/address"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// BenchmarkCall is a good call by the SDK alone and by the SDK on a Session, over loopback.
func BenchmarkCall(b *testing.B) {
	for _, size := range []int{100, 100_000} {
		for _, events := range []bool{false, true} {
			server := httptest.NewServer(&fake{events: events})
			base := DefaultTransport(address.Policy{})
			kind := map[bool]string{false: "JSON", true: "events"}[events]
			b.Run(fmt.Sprintf("%s/%d/bare", kind, size), func(b *testing.B) {
				sdk := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
				session, err := sdk.Connect(b.Context(), &mcp.StreamableClientTransport{
					Endpoint: server.URL, HTTPClient: &http.Client{Transport: base}, DisableStandaloneSSE: true, MaxRetries: -1, MaxEventSize: 1 << 20,
				}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
				require.NoError(b, err)
				defer session.Close()
				benchmark(b, &client{ClientSession: session}, size)
			})
			b.Run(fmt.Sprintf("%s/%d/wire", kind, size), func(b *testing.B) {
				c, err := connect(b.Context(), Config{Endpoint: server.URL, Base: base, BodyBytes: 1 << 20})
				require.NoError(b, err)
				defer c.end()
				benchmark(b, c, size)
			})
			base.CloseIdleConnections()
			server.Close()
		}
	}
}

func benchmark(b *testing.B, c *client, size int) {
	text := strings.Repeat("x", size)
	b.ReportAllocs()
	for b.Loop() {
		// Callers end their context when they have their answer.
		ctx, cancel := context.WithCancel(b.Context())
		_, err := c.echo(ctx, text)
		cancel()
		require.NoError(b, err)
	}
}
