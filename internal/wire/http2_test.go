package wire

import (
	"context"
	"crypto/tls"
	"github.com/mcpclient-go/mcpclient/internal/wire/address"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHTTP2(t *testing.T) {
	for name, events := range map[string]bool{"JSON": false, "events": true} {
		t.Run(name, func(t *testing.T) {
			versions := make(chan string, 100)
			hanging := make(chan struct{})
			f := &fake{events: events, bad: func(w http.ResponseWriter, r *http.Request, m message) {
				close(hanging)
				hang(w, r, m)
			}}
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				versions <- r.Proto
				f.ServeHTTP(w, r)
			}))
			server.EnableHTTP2 = true
			server.StartTLS()
			defer server.Close()
			base := DefaultTransport(address.Policy{})
			base.TLSClientConfig = &tls.Config{RootCAs: server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}
			defer base.CloseIdleConnections()

			c, err := connect(t.Context(), Config{Endpoint: server.URL, Base: base, BodyBytes: 1 << 20})
			require.NoError(t, err)
			defer c.end()
			var group sync.WaitGroup
			for range 10 {
				group.Go(func() {
					said, err := c.echo(t.Context(), "x")
					require.NoError(t, err)
					require.Equal(t, "x", said)
				})
			}
			group.Wait()
			require.Equal(t, "HTTP/2.0", <-versions)

			ctx, e := NewExchange(context.Background(), ExchangeOptions{})
			defer e.Close()
			done := make(chan error, 1)
			go func() {
				_, err := postTo(ctx, c.wire, server.URL, `{"jsonrpc":"2.0","id":99,"method":"tools/call","params":{"arguments":{"text":"bad"}}}`)
				done <- err
			}()
			<-hanging
			c.kill()
			require.ErrorIs(t, <-done, ErrKilled)
			require.True(t, e.Sent())
		})
	}
}
