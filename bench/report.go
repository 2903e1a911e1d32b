package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// report builds Markdown.
type report struct{ strings.Builder }

func (r *report) say(format string, args ...any) { fmt.Fprintf(r, format+"\n", args...) }

func (r *report) table(head []string, rows [][]string) {
	r.say("")
	r.say("| %s |", strings.Join(head, " | "))
	r.say("|%s", strings.Repeat(" --- |", len(head)))
	for _, row := range rows {
		r.say("| %s |", strings.Join(row, " | "))
	}
	r.say("")
}

func (x *results) markdown() string {
	r := &report{}
	r.say("# Benchmarks\n")
	r.say("Made by `cd bench && go run .`: do not edit. Figures are ratios to mcpclient's own figure in the same round: 2.00 is twice as")
	r.say("much as mcpclient, 0.50 is half of it. They are medians of %d rounds, with the quartiles in brackets. All peers have their", x.rounds)
	r.say("turn in each round, in another order each time; the servers, of go-sdk, run in another process behind TCP on 127.0.0.1.\n")
	r.say("%s. Load average %s before, %s after. %s.\n", x.machine.system, x.machine.loadBefore, x.machine.loadAfter, strings.Join(x.machine.versions, ", "))
	r.table([]string{"peer", "what it is"}, [][]string{
		{ours, "`ConnectAll`, then cleanup; its tools are ready for fantasy, with schemas converted and names made safe"},
		{bare, "as its README uses it, for one server after the other"},
		{group, "the same for all servers at once, each under a context with a timeout"},
		{tuned, "all at once, protocol pinned to 2025-11-25 (no probe), no standing GET, no retries"},
		{mcpGo, "as its documentation uses it, all at once, each under a context with a timeout, protocol pinned to 2025-11-25 (it can't connect to these servers without that)"},
	})
	x.reportTime(r)
	x.reportCost(r)
	x.reportSteps(r)
	x.reportRemains(r)
	x.reportFailures(r)
	return r.String()
}

// others are the peers that are compared with ours.
func others() (names []string) {
	for _, p := range peers {
		if p.name != ours {
			names = append(names, p.name)
		}
	}
	return names
}

// row has a cell for each peer.
func row(name string, ratios map[string]ratio, peers []string) []string {
	cells := []string{name}
	for _, p := range peers {
		if r, ok := ratios[p]; ok {
			cells = append(cells, r.String())
			continue
		}
		cells = append(cells, "–")
	}
	return cells
}

func (x *results) reportTime(r *report) {
	r.say("## Time to tools\n")
	r.say("![Time to the tools of ten servers](time.svg)\n")
	r.say("From the call to the tools of all servers, ten each, over connections that are open already. – means that a peer was left out,")
	r.say("since it would take too long. With no time for a request, a figure is the mean of up to 20 times in a row.")
	var rows [][]string
	for _, t := range x.timings {
		rows = append(rows, row(fmt.Sprintf("%d × %v", t.count, t.delay), t.taken.against(ours), others()))
	}
	r.table(append([]string{"servers × time of a request"}, others()...), rows)
}

func (x *results) reportCost(r *report) {
	r.say("## CPU and allocations\n")
	r.say("![CPU and allocations beside mcpclient](cost.svg)\n")
	r.say("CPU is user time of the process. Connecting is one server with %d tools, until its session is closed; a call is on a live session.", listedTools)
	names := others()
	rows := [][]string{
		row("connect, list, close: CPU", x.connect.user.against(ours), names),
		row("allocations", x.connect.allocs.against(ours), names),
		row("bytes allocated", x.connect.bytes.against(ours), names),
		row("call, 100 bytes: CPU", x.small.user.against(ours), names),
		row("allocations", x.small.allocs.against(ours), names),
		row("time", x.small.wall.against(ours), names),
		row("call, 64 KiB: CPU", x.large.user.against(ours), names),
		row("allocations", x.large.allocs.against(ours), names),
		row("time", x.large.wall.against(ours), names),
		row("heap of an idle session, 10 tools", x.idle.against(ours), names),
	}
	r.table(append([]string{"of"}, names...), rows)
	r.say("mcpclient's own: %.0f allocations for each of the %d tools, %.0f for a small call, %.1f KiB of heap for an idle session",
		median(x.connect.allocs[ours])/listedTools, listedTools, median(x.small.allocs[ours]), median(x.idle[ours])/1024)
	r.say("(%.1f KiB in a Pool; go-sdk tuned: %.0f allocations a tool, %.0f a call, %.1f KiB).\n",
		median(x.idle[pooled])/1024, median(x.connect.allocs[tuned])/listedTools, median(x.small.allocs[tuned]), median(x.idle[tuned])/1024)
}

func (x *results) reportSteps(r *report) {
	r.say("## A step with a warm Pool\n")
	r.say("![A step without a Pool, as a multiple of one with a warm Pool](step.svg)\n")
	r.say("Ten servers with 50 tools each that take 5 ms for a request. Here the ratios are to the warm step, which sent %d requests in all", x.steps.requests)
	r.say("rounds together, and made %.0f allocations each time.", median(x.steps.allocs[pooled]))
	names := append([]string{ours}, others()...)
	r.table(append([]string{"of a step"}, names...), [][]string{
		row("time", x.steps.wall.against(pooled), names),
		row("CPU", x.steps.user.against(pooled), names),
		row("allocations", x.steps.allocs.against(pooled), names),
	})
}

func (x *results) reportRemains(r *report) {
	r.say("## A wedged server, and what is left behind\n")
	r.say("![Time to return with one wedged server](wedged.svg)\n")
	r.say("Ten servers with a budget of %v. The second time one of them accepts and never answers, the third time one stops answering", x.budget)
	r.say("when it has answered `initialize`. Times are ratios. What is left 100 ms after cleanup are numbers, medians, beside idle")
	r.say("connections that wait for the next step. The timeouts are those of the callers: without them go-sdk and mcp-go wait for ever. After %v", x.rescue)
	r.say("the server was mended, so that the measurement could go on.")
	for _, l := range []struct {
		name string
		leaving
	}{{"all good", x.normal}, {"one silent", x.silent}, {"one wedged in the handshake", x.late}} {
		names := append([]string{ours}, others()...)
		connect, cleanup := l.connect.against(ours), l.cleanup.against(ours)
		connect[ours], cleanup[ours] = ratio{1, 1, 1}, ratio{1, 1, 1}
		connecting := row("connecting", connect, names)
		for i, name := range names {
			if median(l.connect[name]) >= x.rescue.Seconds() {
				connecting[i+1] = fmt.Sprintf("over %v", x.rescue)
			}
		}
		r.table(append([]string{l.name}, names...), [][]string{
			connecting,
			row("cleanup", cleanup, names),
			counts("goroutines left", l.goroutines, names),
			counts("sockets left", l.sockets, names),
		})
		r.say("mcpclient took %s to connect, and %v for cleanup, at most.", seconds(slices.Max(l.connect[ours])), seconds(slices.Max(l.cleanup[ours])))
	}
}

func seconds(f float64) time.Duration {
	return time.Duration(f * float64(time.Second)).Round(time.Microsecond)
}

// reportFailures tells what a reader should know who trusts medians.
func (x *results) reportFailures(r *report) {
	if len(x.failures) == 0 {
		return
	}
	r.say("\n## Turns that failed and were repeated\n")
	for _, err := range x.failures {
		r.say("- %s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
}

func counts(name string, values samples, peers []string) []string {
	cells := []string{name}
	for _, p := range peers {
		cells = append(cells, fmt.Sprintf("%.0f", median(values[p])))
	}
	return cells
}
