package mcpclient_test

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"charm.land/fantasy"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"golang.org/x/oauth2"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

// newCanary is a random secret that no encoding leaves as it is, and each half
// of which would be recognized alone.
func newCanary() string { return rand.Text()[:14] + `+/="\<&%` + rand.Text()[:14] }

// formsOf are the ways in which a server may write a secret.
func formsOf(secret string) []string {
	quoted, _ := json.Marshal(secret)
	return []string{
		secret, url.QueryEscape(secret), url.PathEscape(secret), string(quoted[1 : len(quoted)-1]),
		base64.StdEncoding.EncodeToString([]byte(secret)), base64.RawURLEncoding.EncodeToString([]byte("user:" + secret)),
		hex.EncodeToString([]byte(secret)),
	}
}

// canaries are the secrets of one test, and what they are recognized by.
type canaries struct {
	mu     sync.Mutex
	known  []string
	newest string // of the tokens that came later: the only one that servers get
	traces map[string]bool
}

// hide adds secrets, which every server says from now on.
func (k *canaries) hide(secrets ...string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.known = append(k.known, secrets...)
	k.watch(secrets...)
}

// renew adds a token that takes the place of the one before.
func (k *canaries) renew(secret string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !slices.Contains(k.known, secret) {
		k.newest = secret
		k.watch(secret)
	}
}

// said is what a server that gives everything away says.
func (k *canaries) said() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	all := "said:"
	for _, secret := range append(slices.Clip(k.known), k.newest) {
		if secret == "" {
			continue
		}
		all += " " + strings.Join(formsOf(secret), " ")
	}
	return all
}

const (
	rawTrace, base64Trace, hexTrace = 8, 12, 16 // characters by which a part of a secret is recognized
)

// watch makes every part of a secret a trace of it: 8 characters of the secret
// itself, and what 8 or 9 of them are in base64 and in hex digits.
func (k *canaries) watch(secrets ...string) {
	if k.traces == nil {
		k.traces = map[string]bool{}
	}
	windows := func(text string, size int) {
		for i := 0; i+size <= len(text); i++ {
			k.traces[strings.ToLower(text[i:i+size])] = true
		}
	}
	for _, secret := range secrets {
		windows(secret, rawTrace)
		windows(hex.EncodeToString([]byte(secret)), hexTrace)
		for shift := range 3 {
			for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
				text := encoding.EncodeToString([]byte("\x00\x00\x00"[:shift] + secret))
				windows(text[(shift*8+5)/6:(shift+len(secret))*8/6], base64Trace)
			}
		}
	}
}

// trace is the first part of a secret in text; "" if there is none.
func (k *canaries) trace(text string) string {
	lower := strings.ToLower(text)
	for i := range lower {
		for _, size := range []int{rawTrace, base64Trace, hexTrace} {
			if i+size <= len(lower) && k.traces[lower[i:i+size]] {
				return text[max(0, i-60):min(len(text), i+size)]
			}
		}
	}
	return ""
}

