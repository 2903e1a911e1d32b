package address

import "net/netip"

var (
	lastFour       = prefixes(compatible, translated, nat64)
	localNAT64     = netip.MustParsePrefix(nat64Local)
	sixToFourBlock = netip.MustParsePrefix(sixToFour)
	teredoBlock    = netip.MustParsePrefix(teredo)
	thisNetwork    = netip.MustParsePrefix("0.0.0.0/8")
)

// embedded returns the IPv4 addresses that packets for addr, which has no zone and isn't mapped, may end at. All have to be
// allowed, as the layout of an address isn't always certain.
func embedded(addr netip.Addr) []netip.Addr {
	if !addr.Is6() {
		return nil
	}
	b := addr.As16()
	var found []netip.Addr
	switch {
	case addr.IsUnspecified() || addr.IsLoopback():
		return nil // both lie in the block of IPv4-compatible addresses without being one
	case contains(lastFour, addr):
		return []netip.Addr{four(b[12:])}
	case localNAT64.Contains(addr):
		return localNAT64Targets(b)
	case sixToFourBlock.Contains(addr):
		found = append(found, four(b[2:]))
	case teredoBlock.Contains(addr):
		// The server, and the client behind its NAT, which is stored with all bits inverted: RFC 4380, 4.
		found = append(found, four(b[4:]), four([]byte{^b[12], ^b[13], ^b[14], ^b[15]}))
	}
	if isISATAP(b) {
		found = append(found, four(b[12:]))
	}
	if inner := four(b[12:]); b[8]|b[9]|b[10]|b[11] == 0 && contains(metadata4, inner) {
		found = append(found, inner)
	}
	return found
}

// isISATAP looks for the interface identifiers of RFC 5214, 6.1; they may follow any prefix.
func isISATAP(b [16]byte) bool {
	return b[8]&^0x02 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe
}

// localNAT64Targets reads b in all layouts of RFC 6052, 2.2, that fit into the local-use block, as the network chooses one. The
// padding of one layout reads in another one as an address of 0.0.0.0/8, to which no translator forwards. Only a prefix of 96
// bits puts zeros into the middle and something behind; what precedes them is a subnet then, not an address.
func localNAT64Targets(b [16]byte) []netip.Addr {
	last := four(b[12:])
	if b[8]|b[9]|b[10]|b[11] == 0 && !last.IsUnspecified() {
		return []netip.Addr{last}
	}
	var found []netip.Addr
	for _, addr := range []netip.Addr{
		four([]byte{b[6], b[7], b[9], b[10]}),
		four([]byte{b[7], b[9], b[10], b[11]}),
		four(b[9:]),
		last,
	} {
		if !thisNetwork.Contains(addr) {
			found = append(found, addr)
		}
	}
	return found
}

func four(b []byte) netip.Addr { return netip.AddrFrom4([4]byte(b[:4])) }
