package address

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// site is an HTTP server that counts requests.
type site struct {
	*httptest.Server
	requests atomic.Int64
}

func newSite(t *testing.T, encrypted bool, handler http.HandlerFunc) *site {
	t.Helper()
	s := &site{}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		handler(w, r)
	}))
	if encrypted {
		s.EnableHTTP2 = true
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	return s
}

func (s *site) port() string {
	return s.Listener.Addr().String()[strings.LastIndex(s.Listener.Addr().String(), ":")+1:]
}

// trust is the TLS configuration that knows the certificate of s.
func (s *site) trust() *tls.Config {
	return s.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
}

func ok(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") }

// get sends a request through transport and returns the protocol of its response.
func get(t *testing.T, transport *http.Transport, url string) (proto string, err error) {
	t.Helper()
	t.Cleanup(transport.CloseIdleConnections)
	resp, err := (&http.Client{Transport: transport}).Get(url)
	if err != nil {
		return "", err
	}
	defer func() { _ = resp.Body.Close() }()
	_, err = io.Copy(io.Discard, resp.Body)
	require.NoError(t, err)
	return resp.Proto, nil
}

func TestTransportRefusesLoopbackWherePublicOnly(t *testing.T) {
	c := newCanary(t)
	for _, host := range []string{"127.0.0.1", "localhost", "2130706433", "0x7f.1", "017700000001", "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]", "１２７.０.０.１"} {
		for _, scheme := range []string{"http", "https"} {
			_, err := get(t, Policy{Mode: PublicOnly}.Transport(nil), scheme+"://"+host+":"+c.port()+"/")
			var denied *Error
			require.ErrorAs(t, err, &denied, host)
			var wrapped *url.Error
			require.ErrorAs(t, err, &wrapped)
			var op *net.OpError
			require.ErrorAs(t, err, &op)
		}
	}
	c.untouched()
}

func TestTransportKeepsLoopbackByDefault(t *testing.T) {
	s := newSite(t, false, ok)
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]"} {
		_, err := get(t, Policy{}.Transport(nil), "http://"+host+":"+s.port())
		require.NoError(t, err, host)
	}
	assert.EqualValues(t, 3, s.requests.Load())
}

func TestTransportChecksRedirects(t *testing.T) {
	for _, tc := range []struct{ target, host, addr string }{
		{"http://169.254.169.254/latest/meta-data/", "169.254.169.254", "169.254.169.254"},
		{"http://2852039166/", "2852039166", "169.254.169.254"},
		{"http://[::ffff:a9fe:a9fe]/", "::ffff:a9fe:a9fe", "::ffff:169.254.169.254"},
		{"http://[fe80::1%25eth0]/", "fe80::1%eth0", "fe80::1%eth0"},
		{"http://10.1.2.3/", "10.1.2.3", "10.1.2.3"},
		{"http://127.0.0.2/", "127.0.0.2", "127.0.0.2"},
	} {
		t.Run(tc.target, func(t *testing.T) {
			s := newSite(t, false, http.RedirectHandler(tc.target, http.StatusTemporaryRedirect).ServeHTTP)
			_, err := get(t, Policy{Mode: PublicOnly, Allow: prefixes("127.0.0.1/32")}.Transport(nil), s.URL)
			refused(t, err, tc.host, tc.addr)
			assert.EqualValues(t, 1, s.requests.Load())
		})
	}
}

func TestTransportFollowsRedirectToAllowedAddress(t *testing.T) {
	target := newSite(t, false, ok)
	s := newSite(t, false, http.RedirectHandler(target.URL, http.StatusPermanentRedirect).ServeHTTP)
	_, err := get(t, Policy{Mode: PublicOnly, Allow: prefixes("127.0.0.1/32")}.Transport(nil), s.URL)
	require.NoError(t, err)
	assert.EqualValues(t, 1, target.requests.Load())
}

