package address

import (
	"net"
)

// CheckHost judges the host of a request where it is an address in any notation; names are judged by what they resolve to.
func (p Policy) CheckHost(host string) error { return p.checkHost(host) }

// CheckPeer judges whom a connection was made to; host is what was dialled. Peers that aren't known by an IP address aren't
// judged.
func (p Policy) CheckPeer(host string, peer net.Addr) error {
	remote := ipOf(peer)
	if !remote.IsValid() || p.Check(remote) {
		return nil
	}
	return &Error{Host: host, Addr: remote}
}
