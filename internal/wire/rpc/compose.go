package rpc

// AppendRequest appends a request of the client, on one line: a bridge may hand it on as one. params is a JSON value, of which line
// ends between its tokens become spaces.
func AppendRequest(dst []byte, id int64, method string, params []byte) []byte {
	start := len(dst)
	dst = appendHead(dst, id)
	dst = append(dst, `,"method":`...)
	dst = AppendString(dst, method)
	dst = append(dst, `,"params":`...)
	dst = append(dst, params...)
	oneLine(dst[start:])
	return append(dst, '}')
}

// AppendNotification appends a notification of the client. params is a JSON value.
func AppendNotification(dst []byte, method string, params []byte) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","method":`...)
	dst = AppendString(dst, method)
	dst = append(dst, `,"params":`...)
	dst = append(dst, params...)
	return append(dst, '}')
}

// AppendReply appends the answer to a request of the server, under the id that it came with. result is a JSON value.
func AppendReply(dst []byte, id ID, result string) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = id.append(dst)
	dst = append(dst, `,"result":`...)
	dst = append(dst, result...)
	return append(dst, '}')
}

// AppendRefusal appends an error as the answer to a request of the server.
func AppendRefusal(dst []byte, id ID, code int64, message string) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = id.append(dst)
	dst = append(dst, `,"error":`...)
	dst = appendFaultHead(dst, code, message)
	return append(dst, "}}"...)
}
