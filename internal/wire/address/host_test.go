package address

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLiterals(t *testing.T) {
	for _, tc := range []struct {
		host string
		want []string
	}{
		{"127.0.0.1", []string{"127.0.0.1"}},
		{"127.0.0.1.", []string{"127.0.0.1"}},
		{"::1", []string{"::1"}},
		{"fe80::1%eth0", []string{"fe80::1%eth0"}},
		{"", []string{"::"}},
		{"2130706433", []string{"127.0.0.1"}},
		{"2852039166", []string{"169.254.169.254"}},
		{"4294967295", []string{"255.255.255.255"}},
		{"0", []string{"0.0.0.0"}},
		{"0x7f.1", []string{"127.0.0.1"}},
		{"0x7f000001", []string{"127.0.0.1"}},
		{"0XA9FEA9FE", []string{"169.254.169.254"}},
		{"0xa9.0xfe.0xa9.0xfe", []string{"169.254.169.254"}},
		{"0x7f.0x.1", []string{"127.0.0.1"}},
		{"127.1", []string{"127.0.0.1"}},
		{"127.0.1", []string{"127.0.0.1"}},
		{"10.66051", []string{"10.1.2.3"}},
		{"10.1.515", []string{"10.1.2.3"}},
		{"0177.0.0.1", []string{"127.0.0.1", "177.0.0.1"}},
		{"010.0.0.1", []string{"8.0.0.1", "10.0.0.1"}},
		{"017700000001", []string{"127.0.0.1"}}, // too large as a decimal number
		{"0300.0250.0.0x1", []string{"192.168.0.1"}},
		{"09.0.0.1", []string{"9.0.0.1"}},
		{"00", []string{"0.0.0.0"}},
		{"１２７.０.０.１", []string{"127.0.0.1"}},
		{"127。0。0。1", []string{"127.0.0.1"}},
		{"①⑥⑨.254.169.254", []string{"169.254.169.254"}},

		{"localhost", nil},
		{"mcp.internal", nil},
		{"4294967296", nil},
		{"256.1.1.1", nil},
		{"1.256.1.1", nil},
		{"1.2.65536", nil},
		{"1.16777216", nil},
		{"1.2.3.4.5", nil},
		{"1..2", nil},
		{"1.2.3.", []string{"1.2.0.3"}},
		{".", nil},
		{"0x7g.1", nil},
		{"-1", nil},
		{"+1", nil},
		{"1_0", nil},
		{"127.0.0.1.nip.example", nil},
		{"beef", nil},
		{"[::1]", nil},
	} {
		t.Run(tc.host, func(t *testing.T) {
			var got []string
			for _, addr := range literals(tc.host) {
				got = append(got, addr.String())
			}
			assert.Equal(t, tc.want, got)
		})
	}
}

func FuzzLiterals(f *testing.F) {
	for _, seed := range []string{"127.0.0.1", "0x7f.1", "017700000001", "::1", "fe80::1%eth0", "mcp.internal", "１２７.1", "1.2.3.4.5"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, host string) {
		found := literals(host)
		if addr, err := netip.ParseAddr(host); err == nil {
			require.Equal(t, []netip.Addr{addr}, found)
		}
		for _, addr := range found {
			require.True(t, addr.IsValid())
		}
	})
}
