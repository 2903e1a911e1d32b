package mcpclientotel

import (
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
	"go.opentelemetry.io/otel/attribute"

	"github.com/mcpclient-go/mcpclient"
)

// server is a configured server as telemetry shows it. Nothing of its URL but
// host and port is in it: the rest may hold secrets.
type server struct {
	slug    string
	address string // "": the URL has none
	port    int
}

// serverID tells the servers of one list apart, also in a list that is wrong.
type serverID struct {
	id   uuid.UUID
	slug string
}

func serversOf(configs []mcpclient.ServerConfig) map[serverID]server {
	known := make(map[serverID]server, len(configs))
	for _, c := range configs {
		s := server{slug: clean(c.Slug)}
		if u, err := url.Parse(c.URL); err == nil {
			s.address = clean(strings.ToLower(u.Hostname()))
			s.port = port(u)
		}
		known[serverID{c.ID, c.Slug}] = s
	}
	return known
}

func port(u *url.URL) int {
	if n, err := strconv.Atoi(u.Port()); err == nil {
		return n
	}
	switch u.Scheme {
	case "http":
		return 80
	case "https":
		return 443
	}
	return 0
}

func (s server) attributes() []attribute.KeyValue {
	list := []attribute.KeyValue{
		keySlug.String(s.slug),
		keyNetworkProtocol.String(protocolHTTP),
		keyNetworkTransport.String(transportTCP),
	}
	if s.address != "" {
		list = append(list, keyServerAddress.String(s.address))
		if s.port != 0 {
			list = append(list, keyServerPort.Int(s.port))
		}
	}
	return list
}

// limited is the server as metrics show it.
func (t *Telemetry) limited(s server) server {
	if t.servers.admits(s) {
		return s
	}
	return server{slug: other}
}

// limitedTool is the tool's name as metrics and names of spans show it. Tools of
// a server that metrics do not tell apart have no name there either.
func (t *Telemetry) limitedTool(s server, tool string) string {
	if t.servers.admits(s) && t.tools.admits(serverTool{s, tool}) {
		return tool
	}
	return other
}

const maxNameBytes = 128

// clean makes an attribute's value of a name that others choose: graphic
// characters only, and not many. Exporters refuse whole batches that hold text
// which is not UTF-8.
func clean(name string) string {
	var b strings.Builder
	for _, r := range name {
		if !unicode.IsGraphic(r) {
			continue
		}
		if b.Len()+utf8.RuneLen(r) > maxNameBytes {
			break
		}
		b.WriteRune(r)
	}
	return b.String()
}
