package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpclient-go/mcpclient/internal/toollist"
	"github.com/mcpclient-go/mcpclient/internal/wire"
	"github.com/mcpclient-go/mcpclient/internal/wire/rpc"
)

// listing is all that a server lists, within the limits.
type listing struct {
	tools     []toollist.Tool
	dropped   []toollist.Dropped // the first ones
	drops     int                // all of them
	truncated bool
	ttl       *time.Duration // for how long the server says that it is good; nil: it does not say

	seen  map[string]int // index in tools by name
	kept  int            // tools that the config's lists keep
	bytes int64
}

// list reads all pages of the server's tools. A server without tools has an
// empty list. run starts goroutines that the session's end awaits.
func (s *session) list(ctx context.Context, run func(func())) (*listing, error) {
	out := &listing{seen: map[string]int{}}
	defer func() { out.seen = nil }() // a list may be kept for long
	if !s.info.listsTools {
		return out, nil
	}
	limits := s.server.opts.Limits
	cursors := map[string]bool{}
	page, err := s.firstPage(ctx, run)
	for pages := 1; ; pages++ {
		if err != nil {
			return nil, err
		}
		news := out.add(page, limits, s.server.config.keeps)
		if page.NextCursor == "" || out.truncated {
			return out, nil
		}
		if cursors[page.NextCursor] && !news {
			return out, nil // the server goes round in circles
		}
		if pages >= limits.Pages || len(page.NextCursor) > maxCursor {
			out.truncated = true
			return out, nil
		}
		cursors[page.NextCursor] = true
		page, err = s.page(ctx, page.NextCursor, nil)
	}
}

// maxCursor bounds, in bytes, what a server has sent back to it for each page.
const maxCursor = 64 << 10

// firstPage asks for the first page while notifications/initialized is on its
// way. The order in which both get a connection is the fastest one: with
// further idle connections around the notification goes first, since some
// servers refuse a list before it; on the only one the list goes first, for
// the notification would make it wait for a dial. A server that refuses the
// list gets it once more when the notification has been answered.
func (s *session) firstPage(ctx context.Context, run func(func())) (toollist.Page, error) {
	start := func() { s.ready.start(run) }
	if s.warm.Load() {
		select {
		case <-s.ready.start(run):
		case <-ctx.Done():
		}
	}
	page, err := s.page(ctx, "", start)
	start()
	if err == nil {
		return page, nil
	}
	if isMethodNotFound(err) {
		return toollist.Page{}, nil
	}
	if !s.ready.begun.Load() || !refused(err) {
		return page, err
	}
	s.ready.waitWithin(ctx)
	if ctx.Err() != nil {
		return page, context.Cause(ctx)
	}
	return s.page(ctx, "", nil)
}

// refused says whether the server answered, and with an error that may mean that
// it was not ready for the list: servers have many statuses for that. One that
// asks for other credentials is none of them.
func refused(err error) bool {
	if h, ok := errors.AsType[*wire.HTTPError](err); ok {
		clients := h.Status >= 400 && h.Status < 500 && !needsAuth(h.Status)
		return clients || h.Status == http.StatusServiceUnavailable || h.RPC != nil
	}
	_, ok := errors.AsType[*jsonrpc.Error](err)
	return ok
}

func isMethodNotFound(err error) bool {
	var rpc *jsonrpc.Error
	return errors.As(err, &rpc) && rpc.Code == jsonrpc.CodeMethodNotFound
}

// page asks for one page. onConn is called when the request has a connection.
func (s *session) page(ctx context.Context, cursor string, onConn func()) (toollist.Page, error) {
	if !s.direct() {
		return s.pageBySDK(ctx, cursor, onConn)
	}
	params := []byte("{}")
	if cursor != "" {
		params = append(rpc.AppendString([]byte(`{"cursor":`), cursor), '}')
	}
	raw, err := outcome(ctx, s.request(ctx, methodList, params, onConn), nil)
	if err != nil {
		return toollist.Page{}, err
	}
	return toollist.Decode(raw, s.pageLimits(ctx))
}

// pageLimits are those of one page: more than a whole list may have is not kept
// of it.
func (s *session) pageLimits(ctx context.Context) toollist.Limits {
	limits := s.server.opts.Limits
	return toollist.Limits{ToolBytes: limits.ToolBytes, Bytes: limits.ListBytes, Stop: func() bool { return ctx.Err() != nil }}
}

