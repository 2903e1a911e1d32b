package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/mcpclient-go/mcpclient"
)

// scenarios are those that this client plays, by the suite's names. The others
// of the suite are in expected-failures.yml, with a reason each.
var scenarios = map[string]func(context.Context, *host) error{
	"initialize":               connectOnly,
	"request-metadata":         connectOnly,
	"json-schema-ref-no-deref": connectOnly,

	"tools_call":                callOne("add_numbers", `{"a":5,"b":3}`),
	"sse-retry":                 callOne("test_reconnection", `{}`),
	"http-standard-headers":     callEvery(`{}`),
	"http-invalid-tool-headers": callEvery(`{"region":"us-west1"}`),
	"http-custom-headers":       callGiven,

	"json-schema-2020-12-preservation": echoSchema,

	// Both want a client that answers questions of the server. This one
	// calls, so that the score shows what becomes of such a call.
	"elicitation-sep1034-client-defaults": callEvery(`{}`),
	"sep-2322-client-request-state":       callEvery(`{}`),

	"auth/2025-03-26-oauth-endpoint-fallback":   logIn,
	"auth/2025-03-26-oauth-metadata-backcompat": logIn,
	"auth/authorization-server-migration":       logIn,
	"auth/basic-cimd":                           logIn,
	"auth/iss-normalized":                       logIn,
	"auth/iss-not-advertised":                   logIn,
	"auth/iss-supported":                        logIn,
	"auth/iss-supported-missing":                logIn,
	"auth/iss-unexpected":                       logIn,
	"auth/iss-wrong-issuer":                     logIn,
	"auth/metadata-default":                     logIn,
	"auth/metadata-issuer-mismatch":             logIn,
	"auth/metadata-var1":                        logIn,
	"auth/metadata-var2":                        logIn,
	"auth/metadata-var3":                        logIn,
	"auth/offline-access-not-supported":         logIn,
	"auth/offline-access-scope":                 logIn,
	"auth/pre-registration":                     logIn,
	"auth/resource-mismatch":                    logIn,
	"auth/scope-from-scopes-supported":          logIn,
	"auth/scope-from-www-authenticate":          logIn,
	"auth/scope-omitted-when-undefined":         logIn,
	"auth/scope-retry-limit":                    logIn,
	"auth/scope-step-up":                        logIn,
	"auth/token-endpoint-auth-basic":            logIn,
	"auth/token-endpoint-auth-none":             logIn,
	"auth/token-endpoint-auth-post":             logIn,
}

// connectOnly is the whole of a connection: handshake, list, conversion of the
// schemas.
func connectOnly(ctx context.Context, h *host) error {
	return h.connected(ctx, func(context.Context, toolset) error { return nil })
}

func callOne(tool, input string) func(context.Context, *host) error {
	return func(ctx context.Context, h *host) error {
		return h.connected(ctx, func(ctx context.Context, tools toolset) error {
			return tools.call(ctx, tool, input)
		})
	}
}

func callEvery(input string) func(context.Context, *host) error {
	return func(ctx context.Context, h *host) error {
		return h.connected(ctx, func(ctx context.Context, tools toolset) error {
			return tools.callAll(ctx, input)
		})
	}
}

// callGiven makes the calls that the scenario asks for, with the arguments byte
// for byte as a model would have written them.
func callGiven(ctx context.Context, h *host) error {
	return h.connected(ctx, func(ctx context.Context, tools toolset) error {
		var errs []error
		for _, c := range h.given.ToolCalls {
			errs = append(errs, tools.call(ctx, c.Name, string(c.Arguments)))
		}
		return errors.Join(errs...)
	})
}

// echoSchema sends the input schema of one tool, as the host sees it, as an
// argument of another.
func echoSchema(ctx context.Context, h *host) error {
	return h.connected(ctx, func(ctx context.Context, tools toolset) error {
		t, err := tools.named("json_schema_2020_12_tool")
		if err != nil {
			return err
		}
		input, err := json.Marshal(map[string]any{"schema": t.Definition().InputSchema})
		if err != nil {
			return fmt.Errorf("encode the schema: %w", err)
		}
		return tools.call(ctx, "json_schema_echo", string(input))
	})
}

// maxLogins is how often a user would be sent to the authorization server for
// one call before the host gives up.
const maxLogins = 3

// logIn calls a tool of a server that wants a login: first by a step of its
// own, whose summary says that and how to log in; again where the server wants
// more when the tool is called.
func logIn(ctx context.Context, h *host) error {
	h.client = &http.Client{Transport: &h.refused}
	for logins := 0; ; logins++ {
		h.refused.take()
		summary, err := h.step(ctx, func(ctx context.Context, tools toolset) error {
			return tools.call(ctx, "test-tool", `{}`)
		})
		if err == nil {
			return nil
		}
		challenge := h.refused.take()
		if summary.Outcome == mcpclient.ConnectOutcomeAuthRequired {
			challenge = summary.AuthChallenge
		} else if challenge == "" {
			return err // no matter of authorization
		}
		if logins == maxLogins {
			return fmt.Errorf("gave up after %d logins: %w", logins, err)
		}
		config, token, err := h.login.run(ctx, challenge)
		if err != nil {
			return fmt.Errorf("log in: %w", err)
		}
		h.server.Auth = mcpclient.OAuth2{Config: config}
		h.tokens = []mcpclient.UserToken{{ServerID: h.server.ID, Token: *token}}
	}
}
