package wire

import (
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSwitchOfProtocolsIsARefusal(t *testing.T) {
	f := &fake{bad: func(w http.ResponseWriter, _ *http.Request, _ message) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
		_, _ = io.Copy(io.Discard, conn) // until the client ends it
		_ = conn.Close()
	}}
	bubble(t, f, func(t *testing.T, base *http.Transport) {
		c, err := connect(t.Context(), Config{Endpoint: testURL, Base: base})
		require.NoError(t, err)
		defer c.end()
		start := time.Now()
		e := c.wire.Request(t.Context(), echo("bad"))
		var refused *HTTPError
		require.ErrorAs(t, e.Err(), &refused)
		require.Equal(t, http.StatusSwitchingProtocols, refused.Status)
		require.LessOrEqual(t, time.Since(start), 2*time.Second)
		require.NoError(t, c.wire.Request(t.Context(), echo("x")).Err())
	})
}
