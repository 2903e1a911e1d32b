package toolschema_test

import (
	"encoding/json"
	"testing"

	"github.com/mcpclient-go/mcpclient/internal/toolschema"
)

// ordinary is about the median of real tools.
const ordinary = `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{
	"owner":{"type":"string","description":"Repository owner"},
	"repo":{"type":"string","description":"Repository name"},
	"state":{"type":"string","enum":["open","closed","all"],"default":"open","description":"Which issues"},
	"labels":{"type":"array","items":{"type":"string"},"description":"Labels that an issue must have"},
	"perPage":{"type":"number","minimum":1,"maximum":100,"description":"Results per page"},
	"since":{"type":["string","null"],"format":"date-time","description":"Only issues updated after this time"}},
	"required":["owner","repo"],"additionalProperties":false}`

func BenchmarkConvertText(b *testing.B) {
	in := json.RawMessage(ordinary)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := toolschema.Convert(in, toolschema.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkConvertValue(b *testing.B) {
	var in any
	if err := json.Unmarshal([]byte(ordinary), &in); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := toolschema.Convert(in, toolschema.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// All 2,133 real tools; the mean of one is reported too.
func BenchmarkConvertReal(b *testing.B) {
	lists := realTools(b)
	n := 0
	for _, tools := range lists {
		n += len(tools)
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, tools := range lists {
			for _, tool := range tools {
				if _, err := toolschema.Convert(tool.InputSchema, toolschema.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/tool")
}

func BenchmarkConvertLargest(b *testing.B) {
	for _, tool := range realTools(b)["ms365"] {
		if tool.Name != "create-sharepoint-list" {
			continue
		}
		for b.Loop() {
			if _, err := toolschema.Convert(tool.InputSchema, toolschema.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkArguments(b *testing.B) {
	s, err := toolschema.Convert(json.RawMessage(ordinary), toolschema.Options{Intent: true})
	if err != nil {
		b.Fatal(err)
	}
	for name, in := range map[string]string{
		"untouched": `{"owner":"golang","repo":"go","labels":["a","b"],"perPage":30}`,
		"null":      `{"owner":"golang","repo":"go","state":null,"perPage":30}`,
		"intent":    `{"owner":"golang","repo":"go","model_intent":"look for open issues"}`,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Arguments(in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
