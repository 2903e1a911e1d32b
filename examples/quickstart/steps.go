package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/mcpclient-go/mcpclient"
)

// poolCloseTime is how long the demo waits for its pool to close.
const poolCloseTime = 10 * time.Second

// poolStep is what one step cost until its tools were there, and what it got.
type poolStep struct {
	took      time.Duration
	requests  atomic.Int64
	summaries []mcpclient.ConnectSummary
	tools     int64
}

func connected(s *poolStep) int64 {
	return s.count(func(c mcpclient.ConnectSummary) bool { return c.Outcome == mcpclient.ConnectOutcomeConnected })
}

func reused(s *poolStep) int64 {
	return s.count(func(c mcpclient.ConnectSummary) bool { return c.Reused })
}

func skipped(s *poolStep) int64 {
	return s.count(func(c mcpclient.ConnectSummary) bool { return c.Outcome == mcpclient.ConnectOutcomeSkipped })
}

func (s *poolStep) count(counts func(mcpclient.ConnectSummary) bool) (n int64) {
	for _, summary := range s.summaries {
		if counts(summary) {
			n++
		}
	}
	return n
}

// traced counts the requests that are sent for the step. The values of the
// context that connects are seen by all requests of the sessions that it makes,
// also by those that go out after ConnectAll has returned.
func (s *poolStep) traced(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteRequest: func(httptrace.WroteRequestInfo) { s.requests.Add(1) },
	})
}

// stepsDemo runs steps one after the other on a Pool, and shows the first one
// beside those that follow.
func (a *app) stepsDemo(ctx context.Context) error {
	var before, during, after census
	before.goroutines = runtime.NumGoroutine()
	servers, err := startServers()
	if err != nil {
		return err
	}
	defer servers.stop()
	fmt.Fprintf(a.out, "%d steps with %d MCP servers in this process, on a pool. The first step:\n\n", a.steps, len(servers.configs))

	transport := &http.Transport{MaxIdleConnsPerHost: 8}
	pool := mcpclient.NewPool(mcpclient.PoolOptions{})
	done, chatErr := a.runSteps(ctx, pool, servers, transport)
	during = servers.count()
	stats := pool.Stats()
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), poolCloseTime)
	defer cancel()
	closeErr := pool.Close(closing)
	if len(done) > 1 {
		printSteps(a.out, done)
		fmt.Fprintf(a.out, "\nOf %d servers that the steps asked for, %d were tried, %d were warm, and %d had failed before and were left alone.\n",
			len(done)*len(servers.configs), stats.Misses, stats.Hits, stats.Skipped)
	}
	transport.CloseIdleConnections()

	settle(func() bool { after = servers.count(); return after.sessions+after.connections == 0 })
	servers.stop()
	settle(func() bool { after.goroutines = runtime.NumGoroutine(); return after.goroutines <= before.goroutines })
	return errors.Join(chatErr, closeErr, a.report(before, during, after, givenUp(done[0].summaries)))
}

// runSteps returns the steps that began before ctx ended, at least one. The
// agent runs in the last of them: its tools work as those of any other step.
func (a *app) runSteps(ctx context.Context, pool *mcpclient.Pool, servers *servers, transport *http.Transport) ([]*poolStep, error) {
	options := mcpclient.Options{HTTPClient: &http.Client{Transport: transport}, ConnectTimeout: a.demoBudget()}
	var done []*poolStep
	for n := 1; ; n++ {
		step := new(poolStep)
		start := time.Now()
		tools, summaries, cleanup := pool.ConnectAll(step.traced(ctx), a.logger, servers.configs, servers.tokens, options)
		step.took, step.tools, step.summaries = time.Since(start), int64(len(tools)), summaries
		done = append(done, step)
		var err error
		switch {
		case n == 1:
			printSummaries(a.out, summaries)
		case n == a.steps:
			err = a.chat(ctx, tools)
		}
		cleanup()
		if n == a.steps || ctx.Err() != nil {
			return done, err
		}
	}
}

// typical gives the median and the largest of what a function takes from each
// step.
func typical(steps []*poolStep, of func(*poolStep) int64) (median, most int64) {
	values := make([]int64, len(steps))
	for i, s := range steps {
		values[i] = of(s)
	}
	slices.Sort(values)
	return values[len(values)/2], values[len(values)-1]
}
