package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// place is where and for what a user logs in.
type place struct {
	resource string
	scopes   []string
	server   *oauthex.AuthServerMeta
}

// discover finds the authorization server of the MCP server, by the protected
// resource metadata (RFC 9728) where there is any.
func (l *login) discover(ctx context.Context, metadata string) (*place, error) {
	resource, err := l.protectedResource(ctx, metadata)
	if err != nil {
		return nil, err
	}
	if resource == nil {
		return l.discoverAtRoot(ctx)
	}
	if len(resource.AuthorizationServers) == 0 {
		return nil, errors.New("the resource's metadata names no authorization server")
	}
	server, err := auth.GetAuthServerMetadata(ctx, resource.AuthorizationServers[0], l.http)
	if err != nil {
		return nil, fmt.Errorf("authorization server's metadata: %w", err)
	}
	if server == nil {
		return nil, errors.New("the authorization server has no metadata")
	}
	return &place{resource.Resource, resource.ScopesSupported, server}, nil
}

// protectedResource gives the metadata of the MCP server as a resource. A
// server that says where they are is held to it, also if they are not its own
// (RFC 9728 section 3.3). nil without an error: it has none.
func (l *login) protectedResource(ctx context.Context, metadata string) (*oauthex.ProtectedResourceMetadata, error) {
	if metadata != "" {
		return oauthex.GetProtectedResourceMetadata(ctx, metadata, l.resource, l.http)
	}
	at, err := url.Parse(l.resource)
	if err != nil {
		return nil, fmt.Errorf("the server's URL: %w", err)
	}
	const wellKnown = "/.well-known/oauth-protected-resource"
	origin := at.Scheme + "://" + at.Host
	for _, try := range []struct{ metadata, resource string }{
		{origin + wellKnown + strings.TrimRight(at.Path, "/"), l.resource},
		{origin + wellKnown, origin},
	} {
		found, err := oauthex.GetProtectedResourceMetadata(ctx, try.metadata, try.resource, l.http)
		if err == nil {
			return found, nil
		}
	}
	return nil, nil // whatever the errors were: nobody promised that there are any
}

// discoverAtRoot follows MCP 2025-03-26, where the server's own origin is the
// authorization server, with fixed endpoints unless metadata say otherwise.
func (l *login) discoverAtRoot(ctx context.Context) (*place, error) {
	at, err := url.Parse(l.resource)
	if err != nil {
		return nil, fmt.Errorf("the server's URL: %w", err)
	}
	origin := at.Scheme + "://" + at.Host
	server, err := auth.GetAuthServerMetadata(ctx, origin, l.http)
	if err != nil {
		return nil, fmt.Errorf("authorization server's metadata: %w", err)
	}
	if server == nil {
		server = &oauthex.AuthServerMeta{
			Issuer:                origin,
			AuthorizationEndpoint: origin + "/authorize",
			TokenEndpoint:         origin + "/token",
			RegistrationEndpoint:  origin + "/register",
		}
	}
	return &place{resource: l.resource, server: server}, nil
}
