package wire

import (
	"errors"
	"net"
	"net/url"
	"strings"

	"golang.org/x/net/idna"
)

// origin is the scheme, host and port of a URL in the form in which they can be compared. See RFC 6454.
type origin struct {
	scheme, host, port string
}

// originOf fails for URLs that no request can be sent to.
func originOf(u *url.URL) (origin, error) {
	o := origin{scheme: strings.ToLower(u.Scheme), host: strings.ToLower(u.Hostname()), port: u.Port()}
	switch o.scheme {
	case "http":
		o.port = or(o.port, "80")
	case "https":
		o.port = or(o.port, "443")
	default:
		return origin{}, errors.New("the URL is not an http or https URL")
	}
	if o.host == "" {
		return origin{}, errors.New("the URL has no host")
	}
	// The transport dials the ASCII form of a name.
	if ascii, err := idna.Lookup.ToASCII(o.host); err == nil {
		o.host = ascii
	}
	return o, nil
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// String leaves out the port where it is the scheme's own.
func (o origin) String() string {
	host := o.host
	if o.scheme == "http" && o.port != "80" || o.scheme == "https" && o.port != "443" {
		return o.scheme + "://" + net.JoinHostPort(host, o.port)
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return o.scheme + "://" + host
}

// originName is the origin of any URL as a text for errors: no path, query or user information, which may be secrets.
func originName(u *url.URL) string {
	o, err := originOf(u)
	if err != nil {
		return ""
	}
	return o.String()
}
