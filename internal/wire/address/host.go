package address

import (
	"net/netip"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// literals returns the addresses that host is a notation of, none if it is a name. Besides the standard ones there are the
// notations of IPv4 that inet_aton and with it many resolvers, proxies and URL parsers know: fewer than four parts, hexadecimal
// and octal ones. As others read a part with a leading zero as decimal, there may be two answers. The empty host is the
// unspecified address, which is how dialers understand it.
func literals(host string) []netip.Addr {
	if host == "" {
		return []netip.Addr{netip.IPv6Unspecified()}
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{addr}
	}
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		host = ascii // full-width digits and other dots, as a transport does before it dials
	}
	parts := strings.Split(strings.TrimSuffix(host, "."), ".")
	var found []netip.Addr
	for _, leadingZero := range []int{8, 10} {
		addr, ok := parseParts(parts, leadingZero)
		if ok && (len(found) == 0 || found[0] != addr) {
			found = append(found, addr)
		}
	}
	return found
}

// parseParts reads one to four numbers. Each but the last is a byte; the last one fills the remaining bytes.
func parseParts(parts []string, leadingZero int) (netip.Addr, bool) {
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var b [4]byte
	for i, part := range parts {
		room := 8
		if i == len(parts)-1 {
			room = 8 * (4 - i)
		}
		n, ok := parsePart(part, leadingZero, room)
		if !ok {
			return netip.Addr{}, false
		}
		for j := 3; room > 8; room -= 8 {
			b[j] = byte(n)
			n >>= 8
			j--
		}
		b[i] = byte(n)
	}
	return netip.AddrFrom4(b), true
}

func parsePart(part string, leadingZero, bits int) (uint64, bool) {
	base := 10
	switch {
	case part == "0x" || part == "0X":
		return 0, true // as the URL standard of the WHATWG has it
	case strings.HasPrefix(part, "0x") || strings.HasPrefix(part, "0X"):
		part, base = part[2:], 16
	case len(part) > 1 && part[0] == '0':
		part, base = part[1:], leadingZero
	}
	n, err := strconv.ParseUint(part, base, bits)
	return n, err == nil
}