// pageBySDK shows the SDK the least that it needs: its own decoding fails a
// whole list on one bad field. What it needs are, from protocol 2026-07-28 on,
// the tools whose arguments it mirrors in headers; those that it refuses are
// dropped.
func (s *session) pageBySDK(ctx context.Context, cursor string, onConn func()) (toollist.Page, error) {
	var page toollist.Page
	var decodeErr error
	o := wire.ExchangeOptions{Stub: func(raw []byte) []byte {
		page, decodeErr = toollist.Decode(raw, s.pageLimits(ctx))
		if !s.stateless() {
			return []byte(`{"tools":[]}`)
		}
		return headerTools(page.Tools)
	}}
	if onConn != nil {
		o.OnConn = func(bool) { onConn() }
	}
	var shown *mcp.ListToolsResult
	err := exchange(ctx, o, func(ctx context.Context) (err error) {
		shown, err = s.sdk.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
		return err
	})
	if err != nil {
		return toollist.Page{}, err
	}
	if decodeErr != nil {
		return toollist.Page{}, decodeErr
	}
	if s.stateless() {
		dropRefused(&page, shown.Tools)
	}
	return page, nil
}

// headerTools is a list of the tools that have header parameters, and of no
// more of them than the SDK looks at.
func headerTools(tools []toollist.Tool) []byte {
	type tool struct {
		Name        string          `json:"name"`
		InputSchema json.RawMessage `json:"inputSchema"`
	}
	list := struct {
		Tools []tool `json:"tools"`
	}{[]tool{}}
	for _, t := range tools {
		if t.HeaderParams() {
			list.Tools = append(list.Tools, tool{t.Name, t.InputSchema})
		}
	}
	raw, err := json.Marshal(list)
	if err != nil {
		return []byte(`{"tools":[]}`)
	}
	return raw
}

// dropRefused moves to Dropped the tools with header parameters that the SDK
// did not accept: a call of them would lack headers that the server wants.
func dropRefused(page *toollist.Page, accepted []*mcp.Tool) {
	ok := make(map[string]bool, len(accepted))
	for _, t := range accepted {
		ok[t.Name] = true
	}
	page.Tools = slices.DeleteFunc(page.Tools, func(t toollist.Tool) bool {
		if !t.HeaderParams() || ok[t.Name] {
			return false
		}
		page.Drop(t.Name, "an x-mcp-header mark is invalid")
		return true
	})
}

// add takes a page's tools, as far as the limits allow, and says whether any of
// them was new. A tool that is listed twice is one tool; a second definition
// under the same name does not win. Tools that the config's lists hide count for
// the bytes, and not for the number.
func (l *listing) add(page toollist.Page, limits Limits, keeps func(name string) bool) (news bool) {
	l.hear(page.TTLMs)
	for _, d := range page.Dropped {
		l.drop(d)
	}
	l.drops += page.DroppedCount - len(page.Dropped)
	for _, t := range page.Tools {
		if i, again := l.seen[t.Name]; again {
			if !l.tools[i].Same(&t) {
				l.drop(toollist.Dropped{Name: t.Name, Reason: "another tool has the same name"})
			}
			continue
		}
		news = true
		kept := keeps(t.Name)
		if kept && l.kept >= limits.Tools || l.bytes+t.Size() > limits.ListBytes {
			l.truncated = true
			return news
		}
		if kept {
			l.kept++
		}
		l.bytes += t.Size()
		l.seen[t.Name] = len(l.tools)
		l.tools = append(l.tools, t)
	}
	l.truncated = l.truncated || page.Truncated
	return news
}

func (l *listing) drop(d toollist.Dropped) {
	l.drops++
	if len(l.dropped) < toollist.MaxDropped {
		l.dropped = append(l.dropped, d)
	}
}

// hear takes what a page says about how long the list is good. Zero is what
// servers say that have nothing to say: go-sdk's send it with every list.
func (l *listing) hear(ms *int64) {
	if ms == nil || *ms <= 0 {
		return
	}
	ttl := time.Duration(min(*ms, math.MaxInt64/int64(time.Millisecond))) * time.Millisecond
	if l.ttl == nil || ttl < *l.ttl {
		l.ttl = &ttl
	}
}

// same says whether two lists have the same definitions in the same order.
func (l *listing) same(other *listing) bool {
	return l.truncated == other.truncated && l.drops == other.drops &&
		slices.EqualFunc(l.tools, other.tools, func(a, b toollist.Tool) bool { return a.Same(&b) })
}

// headerTools says whether some tools have parameters that are mirrored in
// headers.
func (l *listing) headerTools() bool {
	return slices.ContainsFunc(l.tools, func(t toollist.Tool) bool { return t.HeaderParams() })
}
