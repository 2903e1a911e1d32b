package wire

import (
	"context"
	"fmt"
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
			base := DefaultTransport()
			kind := map[bool]string{false: "JSON", true: "events"}[events]
			b.Run(fmt.Sprintf("%s/%d/bare", kind, size), func(b *testing.B) {
				client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
				session, err := client.Connect(b.Context(), &mcp.StreamableClientTransport{
					Endpoint: server.URL, HTTPClient: &http.Client{Transport: base}, DisableStandaloneSSE: true, MaxRetries: -1, MaxEventSize: 1 << 20,
				}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
				require.NoError(b, err)
				benchmark(b, &client2{session}, size)
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

type client2 struct{ *mcp.ClientSession }

func (c *client2) echo(ctx context.Context, text string) (string, error) {
	return (&client{ClientSession: c.ClientSession}).echo(ctx, text)
}

func benchmark(b *testing.B, c interface {
	echo(context.Context, string) (string, error)
}, size int) {
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
