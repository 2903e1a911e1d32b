package mcpclient_test

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestInteropAll tries every server that the script knows and that is
// installed, over each transport that it speaks by itself or through a bridge.
// That takes ten minutes and more. With MCP_INTEROP_DOC=1 it also writes down
// what it saw.
func TestInteropAll(t *testing.T) {
	if os.Getenv("MCP_INTEROP") != "all" {
		t.Skip("needs very many real servers: set MCP_INTEROP=all, and MCP_REAL to the script that starts them")
	}
	script := os.Getenv("MCP_REAL")
	require.NotEmpty(t, script, "MCP_INTEROP=all needs MCP_REAL, the script that starts real servers")
	visits := visitsTo(listPeers(t, script), script)
	visitAll(t, visits)
	assert.False(t, allMissing(visits), "none of the servers is installed")
	alone := t.Run("sessions of a bridge that answers to everyone", func(t *testing.T) {
		v := visitTo(&peer{name: "everything-stdio"}, script, "supergateway-sse")
		defer v.start(t, 7600)()
		callShared(t, v.meetings[0].asRealServer(), 50)
	})
	if os.Getenv("MCP_INTEROP_DOC") == "1" {
		require.True(t, alone)
		writeInterop(t, visits)
	}
}

// visitAll makes three visits at a time. Each of the three has ports of its own.
func visitAll(t *testing.T, visits []*visit) {
	queue := make(chan *visit)
	var workers sync.WaitGroup
	for i := range 3 {
		workers.Go(func() {
			for v := range queue {
				t.Run(strings.TrimSpace(v.name+" "+v.bridge), func(t *testing.T) { v.make(t, 7600+30*i) })
			}
		})
	}
	for _, v := range visits {
		queue <- v
	}
	close(queue)
	workers.Wait()
}

// allMissing is false too where a filter leaves all visits out.
func allMissing(visits []*visit) bool {
	return slices.ContainsFunc(visits, (*visit).tried) &&
		!slices.ContainsFunc(visits, func(v *visit) bool { return v.tried() && v.missing == "" })
}

// visit is one start of a server, perhaps behind a bridge, and who is met there.
type visit struct {
	*peer
	script   string
	bridge   string     // empty: the server speaks to clients itself
	meetings []*meeting // one for each URL
	missing  string     // why nobody was met
}

func visitsTo(peers []*peer, script string) (visits []*visit) {
	for _, p := range peers {
		if p.speaks != "stdio" {
			visits = append(visits, visitTo(p, script, "", p.speaks))
			continue
		}
		visits = append(visits,
			visitTo(p, script, "mcp-proxy", "mcp-proxy", "mcp-proxy-sse"),
			visitTo(p, script, "supergateway", "supergateway"),
			visitTo(p, script, "supergateway-sse", "supergateway-sse"))
	}
	return visits
}

func visitTo(p *peer, script, bridge string, via ...string) *visit {
	v := &visit{peer: p, script: script, bridge: bridge}
	if len(via) == 0 {
		via = []string{bridge}
	}
	for _, name := range via {
		v.meetings = append(v.meetings, &meeting{peer: p, via: name})
	}
	return v
}

// start starts the server on a free port from the given one up.
func (v *visit) start(t *testing.T, port int) (stop func()) {
	t.Helper()
	at := strconv.Itoa(freePort(t, &port))
	args := []string{"start", v.name, at}
	if v.bridge != "" {
		args = append(args, v.bridge)
	}
	noteStarted(t, v.name, at)
	stop = sync.OnceFunc(func() {
		out, err := exec.Command(v.script, "stop", v.name, at).CombinedOutput()
		assert.NoError(t, err, "%s", out)
	})
	t.Cleanup(stop) // where the test ends before it gets stop
	out, err := exec.CommandContext(t.Context(), v.script, args...).CombinedOutput()
	if err != nil && strings.Contains(string(out), "is not installed") {
		v.missing = "not installed"
		if v.byHand {
			v.missing = "in no registry: its binary has to be built by hand"
		}
		t.Skip(v.missing)
	}
	if err != nil {
		v.missing = "it did not start"
		require.NoError(t, err, "%s on %s could not be started: %s", v.name, at, out)
	}
	url, headers := parseStarted(t, string(out))
	for _, m := range v.meetings {
		m.url, m.headers = url, headers
		if m.via == "mcp-proxy-sse" { // beside /mcp, on the same port
			m.url = strings.TrimSuffix(url, "/mcp") + "/sse"
		}
	}
	return stop
}

func (v *visit) make(t *testing.T, port int) {
	defer v.start(t, port)()
	for _, m := range v.meetings {
		m.passed = t.Run(m.via, m.try)
	}
}
