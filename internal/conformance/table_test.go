package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const document = "../../docs/conformance.md"

// score has the outcome of each run, by its name.
type score map[string]outcome

// writeTable scores the SDK's own client too and writes both into the document.
func writeTable(t *testing.T, script string, ours score, reasons map[string]string) {
	path, err := exec.Command(script, "path", "gosdk-client").Output()
	require.NoError(t, err)
	theirs := score{}
	for _, r := range runs {
		theirs[r.name] = r.by(t, script, strings.TrimSpace(string(path)))
	}
	text, err := os.ReadFile(document)
	require.NoError(t, err)
	const begin, end = "<!-- score -->\n", "<!-- end of score -->"
	head, rest, begins := strings.Cut(string(text), begin)
	_, tail, ends := strings.Cut(rest, end)
	require.True(t, begins && ends, "%s has no place for the table", document)
	content := head + begin + table(ours, theirs, reasons) + end + tail
	require.NoError(t, os.WriteFile(document, []byte(content), 0o644))
}

// table is Markdown: totals of what is scored, then a line for each scenario,
// the scored ones first.
func table(ours, theirs score, reasons map[string]string) string {
	var b strings.Builder
	b.WriteString("| scored scenarios passed | go-sdk's client | mcpclient |\n|---|---|---|\n")
	for _, r := range runs[:2] {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", r.name, theirs[r.name].total(), ours[r.name].total())
	}
	b.WriteString("\n| scenario | scored in | go-sdk's client | mcpclient | why not |\n|---|---|---|---|---|\n")
	names := slices.Sorted(maps.Keys(ours["all"].verdicts))
	for _, scored := range []bool{true, false} {
		for _, name := range names {
			in := ours.scoredIn(name)
			if (in != "") != scored {
				continue
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", name, in, theirs.worst(name), ours.worst(name), reasons[name])
		}
	}
	return b.String()
}

// total counts the scored scenarios of a run.
func (o outcome) total() string {
	good, all := 0, 0
	for name, v := range o.verdicts {
		if o.unscored[name] {
			continue
		}
		all++
		if v == passed {
			good++
		}
	}
	return fmt.Sprintf("%d of %d", good, all)
}

// scoredIn names the revisions that require a scenario.
func (s score) scoredIn(name string) string {
	var in []string
	for _, r := range runs[:2] {
		if _, there := s[r.name].verdicts[name]; there && !s[r.name].unscored[name] {
			in = append(in, r.name)
		}
	}
	return strings.Join(in, ", ")
}

// worst is a scenario's verdict over all runs that have it.
func (s score) worst(name string) mark {
	var worst mark
	for _, r := range runs {
		if v, there := s[r.name].verdicts[name]; there && (worst == "" || worst == passed) {
			worst = v
		}
	}
	return worst
}