// canaryKinds are all kinds of credentials. Each prepares a server's config and
// what the host brings for it.
var canaryKinds = []struct {
	name string
	arm  func(w *world, k *canaries) func(c *mcpclient.ServerConfig)
}{
	{"API key", func(_ *world, k *canaries) func(*mcpclient.ServerConfig) {
		v := newCanary()
		k.hide(v)
		return func(c *mcpclient.ServerConfig) { c.Auth = mcpclient.APIKey{Header: "X-Api-Key", Value: v} }
	}},
	{"custom header", func(_ *world, k *canaries) func(*mcpclient.ServerConfig) {
		v := newCanary()
		k.hide(v)
		return func(c *mcpclient.ServerConfig) { c.Auth = mcpclient.CustomHeaders{"X-Team": v, "X-Other": "short"} }
	}},
	{"custom bearer", func(_ *world, k *canaries) func(*mcpclient.ServerConfig) {
		v := newCanary()
		k.hide(v)
		return func(c *mcpclient.ServerConfig) { c.Auth = mcpclient.CustomHeaders{"Authorization": "Bearer " + v} }
	}},
	{"access token", func(w *world, k *canaries) func(*mcpclient.ServerConfig) {
		v := newCanary()
		k.hide(v)
		return func(c *mcpclient.ServerConfig) {
			c.Auth = mcpclient.OAuth2{}
			w.tokens = append(w.tokens, mcpclient.UserToken{ServerID: c.ID, Token: oauth2.Token{AccessToken: v}})
		}
	}},
	{"refresh token", func(w *world, k *canaries) func(*mcpclient.ServerConfig) {
		v := newCanary()
		k.hide(v)
		return oauthServer(w, &oauth2.Config{ClientID: "client", ClientSecret: "other-secret"}, oauth2.Token{
			AccessToken: rand.Text(), RefreshToken: v, Expiry: time.Now().Add(24 * time.Hour),
		})
	}},
	{"client secret", func(w *world, k *canaries) func(*mcpclient.ServerConfig) {
		v := newCanary()
		k.hide(v)
		return oauthServer(w, &oauth2.Config{ClientID: "client", ClientSecret: v}, oauth2.Token{
			AccessToken: rand.Text(), RefreshToken: rand.Text(), Expiry: time.Now().Add(24 * time.Hour),
		})
	}},
	{"user OIDC", func(w *world, k *canaries) func(*mcpclient.ServerConfig) {
		v := newCanary()
		k.hide(v)
		w.opts.OIDCTokens = tokenSource(func(context.Context, uuid.UUID) (string, error) { return v, nil })
		return func(c *mcpclient.ServerConfig) { c.Auth = mcpclient.UserOIDC{} }
	}},
	{"forwarded", func(w *world, k *canaries) func(*mcpclient.ServerConfig) {
		v := newCanary()
		k.hide(v)
		w.opts.ForwardHeaders = map[string]string{"X-Identity": v}
		return func(c *mcpclient.ServerConfig) { c.ForwardHeaders = true }
	}},
	{"URL password", func(_ *world, k *canaries) func(*mcpclient.ServerConfig) {
		v := newCanary()
		k.hide(v)
		return func(c *mcpclient.ServerConfig) {
			c.URL = strings.Replace(c.URL, "//", "//"+url.UserPassword("user", v).String()+"@", 1)
		}
	}},
	{"URL query", func(_ *world, k *canaries) func(*mcpclient.ServerConfig) {
		v := newCanary()
		k.hide(v)
		return func(c *mcpclient.ServerConfig) { c.URL += "?key=" + url.QueryEscape(v) + "&x=1" }
	}},
	{"refreshed", func(w *world, k *canaries) func(*mcpclient.ServerConfig) {
		stored, first := newCanary(), newCanary()
		k.hide(stored, first, "r-"+stored, "r-"+first)
		config := &oauth2.Config{ClientID: "client", Endpoint: oauth2.Endpoint{
			TokenURL: "http://auth.test/token", AuthStyle: oauth2.AuthStyleInParams,
		}}
		w.issue(k, first)
		arm := oauthServer(w, config, oauth2.Token{AccessToken: stored, RefreshToken: "r-" + stored, Expiry: time.Now().Add(-time.Hour)})
		return func(c *mcpclient.ServerConfig) {
			arm(c)
			c.Disabled = strings.HasSuffix(c.Slug, "401") // it would have the token of all the others replaced
		}
	}},
}

// seen is everything that leaves the package, by the slug of the server that it
// is about, with where it was seen.
type seen struct {
	mu    sync.Mutex
	texts map[string][]sighting
}

type sighting struct{ surface, text string }

func (s *seen) add(slug, surface string, values ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.texts == nil {
		s.texts = map[string][]sighting{}
	}
	for _, v := range values {
		text, isText := v.(string)
		if !isText {
			raw, err := json.Marshal(v)
			if err != nil {
				raw = fmt.Append(nil, v)
			}
			text = string(raw)
		}
		s.texts[slug] = append(s.texts[slug], sighting{surface, text})
	}
}

// watch has the hooks of a step put down what they are told.
func (s *seen) watch(opts *mcpclient.Options) {
	opts.OnConnect = func(_ context.Context, c mcpclient.ConnectSummary) { s.add(c.Slug, "OnConnect", c) }
	opts.OnProgress = func(_ context.Context, p mcpclient.ToolProgress) { s.add(p.ServerSlug, "ToolProgress", p) }
	opts.OnToolCall = func(_ context.Context, c mcpclient.ToolCallSummary) { s.add(c.ServerSlug, "ToolCallSummary", c) }
}

