package rpc

import (
	"encoding/json"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/stretchr/testify/require"
)

func decodeBySDK(t *testing.T, data []byte) jsonrpc.Message {
	t.Helper()
	m, err := jsonrpc.DecodeMessage(data)
	require.NoError(t, err, "%s", data)
	require.True(t, json.Valid(data), "%s", data)
	require.NotContains(t, string(data), "\n")
	require.NotContains(t, string(data), "\r")
	return m
}

func parseOne(t *testing.T, in string) Message {
	t.Helper()
	got, err := Parse([]byte(in))
	require.NoError(t, err)
	require.Len(t, got, 1)
	return got[0]
}

func TestAppendResponseKeepsTheResult(t *testing.T) {
	result := `{"n":12345678901234567890,"f":1.0,"s":"<&>\u2028é"}`
	out := AppendResponse([]byte("x"), 7, parseOne(t, `{"id":"4","result":`+result+`}`))
	require.Equal(t, `x{"jsonrpc":"2.0","id":7,"result":`+result+`}`, string(out))
	decodeBySDK(t, out[1:])
}

func TestAppendResponseIsOneLine(t *testing.T) {
	out := AppendResponse(nil, 7, parseOne(t, "{\"id\":4,\"result\":{\r\n\t\"a\": [1,\n2]\r}}"))
	require.Equal(t, "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{  \t\"a\": [1, 2] }}", string(out))
	decodeBySDK(t, out)
}

func TestAppendResponseRepairsErrors(t *testing.T) {
	tests := map[string]struct{ in, want string }{
		"well-formed":             {`{"code":-32602,"message":"no","data":{"a":1}}`, `{"code":-32602,"message":"no","data":{"a":1}}`},
		"other order and members": {`{ "x":1,"message":"no", "code":5 }`, `{ "x":1,"message":"no", "code":5 }`},
		"code as string":          {`{"code":"-32602","message":"no"}`, `{"code":-32602,"message":"no"}`},
		"code as float":           {`{"code":-32602.0,"message":"no"}`, `{"code":-32602,"message":"no"}`},
		"code with a fraction":    {`{"code":1.5,"message":"no"}`, `{"code":1,"message":"no"}`},
		"code as word":            {`{"code":"E_NO","message":"no"}`, `{"code":-32603,"message":"no"}`},
		"code too large":          {`{"code":1e400,"message":"no"}`, `{"code":-32603,"message":"no"}`},
		"code null":               {`{"code":null,"message":"no"}`, `{"code":-32603,"message":"no"}`},
		"no code":                 {`{"message":"no"}`, `{"code":-32603,"message":"no"}`},
		"no message":              {`{"code":5}`, `{"code":5,"message":"error without a message"}`},
		"message in data":         {`{"code":5,"data":"no"}`, `{"code":5,"message":"no","data":"no"}`},
		"message null":            {`{"code":5,"message":null,"data":{"a":1}}`, `{"code":5,"message":"error without a message","data":{"a":1}}`},
		"message as object":       {`{"code":5,"message":{"en":"no"}}`, `{"code":5,"message":"{\"en\":\"no\"}"}`},
		"duplicate, first bad":    {`{"code":"x","code":5,"message":"no"}`, `{"code":5,"message":"no"}`},
		"bare string":             {`"no"`, `{"code":-32603,"message":"no"}`},
		"number":                  {`404`, `{"code":-32603,"message":"404"}`},
		"array":                   {`["no"]`, `{"code":-32603,"message":"[\"no\"]"}`},
		"true":                    {`true`, `{"code":-32603,"message":"true"}`},
		"empty object":            {`{}`, `{"code":-32603,"message":"error without a message"}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			out := AppendResponse(nil, 7, parseOne(t, `{"jsonrpc":"2.0","id":4,"error":`+tt.in+`}`))
			require.Equal(t, `{"jsonrpc":"2.0","id":7,"error":`+tt.want+`}`, string(out))
			response, ok := decodeBySDK(t, out).(*jsonrpc.Response)
			require.True(t, ok)
			require.Error(t, response.Error)
		})
	}
}

func TestAppendResponseWithoutResult(t *testing.T) {
	out := AppendResponse(nil, 7, parseOne(t, `{"jsonrpc":"2.0","id":4}`))
	require.Equal(t, `{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"the answer has neither a result nor an error"}}`, string(out))
	decodeBySDK(t, out)
}

func TestAppendError(t *testing.T) {
	out := AppendError(nil, 7, -32000, "a \"b\"\n\x00\xff")
	response, ok := decodeBySDK(t, out).(*jsonrpc.Response)
	require.True(t, ok)
	require.EqualError(t, response.Error, "a \"b\"\n\x00\uFFFD")
}

func TestAppendClean(t *testing.T) {
	tests := map[string]struct{ in, want string }{
		"request":          {`{"id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"method":"ping"}`},
		"string id":        {`{"id":"a\n","method":"ping"}`, `{"jsonrpc":"2.0","id":"a\n","method":"ping"}`},
		"float id":         {`{"id":1.5,"method":"ping"}`, `{"jsonrpc":"2.0","id":"1.5","method":"ping"}`},
		"huge id":          {`{"id":1e999,"method":"ping"}`, `{"jsonrpc":"2.0","id":"1e999","method":"ping"}`},
		"id over 53 bits":  {`{"id":9007199254740993,"method":"ping"}`, `{"jsonrpc":"2.0","id":"9007199254740993","method":"ping"}`},
		"notification":     {"{\"method\":\"n\",\n\"params\":{\n\"a\":1}}", `{"jsonrpc":"2.0","method":"n","params":{ "a":1}}`},
		"params as array":  {`{"method":"n","params":[1]}`, `{"jsonrpc":"2.0","method":"n","params":[1]}`},
		"params as string": {`{"method":"n","params":"x"}`, `{"jsonrpc":"2.0","method":"n"}`},
		"params null":      {`{"method":"n","params":null}`, `{"jsonrpc":"2.0","method":"n"}`},
		"method escaped":   {`{"method":"a\u0022\/b"}`, `{"jsonrpc":"2.0","method":"a\"/b"}`},
		"response":         {`{"id":1,"result":{}}`, ``},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			out := AppendClean(nil, parseOne(t, tt.in))
			require.Equal(t, tt.want, string(out))
			if tt.want != "" {
				decodeBySDK(t, out)
			}
		})
	}
}

func TestDecodeError(t *testing.T) {
	code, message, data := DecodeError([]byte(`{"code":"-32602","message":"no \u00e9","data":[1]}`))
	require.EqualValues(t, -32602, code)
	require.Equal(t, "no é", message)
	require.Equal(t, `[1]`, string(data))

	code, message, data = DecodeError(nil)
	require.EqualValues(t, -32603, code)
	require.Equal(t, "error without a message", message)
	require.Nil(t, data)
}
