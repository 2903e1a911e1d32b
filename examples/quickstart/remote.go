package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"charm.land/fantasy"

	"github.com/mcpclient-go/mcpclient"
)

const remoteTimeout = 10 * time.Second

// remote connects to the servers of the config file and lists their tools, or
// calls one. It returns the exit code.
func (a *app) remote(ctx context.Context) (int, error) {
	content, err := os.ReadFile(a.config)
	if err != nil {
		return exitFailed, fmt.Errorf("read the config: %w", err)
	}
	file, err := parseServers(content, a.lookup)
	if err != nil {
		return exitFailed, fmt.Errorf("%s: %w", a.config, err)
	}
	for _, remark := range file.remarks {
		fmt.Fprintln(a.err, remark)
	}
	if len(file.configs) == 0 {
		return exitFailed, fmt.Errorf("%s has no server to connect; add one with a url", a.config)
	}

	var background sync.WaitGroup
	tools, summaries, cleanup := mcpclient.ConnectAll(ctx, a.logger, file.configs, nil, mcpclient.Options{
		ConnectTimeout: cmp.Or(a.timeout, remoteTimeout),
		Background:     &background,
	})
	defer background.Wait()
	defer cleanup()
	if a.call != "" {
		return a.callTool(ctx, tools, summaries)
	}
	printSummaries(a.out, summaries)
	printTools(a.out, summaries, tools)
	return exitOK, nil
}

// callTool runs the tool that -call names and prints its result.
func (a *app) callTool(ctx context.Context, tools []fantasy.AgentTool, summaries []mcpclient.ConnectSummary) (int, error) {
	i := slices.IndexFunc(tools, func(t fantasy.AgentTool) bool { return t.Info().Name == a.call })
	if i < 0 {
		printSummaries(a.err, summaries)
		return exitFailed, fmt.Errorf("no connected server has a tool %q; run without -call to see their names", a.call)
	}
	response, err := tools[i].Run(ctx, fantasy.ToolCall{ID: "quickstart", Name: a.call, Input: a.args})
	if err != nil {
		return exitFailed, fmt.Errorf("call %s: %w", a.call, err)
	}
	fmt.Fprintln(a.out, response.Content) // never empty
	if len(response.Data) > 0 {
		fmt.Fprintf(a.out, "(and for the model: %s, %d bytes)\n", response.MediaType, len(response.Data))
	}
	if response.IsError {
		return exitToolError, nil
	}
	return exitOK, nil
}
