package mcpclient_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"charm.land/fantasy"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

// notices are what can become of the notice that a call was given up.
var notices = []struct {
	name string
	do   map[mcptest.Phase]mcptest.Behaviour
	lost bool // it does not get to the server
}{
	{name: "taken"},
	{name: "refused with 400", do: map[mcptest.Phase]mcptest.Behaviour{mcptest.Cancelled: mcptest.Status(400, "no")}},
	{name: "refused with 404", do: map[mcptest.Phase]mcptest.Behaviour{mcptest.Cancelled: mcptest.Status(404, "no")}},
	{name: "refused with 500", do: map[mcptest.Phase]mcptest.Behaviour{mcptest.Cancelled: mcptest.Status(500, "no")}},
	{name: "never answered", do: map[mcptest.Phase]mcptest.Behaviour{mcptest.Cancelled: mcptest.Hang}},
	{name: "reset", do: map[mcptest.Phase]mcptest.Behaviour{mcptest.Cancelled: mcptest.Reset}},
	{name: "not sent", lost: true},
}

func TestCallThatIsGivenUpIsCancelledAtTheServer(t *testing.T) {
	for _, notice := range notices {
		for _, over := range []mcptest.Over{overJSON, overSSE, overLegacy} {
			for _, expires := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s/%v/expires=%v", notice.name, over, expires), func(t *testing.T) {
					inWorld(t, func(t *testing.T, w *world) {
						w.opts.CallTimeout = 5 * time.Second
						s := &scene{world: w, detour: &detour{net: w.net}}
						s.server = &mcptest.Server{SSE: over == overSSE, LegacySSE: over == overLegacy, Wedges: notice.do}
						w.opts.HTTPClient = s.detour.client()
						w.serve("good", s.server)
						r := w.connect()
						giveUpBesideAnother(t, s, r, notice.lost, expires)
						requireCancelled(t, s.server, notice.lost)
						require.Equal(t, "hi", r.call("good__echo", `{"text":"hi"}`).Content)
						opened, _ := s.server.Recorder.Sessions()
						require.Equal(t, 1, opened)
						r.cleanup()
						w.background.Wait()
						w.opts.HTTPClient.CloseIdleConnections()
					})
				})
			}
		}
	}
}

// giveUpBesideAnother lets a call run out of time while another one runs, which
// must get its result.
func giveUpBesideAnother(t *testing.T, s *scene, r *result, lost, expires bool) {
	t.Helper()
	ctx, limit := t.Context(), 5*time.Second
	if !expires {
		limit = 4 * time.Second
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	beside := make(chan fantasy.ToolResponse, 1)
	s.background.Go(func() {
		time.Sleep(3 * time.Second)
		beside <- r.call("good__slow", `{"ms":4000}`)
	})
	if lost {
		s.background.Go(func() {
			time.Sleep(3500 * time.Millisecond)
			nextTo(nobody, 1)(s)
		})
	}
	start := time.Now()
	response := r.callContext(ctx, "good__slow", `{}`)
	require.Equal(t, limit, time.Since(start))
	require.True(t, response.IsError)
	require.Contains(t, response.Content, "unknown")
	require.Equal(t, "slept", (<-beside).Content)
}

// requireCancelled says that the server was told of the call that was given up,
// once and by its own id.
func requireCancelled(t *testing.T, s *mcptest.Server, lost bool) {
	t.Helper()
	var victim string
	var cancelled []string
	for _, request := range s.Recorder.Requests() {
		switch request.RPC {
		case "tools/call":
			if victim == "" {
				victim = string(request.ID)
			}
		case "notifications/cancelled":
			var notice struct {
				Params struct {
					RequestID json.RawMessage `json:"requestId"`
				}
			}
			require.NoError(t, json.Unmarshal(request.Body, &notice))
			cancelled = append(cancelled, string(notice.Params.RequestID))
		}
	}
	if lost {
		require.Empty(t, cancelled)
		return
	}
	require.Equal(t, []string{victim}, cancelled)
}
