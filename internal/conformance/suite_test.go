package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The official suite runs where MCP_INTEROP is 1; MCP_REAL is the script that
// installs and runs it. With MCP_CONFORMANCE_DOC=1 the SDK's own client is
// scored beside this one, and the table of docs/conformance.md is written.

// run is a way to ask the suite: for what a revision of the protocol requires,
// or for all that it has.
type run struct {
	name string
	args []string
	env  string // an addition for the client
}

var runs = []run{
	{name: "2025-11-25", args: []string{"--requirements", "2025-11-25"}},
	{name: "2026-07-28", args: []string{"--requirements", "2026-07-28"}},
	{name: "all", args: []string{"--suite", "all"}},
}

var negotiated = run{
	name: "negotiated", args: []string{"--requirements", "2026-07-28"}, env: negotiateVariable + "=1",
}

// refuseInitialize are scenarios that take it amiss if a client asks for an
// older protocol version first, as it must where it does not know the server.
var refuseInitialize = []string{"request-metadata", "http-standard-headers"}

// mayFail are the scenarios in which a client that gives up has done right.
var mayFail = []string{
	"auth/iss-normalized", "auth/iss-supported-missing", "auth/iss-unexpected", "auth/iss-wrong-issuer",
	"auth/metadata-issuer-mismatch", "auth/resource-mismatch", "auth/scope-retry-limit", "http-invalid-tool-headers",
}

// timed is the scenario that warns if the client is late, as all are on a
// machine that is busy with the clients of the other scenarios.
const timed = "sse-retry"

func TestConformance(t *testing.T) {
	script, driver := suite(t)
	reasons := expectedFailures(t)
	ours := score{}
	for _, r := range runs {
		t.Run(r.name, func(t *testing.T) {
			ours[r.name] = r.by(t, script, driver)
			ours[r.name].check(t, reasons)
		})
	}
	t.Run(negotiated.name, func(t *testing.T) {
		o := negotiated.by(t, script, driver)
		for _, name := range refuseInitialize {
			require.Contains(t, o.verdicts, name)
			delete(o.verdicts, name)
		}
		o.check(t, reasons)
	})
	if os.Getenv("MCP_CONFORMANCE_DOC") == "1" && !t.Failed() {
		writeTable(t, script, ours, reasons)
	}
}

// suite gives the script that runs the suite, and this package as a command.
func suite(t *testing.T) (script, driver string) {
	if os.Getenv("MCP_INTEROP") != "1" {
		t.Skip("set MCP_INTEROP=1 to run the official conformance suite")
	}
	script = os.Getenv("MCP_REAL")
	require.NotEmpty(t, script, "MCP_REAL must name the script that runs the suite")
	driver = filepath.Join(t.TempDir(), "driver")
	out, err := exec.Command("go", "build", "-o", driver, ".").CombinedOutput()
	require.NoError(t, err, string(out))
	return script, driver
}

// mark is a verdict on one scenario.
type mark string

const (
	passed mark = "✓"
	failed mark = "✗"
	late   mark = "late"
	idle   mark = "–" // nothing was checked
)

// outcome is one run of the suite.
type outcome struct {
	verdicts map[string]mark
	unscored map[string]bool
	said     map[string]string // the client's stderr, by scenario
}

var (
	verdictLine  = regexp.MustCompile(`(?m)^([✓✗]) (\S+): (\d+) passed, (\d+) failed(, \d+ warnings)?$`)
	unscoredLine = regexp.MustCompile(`(?m)^  [✓✗] (\S+) \(`)
	resultDir    = regexp.MustCompile(`-\d{4}-\d\d-\d\dT[\d-]+Z$`)
)

// by runs the suite with a client. The suite's own status is of no use: with a
// list of expected failures it is 0 also for a client that gave up, and without
// one it is 1 for a failure that is expected.
func (r run) by(t *testing.T, script, client string) outcome {
	t.Helper()
	dir := t.TempDir()
	args := append([]string{"conformance", "client", "--command", client, "--timeout", "60000", "-o", dir}, r.args...)
	command := exec.Command(script, args...)
	command.Env = append(os.Environ(), r.env)
	text, _ := command.CombinedOutput()
	o := outcome{map[string]mark{}, map[string]bool{}, map[string]string{}}
	for _, m := range verdictLine.FindAllStringSubmatch(string(text), -1) {
		v := mark(m[1])
		switch {
		case m[3] == "0" && m[4] == "0":
			v = idle
		case m[2] == timed && m[4] == "0" && m[5] != "":
			v = late
		}
		o.verdicts[m[2]] = v
	}
	require.NotEmpty(t, o.verdicts, string(text))
	for _, m := range unscoredLine.FindAllStringSubmatch(string(text), -1) {
		o.unscored[m[1]] = true
	}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.Name() != "stderr.txt" {
			return err
		}
		said, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, filepath.Dir(path))
		o.said[resultDir.ReplaceAllString(filepath.ToSlash(name), "")] = string(said)
		return err
	}))
	return o
}

// check compares with what is expected to fail, in both directions.
func (o outcome) check(t *testing.T, reasons map[string]string) {
	t.Helper()
	for name, v := range o.verdicts {
		said := o.said[name]
		switch _, expected := reasons[name]; {
		case expected:
			assert.Equal(t, failed, v, "%s is listed as an expected failure", name)
		case v == failed:
			assert.Fail(t, name+" failed", said)
		case v == passed && !slices.Contains(mayFail, name):
			assert.NotContains(t, said, "conformance: ", "%s: the client gave up", name)
		case v == late:
			t.Logf("%s: the client was late; judge it on an idle machine", name)
		}
	}
}

// expectedFailures are the listed scenarios, each with its reason.
func expectedFailures(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("expected-failures.yml")
	require.NoError(t, err)
	list := map[string]string{}
	for line := range strings.Lines(string(text)) {
		entry, ok := strings.CutPrefix(strings.TrimSpace(line), "- ")
		if !ok {
			continue
		}
		name, reason, _ := strings.Cut(entry, " # ")
		require.NotEmpty(t, reason, "%s has no reason", name)
		list[name] = reason
	}
	return list
}
