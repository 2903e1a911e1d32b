package mcpclient_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

// A call that ends before it is sent has the same words and outcome over both
// transports.
func TestCallThatEndsBeforeItIsSentSaysWhy(t *testing.T) {
	for how, want := range map[string]struct {
		outcome mcpclient.ToolCallOutcome
		text    string
	}{
		"limit":   {mcpclient.ToolCallTimeout, "The call was given up: no answer and no progress for 2s. It was not sent, so the tool was not run."},
		"cleanup": {mcpclient.ToolCallCanceled, "The call was ended, as the step that it belongs to is over. It was not sent, so the tool was not run."},
		"caller":  {mcpclient.ToolCallCanceled, "The call was canceled. It was not sent, so the tool was not run."},
	} {
		t.Run(how, func(t *testing.T) {
			overBoth(t, func(t *testing.T, w *world, legacy bool) {
				w.opts.CallTimeout = 2 * time.Second
				var seen mcpclient.ToolCallSummary
				w.opts.OnToolCall = func(_ context.Context, s mcpclient.ToolCallSummary) { seen = s }
				var stuck atomic.Bool
				w.opts.OIDCTokens = tokenSource(func(ctx context.Context, _ uuid.UUID) (string, error) {
					if stuck.Load() {
						<-ctx.Done()
						return "", ctx.Err()
					}
					return "token", nil
				})
				w.serve("s", &mcptest.Server{LegacySSE: legacy}).Auth = mcpclient.UserOIDC{}
				r := w.connect()
				stuck.Store(true)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				switch how {
				case "cleanup":
					w.background.Go(func() {
						time.Sleep(time.Second)
						r.cleanup()
					})
				case "caller":
					time.AfterFunc(time.Second, cancel)
				}
				require.Equal(t, want.text, r.callContext(ctx, "s__echo", `{"text":"hi"}`).Content)
				require.Equal(t, want.outcome, seen.Outcome)
			})
		})
	}
}
