package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"github.com/mcpclient-go/mcpclient/internal/redact"
	"github.com/mcpclient-go/mcpclient/internal/wire"
)

// ErrGrantRevoked says that a grant is dead for good: the authorization server
// refuses its refresh token (invalid_grant of RFC 6749 section 5.2, or GitHub's
// bad_refresh_token), and the user has to connect again. Errors of RefreshToken
// wrap it. ConnectAll goes on without a token then; a server that refuses that is
// ConnectOutcomeAuthRequired, with the reason in Error. A new access token that
// the host brings with the same refresh token is used until it expires; that
// refresh token is not tried again in this process.
var ErrGrantRevoked = errors.New("the grant is revoked or has expired")

// RefreshToken exchanges the refresh token of token for a new access token
// (RFC 6749 section 6). The result keeps the old refresh token where the server
// gives no new one. A JSON object of any content type and an expires_in of any form
// are read; a token that would have expired already is not known to expire.
//
// client supplies the transport; nil means the shared one of this package. The
// zero AddressPolicy holds for it. Redirects are not followed: they would carry
// the secrets elsewhere. The exchange is bounded by ctx alone.
//
// An error that wraps ErrGrantRevoked is permanent, and then the returned token
// is the old one with NeedsReconnect set; where that was set already, nothing is
// sent. Every other error may pass, and comes with the old token as it was.
// Errors hold no secret.
//
// It may be called concurrently, but a refresh token that rotates must not be
// used twice: the tools of ConnectAll take care of that by themselves, in one
// process, and know nothing of what this function does.
func RefreshToken(ctx context.Context, client *http.Client, config *oauth2.Config, token UserToken) (UserToken, error) {
	return refreshToken(ctx, plainClient(client, AddressPolicy{}), config, token)
}

func refreshToken(ctx context.Context, client *http.Client, config *oauth2.Config, token UserToken) (UserToken, error) {
	if config == nil {
		return token, errors.New("refresh token: no OAuth2 config")
	}
	if token.NeedsReconnect {
		return token, fmt.Errorf("refresh token: %w before", ErrGrantRevoked)
	}
	if token.Token.RefreshToken == "" {
		return token, errors.New("refresh token: there is none")
	}
	ctx = context.WithValue(ctx, oauth2.HTTPClient, &http.Client{Transport: lenient{client.Transport}, CheckRedirect: client.CheckRedirect})
	// Only a token without an access token is refreshed whatever its expiry says.
	fresh, err := config.TokenSource(ctx, &oauth2.Token{RefreshToken: token.Token.RefreshToken}).Token()
	if err != nil {
		token.NeedsReconnect = permanent(err)
		return token, refreshError(ctx, err, config, token)
	}
	if !fresh.Expiry.After(time.Now()) {
		fresh.Expiry, fresh.ExpiresIn = time.Time{}, 0 // nobody issues a token that has expired: the server means none
	}
	return UserToken{ServerID: token.ServerID, Token: *fresh}, nil
}

// maxTokenAnswer is as much of an answer as x/oauth2 reads, in bytes.
const maxTokenAnswer = 1 << 20

// lenient brings what token endpoints answer to a form that x/oauth2 takes: a
// refresh token that has been replaced is lost with the answer that has the new
// one. A success that is a JSON object is called so, whatever type it came with,
// and its expires_in is a whole number. Everything else is passed on as it is.
type lenient struct{ next http.RoundTripper }

func (l lenient) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := l.next.RoundTrip(r)
	if err != nil || resp == nil || resp.StatusCode < 200 || resp.StatusCode > 299 || resp.Body == nil {
		return resp, err
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxTokenAnswer))
	_ = resp.Body.Close()
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	if plain, ok := plainAnswer(body); ok {
		body = plain
		resp.Header = resp.Header.Clone()
		if resp.Header == nil {
			resp.Header = http.Header{}
		}
		resp.Header.Set("Content-Type", "application/json")
	}
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return resp, nil
}

// plainAnswer is a JSON object as x/oauth2 can decode it; ok is false for
// anything else.
func plainAnswer(body []byte) (plain []byte, ok bool) {
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil || fields == nil {
		return nil, false
	}
	raw, there := fields["expires_in"]
	if _, err := strconv.ParseInt(string(raw), 10, 64); !there || err == nil {
		return body, true
	}
	fields["expires_in"] = wholeSeconds(raw)
	plain, err := json.Marshal(fields)
	return plain, err == nil
}

// wholeSeconds is a number of any form, also in quotes, as an integer; null where
// there is none, which x/oauth2 takes for a token that is not known to expire.
func wholeSeconds(raw json.RawMessage) json.RawMessage {
	seconds, err := strconv.ParseFloat(strings.Trim(string(raw), `" `), 64)
	if err != nil || math.IsNaN(seconds) {
		return json.RawMessage("null")
	}
	seconds = math.Ceil(min(max(seconds, -1), math.MaxInt32))
	return strconv.AppendInt(nil, int64(seconds), 10)
}

// permanent says whether an authorization server has refused a refresh token
// for good: invalid_grant of RFC 6749 section 5.2, and what GitHub answers.
func permanent(err error) bool {
	r, ok := errors.AsType[*oauth2.RetrieveError](err)
	if !ok {
		return false
	}
	code, _ := errorCode(r)
	return code == "invalid_grant" || code == "bad_refresh_token"
}

