package rpc

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseOneMessage(t *testing.T) {
	call := `{"content":[{"type":"text","text":"21 °C"}],"isError":false}`
	tests := map[string]struct {
		in   string
		want Message
	}{
		"response": {`{"jsonrpc":"2.0","id":4,"result":` + call + `}`,
			Message{Kind: Response, ID: IntID(4), Result: []byte(call), Tagged: true}},
		"response, id last": {`{"result":` + call + `,"jsonrpc":"2.0","id":4}`,
			Message{Kind: Response, ID: IntID(4), Result: []byte(call), Tagged: true}},
		"error": {`{"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"no"}}`,
			Message{Kind: Response, ID: IntID(4), Error: []byte(`{"code":-32602,"message":"no"}`), Tagged: true}},
		"error without an id": {`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}`,
			Message{Kind: Response, ID: ID{kind: idNull}, Error: []byte(`{"code":-32700,"message":"no"}`), Tagged: true}},
		"request": {`{"jsonrpc":"2.0","id":"srv-1","method":"ping"}`,
			Message{Kind: Request, ID: ID{kind: idString, text: "srv-1"}, Method: "ping", Tagged: true}},
		"notification": {`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}`,
			Message{Kind: Notification, Method: "notifications/progress", Params: []byte(`{"progress":1}`), Tagged: true}},
		"request with id null is a notification": {`{"jsonrpc":"2.0","id":null,"method":"x"}`,
			Message{Kind: Notification, ID: ID{kind: idNull}, Method: "x", Tagged: true}},
		"byte order mark": {"\uFEFF" + `{"jsonrpc":"2.0","id":4,"result":{}}`,
			Message{Kind: Response, ID: IntID(4), Result: []byte(`{}`), Tagged: true}},
		"white space around": {"\r\n\t \uFEFF\n" + `{"jsonrpc":"2.0","id":4,"result":{}}` + "\n\n",
			Message{Kind: Response, ID: IntID(4), Result: []byte(`{}`), Tagged: true}},
		"no jsonrpc": {`{"id":4,"result":{}}`,
			Message{Kind: Response, ID: IntID(4), Result: []byte(`{}`)}},
		"number as jsonrpc": {`{"jsonrpc":2.0,"id":4,"result":{}}`,
			Message{Kind: Response, ID: IntID(4), Result: []byte(`{}`), Tagged: true}},
		"batch of one": {`[{"jsonrpc":"2.0","id":4,"result":{}}]`,
			Message{Kind: Response, ID: IntID(4), Result: []byte(`{}`), Tagged: true}},
		"batch with junk": {`[null,17,[{"id":1}],{"a":1},{"jsonrpc":"2.0","id":4,"result":{}},"x"]`,
			Message{Kind: Response, ID: IntID(4), Result: []byte(`{}`), Tagged: true}},
		"foreign members": {`{"took":3,"jsonrpc":"2.0","id":4,"result":{},"trace":{"id":9,"result":1}}`,
			Message{Kind: Response, ID: IntID(4), Result: []byte(`{}`), Tagged: true}},
		"duplicate members, the last counts": {`{"jsonrpc":"2.0","id":1,"id":4,"result":{"a":1},"result":{"b":2}}`,
			Message{Kind: Response, ID: IntID(4), Result: []byte(`{"b":2}`), Tagged: true}},
		"names in another case are others": {`{"jsonrpc":"2.0","id":4,"ID":5,"result":{},"Result":1,"Error":{}}`,
			Message{Kind: Response, ID: IntID(4), Result: []byte(`{}`), Tagged: true}},
		"escaped name": {`{"jsonrpc":"2.0","id":4,"re\u0073ult":{}}`,
			Message{Kind: Response, ID: IntID(4), Result: []byte(`{}`), Tagged: true}},
		"null error beside a result": {`{"jsonrpc":"2.0","id":4,"result":{},"error":null}`,
			Message{Kind: Response, ID: IntID(4), Result: []byte(`{}`), Tagged: true}},
		"zero error beside a result": {`{"jsonrpc":"2.0","id":4,"result":{},"error":{"code":0,"message":"","data":null}}`,
			Message{Kind: Response, ID: IntID(4), Result: []byte(`{}`), Tagged: true}},
		"false error beside a result": {`{"jsonrpc":"2.0","id":4,"result":{},"error":false}`,
			Message{Kind: Response, ID: IntID(4), Result: []byte(`{}`), Tagged: true}},
		"error beside a result": {`{"jsonrpc":"2.0","id":4,"result":{},"error":{"code":0,"message":"no"}}`,
			Message{Kind: Response, ID: IntID(4), Error: []byte(`{"code":0,"message":"no"}`), Tagged: true}},
		"text error beside a null result": {`{"jsonrpc":"2.0","id":4,"result":null,"error":"no"}`,
			Message{Kind: Response, ID: IntID(4), Error: []byte(`"no"`), Tagged: true}},
		"all members of a response": {`{"jsonrpc":"2.0","id":4,"method":null,"params":null,"result":{},"error":null}`,
			Message{Kind: Response, ID: IntID(4), Result: []byte(`{}`), Tagged: true}},
		"all members of a request": {`{"jsonrpc":"2.0","id":4,"method":"ping","params":null,"result":null,"error":null}`,
			Message{Kind: Request, ID: IntID(4), Method: "ping", Params: []byte(`null`), Tagged: true}},
		"method echoed in a response": {`{"jsonrpc":"2.0","id":4,"method":"tools/call","result":{}}`,
			Message{Kind: Response, ID: IntID(4), Result: []byte(`{}`), Tagged: true}},
		"null result": {`{"jsonrpc":"2.0","id":4,"result":null}`,
			Message{Kind: Response, ID: IntID(4), Result: []byte(`null`), Tagged: true}},
		"neither result nor error": {`{"jsonrpc":"2.0","id":4}`,
			Message{Kind: Response, ID: IntID(4), Tagged: true}},
		"brace too much": {`{"jsonrpc":"2.0","id":4,"result":{}}}`,
			Message{Kind: Response, ID: IntID(4), Result: []byte(`{}`), Tagged: true}},
		"text behind": {`{"jsonrpc":"2.0","id":4,"result":{}}` + "\n<!-- 3 ms -->\x00",
			Message{Kind: Response, ID: IntID(4), Result: []byte(`{}`), Tagged: true}},
		"cut message behind": {`{"jsonrpc":"2.0","id":4,"result":{}}` + "\n" + `{"jsonrpc":"2.0","method":"x` + "\x01",
			Message{Kind: Response, ID: IntID(4), Result: []byte(`{}`), Tagged: true}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := Parse([]byte(tt.in))
			require.NoError(t, err)
			require.Equal(t, []Message{tt.want}, got)
		})
	}
}