// step puts down what a step returned and what all of its tools answer.
func (s *seen) step(r *result) {
	var history mcpclient.ConnectHistory
	for _, summary := range r.summaries {
		history = mcpclient.ConnectHistory{}
		history.Record(summary)
		s.add(summary.Slug, "summary", summary, fmt.Sprintf("%+v", summary))
		s.add(summary.Slug, "history", &history)
	}
	for _, t := range r.tools {
		slug := t.(mcpclient.Tool).ServerSlug()
		info := t.Info()
		s.add(slug, "Info", info.Name, info.Description, info.Parameters, info.Required)
		s.add(slug, "Instructions", mcpclient.Instructions([]fantasy.AgentTool{t}))
		response := r.call(info.Name, `{}`)
		s.add(slug, "result", response.Content, response.Metadata, response.MediaType, response.Type)
	}
}

// logs puts down every record, with all that is in it.
func (s *seen) logs(l *logSink) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.records {
		slug, text := "", e.Message
		for _, f := range e.Fields {
			text += fmt.Sprintf(" %s=%+v", f.Name, f.Value)
			if f.Name == "server_slug" {
				slug = fmt.Sprint(f.Value)
			}
		}
		s.add(slug, "log "+e.Level.String(), text)
	}
}

func TestNoSecretLeavesThePackage(t *testing.T) {
	for _, tt := range []struct {
		title          string
		legacy, pooled bool
	}{{"streamable", false, false}, {"sse", true, false}, {"streamable, pool", false, true}} {
		matrix := canaryMatrix{cells: map[string]map[string]string{}}
		for _, kind := range canaryKinds {
			t.Run(tt.title+"/"+kind.name, func(t *testing.T) {
				inWorld(t, func(t *testing.T, w *world) {
					var k canaries
					arm := kind.arm(w, &k)
					matrix.check(t, kind.name, &k, w.expose(&k, arm, tt.legacy, tt.pooled))
				})
			})
		}
		t.Log(matrix.markdown(tt.title))
	}
}

// expose connects to a server for every place where a secret can be said, calls
// everything, and gives all that was seen.
func (w *world) expose(k *canaries, arm func(*mcpclient.ServerConfig), legacy, pooled bool) *seen {
	var s seen
	s.watch(&w.opts)
	if pooled {
		w.pool = mcpclient.NewPool(mcpclient.PoolOptions{IdleTimeout: 24 * time.Hour})
		defer func() { require.NoError(w.t, w.pool.Close(w.t.Context())) }()
	}
	var servers []*mcptest.Server
	for _, p := range canaryPlaces {
		server := p.server(k)
		if p.only != "" && p.only != transportName(legacy) {
			continue
		}
		server.LegacySSE = legacy
		server.SSE = true
		c := w.serve(strings.ReplaceAll(p.name, " ", "-"), server)
		arm(c)
		if !c.Disabled {
			servers = append(servers, server)
		}
	}
	steps := 1
	if pooled {
		steps = 2
	}
	for range steps {
		r := w.connect()
		time.Sleep(2 * time.Hour) // a token that expires is refreshed by a call
		s.step(r)
		r.cleanup()
		w.background.Wait()
	}
	for _, server := range servers {
		require.NotEmpty(w.t, server.Recorder.Requests(), "it had no chance to say anything")
	}
	s.logs(w.logs)
	return &s
}

// canaryMatrix has, for each place and kind, how many texts were searched, or
// what was found.
type canaryMatrix struct{ cells map[string]map[string]string }

func (m *canaryMatrix) check(t *testing.T, kind string, k *canaries, s *seen) {
	t.Helper()
	for slug, texts := range s.texts {
		if m.cells[slug] == nil {
			m.cells[slug] = map[string]string{}
		}
		m.cells[slug][kind] = fmt.Sprint(len(texts))
		for _, text := range texts {
			if found := k.trace(text.text); found != "" {
				m.cells[slug][kind] = "LEAK: " + text.surface
				t.Errorf("%s: %s shows a part of a secret: …%s…", slug, text.surface, found)
			}
		}
	}
}

func (m *canaryMatrix) markdown(title string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: texts searched\n\n| a server says it in", title)
	for _, kind := range canaryKinds {
		b.WriteString(" | " + kind.name)
	}
	b.WriteString(" |\n" + strings.Repeat("|---", len(canaryKinds)+1) + "|\n")
	for _, p := range canaryPlaces {
		cells := m.cells[strings.ReplaceAll(p.name, " ", "-")]
		if cells == nil {
			continue
		}
		b.WriteString("| " + p.name)
		for _, kind := range canaryKinds {
			b.WriteString(" | " + cells[kind.name])
		}
		b.WriteString(" |\n")
	}
	return b.String()
}