func TestTransportSpeaksTheSameHTTP(t *testing.T) {
	s := newSite(t, true, ok)
	used := &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: s.trust()}
	_, err := get(t, used, s.URL)
	require.NoError(t, err)
	var only1, only2 http.Protocols
	only1.SetHTTP1(true)
	only2.SetHTTP2(true)
	dial := (&net.Dialer{}).DialContext
	for name, tc := range map[string]struct {
		base *http.Transport
		want string
	}{
		"zero":             {&http.Transport{}, "HTTP/2.0"},
		"default":          {http.DefaultTransport.(*http.Transport), "HTTP/2.0"},
		"forced":           {&http.Transport{ForceAttemptHTTP2: true, DialContext: dial}, "HTTP/2.0"},
		"used":             {used, "HTTP/2.0"},
		"protocol 2":       {&http.Transport{Protocols: &only2, DialContext: dial}, "HTTP/2.0"},
		"protocol 1":       {&http.Transport{Protocols: &only1}, "HTTP/1.1"},
		"switched off":     {&http.Transport{TLSNextProto: map[string]func(string, *tls.Conn) http.RoundTripper{}}, "HTTP/1.1"},
		"own dial":         {&http.Transport{DialContext: dial}, "HTTP/1.1"},
		"own TLS settings": {&http.Transport{TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}}, "HTTP/1.1"},
	} {
		for mode := range map[Mode]bool{DenyMetadata: true, AllowAll: true} {
			clone := Policy{Mode: mode}.Transport(tc.base)
			clone.TLSClientConfig = s.trust()
			clone.TLSClientConfig.NextProtos = nil
			proto, err := get(t, clone, s.URL)
			require.NoError(t, err, name)
			assert.Equal(t, tc.want, proto, name)
		}
	}
}

func TestTransportLeavesTheOriginalAlone(t *testing.T) {
	base := &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 7}
	clone := Policy{Mode: PublicOnly}.Transport(base)
	assert.NotSame(t, base, clone)
	assert.Nil(t, base.DialContext)
	assert.Nil(t, base.DialTLSContext)
	assert.False(t, base.ForceAttemptHTTP2)
	assert.Equal(t, 7, clone.MaxIdleConnsPerHost)

	s := newSite(t, false, ok)
	_, err := get(t, base, s.URL)
	require.NoError(t, err)
}

// toward ignores what it is asked for and connects to s: names, and what they resolve to, are the dialer's business.
func (s *site) toward(string, string) (net.Conn, error) {
	return net.Dial("tcp4", s.Listener.Addr().String())
}

func (s *site) towardTLS(string, string) (net.Conn, error) {
	return tls.Dial("tcp4", s.Listener.Addr().String(), s.trust())
}

func TestTransportGuardsEveryDialFunction(t *testing.T) {
	s, encrypted := newSite(t, false, ok), newSite(t, true, ok)
	for name, tc := range map[string]struct {
		base *http.Transport
		url  string
		to   *site
	}{
		"DialContext": {&http.Transport{DialContext: func(_ context.Context, n, a string) (net.Conn, error) { return s.toward(n, a) }}, "http://mcp.test", s},
		//lint:ignore SA1019 hosts may still use it
		"Dial": {&http.Transport{Dial: s.toward}, "http://mcp.test", s},
		"DialTLSContext": {&http.Transport{DialTLSContext: func(_ context.Context, n, a string) (net.Conn, error) {
			return encrypted.towardTLS(n, a)
		}}, "https://mcp.test", encrypted},
		//lint:ignore SA1019 hosts may still use it
		"DialTLS": {&http.Transport{DialTLS: encrypted.towardTLS}, "https://mcp.test", encrypted},
	} {
		t.Run(name, func(t *testing.T) {
			before := tc.to.requests.Load()
			_, err := get(t, Policy{Mode: PublicOnly}.Transport(tc.base), tc.url)
			refused(t, err, "mcp.test", "127.0.0.1")
			assert.Equal(t, before, tc.to.requests.Load())

			for _, p := range []Policy{{}, {Mode: AllowAll}, {Mode: PublicOnly, Allow: prefixes("127.0.0.0/8")}} {
				_, err = get(t, p.Transport(tc.base), tc.url)
				require.NoError(t, err)
			}
			assert.Equal(t, before+3, tc.to.requests.Load())
		})
	}
}

