package rpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// What Append makes of a message: repair makes six bytes of one, and an error made anew may say the same text twice.
const growth, overhead = 12, 256

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"21 °C\n\ud83d\ude00"}],"n":12345678901234567890}}`,
		"\uFEFF[{\"id\":\"4\",\"result\":{\r\n\"a\" : [ 1.0 , -2e+3 ]}} , null]",
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":0.5}}` + "\n" + `{"id":4,"result":null}`,
		`{"jsonrpc":"2.0","id":1e999,"method":"sampling/createMessage","params":[]}`,
		`{"id":4,"error":{"code":"-32602","message":null,"data":"<<<<"}}`,
		`{"id":4,"error":{"code":-0,"message":"no","message":"yes"},"result":{}}`,
		`{"error":["` + "\x01\xff" + `\ud800\q"]}`,
		`{"id":4,"result":[NaN,-Infinity,{"a\u0000":true,"b":false}]}`,
		`{"jsonrpc":"2.0","id":4,"method":null,"result":{},"error":null}`,
		`{"id":4,"result":{"content":[{"type":"te`,
		"<html>", "data: {}\n\n", "\x1f\x8b", "[[[[[[[[", `"x`, "null",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		original := bytes.Clone(data)
		messages, err := Parse(data)
		if !bytes.Equal(data, original) {
			t.Fatal("the input was changed")
		}
		if (err == nil) != (len(messages) > 0) {
			t.Fatalf("%d messages and error %v", len(messages), err)
		}
		checkValidInput(t, data, messages, err)
		total := 0
		for _, m := range messages {
			total += len(checkMessage(t, m))
		}
		if total > growth*len(data)+overhead*len(messages) {
			t.Fatalf("%d bytes became %d", len(data), total)
		}
	})
}

// checkMessage appends m, and requires that the SDK and Parse understand the same.
func checkMessage(t *testing.T, m Message) []byte {
	out := appendAny(nil, m)
	if !json.Valid(out) || !utf8.Valid(out) || bytes.ContainsAny(out, "\r\n") {
		t.Fatalf("not one line of valid JSON: %q", out)
	}
	decoded, err := jsonrpc.DecodeMessage(out)
	if err != nil {
		t.Fatalf("SDK: %v: %q", err, out)
	}
	switch d := decoded.(type) {
	case *jsonrpc.Request:
		if m.Kind == Response || d.Method != m.Method || d.IsCall() != (m.Kind == Request) {
			t.Fatalf("SDK: %+v of %+v", d, m)
		}
	case *jsonrpc.Response:
		if m.Kind != Response || d.ID.Raw() != int64(7) || (d.Error == nil) != (m.Result != nil) {
			t.Fatalf("SDK: %+v of %+v", d, m)
		}
	}
	again, err := Parse(out)
	if err != nil || len(again) != 1 {
		t.Fatalf("again: %v: %q", err, out)
	}
	if twice := appendAny(nil, again[0]); !bytes.Equal(twice, out) {
		t.Fatalf("not stable: %q, then %q", out, twice)
	}
	return out
}

func appendAny(dst []byte, m Message) []byte {
	if m.Kind == Response {
		return AppendResponse(dst, 7, m)
	}
	return AppendClean(dst, m)
}

// checkValidInput compares with encoding/json where that is as strict: on one valid message without lone surrogates.
func checkValidInput(t *testing.T, data []byte, messages []Message, err error) {
	trimmed := bytes.TrimSpace(data)
	if !json.Valid(data) || !utf8.Valid(data) || trimmed[0] != '{' {
		return
	}
	if errors.Is(err, ErrSyntax) || errors.Is(err, ErrCut) {
		t.Fatalf("valid JSON: %v", err)
	}
	if err != nil || bytes.Contains(data, []byte(`\u`)) {
		return
	}
	var want map[string]json.RawMessage
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	m := messages[0]
	if m.Result != nil && !bytes.Equal(m.Result, want["result"]) || m.Params != nil && !bytes.Equal(m.Params, want["params"]) {
		t.Fatalf("members %+v of %q", m, data)
	}
	if m.Error != nil && !bytes.Equal(m.Error, want["error"]) {
		t.Fatalf("members %+v of %q", m, data)
	}
}

func FuzzParseOutgoing(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"id":3}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"x","requestId":3}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		o, err := ParseOutgoing(data)
		if err != nil {
			return
		}
		for _, id := range []int64{0, -1, 1 << 52} {
			changed, err := ParseOutgoing(o.WithID(id))
			if err != nil || changed.Method != o.Method {
				t.Fatalf("%v: %q", err, o.WithID(id))
			}
			if got, ok := changed.ID.Int(); !o.ID.IsAbsent() && (!ok || got != id) {
				t.Fatalf("id %d of %q", got, o.WithID(id))
			}
			changed, err = ParseOutgoing(o.WithRequestID(id))
			if err != nil || changed.ID != o.ID {
				t.Fatalf("%v: %q", err, o.WithRequestID(id))
			}
			if got, ok := changed.RequestID.Int(); !o.RequestID.IsAbsent() && (!ok || got != id) {
				t.Fatalf("request id %d of %q", got, o.WithRequestID(id))
			}
		}
	})
}
