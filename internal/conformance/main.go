// Conformance is a small chat backend that the official MCP conformance suite
// can judge: it connects with this module's public API alone, and does by hand
// what is a host's job (registration, login, the user's browser).
//
// The suite runs it as a command whose last argument is the URL of a mock
// server, one process a scenario, and judges by what the mock saw. See
// docs/conformance.md for the commands and the score.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"
)

// The suite's environment variables.
const (
	scenarioVariable = "MCP_CONFORMANCE_SCENARIO"
	protocolVariable = "MCP_CONFORMANCE_PROTOCOL_VERSION"
	contextVariable  = "MCP_CONFORMANCE_CONTEXT"
)

// negotiateVariable, if 1, leaves the protocol version to negotiation also where
// the suite names it. It is this program's own.
const negotiateVariable = "MCP_CONFORMANCE_NEGOTIATE"

// deadline is below the 60 s after which the suite, as it is run here, kills its
// client, so that this process says what it waited for.
const deadline = 55 * time.Second

func main() {
	if err := play(os.Args[1:], os.Getenv); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

// play plays the scenario that the environment names.
func play(args []string, getenv func(string) string) error {
	if len(args) != 1 {
		return errors.New("usage: conformance URL, with the scenario's name in " + scenarioVariable)
	}
	name := getenv(scenarioVariable)
	scenario, ok := scenarios[name]
	if !ok {
		return fmt.Errorf("scenario %q: not one of this client's", name)
	}
	given, err := parseGiven(getenv(contextVariable))
	if err != nil {
		return err
	}
	protocol := getenv(protocolVariable)
	if getenv(negotiateVariable) == "1" {
		protocol = ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	if err := scenario(ctx, newHost(args[0], protocol, given)); err != nil {
		return fmt.Errorf("scenario %q: %w", name, err)
	}
	return nil
}

// given is what a scenario tells the client beforehand.
type given struct {
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	ToolCalls    []struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"toolCalls"`
}

func parseGiven(text string) (given, error) {
	var g given
	if text == "" {
		return g, nil
	}
	if err := json.Unmarshal([]byte(text), &g); err != nil {
		return g, fmt.Errorf("decode %s: %w", contextVariable, err)
	}
	return g, nil
}