func TestTransportSendsNothingToADeniedPeer(t *testing.T) {
	c := newCanary(t)
	base := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "tcp4", c.at("127.0.0.1"))
	}}
	for _, u := range []string{"http://mcp.test", "https://mcp.test"} {
		_, err := get(t, Policy{Mode: PublicOnly}.Transport(base), u)
		refused(t, err, "mcp.test", "127.0.0.1")
		conn, err := c.l.Accept()
		require.NoError(t, err)
		got, err := io.ReadAll(conn)
		require.NoError(t, err)
		assert.Empty(t, got)
		require.NoError(t, conn.Close())
	}
}

func TestTransportInMemory(t *testing.T) {
	base := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go func() { // ends with the request, as the response closes the connection
			defer func() { _ = server.Close() }()
			_, _ = server.Read(make([]byte, 4096))
			_, _ = io.WriteString(server, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
		}()
		return client, nil
	}}
	_, err := get(t, Policy{Mode: PublicOnly}.Transport(base), "http://mcp.internal")
	require.NoError(t, err)
}

func TestProxyOfTheCaller(t *testing.T) {
	proxy := newSite(t, false, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodConnect {
			http.Error(w, "no", http.StatusForbidden)
			return
		}
		ok(w, r)
	})
	proxyURL, err := url.Parse(proxy.URL)
	require.NoError(t, err)
	base := &http.Transport{Proxy: http.ProxyURL(proxyURL)}
	t.Run("is judged like any peer", func(t *testing.T) {
		_, err := get(t, Policy{Mode: PublicOnly}.Transport(base), "http://mcp.test")
		refused(t, err, "127.0.0.1", "127.0.0.1")
		assert.Zero(t, proxy.requests.Load())
	})
	allowed := Policy{Mode: PublicOnly, Allow: prefixes("127.0.0.1/32")}
	t.Run("gets no request for a denied address", func(t *testing.T) {
		for _, host := range []string{"10.0.0.1", "169.254.169.254", "2852039166", "0xa9fea9fe", "[::ffff:a00:1]", "[fe80::1%25eth0]", "010.0.0.1", "１６９.254.169.254", "10.0.0.1."} {
			for _, scheme := range []string{"http://", "https://"} {
				_, err := get(t, allowed.Transport(base), scheme+host+"/")
				var denied *Error
				require.ErrorAs(t, err, &denied, host)
			}
		}
		assert.Zero(t, proxy.requests.Load())
	})
	t.Run("serves names and other addresses", func(t *testing.T) {
		for _, host := range []string{"mcp.test", "8.8.8.8"} {
			_, err := get(t, allowed.Transport(base), "http://"+host+"/")
			require.NoError(t, err)
		}
		_, err := get(t, Policy{}.Transport(base), "http://10.0.0.1/")
		require.NoError(t, err)
		_, err = get(t, Policy{Mode: AllowAll}.Transport(base), "http://169.254.169.254/")
		require.NoError(t, err)
		assert.EqualValues(t, 4, proxy.requests.Load())
	})
	t.Run("may fail or be none", func(t *testing.T) {
		direct := &http.Transport{Proxy: func(*http.Request) (*url.URL, error) { return nil, nil }}
		_, err := get(t, Policy{}.Transport(direct), proxy.URL)
		require.NoError(t, err)
		failing := &http.Transport{Proxy: func(*http.Request) (*url.URL, error) { return nil, io.ErrNoProgress }}
		_, err = get(t, Policy{}.Transport(failing), proxy.URL)
		require.ErrorIs(t, err, io.ErrNoProgress)
	})
}

func TestEnvironmentProxy(t *testing.T) {
	assert.Nil(t, Policy{}.EnvironmentProxy())
	assert.Nil(t, Policy{Mode: PublicOnly}.EnvironmentProxy())
	assert.NotNil(t, Policy{Mode: AllowAll}.EnvironmentProxy())
}
