package mcptest

import (
	"fmt"
	"strings"
	"time"
)

// bodyFaults are in the bytes of a JSON body and in what is said of them.
var bodyFaults = append(contentTypes(), []Fault{
	{Name: "body: page", Cases: []string{"E19"}, At: Faulty, Do: Answer("text/html", "<!doctype html><title>Sign in</title>"), Call: failed("")},
	{Name: "body: page that says it is JSON", Cases: []string{"E19"}, At: Faulty, Do: Answer(jsonType, "<html><body>502</body></html>"), Call: failed("")},
	{Name: "body: BOM", Cases: []string{"G6"}, At: Faulty, Do: Answer(jsonType, "\ufeff$ANSWER"), Call: fine},
	{Name: "body: white space around it", At: Faulty, Do: Answer(jsonType, " \r\n\t$ANSWER\n\n"), Call: fine},
	{Name: "body: two answers", At: Faulty, Do: Answer(jsonType, "$ANSWER\n$ANSWER"), Call: either},
	{Name: "body: rubbish behind the answer", At: Faulty, Do: Answer(jsonType, "$ANSWER<!-- served in 3 ms -->"), Call: either},
	{Name: "body: cut in the middle", Cases: []string{"E19"}, At: Faulty, Do: CutJSON, Call: failed("")},
	{Name: "body: cut, and said to be whole", Cases: []string{"E19"}, At: Faulty, Do: Answer(jsonType, `{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"te`), Call: failed("")},
	{Name: "body: shorter than promised", At: Faulty, Do: Raw("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n$ANSWER"), Call: either},
	{Name: "body: chunked and cut", At: Faulty, Do: Raw("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"jso\r\n"), Call: failed("")},
	{Name: "body: not a message", At: Faulty, Do: Answer(jsonType, `{"detail":"moved"}`), Call: failed("")},
	{Name: "body: a number", At: Faulty, Do: Answer(jsonType, `42`), Call: failed("")},
	{Name: "body: null", At: Faulty, Do: Answer(jsonType, `null`), Call: failed("")},
	{Name: "body: raw control character", Cases: []string{"J10"}, At: Faulty, Do: Answer(jsonType, "{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"fi\x01ne\"}]}}"), Call: either},
	{Name: "body: raw line end in a text", At: Faulty, Do: Answer(jsonType, "{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"fi\nne\"}]}}"), Call: either},
	{Name: "body: not UTF-8", Cases: []string{"J10"}, At: Faulty, Do: Answer(jsonType, "{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"fine \xff\xfe\"}]}}"), Call: fine},
	{Name: "body: UTF-16", At: Faulty, Do: Answer(jsonType+"; charset=utf-16", "\xff\xfe{\x00}\x00"), Call: failed("")},
	{Name: "body: 2,000 levels", At: Faulty, Do: Answer(jsonType, `{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"fine"}],"structuredContent":{"a":`+strings.Repeat("[", 2000)+strings.Repeat("]", 2000)+`}}}`), Call: either},
	{Name: "body: 1,000,000 levels", At: Faulty, Do: Answer(jsonType, strings.Repeat("[", 1_000_000)), Call: failed("")},
	{Name: "body: 4 MiB", Cases: []string{"J12"}, At: Faulty, Do: bigText(4 << 10), Call: fine},
	{Name: "body: endless", Cases: []string{"G2"}, At: Faulty, Do: Endless(200, jsonType, `{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"`, "a"), Call: limited},
	{Name: "body: endless white space", At: Faulty, Do: Endless(200, jsonType, "", " \n"), Call: failed("")},
	{Name: "body: promises 1 TB", At: Faulty, Do: Raw("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000000000000\r\n\r\n{"), Call: failed("")},
	{Name: "body: drip", At: Faulty, Do: Drip(jsonType, "$ANSWER", time.Second), Call: timedOut, Doc: "the answer has more bytes than a call has seconds"},
	{Name: "body: gzip", Cases: []string{"F7"}, At: Faulty, Do: Encoded("gzip", "$ANSWER"), Call: fine},
	{Name: "body: gzip bomb", Cases: []string{"F7"}, At: Faulty, Do: GzipBomb(1024), Call: limited},
	{Name: "body: says gzip and is not", Cases: []string{"F7"}, At: Faulty, Do: plainAs("gzip"), Call: failed("")},
	{Name: "body: says identity", Cases: []string{"F7"}, At: Faulty, Do: plainAs("identity"), Call: fine},
	{Name: "body: br", Cases: []string{"F7"}, At: Faulty, Do: Encoded("br", "\x0b\x02\x80{}\x03"), Call: failed("br")},
	{Name: "body: zstd", Cases: []string{"F7"}, At: Faulty, Do: Encoded("zstd", "\x28\xb5\x2f\xfd\x04\x00\x11\x00\x00{}"), Call: failed("zstd")},
	{Name: "body: unknown encoding", Cases: []string{"F7"}, At: Faulty, Do: Encoded("aes128gcm", "\x00\x01"), Call: failed("aes128gcm")},
	{Name: "body: gzip cut", Cases: []string{"F7"}, At: Faulty, Do: Do(func(x *Exchange) {
		whole := compress(x.Answer())
		x.W.Header().Set("Content-Type", jsonType)
		x.W.Header().Set("Content-Encoding", "gzip")
		_, _ = x.W.Write(whole[:len(whole)/2])
	}), Call: failed("")},
}...)

// plainAs sends the plain answer under the name of an encoding.
func plainAs(encoding string) Behaviour {
	return Reply(200, jsonType, "$ANSWER", "Content-Encoding: "+encoding)
}

// contentTypes say odd things of a good body.
func contentTypes() []Fault {
	var faults []Fault
	for _, ct := range []string{
		"", "text/plain", "text/plain; charset=utf-8", "application/json; charset=utf-8", "APPLICATION/JSON", "application/json;",
		"application/vnd.api+json", "application/octet-stream", "application/json-rpc", "text/json", "json", ";;;", "application/json, application/json",
	} {
		faults = append(faults, Fault{
			Name: fmt.Sprintf("body: content type %q", ct), Cases: []string{"E18"}, At: Faulty, Do: Answer(ct, "$ANSWER"), Call: fine,
		})
	}
	return append(faults,
		Fault{Name: "body: JSON said to be an event stream", Cases: []string{"E18"}, At: Faulty, Do: Answer("text/event-stream", "$ANSWER"), Call: either},
		Fault{Name: "body: JSON said to be a page", Cases: []string{"E18"}, At: Faulty, Do: Answer("text/html", "$ANSWER"), Call: either},
		Fault{Name: "body: events said to be JSON", Cases: []string{"E18"}, At: Faulty, Do: Answer(jsonType, "event: message\ndata: $ANSWER\n\n"), Call: either},
		Fault{Name: "body: events said to be text", Cases: []string{"E18"}, At: Faulty, Do: Answer("text/plain", "event: message\ndata: $ANSWER\n\n"), Call: fine},
		Fault{Name: "body: events with a charset", Cases: []string{"E18"}, At: Faulty, Do: Answer("Text/Event-Stream;charset=UTF-8", "data: $ANSWER\n\n"), Call: fine},
	)
}
