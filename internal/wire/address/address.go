// Package address decides by its IP address whether a peer may be connected to, and makes dialers and transports obey.
//
// URLs of servers come from users, redirects and endpoints from the servers themselves. Without a policy each of them can make the
// host send a request into its own network: to the metadata service that hands out the machine's cloud credentials, or to
// something that trusts whoever can reach it. A look at the URL doesn't help: a name may resolve to anything, and to something
// else the next time. So the decision is made on the address that is about to be connected to, for every dial.
package address

import "net/netip"

// Mode is what a Policy allows in general. A value that isn't one of the constants counts as PublicOnly.
type Mode int

const (
	// DenyMetadata allows all but what no server of tools lives on: cloud metadata and other link-local addresses, the
	// unspecified address and the rest of its network, multicast and broadcast. Loopback and private networks are allowed.
	DenyMetadata Mode = iota
	// PublicOnly allows what is reachable across the Internet: in addition to what DenyMetadata denies there is no loopback, no
	// private, shared or unique local address, and none that is reserved, for documentation or for benchmarks.
	PublicOnly
	// AllowAll allows everything.
	AllowAll
)

// Policy decides which addresses may be connected to. Its zero value is DenyMetadata without exceptions. It is a value that
// nothing here modifies; any number of goroutines may use it.
type Policy struct {
	Mode Mode
	// Allow holds exceptions: what one of them contains is allowed, whatever Mode says. A prefix of IPv4 addresses also covers
	// the IPv6 forms of these that Check lists, and a prefix of IPv4-mapped addresses is the same as one of IPv4. Zones don't
	// matter. An invalid prefix contains nothing.
	Allow []netip.Prefix
}

// Check reports whether addr may be connected to. A zone of addr doesn't matter.
//
// An IPv6 address that makes packets go to an IPv4 address is judged as that one: IPv4-mapped, IPv4-compatible and
// IPv4-translated addresses, NAT64 with the well-known and the local-use prefix, 6to4, Teredo and ISATAP. A NAT64 prefix of a
// network's own can't be told from other addresses; behind any prefix of 96 bits the IPv4 addresses of metadata services are
// recognised nevertheless. The zero Addr is allowed by AllowAll alone.
func (p Policy) Check(addr netip.Addr) bool {
	if p.Mode == AllowAll {
		return true
	}
	if !addr.IsValid() {
		return false
	}
	addr = addr.WithZone("").Unmap()
	if p.excepts(addr) {
		return true
	}
	if p.Mode.denies(addr) {
		return false
	}
	for _, inner := range embedded(addr) {
		if !p.excepts(inner) && p.Mode.denies(inner) {
			return false
		}
	}
	return true
}

// excepts expects an address that is neither mapped nor has a zone.
func (p Policy) excepts(addr netip.Addr) bool {
	for _, prefix := range p.Allow {
		if unmapped(prefix).Contains(addr) {
			return true
		}
	}
	return false
}

// unmapped turns a prefix of IPv4-mapped addresses alone into one of IPv4, as a prefix contains addresses of its own kind only.
func unmapped(p netip.Prefix) netip.Prefix {
	const mappedBits = 96
	if !p.Addr().Is4In6() || p.Bits() < mappedBits {
		return p
	}
	return netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-mappedBits)
}

func (m Mode) denies(addr netip.Addr) bool {
	if contains(neverServers, addr) || contains(metadata, addr) {
		return true
	}
	if m == DenyMetadata {
		return false
	}
	if addr.Is4() {
		return contains(notPublic4, addr)
	}
	return contains(notPublic6, addr) || !contains(maybePublic6, addr)
}