func TestParseSeveralMessages(t *testing.T) {
	note := `{"jsonrpc":"2.0","method":"notifications/message","params":{}}`
	answer := `{"jsonrpc":"2.0","id":4,"result":{}}`
	for name, in := range map[string]string{
		"batch":          `[` + note + `,` + answer + `]`,
		"lines":          note + "\n" + answer + "\n",
		"without a gap":  note + answer,
		"line and batch": note + "\n[" + answer + "]",
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Parse([]byte(in))
			require.NoError(t, err)
			require.Len(t, got, 2)
			require.Equal(t, "notifications/message", got[0].Method)
			require.Equal(t, IntID(4), got[1].ID)
		})
	}
}

func TestParseRefuses(t *testing.T) {
	tests := map[string]struct {
		in   string
		want error
	}{
		"nothing":                 {"", ErrEmpty},
		"white space":             {" \r\n", ErrEmpty},
		"byte order mark only":    {"\uFEFF", ErrEmpty},
		"page":                    {"\n<!DOCTYPE html><html><body>Sign in</body></html>", ErrHTML},
		"XML":                     {`<?xml version="1.0"?><soap:Envelope/>`, ErrXML},
		"XHTML":                   {`<?xml version="1.0"?><html xmlns="x"/>`, ErrHTML},
		"events":                  {"event: message\ndata: {}\n\n", ErrEvents},
		"events, comment":         {": ping\r\n\r\n", ErrEvents},
		"text":                    {"upstream connect error or disconnect", ErrText},
		"text of another tongue":  {strings.Repeat("サーバーエラー", 100), ErrText},
		"gzip":                    {"\x1f\x8b\x08\x00", ErrBinary},
		"zstd":                    {"\x28\xb5\x2f\xfd", ErrBinary},
		"UTF-16":                  {"\xff\xfe{\x00}\x00", ErrBinary},
		"null":                    {"null", ErrNotRPC},
		"true":                    {"true\n", ErrNotRPC},
		"number":                  {"404", ErrNotRPC},
		"string":                  {`"OK"`, ErrNotRPC},
		"cut string":              {`"O`, ErrCut},
		"quote at the start":      {`"a" is no tool`, ErrText},
		"status text":             {"404 page not found\n", ErrText},
		"binary in a string":      {`{"id":4,"result":"` + strings.Repeat("\x01", 64<<10) + `"}`, ErrBinary},
		"numbers":                 {`{"id":4,"result":1.}`, ErrSyntax},
		"exponent":                {`{"id":4,"result":1e+}`, ErrSyntax},
		"no name":                 {`{"id":4,"result":{1:2}}`, ErrSyntax},
		"no name after a comma":   {`{"id":4,"result":{"a":1,2}}`, ErrSyntax},
		"batch with a broken end": {`[{"id":4,"result":1}}`, ErrSyntax},
		"empty object":            {`{}`, ErrNotRPC},
		"other object":            {`{"id":"7","status":"ok"}`, ErrNotRPC},
		"empty batch":             {`[]`, ErrNotRPC},
		"batch of nothing":        {`[null,{},[]]`, ErrNotRPC},
		"empty method":            {`{"jsonrpc":"2.0","method":""}`, ErrNotRPC},
		"number as method":        {`{"jsonrpc":"2.0","method":5}`, ErrNotRPC},
		"cut in a string":         {`{"jsonrpc":"2.0","id":4,"result":{"content":"abc`, ErrCut},
		"cut in an escape":        {`{"jsonrpc":"2.0","id":4,"result":"abc\ud83d\u`, ErrCut},
		"cut in a literal":        {`{"jsonrpc":"2.0","id":4,"result":tru`, ErrCut},
		"cut in a number":         {`{"jsonrpc":"2.0","id":4,"result":-`, ErrCut},
		"cut after a colon":       {`{"jsonrpc":"2.0","id":`, ErrCut},
		"cut before the end":      {`{"jsonrpc":"2.0","id":4,"result":{}`, ErrCut},
		"cut batch":               {`[{"jsonrpc":"2.0","id":4,"result":{}},`, ErrCut},
		"single quotes":           {`{'jsonrpc':'2.0'}`, ErrSyntax},
		"comma too much":          {`{"jsonrpc":"2.0","id":4,}`, ErrSyntax},
		"brackets mixed":          {`{"jsonrpc":"2.0","id":4,"result":[}]}`, ErrSyntax},
		"leading zero":            {`{"jsonrpc":"2.0","id":04,"result":{}}`, ErrSyntax},
		"NUL between tokens":      {"{\"jsonrpc\":\x00\"2.0\"}", ErrSyntax},
		"no colon":                {`{"jsonrpc" "2.0"}`, ErrSyntax},
		"brackets, 64 KiB":        {strings.Repeat("[", 64<<10), ErrDepth},
		"brackets, 1 MiB":         {`{"id":4,"result":` + strings.Repeat("[", 1<<20), ErrDepth},
		"braces, 1 MiB":           {`{"id":4,"result":` + strings.Repeat(`{"a":`, 1<<18), ErrDepth},
		"deeper than allowed":     {nested(MaxDepth), ErrDepth},
		"flood in a batch":        {`[` + strings.Repeat(`{"method":"x"},`, maxMessages) + `{"method":"x"}]`, ErrBatch},
		"flood in a row":          {strings.Repeat(`{"method":"x"}`, maxMessages+1), ErrBatch},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := Parse([]byte(tt.in))
			require.ErrorIs(t, err, tt.want)
			require.Empty(t, got)
		})
	}
}

