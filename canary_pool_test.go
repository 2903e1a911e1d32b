package mcpclient_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/oauth2"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

// A host that refreshes tokens itself brings another one of the same grant.
func TestPoolHidesTheTokenThatTheNextStepBrings(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.pool = mcpclient.NewPool(mcpclient.PoolOptions{})
		defer func() { require.NoError(t, w.pool.Close(t.Context())) }()
		var k canaries
		s := &mcptest.Server{Tools: []mcptest.Tool{{Name: "say", Result: func(json.RawMessage) any { return k.said() }}}}
		w.serve("s", s).Auth = mcpclient.OAuth2{}
		refresh := newCanary()
		for range 2 {
			access := newCanary()
			k.hide(access)
			w.tokens = []mcpclient.UserToken{{ServerID: idOf("s"), Token: oauth2.Token{AccessToken: access, RefreshToken: refresh}}}
			r := w.connect()
			require.Empty(t, k.trace(r.call("s__say", `{}`).Content))
			r.cleanup()
		}
	})
}
