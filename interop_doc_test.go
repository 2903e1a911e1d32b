package mcpclient_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/toolschema"
)

const interopDocument = "docs/interop.md"

// writeInterop writes what came of the visits into the document, and leaves the
// lines of servers that this run did not try, as one with a filter. Text that
// servers sent stays out of it, but for their names: it may have paths of the
// machine.
func writeInterop(t *testing.T, visits []*visit) {
	text, err := os.ReadFile(interopDocument)
	require.NoError(t, err)
	const begin, end = "<!-- servers -->\n", "<!-- end of servers -->"
	head, rest, begins := strings.Cut(string(text), begin)
	before, tail, ends := strings.Cut(rest, end)
	require.True(t, begins && ends, "%s has no place for the table", interopDocument)
	met, missed := interopLines(visits, before)
	generated := interopTotals(met) + "\n\n" +
		"| server | through | protocol | " + modernProtocol + " | offered | kept | dropped | call | of note |\n|---|---|---|---|---|---|---|---|---|\n" +
		strings.Join(met, "") + "\nNot tried, and why:\n\n" + strings.Join(missed, "")
	home, err := os.UserHomeDir()
	require.NoError(t, err)
	assert.NotContains(t, generated, home+"/")
	require.NoError(t, os.WriteFile(interopDocument, []byte(head+begin+generated+end+tail), 0o644))
}

// interopLines has the lines of the table and of the list below it, in the
// order of the visits.
func interopLines(visits []*visit, before string) (met, missed []string) {
	old := map[string][]string{}
	for line := range strings.Lines(before) {
		if start, rest, ok := strings.Cut(line, " `"); ok {
			name, _, _ := strings.Cut(rest, "`")
			old[start+name] = append(old[start+name], line)
		}
	}
	for i, v := range visits {
		if i > 0 && visits[i-1].name == v.name {
			continue
		}
		of := slices.DeleteFunc(slices.Clone(visits), func(other *visit) bool { return other.name != v.name })
		if !slices.ContainsFunc(of, (*visit).tried) {
			met, missed = append(met, old["|"+v.name]...), append(missed, old["*"+v.name]...)
			continue
		}
		for _, same := range alike(of) {
			met = append(met, metLine(same))
		}
		for _, other := range of {
			if other.missing != "" {
				missed = append(missed, fmt.Sprintf("* `%s` %s: %s\n", v.name, cell(v.from), other.missing))
			}
		}
	}
	return met, slices.Compact(missed)
}

// tried is false where a filter has left the visit out.
func (v *visit) tried() bool {
	return v.missing != "" || slices.ContainsFunc(v.meetings, func(m *meeting) bool { return m.ran })
}

// interopTotals counts what the lines of the table say.
func interopTotals(lines []string) string {
	servers := map[string]bool{}
	met, connected, kept, good, failed := 0, 0, 0, 0, 0
	for _, line := range lines {
		cells := strings.Split(line, " | ")
		servers[cells[0]] = true
		times := strings.Count(cells[1], ",") + 1
		met += times
		if cells[5] == "" {
			continue
		}
		connected += times
		tools, _ := strconv.Atoi(cells[5])
		kept += tools * times
		if strings.HasSuffix(cells[7], ": "+string(mcpclient.ToolCallOK)) {
			good += times
		} else {
			failed += times
		}
	}
	return fmt.Sprintf("%d servers, met over %d transports: %d times connected, with %d tools in all; %d calls answered, %d that ended in an error response.",
		len(servers), met, connected, kept, good, failed)
}

// alike has the meetings that took place, those that came out the same together.
func alike(visits []*visit) (groups [][]*meeting) {
	for _, v := range visits {
		for _, m := range v.meetings {
			if !m.ran {
				continue
			}
			i := slices.IndexFunc(groups, func(g []*meeting) bool { return slices.Equal(g[0].columns(), m.columns()) })
			if i < 0 {
				groups = append(groups, []*meeting{m})
				continue
			}
			groups[i] = append(groups[i], m)
		}
	}
	return groups
}

func metLine(same []*meeting) string {
	m, through := same[0], make([]string, len(same))
	for i, s := range same {
		through[i] = s.via
	}
	columns := m.columns()
	columns = slices.Insert(columns, 1, atModern(same))
	return fmt.Sprintf("| `%s` %s | %s | %s |\n", m.name, cell(m.from), strings.Join(through, ", "), strings.Join(columns, " | "))
}

