package mcptest_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

// reports are the ids of public reports, and of measured ones, that a server can bring about over HTTP.
const reports = `C1 C2 C4 C5 C6 C8 C9 C10 C11 D1 D3 D4 E1 E2 E4 E5 E9 E10 E11 E12 E13 E14 E16 E17 E18 E19 E20 E21
F1 F2 F4 F5 F6 F7 F9 G1 G2 G3 G4 G6 G7 G10 G11 G12 G13 G15 H1 H5 H7 H8 I1 I3 I4 J1 J2 J3 J4 J6 J7 J10 J12
K3 K4 L1 L3 L4 L6 M2 M3 M4 M5 M6 M9 M12 M13 M14 M16`

func TestTableCoversTheReports(t *testing.T) {
	covered := map[string]bool{}
	form := regexp.MustCompile(`^[A-M][1-9][0-9]?$`)
	for _, f := range mcptest.Faults {
		for _, id := range f.Cases {
			require.Regexp(t, form, id, f.Name)
			covered[id] = true
		}
	}
	for id := range strings.FieldsSeq(reports) {
		require.True(t, covered[id], id)
	}
}

func TestTableRowsAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range mcptest.Cases(mcptest.Faults) {
		require.False(t, seen[c.String()], "%s is there twice", c)
		seen[c.String()] = true
		if c.Connect.Outcome == "" {
			continue
		}
		require.Contains(t, []string{"connected", "no_tools", "timeout", "error", "auth_required", "either"}, c.Connect.Outcome, c.String())
		require.Zero(t, c.Call, "%s: there is no call without a connection", c)
	}
	t.Logf("%d faults, %d cases", len(mcptest.Faults), len(seen))
}
