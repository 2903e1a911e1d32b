package rpc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

func answer(result string) []byte {
	return []byte(`{"jsonrpc":"2.0","id":4,"result":` + result + `}`)
}

// toolList is a list of tools like that of a large real server.
func toolList(tools int) string {
	var b strings.Builder
	b.WriteString(`{"tools":[`)
	for i := range tools {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"name":"list_pull_requests_%d","description":"Lists the pull requests of a repository, `+
			`newest first.\nUse \"state\" to choose which.","inputSchema":{"type":"object","properties":{"owner":`+
			`{"type":"string","description":"Owner of the repository"},"state":{"type":"string","enum":["open","closed"]},`+
			`"page":{"type":"number","minimum":1}},"required":["owner"]},"annotations":{"readOnlyHint":true}}`, i)
	}
	b.WriteString(`]}`)
	return b.String()
}

func textResult(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return `{"content":[{"type":"text","text":` + string(quoted) + `}],"isError":false}`
}

func BenchmarkParse(b *testing.B) {
	inputs := []struct {
		name string
		data []byte
	}{
		{"small", answer(textResult("21 °C, clear"))},
		{"list100", answer(toolList(100))},
		{"text64K", answer(textResult(strings.Repeat("A line of some log, with \"quotes\" in it.\n", 1600)))},
		{"base64-1M", answer(textResult(strings.Repeat("iVBORw0KGgoAAAANSUhEUgAA", 1<<20/24)))},
		{"chinese64K", answer(textResult(strings.Repeat("获取天气预报", 64<<10/18)))},
		{"numbers64K", answer("[" + strings.Repeat("12.75,-3,", 64<<10/9) + "0]")},
		{"dirty64K", answer(textResult(strings.Repeat("A line of some log in Latin-1", 2200) + "~"))},
	}
	last := inputs[len(inputs)-1].data
	last[bytes.IndexByte(last, '~')] = 0xe9
	for _, in := range inputs {
		b.Run(in.name, func(b *testing.B) {
			b.SetBytes(int64(len(in.data)))
			b.ReportAllocs()
			var out []byte
			for b.Loop() {
				m, err := Parse(in.data)
				if err != nil {
					b.Fatal(err)
				}
				out = AppendResponse(out[:0], 4, m[0])
			}
		})
	}
}

func BenchmarkSDKDecode(b *testing.B) {
	data := answer(toolList(100))
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := jsonrpc.DecodeMessage(data); err != nil {
			b.Fatal(err)
		}
	}
}
