package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"charm.land/fantasy"

	"github.com/mcpclient-go/mcpclient"
)

// maxCell is how many characters of free text a table's line shows.
const maxCell = 80

func newTable(w io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(w, 0, 0, 3, ' ', 0) }

// row writes one line of a table; empty cells are shown as a dash.
func row(w io.Writer, cells ...string) {
	for i, cell := range cells {
		if cell == "" {
			cells[i] = "-"
		}
	}
	fmt.Fprintln(w, strings.Join(cells, "\t"))
}

func printSummaries(w io.Writer, summaries []mcpclient.ConnectSummary) {
	t := newTable(w)
	row(t, "SERVER", "OUTCOME", "TIME", "TOOLS", "PROTOCOL", "ERROR")
	for _, s := range summaries {
		took := time.Duration(s.DurationMS) * time.Millisecond
		row(t, oneLine(s.Slug), string(s.Outcome), took.String(), fmt.Sprint(s.ToolCount), s.Protocol, oneLine(s.Error))
	}
	t.Flush()
	for _, s := range summaries {
		printRemarks(w, s)
	}
}

// printRemarks writes what a summary says beside its row of the table.
func printRemarks(w io.Writer, s mcpclient.ConnectSummary) {
	slug := oneLine(s.Slug)
	if s.AuthChallenge != "" {
		fmt.Fprintf(w, "\n%s wants: %s", slug, s.AuthChallenge)
	}
	for _, d := range s.Dropped {
		fmt.Fprintf(w, "\n%s: tool %q is left out: %s", slug, d.Name, d.Reason)
	}
	if more := s.DroppedCount - len(s.Dropped); more > 0 {
		fmt.Fprintf(w, "\n%s: %d more tools are left out", slug, more)
	}
	if s.Truncated {
		fmt.Fprintf(w, "\n%s: the list of tools is longer than the limits allow", slug)
	}
	if s.AuthChallenge != "" || s.DroppedCount > 0 || s.Truncated {
		fmt.Fprintln(w)
	}
}

// printTools writes the tools of each server, in the order in which they are
// given.
func printTools(w io.Writer, summaries []mcpclient.ConnectSummary, tools []fantasy.AgentTool) {
	for _, s := range summaries {
		if s.ToolCount == 0 {
			continue
		}
		fmt.Fprintf(w, "\n%s\n", oneLine(s.Slug))
		t := newTable(w)
		for _, tool := range tools {
			if tool.(mcpclient.Tool).ServerID() == s.ConfigID {
				info := tool.Info()
				row(t, "  "+info.Name, oneLine(info.Description))
			}
		}
		t.Flush()
	}
}

// printTranscript writes what was said, in the order in which it was said.
func printTranscript(w io.Writer, question string, result *fantasy.AgentResult) {
	t := newTable(w)
	row(t, "user", question)
	for i, step := range result.Steps {
		for _, call := range step.Content.ToolCalls() {
			row(t, fmt.Sprintf("model, generation %d", i+1), "calls "+call.ToolName+" "+oneLine(call.Input))
		}
		for _, r := range step.Content.ToolResults() {
			row(t, r.ToolName, oneLine(resultText(r.Result)))
		}
		if text := step.Content.Text(); text != "" {
			row(t, fmt.Sprintf("model, generation %d", i+1), text)
		}
	}
	t.Flush()
}

func printCensus(w io.Writer, before, during, after census) {
	t := newTable(w)
	row(t, "MEASURED", "BEFORE", "IN THE STEP", "AFTER")
	line := func(what string, of func(census) int) {
		row(t, what, fmt.Sprint(of(before)), fmt.Sprint(of(during)), fmt.Sprint(of(after)))
	}
	line("MCP sessions on the servers", func(c census) int { return c.sessions })
	line("connections to the servers", func(c census) int { return c.connections })
	line("goroutines, with the servers'", func(c census) int { return c.goroutines })
	t.Flush()
}

// printSteps writes the first step beside those that follow it.
func printSteps(w io.Writer, steps []*poolStep) {
	fmt.Fprintln(w)
	t := newTable(w)
	head := []string{"UNTIL THE TOOLS ARE THERE", "STEP 1", "STEP 2"}
	if len(steps) > 2 {
		head = append(head[:2], fmt.Sprintf("STEPS 2 TO %d, MEDIAN", len(steps)), "MOST")
	}
	row(t, head...)
	line := func(what string, of func(*poolStep) int64, show func(int64) string) {
		median, most := typical(steps[1:], of)
		row(t, append([]string{what}, show(of(steps[0])), show(median), show(most))[:len(head)]...)
	}
	number := func(n int64) string { return fmt.Sprint(n) }
	line("time", func(s *poolStep) int64 { return int64(s.took) }, func(n int64) string { return short(time.Duration(n)) })
	line("requests to the servers", func(s *poolStep) int64 { return s.requests.Load() }, number)
	line("servers connected", connected, number)
	line("of these reused", reused, number)
	line("servers skipped", skipped, number)
	line("tools", func(s *poolStep) int64 { return s.tools }, number)
	t.Flush()
}

// short is a duration in at most four digits.
func short(d time.Duration) string {
	switch {
	case d >= time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d >= time.Millisecond:
		return d.Round(10 * time.Microsecond).String()
	}
	return d.Round(time.Microsecond).String()
}

// oneLine makes text fit for a cell: one line, not too long. What could command
// a terminal or hide in it is gone already from all text of a server.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > maxCell {
		return string(runes[:maxCell-3]) + "..."
	}
	return text
}
