package mcpclient_test

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"cdr.dev/slog/v3"
	"github.com/stretchr/testify/require"
	"golang.org/x/oauth2"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

func TestAddressPolicy(t *testing.T) {
	loopback := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	for name, tt := range map[string]struct {
		policy mcpclient.AddressPolicy
		host   string // in place of 127.0.0.1
		ok     bool
	}{
		"default and loopback":       {mcpclient.AddressPolicy{}, "", true},
		"default and localhost":      {mcpclient.AddressPolicy{}, "localhost", true},
		"public only and loopback":   {mcpclient.AddressPolicy{Mode: mcpclient.PublicOnly}, "", false},
		"public only and localhost":  {mcpclient.AddressPolicy{Mode: mcpclient.PublicOnly}, "localhost", false},
		"public only, decimal":       {mcpclient.AddressPolicy{Mode: mcpclient.PublicOnly}, "2130706433", false},
		"public only, mapped":        {mcpclient.AddressPolicy{Mode: mcpclient.PublicOnly}, "[::ffff:127.0.0.1]", false},
		"public only with exception": {mcpclient.AddressPolicy{Mode: mcpclient.PublicOnly, Allow: loopback}, "", true},
		"all":                        {mcpclient.AddressPolicy{Mode: mcpclient.AllowAll}, "", true},
		"unknown mode":               {mcpclient.AddressPolicy{Mode: "strict"}, "", false},
	} {
		for _, own := range []bool{true, false} {
			t.Run(name+map[bool]string{true: "/own transport", false: "/shared transport"}[own], func(t *testing.T) {
				s := &mcptest.Server{}
				url := mcptest.StartTCP(t, s)
				if tt.host != "" {
					url = strings.Replace(url, "127.0.0.1", tt.host, 1)
				}
				opts := mcpclient.Options{AddressPolicy: tt.policy}
				if own {
					transport := &http.Transport{DisableKeepAlives: true}
					opts.HTTPClient = &http.Client{Transport: transport}
				}
				configs := []mcpclient.ServerConfig{{ID: idOf("s"), Slug: "s", URL: url}}
				_, summaries, cleanup := mcpclient.ConnectAll(t.Context(), slog.Logger{}, configs, nil, opts)
				cleanup()
				if tt.ok {
					require.Equal(t, mcpclient.ConnectOutcomeConnected, summaries[0].Outcome, summaries[0].Error)
					return
				}
				require.Equal(t, mcpclient.ConnectOutcomeError, summaries[0].Outcome)
				require.Contains(t, summaries[0].Error, "address policy")
				require.Zero(t, s.Recorder.Connections())
			})
		}
	}
}

func TestMetadataAddressIsNeverDialled(t *testing.T) {
	for _, url := range []string{"http://169.254.169.254/mcp", "http://[::ffff:169.254.169.254]/mcp", "http://0xa9fea9fe/mcp", "http://[fe80::1%25lo]/mcp", "http://0.0.0.0:1/mcp", "http://100.100.100.200/"} {
		var dialled atomic.Int32
		for _, client := range []*http.Client{nil, {Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
			dialled.Add(1)
			return nil, net.ErrClosed
		}}}} {
			configs := []mcpclient.ServerConfig{{ID: idOf("s"), Slug: "s", URL: url}}
			_, summaries, cleanup := mcpclient.ConnectAll(t.Context(), slog.Logger{}, configs, nil, mcpclient.Options{HTTPClient: client})
			cleanup()
			require.Equal(t, mcpclient.ConnectOutcomeError, summaries[0].Outcome, url)
			require.Contains(t, summaries[0].Error, "address policy", url)
		}
		require.Zero(t, dialled.Load(), url)
	}
}

func TestTokenEndpointsAreUnderTheAddressPolicyToo(t *testing.T) {
	config := &oauth2.Config{ClientID: "c", ClientSecret: "s", Endpoint: oauth2.Endpoint{TokenURL: "http://169.254.169.254/token"}}
	token := mcpclient.UserToken{Token: oauth2.Token{RefreshToken: "refresh-of-the-policy-test", AccessToken: "a"}}
	for _, client := range []*http.Client{nil, {Transport: &http.Transport{}}} {
		_, err := mcpclient.RefreshToken(t.Context(), client, config, token)
		var denied *mcpclient.AddressError
		require.ErrorAs(t, err, &denied)
		require.Equal(t, "169.254.169.254", denied.Addr.String())
		require.NotContains(t, err.Error(), "refresh-of-the-policy-test")
		_, err = mcpclient.RevokeToken(t.Context(), client, config, "https://169.254.169.254/revoke", token)
		require.ErrorAs(t, err, &denied)
	}
}
