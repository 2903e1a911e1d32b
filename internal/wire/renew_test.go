package wire

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

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