// atModern says who got modernProtocol of those that asked for it.
func atModern(same []*meeting) string {
	var asked, got []string
	for _, m := range same {
		if m.modern.Outcome == "" {
			continue
		}
		asked = append(asked, m.via)
		if m.modern.Protocol == modernProtocol {
			got = append(got, m.via)
		}
	}
	switch {
	case len(asked) == 0:
		return ""
	case len(got) == 0:
		return "no"
	case len(got) == len(same):
		return "✓"
	}
	return "✓ " + strings.Join(got, ", ")
}

// columns are the cells that do not depend on what a server is met through.
func (m *meeting) columns() []string {
	s := m.summary
	if s.Outcome != mcpclient.ConnectOutcomeConnected {
		return []string{string(s.Outcome), "", "", "", "", cell(m.oddities())}
	}
	offered := s.ToolCount + s.DroppedCount + s.Filtered
	call := fmt.Sprintf("`%s`: %s", m.tool, m.called)
	return []string{s.Protocol, fmt.Sprint(offered), fmt.Sprint(s.ToolCount), m.reasons(), call, cell(m.oddities())}
}

func (m *meeting) reasons() string {
	var parts []string
	for _, d := range m.summary.Dropped {
		parts = append(parts, fmt.Sprintf("`%s`: %s", d.Name, cell(d.Reason)))
	}
	if more := m.summary.DroppedCount - len(parts); more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, "; ")
}

// oddities are what a reader would ask about, if the table were silent on it.
func (m *meeting) oddities() string {
	var notes []string
	note := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	s := m.summary
	if !m.passed {
		note("**the test failed**")
	}
	if s.Outcome != mcpclient.ConnectOutcomeConnected {
		note("in phase %s", s.Phase)
	}
	if s.HTTPStatus != 0 {
		note("HTTP %d", s.HTTPStatus)
	}
	if s.AuthChallenge != "" {
		note("with a challenge")
	}
	if s.Truncated {
		note("list cut by a limit")
	}
	if s.Server != "" {
		note("says it is %s", s.Server)
	}
	for _, w := range slices.Compact(slices.Sorted(slices.Values(m.warnings))) {
		// That a start was slow says more of the machine than of the server.
		if w != "mcp server failed" && w != "mcp server connected slowly" {
			note("warned: %s", w)
		}
	}
	if changed := m.modern.ToolCount - s.ToolCount; m.modern.Outcome == mcpclient.ConnectOutcomeConnected && changed != 0 {
		note("%+d tools at %s", changed, m.modern.Protocol)
	}
	if m.modern.Outcome != "" && m.modern.Outcome != mcpclient.ConnectOutcomeConnected {
		note("asked for %s: %s", modernProtocol, m.modern.Outcome)
	}
	return strings.Join(append(notes, m.aboutTools()...), "; ")
}

// aboutTools says what of the tools' definitions had to change for models and
// providers.
func (m *meeting) aboutTools() (notes []string) {
	renamed, lossy, referring, total, largest := 0, 0, 0, 0, 0
	for _, tool := range m.tools {
		definition := tool.(mcpclient.Tool).Definition()
		if !strings.HasSuffix(tool.Info().Name, "__"+definition.Name) {
			renamed++
		}
		whole, _ := json.Marshal(definition)
		total, largest = total+len(whole), max(largest, len(whole))
		input, _ := json.Marshal(definition.InputSchema)
		if strings.Contains(string(input), `"$ref":`) {
			referring++
		}
		if converted, err := toolschema.Convert(input, toolschema.Options{}); err == nil && len(converted.Notes) > 0 {
			lossy++
		}
	}
	counted := func(n int, what string) {
		if n > 0 {
			notes = append(notes, fmt.Sprintf("%d %s", n, what))
		}
	}
	counted(renamed, "renamed")
	counted(referring, "with references, inlined")
	counted(lossy, "with a schema made simpler")
	if total > 256<<10 {
		notes = append(notes, fmt.Sprintf("a list of %d KiB, its largest tool %d KiB", total>>10, largest>>10))
	}
	return notes
}

// cell keeps a text within a cell of a table.
func cell(text string) string {
	text = strings.NewReplacer("|", "\\|", "<", "&lt;", "\n", " ").Replace(text)
	if r := []rune(text); len(r) > 300 {
		text = string(r[:300]) + "…"
	}
	return text
}
