package address

import (
	"fmt"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// verdict is the strictest mode that allows an address.
type verdict int

const (
	never   verdict = iota // only AllowAll
	private                // DenyMetadata too
	public                 // all modes
)

var verdicts = []struct {
	addr string
	want verdict
}{
	// Public IPv4, and the neighbours of what is not.
	{"8.8.8.8", public}, {"1.1.1.1", public}, {"1.0.0.0", public}, {"9.255.255.255", public}, {"11.0.0.0", public},
	{"100.63.255.255", public}, {"100.128.0.0", public}, {"126.255.255.255", public}, {"128.0.0.0", public},
	{"168.63.129.15", public}, {"168.63.129.17", public}, {"169.253.255.255", public}, {"169.255.0.0", public},
	{"172.15.255.255", public}, {"172.32.0.0", public}, {"192.0.1.0", public}, {"192.0.3.0", public}, {"192.88.98.255", public},
	{"192.167.255.255", public}, {"192.169.0.0", public}, {"198.17.255.255", public}, {"198.20.0.0", public},
	{"198.51.99.255", public}, {"198.51.101.0", public}, {"203.0.112.255", public}, {"203.0.114.0", public},
	{"223.255.255.255", public},

	// Metadata of clouds and other link-local addresses.
	{"169.254.169.254", never}, {"169.254.170.2", never}, {"169.254.170.23", never}, {"169.254.42.42", never},
	{"169.254.0.0", never}, {"169.254.255.255", never}, {"100.100.100.200", never}, {"168.63.129.16", never},
	{"192.0.0.192", never}, {"fd00:ec2::254", never}, {"fd00:ec2::23", never}, {"fd20:ce::254", never},
	{"fd00:c1::a9fe:a9fe", never}, {"fd00:42::42", never}, {"fd00:a9fe:a9fe::1", never}, {"fd00:100::100:200", never},
	{"fe80::a9fe:a9fe", never}, {"fe80::1", never}, {"fe80::1%eth0", never}, {"fe80::1%25", never}, {"febf:ffff::1", never},
	{"fd00:ec2::254%eth0", never},

	// Nobody's.
	{"0.0.0.0", never}, {"0.0.0.1", never}, {"0.255.255.255", never}, {"224.0.0.1", never}, {"239.255.255.255", never},
	{"255.255.255.255", never}, {"::", never}, {"::%eth0", never}, {"ff02::1", never}, {"ff02::1%eth0", never}, {"ff0e::1", never},

	// Not public.
	{"127.0.0.1", private}, {"127.255.255.255", private}, {"10.0.0.0", private}, {"10.255.255.255", private},
	{"172.16.0.0", private}, {"172.31.255.255", private}, {"192.168.0.1", private}, {"192.168.255.255", private},
	{"100.64.0.0", private}, {"100.100.100.199", private}, {"100.127.255.255", private}, {"192.0.0.1", private},
	{"192.0.2.1", private}, {"198.51.100.1", private}, {"203.0.113.1", private}, {"192.88.99.1", private},
	{"198.18.0.0", private}, {"198.19.255.255", private}, {"240.0.0.1", private}, {"255.255.255.254", private},

	// IPv6 without an IPv4 address inside.
	{"2606:4700:4700::1111", public}, {"2001:4860:4860::8888", public}, {"2a00:1450:4001:81b::200e", public},
	{"2606:4700:4700::1111%eth0", public}, {"2001:200::", public}, {"2001:db7:ffff::", public}, {"2001:db9::", public},
	{"3ffe:ffff::1", public},
	{"::1", private}, {"::1%lo", private}, {"fc00::1", private}, {"fd12:3456:789a::1", private}, {"fd00:ec3::254", private},
	{"fec0::1", private}, {"feff::1", private}, {"2001:db8::1", private}, {"3fff::1", private}, {"3fff:fff::1", private},
	{"100::1", private}, {"5f00::1", private}, {"2001:2::1", private}, {"2001:20::1", private}, {"2001:1ff::1", private},
	{"1fff::1", private}, {"4000::1", private}, {"64:ff9b:2::1", private}, {"::2:0:0", private},

	// IPv4-mapped, -compatible and -translated.
	{"::ffff:8.8.8.8", public}, {"::ffff:127.0.0.1", private}, {"::ffff:10.1.2.3", private}, {"::ffff:169.254.169.254", never},
	{"::ffff:a9fe:a9fe", never}, {"::ffff:100.100.100.200", never}, {"::ffff:0.0.0.0", never}, {"::ffff:255.255.255.255", never},
	{"::8.8.8.8", public}, {"::127.0.0.1", private}, {"::10.1.2.3", private}, {"::169.254.169.254", never}, {"::2", never},
	{"::ffff:0:8.8.8.8", public}, {"::ffff:0:192.168.1.1", private}, {"::ffff:0:169.254.169.254", never},

	// NAT64, also in the layouts for shorter prefixes and with junk where padding should be.
	{"64:ff9b::8.8.8.8", public}, {"64:ff9b::127.0.0.1", private}, {"64:ff9b::10.1.2.3", private},
	{"64:ff9b::100.64.0.1", private}, {"64:ff9b::169.254.169.254", never}, {"64:ff9b::a9fe:a9fe%eth0", never},
	{"64:ff9b::", never}, {"64:ff9b::168.63.129.16", never},
	{"64:ff9b:1::8.8.8.8", public}, {"64:ff9b:1:ffff::8.8.8.8", public}, {"64:ff9b:1::10.1.2.3", private},
	{"64:ff9b:1::169.254.169.254", never}, {"64:ff9b:1:ffff::a9fe:a9fe", never},
	{"64:ff9b:1:808:8:800::", public}, {"64:ff9b:1:a9fe:a9:fe00::", never}, {"64:ff9b:1:a9fe:a9:fe00:1234:5678", never},
	{"64:ff9b:1:a9:fe:a9fe::", never}, {"64:ff9b:1:0:a9:fea9:fe00:0", never}, {"64:ff9b:1:a01:2:300::", private},
	{"2a00:64:64::169.254.170.2", never}, {"2a00:64:64::169.254.170.23", never}, {"2a00:64:64::169.254.42.42", never},
	{"2a00:64:64::169.254.0.23", never}, {"2a00:64:64::168.63.129.16", never}, {"2a00:64:64::192.0.0.192", never},
	{"2a00:64:64::a9fe:a9fe", never}, {"2a00:64:64::6464:64c8", never}, {"2a00:64:64::a9fe:a9fd", public},

	// 6to4, Teredo, ISATAP.
	{"2002:808:808::1", public}, {"2002:7f00:1::", private}, {"2002:a01:203::1", private}, {"2002:a9fe:a9fe::1", never},
	{"2002:a9fe:a9fe::1%eth0", never}, {"2002::1", never}, {"2002:e000:1::", never},
	{"2001:0:808:808::f7f7:f7f7", private}, {"2001:0:808:808::5601:5601", never}, {"2001:0:a9fe:a9fe::f7f7:f7f7", never},
	{"2a00:1450::5efe:8.8.8.8", public}, {"2a00:1450::200:5efe:8.8.4.4", public}, {"2a00:1450::5efe:10.1.2.3", private},
	{"2a00:1450::200:5efe:127.0.0.1", private}, {"2a00:1450::5efe:169.254.170.2", never}, {"fe80::5efe:8.8.8.8", never},
}

func TestCheck(t *testing.T) {
	for _, tc := range verdicts {
		t.Run(tc.addr, func(t *testing.T) {
			addr := netip.MustParseAddr(tc.addr)
			assert.Equal(t, tc.want >= private, Policy{}.Check(addr), "DenyMetadata")
			assert.Equal(t, tc.want >= public, Policy{Mode: PublicOnly}.Check(addr), "PublicOnly")
			assert.Equal(t, tc.want >= public, Policy{Mode: 99}.Check(addr), "a mode that isn't one")
			assert.True(t, Policy{Mode: AllowAll}.Check(addr), "AllowAll")
		})
	}
}

func TestCheckWithoutAddress(t *testing.T) {
	assert.False(t, Policy{}.Check(netip.Addr{}))
	assert.False(t, Policy{Mode: PublicOnly}.Check(netip.Addr{}))
	assert.True(t, Policy{Mode: AllowAll}.Check(netip.Addr{}))
}

func TestAllow(t *testing.T) {
	for _, tc := range []struct {
		allow, addr string
		want        bool
	}{
		{"10.0.0.0/8", "10.1.2.3", true},
		{"10.0.0.0/8", "::ffff:10.1.2.3", true},
		{"10.0.0.0/8", "::ffff:10.1.2.3%eth0", true},
		{"10.0.0.0/8", "64:ff9b::10.1.2.3", true},
		{"10.0.0.0/8", "::10.1.2.3", true},
		{"10.0.0.0/8", "2002:a01:203::1", true},
		{"10.0.0.0/8", "11.0.0.1", true}, // public anyway
		{"10.0.0.0/8", "192.168.1.1", false},
		{"10.0.0.0/8", "fd00::a01:203", false},
		{"10.99.99.99/8", "10.1.2.3", true},
		{"::ffff:10.0.0.0/104", "10.1.2.3", true},
		{"::ffff:10.0.0.0/104", "::ffff:10.1.2.3", true},
		{"::ffff:10.0.0.0/104", "192.168.1.1", false},
		{"::ffff:0:0/96", "127.0.0.1", true},
		{"169.254.169.254/32", "169.254.169.254", true},
		{"169.254.169.254/32", "169.254.169.253", false},
		{"fd00::/8", "fd00:ec2::254", true},
		{"fe80::/10", "fe80::1%eth0", true},
		{"::1/128", "::1", true},
		{"::1/128", "127.0.0.1", false},
		{"64:ff9b::/96", "64:ff9b::169.254.169.254", true},
		{"2002::/16", "2002:a9fe:a9fe::1", true},
		{"0.0.0.0/0", "169.254.169.254", true},
		{"0.0.0.0/0", "fe80::1", false},
		{"::/0", "fe80::1", true},
		{"::/0", "10.0.0.1", false},
	} {
		t.Run(tc.allow+" "+tc.addr, func(t *testing.T) {
			p := Policy{Mode: PublicOnly, Allow: prefixes(tc.allow)}
			assert.Equal(t, tc.want, p.Check(netip.MustParseAddr(tc.addr)))
		})
	}
	assert.False(t, Policy{Mode: PublicOnly, Allow: []netip.Prefix{{}}}.Check(netip.MustParseAddr("10.0.0.1")), "invalid prefix")
	assert.True(t, Policy{Allow: prefixes("192.0.2.0/24", "169.254.0.0/16")}.Check(netip.MustParseAddr("169.254.1.1")), "second prefix")
}

// FuzzCheckForms: how an IPv4 address is written decides nothing.
func FuzzCheckForms(f *testing.F) {
	for _, seed := range []string{"8.8.8.8", "127.0.0.1", "10.1.2.3", "169.254.169.254", "100.100.100.200", "224.0.0.1", "0.0.0.1"} {
		b := netip.MustParseAddr(seed).As4()
		f.Add(b[0], b[1], b[2], b[3])
	}
	f.Fuzz(func(t *testing.T, a, b, c, d byte) {
		v4 := netip.AddrFrom4([4]byte{a, b, c, d})
		forms := []string{"::ffff:%s", "::ffff:0:%s", "64:ff9b::%s", "2a00:1450::5efe:%s"}
		for _, p := range []Policy{{}, {Mode: PublicOnly}, {Mode: PublicOnly, Allow: prefixes("10.0.0.0/8")}, {Mode: AllowAll}} {
			want := p.Check(v4)
			for _, form := range forms {
				addr, err := netip.ParseAddr(fmt.Sprintf(form, v4))
				require.NoError(t, err)
				require.Equal(t, want, p.Check(addr), "%s as %s with %v", v4, addr, p)
				require.Equal(t, want, p.Check(addr.WithZone("eth0")), "%s as %s with a zone with %v", v4, addr, p)
			}
			sixToFour := netip.AddrFrom16([16]byte{0x20, 2, a, b, c, d, 15: 1})
			require.Equal(t, want, p.Check(sixToFour), "%s as %s with %v", v4, sixToFour, p)
		}
	})
}

// FuzzCheckModes: a stricter mode never allows more.
func FuzzCheckModes(f *testing.F) {
	for _, tc := range verdicts {
		b := netip.MustParseAddr(tc.addr).As16()
		f.Add(b[:])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		addr, ok := netip.AddrFromSlice(b)
		if !ok {
			return
		}
		if (Policy{Mode: PublicOnly}).Check(addr) {
			require.True(t, Policy{}.Check(addr), "%s is public but denied as metadata", addr)
		}
		require.True(t, Policy{Mode: PublicOnly, Allow: []netip.Prefix{netip.PrefixFrom(addr, addr.BitLen())}}.Check(addr), "%s is an exception", addr)
	})
}
