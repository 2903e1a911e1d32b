package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpclient-go/mcpclient/internal/wire"
	"github.com/mcpclient-go/mcpclient/internal/wire/rpc"
)

// The _meta keys of a call: that of the specification's progress token, and
// that of the model's own identifier.
const (
	metaProgressToken = "progressToken"
	metaCallID        = "io.github.mcpclient-go/toolCallId"
)

// call sends one tools/call and returns its raw result.
// onConn is called when it has a connection.
func (s *session) call(ctx context.Context, k toolCall, stats *callStats, onConn func()) ([]byte, error) {
	token, forget := s.calls.register(k.onProgress)
	defer forget()
	var raw []byte
	var ex *wire.Exchange
	var err error
	if s.direct() {
		ex = s.request(ctx, methodCall, k.params(token), onConn)
		raw, err = outcome(ctx, ex, nil)
	} else {
		raw, ex, err = s.callBySDK(ctx, k, token, onConn)
	}
	stats.in += ex.BytesIn()
	stats.out += ex.BytesOut()
	if err != nil && !ex.Sent() {
		err = fmt.Errorf("%w: %w", errNotSent, err)
	}
	return raw, err
}

// request sends a request past the SDK.
func (s *session) request(ctx context.Context, method string, params []byte, onConn func()) *wire.Exchange {
	q := wire.Request{Method: method, Params: params, Protocol: s.info.protocol}
	if onConn != nil {
		q.OnConn = func(bool) { onConn() }
	}
	return s.wire.Request(ctx, q)
}

func (s *session) callBySDK(ctx context.Context, k toolCall, token string, onConn func()) ([]byte, *wire.Exchange, error) {
	// The SDK writes into params and Meta, so that both are this call's own.
	params := &mcp.CallToolParams{Name: k.tool, Arguments: k.args, Meta: k.metadata(token)}
	sdk, ex := wire.NewExchange(ctx, wire.ExchangeOptions{
		Stub:   func([]byte) []byte { return []byte(`{"content":[]}`) },
		OnConn: func(bool) { onConn() },
	})
	defer ex.Close()
	_, err := s.sdk.CallTool(sdk, params)
	raw, err := outcome(ctx, ex, err)
	return raw, ex, err
}

// outcome is the raw result of a request, or else the most telling of what is
// known of why there is none. err is the SDK's.
func outcome(ctx context.Context, ex *wire.Exchange, err error) ([]byte, error) {
	if raw := ex.Result(); raw != nil {
		return raw, nil
	}
	seen := ex.Err()
	if seen != nil && (ctx.Err() == nil || !onlyEnded(seen)) {
		return nil, seen
	}
	if ctx.Err() != nil {
		return nil, endedAfter(context.Cause(ctx), ex.Said())
	}
	if err != nil {
		return nil, err
	}
	return nil, errors.New("the answer has no result")
}

// onlyEnded says whether an error tells no more than that the request or its
// session was ended. Why that was, the context of who waits knows better.
func onlyEnded(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errSessionOver)
}

// endedAfter adds to the limit that has ended a call what the server had said
// when it took the call, which may be why no answer came.
func endedAfter(cause error, said string) error {
	limit, ok := errors.AsType[*limitError](cause)
	if !ok || said == "" {
		return cause
	}
	return &limitError{fmt.Errorf("the server responded to it with %s, then %w", said, limit.what), limit.limit}
}

// addMeta takes the host's _meta, without the keys that are the package's own.
func (k *toolCall) addMeta(meta map[string]any) (err error) {
	if len(meta) == 0 {
		return nil
	}
	k.meta = maps.Clone(meta)
	delete(k.meta, metaProgressToken)
	delete(k.meta, metaCallID)
	if k.encoded, err = json.Marshal(k.meta); err == nil && !utf8.Valid(k.encoded) {
		err = errors.New("it is not valid UTF-8")
	}
	if err != nil {
		return fmt.Errorf("encode the metadata of the call: %w", err)
	}
	return nil
}

// params are those of the call's tools/call. The model's JSON is in it byte for
// byte.
func (k *toolCall) params(token string) []byte {
	out := make([]byte, 0, len(k.tool)+len(k.args)+len(token)+len(k.id)+len(k.encoded)+128)
	out = rpc.AppendString(append(out, `{"name":`...), k.tool)
	out = append(append(out, `,"arguments":`...), k.args...)
	out = append(out, `,"_meta":{`...)
	if len(k.meta) > 0 {
		out = append(append(out, k.encoded[1:len(k.encoded)-1]...), ',')
	}
	out = rpc.AppendString(append(out, `"`+metaProgressToken+`":`...), token)
	if k.id != "" {
		out = rpc.AppendString(append(out, `,"`+metaCallID+`":`...), k.id)
	}
	return append(out, "}}"...)
}

// metadata is the _meta of the call for the SDK.
func (k *toolCall) metadata(token string) mcp.Meta {
	meta := mcp.Meta{}
	maps.Copy(meta, k.meta)
	meta[metaProgressToken] = token
	if k.id != "" {
		meta[metaCallID] = k.id
	}
	return meta
}
