package mcpclient

import (
	"net/http"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"weak"

	"github.com/mcpclient-go/mcpclient/internal/wire"
	"github.com/mcpclient-go/mcpclient/internal/wire/address"
)

// AddressPolicy says which IP addresses may be connected to. It is decided by
// the address that is dialled, after names were resolved, for every dial, also
// of authorization servers. The zero value is DenyMetadata. An unknown Mode denies
// what PublicOnly does.
//
// It holds in full for the package's own transport. The transport of an
// Options.HTTPClient is treated by its kind. An *http.Transport is never
// modified: with DenyMetadata each of its connections is judged before a request
// is written to it; with PublicOnly a clone with connections of its own is used,
// which refuses a denied address before it is dialled; with a dial function of
// its own (http.DefaultTransport has one) that dials, and a denied connection is
// closed before anything is sent. Any other RoundTripper is its owner's own
// business, and so is what lies behind a proxy. Proxies of the environment are
// used by the package's own transport with AllowAll alone: behind one, the
// policy would see names where it has to judge addresses.
type AddressPolicy struct {
	// Mode is what is denied; zero means DenyMetadata.
	Mode AddressMode
	// Allow are addresses that are allowed whatever Mode says. It must not be
	// modified.
	Allow []netip.Prefix
}

// AddressMode is what an AddressPolicy denies.
type AddressMode string

const (
	// DenyMetadata denies the metadata services of clouds and all other
	// link-local, unspecified and multicast addresses, in every form in which
	// they can be written. It is what the zero AddressMode means.
	DenyMetadata AddressMode = "deny_metadata"
	// PublicOnly also denies loopback, private, shared (RFC 6598), unique local
	// and reserved addresses.
	PublicOnly AddressMode = "public_only"
	// AllowAll denies nothing.
	AllowAll AddressMode = "allow_all"
)

// AddressError says that the address of Host is denied by the AddressPolicy.
// Host is what was dialled, without the port: a name or an address. Addr (a
// netip.Addr) is what it stands for, of several denied ones the first, and is not
// valid where that could not be told. It is found by errors.As, as
// *AddressError, in the errors of RefreshToken and RevokeToken; of a server it is
// the text in ConnectSummary.Error.
type AddressError = address.Error

// policy is the form that dials use. A mode that nobody knows denies what
// PublicOnly does.
func (p AddressPolicy) policy() address.Policy {
	modes := map[AddressMode]address.Mode{"": address.DenyMetadata, DenyMetadata: address.DenyMetadata, AllowAll: address.AllowAll}
	mode, known := modes[p.Mode]
	if !known {
		mode = address.PublicOnly
	}
	return address.Policy{Mode: mode, Allow: p.Allow}
}

// key identifies a policy.
func (p AddressPolicy) key() string {
	if len(p.Allow) == 0 {
		return string(p.Mode)
	}
	var b strings.Builder
	b.WriteString(string(p.Mode))
	for _, prefix := range p.Allow {
		b.WriteByte(' ')
		b.WriteString(prefix.String())
	}
	return b.String()
}

// transportTable keeps one transport for each policy, and for each policy and
// transport of a host: connections that are kept stay within the policy that
// they were dialled under, and the next step finds them warm. A host's transport
// is forgotten when the host has forgotten it.
type transportTable struct {
	mu     sync.Mutex
	own    map[string]*http.Transport
	clones map[cloneKey]*http.Transport
}

type cloneKey struct {
	of     weak.Pointer[http.Transport]
	policy string
}

// transports is process-wide, so that warm connections outlive a step.
var transports transportTable

// of gives the transport to use, and the policy that is yet to be applied to
// its connections.
func (t *transportTable) of(client *http.Client, policy AddressPolicy) (http.RoundTripper, *address.Policy) {
	if client == nil || client.Transport == nil {
		return t.shared(policy), nil
	}
	theirs, ok := client.Transport.(*http.Transport)
	judge := policy.policy()
	switch {
	case !ok || judge.Mode == address.AllowAll:
		return client.Transport, nil
	case judge.Mode == address.PublicOnly:
		return t.clone(theirs, policy), nil
	}
	return theirs, &judge
}

func (t *transportTable) shared(policy AddressPolicy) *http.Transport {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := policy.key()
	if own := t.own[key]; own != nil {
		return own
	}
	if t.own == nil {
		t.own = map[string]*http.Transport{}
	}
	t.own[key] = wire.DefaultTransport(policy.policy())
	return t.own[key]
}

func (t *transportTable) clone(theirs *http.Transport, policy AddressPolicy) *http.Transport {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := cloneKey{weak.Make(theirs), policy.key()}
	if clone := t.clones[key]; clone != nil {
		return clone
	}
	clone := policy.policy().Transport(theirs)
	clone.DialContext = wire.Dial(clone.DialContext)
	if t.clones == nil {
		t.clones = map[cloneKey]*http.Transport{}
	}
	t.clones[key] = clone
	runtime.AddCleanup(theirs, t.forget, key)
	return clone
}

func (t *transportTable) forget(key cloneKey) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clones[key].CloseIdleConnections()
	delete(t.clones, key)
}