// errorCode is the error and its description that an authorization server
// answered with, also under a content type that hides it from x/oauth2.
func errorCode(r *oauth2.RetrieveError) (code, description string) {
	if r.ErrorCode != "" {
		return r.ErrorCode, r.ErrorDescription
	}
	var body struct {
		Code        string `json:"error"`
		Description string `json:"error_description"`
	}
	if json.Unmarshal(r.Body, &body) != nil {
		return "", ""
	}
	return body.Code, body.Description
}

// refreshError leaves out the body of the answer, which may hold anything.
func refreshError(ctx context.Context, err error, config *oauth2.Config, token UserToken) error {
	secrets := redact.New(config.ClientSecret, token.Token.RefreshToken, token.Token.AccessToken)
	r, ok := errors.AsType[*oauth2.RetrieveError](err)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("refresh token: %w", context.Cause(ctx))
	case !ok:
		return &plainError{"refresh token: " + secrets.Line(reason(err), maxErrorBytes), err}
	}
	code, description := errorCode(r)
	text := strings.TrimSuffix(strings.TrimSpace(code+": "+description), ":")
	if r.Response != nil && r.Response.StatusCode != http.StatusOK {
		text = strings.TrimSuffix(fmt.Sprintf("HTTP %d: %s", r.Response.StatusCode, text), ": ")
	}
	text = secrets.Line(text, maxErrorBytes)
	if permanent(err) {
		return fmt.Errorf("refresh token: %w (%s)", ErrGrantRevoked, text)
	}
	return errors.New("refresh token: " + text)
}

// plainError has a text of its own and keeps the cause for errors.As.
type plainError struct {
	text  string
	cause error
}

func (e *plainError) Error() string { return e.text }
func (e *plainError) Unwrap() error { return e.cause }

// RevokeToken tells an authorization server that a grant is no longer needed
// (RFC 7009). It revokes the refresh token where there is one, which ends the
// whole grant, or else the access token. revoked is false without an error
// where token holds nothing to revoke.
//
// revocationURL must be https, or http to a loopback address. client supplies
// the transport; nil means the shared one. The zero AddressPolicy holds for it,
// and redirects are not followed. An answer other than 200 and 204 is an error.
// Errors hold no secret. The exchange is bounded by ctx alone. It may be called
// concurrently.
func RevokeToken(ctx context.Context, client *http.Client, config *oauth2.Config, revocationURL string, token UserToken) (revoked bool, err error) {
	if config == nil {
		return false, errors.New("revoke token: no OAuth2 config")
	}
	if err := checkRevocationURL(revocationURL); err != nil {
		return false, fmt.Errorf("revoke token: %w", err)
	}
	form := url.Values{}
	switch {
	case token.Token.RefreshToken != "":
		form.Set("token", token.Token.RefreshToken)
		form.Set("token_type_hint", "refresh_token")
	case token.Token.AccessToken != "":
		form.Set("token", token.Token.AccessToken)
		form.Set("token_type_hint", "access_token")
	default:
		return false, nil
	}
	status, err := postRevocation(ctx, plainClient(client, AddressPolicy{}), config, revocationURL, form)
	if err != nil {
		secrets := redact.New(config.ClientSecret, token.Token.RefreshToken, token.Token.AccessToken)
		return false, &plainError{"revoke token: " + secrets.Line(reason(err), maxErrorBytes), err}
	}
	if status != http.StatusOK && status != http.StatusNoContent {
		return false, fmt.Errorf("revoke token: the server answered HTTP %d", status)
	}
	return true, nil
}

func checkRevocationURL(raw string) error {
	u, err := url.Parse(raw)
	if err != nil || u.Hostname() == "" {
		return errors.New("the revocation URL can't be used") // its text may hold secrets
	}
	if u.Scheme == "https" || u.Scheme == "http" && isLoopback(u.Hostname()) {
		return nil
	}
	return errors.New("the revocation URL is neither https nor on a loopback address")
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}

// postRevocation authenticates the client as its config says; where that is
// left open, first in the header and then, if that was refused, in the form
// (RFC 6749 section 2.3.1).
func postRevocation(ctx context.Context, client *http.Client, config *oauth2.Config, target string, form url.Values) (status int, err error) {
	inForm := config.Endpoint.AuthStyle == oauth2.AuthStyleInParams || config.ClientSecret == ""
	status, err = postForm(ctx, client, config, target, form, inForm)
	if err != nil || inForm || config.Endpoint.AuthStyle == oauth2.AuthStyleInHeader {
		return status, err
	}
	if status == http.StatusUnauthorized || status == http.StatusBadRequest {
		return postForm(ctx, client, config, target, form, true)
	}
	return status, nil
}

func postForm(ctx context.Context, client *http.Client, config *oauth2.Config, target string, form url.Values, inForm bool) (int, error) {
	body := url.Values{}
	for k, v := range form {
		body[k] = v
	}
	if inForm {
		body.Set("client_id", config.ClientID)
		if config.ClientSecret != "" {
			body.Set("client_secret", config.ClientSecret)
		}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, target, strings.NewReader(body.Encode()))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if !inForm {
		r.SetBasicAuth(url.QueryEscape(config.ClientID), url.QueryEscape(config.ClientSecret))
	}
	resp, err := client.Do(r)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, resp.Body.Close()
}

// refreshTimeout bounds one exchange with an authorization server, also where
// nobody who waits for it has a limit.
const refreshTimeout = 30 * time.Second

// plainClient sends secrets: it follows no redirect.
func plainClient(client *http.Client, policy AddressPolicy) *http.Client {
	base, addresses := transports.of(client, policy)
	if addresses != nil {
		base = wire.Judged(base, addresses)
	}
	return &http.Client{
		Transport:     base,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