// nested is a response whose result has as many levels.
func nested(levels int) string {
	return `{"jsonrpc":"2.0","id":4,"result":` + strings.Repeat("[", levels) + strings.Repeat("]", levels) + `}`
}

func TestParseRepairs(t *testing.T) {
	tests := map[string]struct{ in, want string }{
		"raw line end in a string":    {"\"a\r\nb\"", `"a\r\nb"`},
		"raw control bytes":           {"\"\x00\x1b[1m\x1f\"", `"\u0000\u001b[1m\u001f"`},
		"DEL is no control byte":      {"\"\x7f\"", "\"\x7f\""},
		"tab":                         {"\"a\tb\"", `"a\tb"`},
		"some control bytes":          {`"` + strings.Repeat("\x02", 8<<10) + `"`, `"` + strings.Repeat(`\u0002`, 8<<10) + `"`},
		"text of another encoding":    {`"` + strings.Repeat("\xcf\xf0\xe8 ", 64<<10) + `"`, `"` + strings.Repeat("\uFFFD ", 64<<10) + `"`},
		"Latin-1":                     {"\"caf\xe9\"", `"caf` + "\uFFFD" + `"`},
		"cut character":               {"\"\xe2\x82\"", `"` + "\uFFFD" + `"`},
		"surrogate as UTF-8":          {"\"\xed\xa0\x80\"", `"` + "\uFFFD" + `"`},
		"lone high surrogate":         {`"a\ud83d b"`, `"a\ufffd b"`},
		"lone low surrogate":          {`"\udE00"`, `"\ufffd"`},
		"two high surrogates":         {`"\ud83d\ud83d\ude00"`, `"\ufffd\ud83d\ude00"`},
		"pair stays":                  {"\"\\ud83d\\ude00\x01\"", `"\ud83d\ude00\u0001"`},
		"path with backslashes":       {`"C:\dir\u12"`, `"C:\\dir\\u12"`},
		"shell quote":                 {`"it\'s"`, `"it\\'s"`},
		"backslash before a line end": {"\"a\\\nb\"", `"a\\\nb"`},
		"backslash before a rune":     {`"\é"`, `"\\é"`},
		"NaN":                         {`[NaN,-Infinity,Infinity,"NaN"]`, `[null,null,null,"NaN"]`},
		"broken name":                 {"{\"\x01\":1}", `{"\u0001":1}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := Parse([]byte(`{"jsonrpc":"2.0","id":4,"result":` + tt.in + `}`))
			require.NoError(t, err)
			require.Len(t, got, 1)
			require.Equal(t, tt.want, string(got[0].Result))
			require.Equal(t, IntID(4), got[0].ID)
		})
	}
}

// Valid bytes are handed on as they are, in place.
func TestParseAliasesValidInput(t *testing.T) {
	result := `{ "n" : 12345678901234567890, "f":1.0, "e":"\u00e9\ud83d\ude00é\/", "a":[ ] }`
	in := []byte(`{"jsonrpc":"2.0","id":4,"result":` + result + `}`)
	got, err := Parse(in)
	require.NoError(t, err)
	require.Equal(t, result, string(got[0].Result))
	in[len(in)-3] = '{'
	require.Equal(t, byte('{'), got[0].Result[len(result)-2], "not a copy")
}

func TestParseAcceptsUpToMaxDepth(t *testing.T) {
	got, err := Parse([]byte(nested(MaxDepth - 1)))
	require.NoError(t, err)
	decodeBySDK(t, AppendResponse(nil, 4, got[0]))
}
