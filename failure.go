package mcpclient

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/mcpclient-go/mcpclient/internal/wire"
)

// errPanic stands for a recovered panic of conversion or of a host's hook.
var errPanic = errors.New("internal error: a panic was recovered; the log has it")

// failure is what an error means to the host. Its texts may hold secrets and
// hostile characters until they have been through the server's redactor.
type failure struct {
	outcome   ConnectOutcome
	status    int
	challenge string
	text      string
}

// classify is the one place that decides what an error of an attempt means.
func classify(err error, phase string) failure {
	f := failure{outcome: ConnectOutcomeError, text: reason(err)}
	if errors.Is(err, errBudget) {
		f.outcome = ConnectOutcomeTimeout
		f.text = "no answer within the connect budget"
		if phase == "credentials" {
			f.text = "the credentials were not resolved within the connect budget"
		}
		return f
	}
	if h, ok := errors.AsType[*wire.HTTPError](err); ok {
		f.status = h.Status
		if needsAuth(h.Status) && !h.SessionLost() && !unrenewed(h) {
			f.outcome = ConnectOutcomeAuthRequired
			f.challenge = challenge(h.Challenge)
		}
	}
	if r, ok := errors.AsType[*wire.RedirectError](err); ok {
		f.status = r.Status
	}
	return f
}

// reason is an error's cause in few words: what the SDK and net/http put around
// it names methods and URLs, which say nothing to the reader of a summary.
func reason(err error) string {
	if h, ok := errors.AsType[*wire.HTTPError](err); ok {
		return refusal(h)
	}
	if p, ok := errors.AsType[*plainError](err); ok {
		return p.text
	}
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return fmt.Sprintf("the server answered with error %d: %s", e.Code, e.Message)
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		return reason(u.Err)
	}
	if c, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return c.Error()
	}
	return err.Error()
}

// refusal is what a server's answer says and, where that is not all, why there
// was no other token. (That there was none from the start is known before.)
func refusal(h *wire.HTTPError) string {
	switch {
	case unrenewed(h):
		return fmt.Sprintf("HTTP %d: the server wants another token, which could not be had: %s", h.Status, reason(h.Renewal))
	case errors.Is(h.Renewal, ErrGrantRevoked) && !errors.Is(h.Renewal, errNeedsReconnect):
		return h.Error() + " (" + reason(h.Renewal) + ")"
	}
	return h.Error()
}

// unrenewed says whether a server has refused a token, and another one could not
// be had for a reason that may pass: there is nothing that the user can do.
func unrenewed(h *wire.HTTPError) bool {
	if h.Renewal == nil || h.SessionLost() {
		return false
	}
	for _, lasting := range []error{ErrGrantRevoked, errNoToken, errNeedsReconnect, errIllegalToken} {
		if errors.Is(h.Renewal, lasting) {
			return false
		}
	}
	return true
}

// callFailure is what a failed call tells the model: what happened, whether the
// tool may have run, and what to do about it.
func callFailure(ctx context.Context, tool string, err error) string {
	ran := "It is unknown whether the tool has done its work or still does."
	if errors.Is(err, errNotSent) {
		ran = "It was not sent, so the tool was not run."
	}
	switch {
	case errors.Is(err, errClosed):
		return "The call was ended, as the step that it belongs to is over. " + ran
	case errors.Is(err, errNoSlot):
		return "The tool was not run: too many calls of this server were running all the time. Try again with fewer calls at once."
	case errors.Is(err, errIdle), errors.Is(err, errMaxTime):
		return fmt.Sprintf("The call was given up: %s. %s", limitText(err), ran)
	case ctx.Err() != nil:
		return "The call was canceled. " + ran
	}
	h, ok := errors.AsType[*wire.HTTPError](err)
	if ok && (needsAuth(h.Status) || !errors.Is(err, errNotSent)) {
		return httpFailure(h)
	}
	if errors.Is(err, errNotSent) {
		return unsent(err)
	}
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return rpcFailure(tool, e)
	}
	return "The call failed, and it is unknown whether the tool has run: " + reason(err)
}

// unsent says why a call was not sent.
func unsent(err error) string {
	why := reason(err)
	for rest, ok := why, true; ok; rest, ok = strings.CutPrefix(rest, errNotSent.Error()+": ") {
		why = rest
	}
	switch {
	case errors.Is(err, errUnresolved):
		return "The tool was not run: " + why
	case errors.Is(err, errNotRenewed):
		why = strings.TrimPrefix(why, errNotRenewed.Error()+": ")
		return "The session had ended and a new one could not be made, so the tool was not run: " + why
	}
	return "The server could not be reached, so the tool was not run: " + why
}

// limitText is the limit that a call has reached, without what was tried then.
func limitText(err error) string {
	var limit *limitError
	if errors.As(err, &limit) {
		return limit.Error()
	}
	return err.Error()
}

// rpcFailure puts a JSON-RPC error in words.
func rpcFailure(tool string, e *jsonrpc.Error) string {
	if hasVanished(tool, e) {
		return "The server no longer offers this tool, so it was not run: " + e.Message
	}
	return fmt.Sprintf("The server answered with error %d: %s", e.Code, e.Message)
}

// hasVanished says whether a server does not know the tool that it has listed.
// There is no code for that: servers say so in the message, under any code, as
// tools do of what they themselves look for.
func hasVanished(tool string, e *jsonrpc.Error) bool {
	text := strings.ToLower(e.Message)
	for _, said := range []string{"unknown tool", "tool not found", "no such tool"} {
		if strings.HasPrefix(text, said) {
			return true
		}
	}
	if e.Code != jsonrpc.CodeInvalidParams && e.Code != jsonrpc.CodeMethodNotFound {
		return false
	}
	return strings.Contains(text, "tool") && strings.Contains(text, strings.ToLower(tool)) &&
		(strings.Contains(text, "unknown") || strings.Contains(text, "not found"))
}

// mayHaveRun says whether a status is what becomes of a call that a server or a
// gateway could not finish: not one that says that it does not know how, and not
// one that says when to come back.
func mayHaveRun(h *wire.HTTPError) bool {
	_, saysWhen := retryAfter(h)
	return h.Status >= 500 && h.Status != http.StatusNotImplemented && !saysWhen
}

func httpFailure(h *wire.HTTPError) string {
	switch {
	case h.SessionLost():
		return "The server has ended the session, so the tool was not run. " + h.Error()
	case mayHaveRun(h):
		return "The call failed on its way, and it is unknown whether the tool has run: " + h.Error()
	case unrenewed(h):
		return "The server wants another token, which could not be had, so the tool was not run; it may work later: " + reason(h.Renewal)
	case needsAuth(h.Status):
		text := "The server refused the user's authorization, so the tool was not run; the user has to connect the server again. " + h.Error()
		if h.Renewal != nil {
			text += " (" + reason(h.Renewal) + ")"
		}
		return text
	}
	if wait, ok := retryAfter(h); ok {
		return fmt.Sprintf("The server is busy, so the tool was not run; it asks to try again in %v. %s", wait, h.Error())
	}
	return "The server refused the call: " + h.Error()
}
