package wire

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEndOfASessionRenewsNoCredentials(t *testing.T) {
	f := &fake{other: func(w http.ResponseWriter, r *http.Request, _ message) bool {
		if r.Method == http.MethodDelete {
			w.WriteHeader(http.StatusUnauthorized)
			return true
		}
		return false
	}}
	bubble(t, f, func(t *testing.T, base *http.Transport) {
		asked := 0
		s, err := connect(t.Context(), Config{Endpoint: testURL, Base: base, Renew: func(context.Context, http.Header) (bool, error) {
			asked++
			return true, nil
		}})
		require.NoError(t, err)
		defer s.end()
		var refused *HTTPError
		require.ErrorAs(t, s.wire.Delete(t.Context()), &refused)
		require.Equal(t, http.StatusUnauthorized, refused.Status)
		require.Zero(t, asked)
	})
}

func TestApartKeepsTheHostsValuesAndNoneOfTheSessions(t *testing.T) {
	type hostKey struct{}
	f := &fake{}
	bubble(t, f, func(t *testing.T, base *http.Transport) {
		var inside, outside context.Context
		s, err := connect(context.WithValue(t.Context(), hostKey{}, "host"), Config{
			Endpoint: testURL, Base: base, Headers: func(ctx context.Context, _ *http.Request) error {
				inside, outside = ctx, Apart(ctx)
				return nil
			},
		})
		require.NoError(t, err)
		defer s.end()
		for _, key := range []any{sessionKey{}, tripKey{}} {
			require.NotNil(t, inside.Value(key))
			require.Nil(t, outside.Value(key))
		}
		require.Equal(t, "host", outside.Value(hostKey{}))
	})
}
