// Command bench compares mcpclient with other ways to get the tools of MCP
// servers in Go, on this machine, in one run.
//
// It starts its servers in a process of its own on 127.0.0.1, measures all
// peers in turn, round by round, and prints Markdown. What it says are ratios
// within rounds. With -out it also writes that text and charts.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"time"
)

func main() {
	if n, err := strconv.Atoi(os.Getenv(serveVariable)); err == nil {
		if err := serve(n); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	quick := flag.Bool("quick", false, "do little, to see that all of it works: the figures mean nothing")
	rounds := flag.Int("rounds", 10, "`number` of rounds")
	out := flag.String("out", "../docs/bench", "`folder` for results.md and the charts; empty: none are written. -quick writes none")
	limit := flag.Duration("limit", 20*time.Minute, "end after this time")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, *limit)
	defer cancel()
	r := &run{ctx: ctx, rounds: *rounds, scale: 1, counts: []int{1, 10, 100}, budget: time.Second}
	r.delays = []time.Duration{0, 5 * time.Millisecond, 50 * time.Millisecond}
	if *quick {
		r.rounds, r.scale, r.counts, r.budget, *out = 1, 10, []int{1, 10}, 200*time.Millisecond, ""
		r.delays = r.delays[:2]
	}
	if err := bench(r, *out); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func bench(r *run, out string) (err error) {
	if r.rounds < 1 {
		return errors.New("there is nothing to compare without a round")
	}
	r.servers, err = startServers(r.ctx, r.counts[len(r.counts)-1])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.servers.stop()) }()
	results, err := measure(r)
	if err != nil {
		return err
	}
	text := results.markdown()
	fmt.Print(text)
	if out == "" {
		return nil
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(out, "results.md"), []byte(text), 0o644); err != nil {
		return err
	}
	return results.charts(out)
}

// results are all figures of a run.
type results struct {
	machine      machine
	rounds       int
	budget       time.Duration
	rescue       time.Duration
	failures     []error
	timings      []timing
	normal       leaving
	silent, late leaving // one server wedged, from the start or in the handshake
	connect      costs
	small, large costs
	steps        stepping
	idle         samples
}

const largeResult = 64 << 10

func measure(r *run) (*results, error) {
	out := &results{rounds: r.rounds, budget: r.budget, rescue: r.rescue(), machine: describe()}
	for _, part := range []struct {
		name string
		do   func() error
	}{
		{"what is left", func() (err error) { out.normal, err = r.leave(never); return err }},
		{"a silent server", func() (err error) { out.silent, err = r.leave(fromStart); return err }},
		{"a wedged server", func() (err error) { out.late, err = r.leave(inHandshake); return err }},
		{"connect cost", func() (err error) { out.connect, err = r.connectCost(); return err }},
		{"small calls", func() (err error) { out.small, err = r.callCost(100); return err }},
		{"large calls", func() (err error) { out.large, err = r.callCost(largeResult); return err }},
		{"steps", func() (err error) { out.steps, err = r.steps(); return err }},
		{"memory", func() (err error) { out.idle, err = r.idleMemory(); return err }},
		{"time to tools", func() (err error) { out.timings, err = r.timeToTools(); return err }},
	} {
		start := time.Now()
		if err := part.do(); err != nil {
			return nil, fmt.Errorf("%s: %w", part.name, err)
		}
		fmt.Fprintf(os.Stderr, "%-16s %v\n", part.name, time.Since(start).Round(time.Millisecond))
	}
	out.machine.loadAfter, out.failures = load(), r.failures
	return out, nil
}
