package address

import (
	"fmt"
	"net/netip"
)

// Error says that a connection wasn't made, or was closed before it was used, because the policy doesn't allow its address.
// errors.As finds it in the errors of net.Dialer and http.Client.
type Error struct {
	Host string     // as it was dialled, without the port: a name or an address
	Addr netip.Addr // what Host stands for; of several refused addresses the first. Not valid if it couldn't be determined.
}

func (e *Error) Error() string {
	if !e.Addr.IsValid() {
		return fmt.Sprintf("address policy: the address of host %q is not known, so it must not be dialled", e.Host)
	}
	if e.Host == e.Addr.String() {
		return fmt.Sprintf("address policy: %s must not be dialled", e.Addr)
	}
	return fmt.Sprintf("address policy: host %q resolves to %s, which must not be dialled", e.Host, e.Addr)
}
