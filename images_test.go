package mcpclient_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient"
)

func TestFantasyVersionsAreCompared(t *testing.T) {
	t.Parallel()
	least := [3]int{0, 45, 4}
	for version, want := range map[string]bool{
		"v0.45.4": true, "v0.45.5": true, "v0.48.0": true, "v1.0.0": true, "v0.45.4-rc1": true,
		"v0.45.3": false, "v0.41.2": false, "(devel)": false, "": false,
	} {
		require.Equal(t, want, mcpclient.AtLeast(version, least), version)
	}
}
