package wire

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// TestBareSDK counts how many faults of the table the SDK's sessions survive by themselves. It is a measurement for people.
func TestBareSDK(t *testing.T) {
	if os.Getenv("MCP_COMPARE") == "" {
		t.Skip("a measurement; set MCP_COMPARE=1")
	}
	var survived, parallel, endlessly, total int
	for group, faults := range map[string][]fault{"status": statusFaults, "json": jsonFaults, "stream": streamFaults} {
		for _, f := range faults {
			total++
			if strings.HasPrefix(f.name, "endless") || strings.HasPrefix(f.name, "flood") {
				endlessly++ // the SDK reads on, and virtual time stands still
				continue
			}
			t.Run(group+"/"+f.name, func(t *testing.T) {
				bubble(t, &fake{bad: f.send, events: group == "stream"}, func(t *testing.T, base *http.Transport) {
					both, next := bareFault(t, base)
					if both {
						parallel++
					}
					if next {
						survived++
					}
					t.Logf("parallel call %v, next call %v", both, next)
				})
			})
		}
	}
	t.Logf("of %d faults: %d leave a parallel call alone, %d leave the session usable, %d weren't tried", total, parallel, survived, endlessly)
	require.Less(t, survived, total-endlessly, "the SDK needs no such help any more")
}

func bareFault(t *testing.T, base *http.Transport) (parallel, next bool) {
	life, kill := context.WithCancel(t.Context())
	defer kill()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: testURL, HTTPClient: &http.Client{Transport: base}, DisableStandaloneSSE: true, MaxRetries: -1, MaxEventSize: 1 << 20,
	}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	require.NoError(t, err)
	defer session.Close()
	call := func(text string, limit time.Duration) error {
		ctx, cancel := context.WithTimeout(life, limit)
		defer cancel()
		_, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "echo", Arguments: json.RawMessage(`{"text":"` + text + `"}`)})
		return err
	}
	slow := make(chan error, 1)
	go func() { slow <- call("slow", time.Minute) }()
	synctest.Wait()
	_ = call("bad", 30*time.Second)
	return <-slow == nil, call("next", time.Minute) == nil
}
