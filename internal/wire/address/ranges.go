package address

import "net/netip"

// neverServers are addresses that no server can be known by from one machine to the next.
var neverServers = prefixes(
	"0.0.0.0/8",          // this network, RFC 1122 3.2.1.3; 0.0.0.0 reaches the machine itself
	"169.254.0.0/16",     // link-local, RFC 3927: metadata of most clouds, credentials of containers
	"224.0.0.0/4",        // multicast, RFC 5771
	"255.255.255.255/32", // limited broadcast, RFC 919
	"::/128",             // unspecified, RFC 4291 2.5.2; reaches the machine itself
	"fe80::/10",          // link-local, RFC 4291 2.5.6
	"ff00::/8",           // multicast, RFC 4291 2.7
)

// metadata are the services by which clouds tell their machines who they are, where those are not link-local.
var metadata = prefixes(
	"100.100.100.200/32",     // Alibaba Cloud
	"168.63.129.16/32",       // Azure's WireServer, a public address that only the machine's own hypervisor answers at
	"192.0.0.192/32",         // Oracle Cloud Classic
	"fd00:ec2::/32",          // AWS: instance metadata (::254), credentials of pods (::23), DNS, time
	"fd20:ce::254/128",       // Google Cloud
	"fd00:c1::a9fe:a9fe/128", // Oracle Cloud
	"fd00:100::100:200/128",  // Alibaba Cloud
	"fd00:a9fe:a9fe::1/128",  // Akamai (Linode)
	"fd00:42::42/128",        // Scaleway
)

// metadata4 are the IPv4 addresses of metadata services, to be found in addresses with a NAT64 prefix that isn't known.
var metadata4 = prefixes(
	"169.254.169.254/32", // AWS, Azure, Google Cloud, Oracle Cloud, OpenStack and most others
	"169.254.170.2/32",   // credentials of AWS ECS tasks
	"169.254.170.23/32",  // credentials of AWS EKS pods
	"169.254.42.42/32",   // Scaleway
	"169.254.0.23/32",    // Tencent Cloud
	"100.100.100.200/32",
	"168.63.129.16/32",
	"192.0.0.192/32",
)

// notPublic4 is what the IANA IPv4 Special-Purpose Address Registry (RFC 6890) says is not globally reachable. The two anycast
// addresses that are, within 192.0.0.0/24, serve protocols of their own.
var notPublic4 = prefixes(
	"10.0.0.0/8",      // private, RFC 1918
	"100.64.0.0/10",   // shared by customers of a provider, RFC 6598
	"127.0.0.0/8",     // loopback
	"172.16.0.0/12",   // private
	"192.0.0.0/24",    // IETF protocol assignments
	"192.0.2.0/24",    // documentation, RFC 5737
	"192.88.99.0/24",  // 6to4 relays, withdrawn by RFC 7526
	"192.168.0.0/16",  // private
	"198.18.0.0/15",   // benchmarks, RFC 2544
	"198.51.100.0/24", // documentation
	"203.0.113.0/24",  // documentation
	"240.0.0.0/4",     // reserved, RFC 1112
)

// maybePublic6 is all of IPv6 that may be public. IANA has allotted global unicast addresses from 2000::/3 alone; this leaves out
// loopback, unique local fc00::/7, site-local fec0::/10, the discard prefix 100::/64 and segment identifiers 5f00::/16. The others
// stand for IPv4 addresses, which decide.
var maybePublic6 = prefixes("2000::/3", compatible, translated, nat64, nat64Local)

// notPublic6 are the exceptions within maybePublic6, see the IANA IPv6 Special-Purpose Address Registry.
var notPublic6 = prefixes(
	"::1/128",       // loopback
	"2001::/23",     // IETF protocol assignments, with Teredo, benchmarks and ORCHID
	"2001:db8::/32", // documentation, RFC 3849
	"3fff::/20",     // documentation, RFC 9637
)

// Prefixes of IPv6 addresses that stand for IPv4 addresses.
const (
	compatible = "::/96"           // RFC 4291 2.5.5.1
	translated = "::ffff:0:0:0/96" // RFC 2765 2.1
	nat64      = "64:ff9b::/96"    // RFC 6052 2.1
	nat64Local = "64:ff9b:1::/48"  // RFC 8215
	sixToFour  = "2002::/16"       // RFC 3056
	teredo     = "2001::/32"       // RFC 4380
)

func prefixes(texts ...string) []netip.Prefix {
	list := make([]netip.Prefix, 0, len(texts))
	for _, text := range texts {
		list = append(list, netip.MustParsePrefix(text))
	}
	return list
}

func contains(list []netip.Prefix, addr netip.Addr) bool {
	for _, p := range list {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}
