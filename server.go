package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"cdr.dev/slog/v3"

	"github.com/mcpclient-go/mcpclient/internal/redact"
	"github.com/mcpclient-go/mcpclient/internal/wire/address"
)

// server is one enabled config, checked, with all that its sessions and tools
// share. What is not guarded is written once.
type server struct {
	config ServerConfig
	opts   Options // what does not change from step to step; the rest is in hosting

	base       http.RoundTripper
	addresses  *address.Policy // to be judged by the chain; nil: base does it
	endpoint   string          // config.URL without user information
	credential credential
	forwarded  http.Header
	basic      http.Header // from user information in the URL

	hosting atomic.Pointer[hosting]

	// Of a Pool's server: onListChanged is told that the list of tools may have
	// changed, the end of dead is that of every session, and crew counts what
	// they start.
	onListChanged func()
	dead          context.Context
	crew          *crew

	mu      sync.Mutex // guards secrets, which grows when tokens are resolved
	secrets *redact.Secrets
}

// hosting is what the host gave last: a server that outlives a step gets that
// of the next one.
type hosting struct {
	ctx            context.Context // for its values, in records of the log
	logger         slog.Logger
	oidcTokens     OIDCTokenSource
	onTokenRefresh func(context.Context, UserToken) error
}

func (s *server) host() *hosting { return s.hosting.Load() }

func hostingOf(ctx context.Context, logger slog.Logger, opts *Options) *hosting {
	return &hosting{context.WithoutCancel(ctx), logger, opts.OIDCTokens, opts.OnTokenRefresh}
}

// newServer checks a config. The server is there also beside an error, for the
// summary.
func newServer(ctx context.Context, config ServerConfig, logger slog.Logger, tokens []UserToken, opts Options) (*server, error) {
	s := &server{config: config, opts: opts}
	s.opts.ConnectTimeout = orDefault(config.ConnectTimeout, opts.ConnectTimeout)
	s.base, s.addresses = transports.of(opts.HTTPClient, opts.AddressPolicy)
	s.hosting.Store(hostingOf(ctx, logger, &opts))
	s.secrets = redact.New(s.configuredSecrets(tokens)...)
	return s, s.check(tokens)
}

func (s *server) check(tokens []UserToken) error {
	c := s.config
	if c.Transport != "" && c.Transport != TransportStreamableHTTP && c.Transport != TransportSSE {
		return fmt.Errorf("config: unknown transport %q", c.Transport)
	}
	if err := s.checkURL(); err != nil {
		return fmt.Errorf("config: %w", err)
	}
	if err := s.checkHeaders(tokens); err != nil {
		return fmt.Errorf("config: %w", err)
	}
	return nil
}

func (s *server) checkURL() error {
	u, err := url.Parse(s.config.URL)
	if err != nil {
		// The text of the error quotes the URL, which may hold secrets.
		return errors.New("the URL can't be parsed")
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return errors.New("the URL is neither http nor https")
	}
	if u.Hostname() == "" {
		return errors.New("the URL has no host")
	}
	s.endpoint = s.config.URL
	if u.User == nil {
		return nil
	}
	// The rest of the URL is kept byte for byte: servers and proxies compare it so.
	authority := strings.Index(s.endpoint, "//") + 2
	rest := s.endpoint[authority:]
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	at := strings.LastIndexByte(rest[:end], '@')
	s.endpoint = s.endpoint[:authority] + rest[at+1:]
	password, _ := u.User.Password()
	r := &http.Request{Header: http.Header{}}
	r.SetBasicAuth(u.User.Username(), password)
	s.basic = r.Header
	return nil
}

func (s *server) checkHeaders(tokens []UserToken) error {
	if s.config.ForwardHeaders {
		forwarded, err := fixedHeaders(s.opts.ForwardHeaders)
		if err != nil {
			return fmt.Errorf("forwarded headers: %w", err)
		}
		s.forwarded = http.Header(forwarded)
	}
	if s.config.Auth == nil {
		return nil
	}
	credential, err := s.config.Auth.credential(s, tokens)
	if err != nil {
		return fmt.Errorf("auth: %w", err)
	}
	s.credential = credential
	return nil
}

// configuredSecrets are all values that must not be seen in text from or about
// the server, as far as they are known before anything is resolved.
func (s *server) configuredSecrets(tokens []UserToken) []string {
	values := redact.FromURL(s.config.URL)
	if s.config.Auth != nil {
		for _, value := range s.config.Auth.secrets() {
			values = append(values, redact.FromHeader(value)...)
		}
	}
	if s.config.ForwardHeaders {
		for value := range maps.Values(s.opts.ForwardHeaders) {
			values = append(values, redact.FromHeader(value)...)
		}
	}
	for _, t := range tokens {
		if t.ServerID == s.config.ID {
			values = append(values, t.Token.AccessToken, t.Token.RefreshToken)
		}
	}
	return values
}

// hide adds values to what must not be seen. Those that are known cost nothing.
func (s *server) hide(values ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	values = slices.DeleteFunc(values, s.secrets.Contains)
	if len(values) > 0 {
		s.secrets = s.secrets.With(values...)
	}
}

func (s *server) redactor() *redact.Secrets {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.secrets
}

// authorize sets forwarded headers and credentials on a request that goes to
// the configured origin. What the credential sets wins over user information
// in the URL, which wins over forwarded headers.
func (s *server) authorize(ctx context.Context, r *http.Request) error {
	for _, h := range []http.Header{s.forwarded, s.basic} {
		maps.Copy(r.Header, h)
	}
	if s.credential == nil {
		return nil
	}
	h, err := s.credentialFor(ctx, r)
	if errors.Is(err, errUnresolved) {
		return err
	}
	if err != nil {
		s.logMissing(ctx, err)
		return nil // without a credential the server itself decides
	}
	maps.Copy(r.Header, h)
	return nil
}

// credentialFor resolves the credential for a request. The end of a session is
// told with what is there: nothing depends on it, and the step is over.
func (s *server) credentialFor(ctx context.Context, r *http.Request) (http.Header, error) {
	keeper, ok := s.credential.(interface{ kept() (http.Header, error) })
	if ok && r.Method == http.MethodDelete {
		return keeper.kept()
	}
	return s.credential.headers(ctx)
}

// logMissing records why a request goes out without a credential. That the user
// has none is in the record of the attempt.
func (s *server) logMissing(ctx context.Context, why error) {
	if ctx.Err() != nil || errors.Is(why, errNoToken) {
		return
	}
	s.host().logger.Debug(ctx, "mcp request without a credential", slog.F("server_slug", s.config.Slug),
		slog.F("server_id", s.config.ID), slog.F("error", s.line(why.Error())))
}

// renew is asked after a 401 whether there are other credentials now.
func (s *server) renew(ctx context.Context, rejected http.Header) (bool, error) {
	if s.credential == nil {
		return false, nil
	}
	return s.credential.renew(ctx, rejected.Get("Authorization"))
}
