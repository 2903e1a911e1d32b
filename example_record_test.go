package mcpclient_test

import (
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"github.com/mcpclient-go/mcpclient"
)

// A chat's debug record has the history of its steps beside what else is known.
func ExampleConnectHistory() {
	record := struct {
		Chat string                    `json:"chat"`
		MCP  *mcpclient.ConnectHistory `json:"mcp"`
	}{"chat-17", new(mcpclient.ConnectHistory)}

	// After each step: record.MCP.Record(summaries...)
	notes := uuid.MustParse("11111111-1111-1111-1111-111111111111")
	record.MCP.Record(mcpclient.ConnectSummary{
		ConfigID: notes, Slug: "notes", Outcome: mcpclient.ConnectOutcomeTimeout, DurationMS: 10000,
		Phase: "initialize", Error: "no answer within the connect budget",
	})
	record.MCP.Record(mcpclient.ConnectSummary{
		ConfigID: notes, Slug: "notes", Outcome: mcpclient.ConnectOutcomeConnected, DurationMS: 84, ToolCount: 3,
	})

	text, err := json.MarshalIndent(record, "", "  ")
	if err != nil {
		panic(err)
	}
	fmt.Println(string(text))
	// Output:
	// {
	//   "chat": "chat-17",
	//   "mcp": {
	//     "mcp_connect": [
	//       {
	//         "config_id": "11111111-1111-1111-1111-111111111111",
	//         "slug": "notes",
	//         "outcome": "timeout",
	//         "duration_ms": 10000,
	//         "error": "no answer within the connect budget",
	//         "phase": "initialize"
	//       },
	//       {
	//         "config_id": "11111111-1111-1111-1111-111111111111",
	//         "slug": "notes",
	//         "outcome": "connected",
	//         "duration_ms": 84,
	//         "tool_count": 3
	//       }
	//     ]
	//   }
	// }
}
