package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"sync"
	"time"

	"charm.land/fantasy"

	"github.com/mcpclient-go/mcpclient"
)

const (
	demoTimeout = 1500 * time.Millisecond
	question    = "What is the weather in Lisbon, and what do my notes say about it?"
)

// demo is one step of a chat, from the servers' start to their end.
func (a *app) demo(ctx context.Context) error {
	var before, during, after census
	before.goroutines = runtime.NumGoroutine()
	servers, err := startServers()
	if err != nil {
		return err
	}
	defer servers.stop()
	fmt.Fprintf(a.out, "Connecting to %d MCP servers in this process, each within %v.\n\n", len(servers.configs), a.demoBudget())

	// A transport of its own, so that the idle connections can be counted and
	// closed. A host leaves HTTPClient nil, and the next step reuses them.
	transport := &http.Transport{MaxIdleConnsPerHost: 8}
	var background sync.WaitGroup
	tools, summaries, cleanup := mcpclient.ConnectAll(ctx, a.logger, servers.configs, servers.tokens, mcpclient.Options{
		HTTPClient:     &http.Client{Transport: transport},
		ConnectTimeout: a.demoBudget(),
		Background:     &background,
	})
	printSummaries(a.out, summaries)
	during = servers.count()
	chatErr := a.chat(ctx, tools)

	start := time.Now()
	cleanup()
	returned := time.Since(start)
	background.Wait()
	fmt.Fprintf(a.out, "\ncleanup returned after %v; closing the sessions in the background took another %v.\n",
		returned.Round(time.Microsecond), (time.Since(start) - returned).Round(time.Microsecond))
	transport.CloseIdleConnections()

	// Sessions and connections are counted while the servers still run, so
	// that it is not their end that ends them.
	settle(func() bool { after = servers.count(); return after.sessions+after.connections == 0 })
	servers.stop()
	settle(func() bool { after.goroutines = runtime.NumGoroutine(); return after.goroutines <= before.goroutines })
	return errors.Join(chatErr, a.report(before, during, after, givenUp(summaries)))
}

func (a *app) demoBudget() time.Duration { return cmp.Or(a.timeout, demoTimeout) }

// chat runs the agent and prints what was said.
func (a *app) chat(ctx context.Context, tools []fantasy.AgentTool) error {
	if ctx.Err() != nil {
		return nil
	}
	agent := fantasy.NewAgent(scriptedModel{},
		fantasy.WithTools(tools...),
		fantasy.WithPrepareStep(mcpclient.PrepareStep),
	)
	result, err := agent.Stream(ctx, fantasy.AgentStreamCall{Prompt: question})
	if err != nil {
		return fmt.Errorf("run the agent: %w", err)
	}
	fmt.Fprintln(a.out)
	printTranscript(a.out, question, result)
	return nil
}

// givenUp is how many attempts at real servers the client ended itself.
func givenUp(summaries []mcpclient.ConnectSummary) (n int) {
	for _, s := range summaries {
		ended := s.Outcome == mcpclient.ConnectOutcomeTimeout || s.Outcome == mcpclient.ConnectOutcomeCanceled
		if ended && s.Slug != silentSlug {
			n++
		}
	}
	return n
}

// report prints what was there before, during and after the step. Anything
// that is left is an error, but for sessions that a server opened for a client
// that had given up: that client can't end what it never heard of.
func (a *app) report(before, during, after census, givenUp int) error {
	fmt.Fprintln(a.out)
	printCensus(a.out, before, during, after)
	if after.sessions > givenUp || after.connections > 0 || after.goroutines > before.goroutines {
		return errors.New("something was left over after cleanup, see the table above")
	}
	if after.sessions > 0 {
		fmt.Fprintln(a.out, "\nThe client left nothing. A server opened a session when the client had given up; it ends by the server's own time limit.")
		return nil
	}
	fmt.Fprintln(a.out, "\nNothing was left: no session, no connection, no goroutine.")
	return nil
}

// settleTime is how long the other end of a closed connection may take to
// notice.
const settleTime = time.Second

// settle asks done until it says so, or until settleTime has passed: that a
// connection was closed reaches its other end a moment later, and nothing tells
// when a goroutine has ended.
func settle(done func() bool) {
	for end := time.Now().Add(settleTime); !done() && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
}
