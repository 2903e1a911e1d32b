package mcpclient_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"charm.land/fantasy"
	"github.com/stretchr/testify/require"

	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/mcptest"
)

var bothTransports = []bool{false, true}

func TestCallWithoutProgressEndsAtItsLimit(t *testing.T) {
	overBoth(t, func(t *testing.T, w *world, legacy bool) {
		w.opts.CallTimeout = 5 * time.Second
		w.serve("good", &mcptest.Server{LegacySSE: legacy})
		r := w.connect()
		start := time.Now()
		response := r.call("good__slow", `{}`)
		require.Equal(t, 5*time.Second, time.Since(start))
		require.True(t, response.IsError)
		require.Contains(t, response.Content, "unknown")
		require.Equal(t, "hi", r.call("good__echo", `{"text":"hi"}`).Content, "the session lives on")
		r.cleanup()
		w.background.Wait()
	})
}

func TestProgressExtendsACallUpToTheMaximum(t *testing.T) {
	working := mcptest.Tool{Name: "work", Run: func(ctx context.Context, c *mcptest.Invocation) any {
		for i := range 100 {
			select {
			case <-ctx.Done():
				return mcptest.Text("ended")
			case <-time.After(3 * time.Second):
			}
			c.Progress(float64(i), 100, "working")
		}
		return mcptest.Text("done")
	}}
	for name, s := range map[string]*mcptest.Server{
		"streamable": {SSE: true, Tools: []mcptest.Tool{working}},
		"sse":        {LegacySSE: true, Tools: []mcptest.Tool{working}},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.opts.CallTimeout, w.opts.MaxCallTimeout = 5*time.Second, 10*time.Minute
				w.serve("good", s)
				r := w.connect()
				start := time.Now()
				require.Equal(t, "done", r.call("good__work", `{}`).Content)
				require.Equal(t, 300*time.Second, time.Since(start))
				r.cleanup()
				w.background.Wait()

				w.opts.MaxCallTimeout = 20 * time.Second
				r = w.connect()
				start = time.Now()
				require.True(t, r.call("good__work", `{}`).IsError)
				require.Equal(t, 20*time.Second, time.Since(start))
				r.cleanup()
				w.background.Wait()
			})
		})
	}
}

func TestEndOfTheCallersContextEndsTheCall(t *testing.T) {
	overBoth(t, func(t *testing.T, w *world, legacy bool) {
		s := &mcptest.Server{LegacySSE: legacy}
		w.serve("good", s)
		r := w.connect()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		require.True(t, r.callContext(ctx, "good__slow", `{}`).IsError)
		require.Equal(t, time.Second, time.Since(start))

		before := s.Executed("echo")
		require.True(t, r.callContext(ctx, "good__echo", `{"text":"x"}`).IsError)
		require.Equal(t, before, s.Executed("echo"), "a context that has ended sends nothing")
		require.Equal(t, "hi", r.call("good__echo", `{"text":"hi"}`).Content)
		r.cleanup()
		w.background.Wait()
	})
}

func TestRefusedArgumentsSendNothing(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		s := &mcptest.Server{}
		w.serve("good", s)
		r := w.connect()
		for _, input := range []string{`[]`, `7`, `{"a":`, `{} trailing`, `"text"`} {
			response := r.call("good__echo", input)
			require.True(t, response.IsError, input)
		}
		require.Zero(t, s.Executed("echo"))
		r.cleanup()
		w.background.Wait()
	})
}

func TestModelIntentIsAskedForAndNeverSent(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		s := &mcptest.Server{}
		w.serve("good", s).ModelIntent = true
		r := w.connect()
		require.Contains(t, r.tool("good__args").Info().Parameters, "model_intent")
		require.Equal(t, `{"a":1}`, r.call("good__args", `{"a":1,"model_intent":"to see"}`).Content)
		r.cleanup()
		w.background.Wait()
	})
}

func TestParallelCallsWaitForAPlaceAndSayWhenTheyGotNone(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.opts.CallTimeout = 2 * time.Second
		w.opts.Limits.ParallelCalls = 2
		s := &mcptest.Server{}
		w.serve("good", s)
		r := w.connect()
		var calls sync.WaitGroup
		for range 2 {
			calls.Go(func() { r.call("good__slow", `{}`) })
		}
		require.NoError(t, s.Running(t.Context(), "slow", 2))
		time.Sleep(time.Millisecond)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		response := r.callContext(ctx, "good__echo", `{"text":"x"}`)
		require.True(t, response.IsError)
		require.Contains(t, response.Content, "not run")
		require.Zero(t, s.Executed("echo"))
		calls.Wait()
		require.Equal(t, "x", r.call("good__echo", `{"text":"x"}`).Content)
		r.cleanup()
		w.background.Wait()
	})
}

func TestCallCarriesTheModelsCallIDAndAProgressToken(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		s := &mcptest.Server{}
		w.serve("good", s)
		r := w.connect()
		r.call("good__echo", `{"text":"a"}`)
		r.call("good__echo", `{"text":"b"}`)
		tokens := map[string]bool{}
		for _, request := range s.Recorder.Requests() {
			if request.RPC != "tools/call" {
				continue
			}
			var call struct {
				Params struct {
					Meta map[string]any `json:"_meta"`
				}
			}
			require.NoError(t, json.Unmarshal(request.Body, &call))
			require.Equal(t, "call-1", call.Params.Meta["io.github.mcpclient-go/toolCallId"])
			tokens[call.Params.Meta["progressToken"].(string)] = true
		}
		require.Len(t, tokens, 2)
		r.cleanup()
		w.background.Wait()
	})
}

func TestImagesBecomeTextWhereTheProviderLosesThem(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("good", &mcptest.Server{})
		r := w.connect()
		run := func(provider string) fantasy.ToolResponse {
			ctx, _, err := mcpclient.PrepareStep(t.Context(), fantasy.PrepareStepFunctionOptions{Model: model{provider: provider}})
			require.NoError(t, err)
			return r.callContext(ctx, "good__image", `{}`)
		}
		require.NotEmpty(t, run("anthropic").Data)
		require.NotEmpty(t, run("something new").Data, "an unknown provider counts as one that takes images")
		google := run("google")
		require.Empty(t, google.Data)
		require.Contains(t, google.Content, "image/png")
		r.cleanup()
		w.background.Wait()

		w.opts.Images = mcpclient.ImagesAsText
		r = w.connect()
		require.Empty(t, run("anthropic").Data)
		r.cleanup()
		w.background.Wait()
	})
}

// model is a language model of which only the provider is asked.
type model struct {
	fantasy.LanguageModel
	provider string
}

func (m model) Provider() string { return m.provider }

func TestAgentsShareToolsWithoutARace(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("good", &mcptest.Server{})
		r := w.connect()
		var agents sync.WaitGroup
		for range 32 {
			agents.Go(func() {
				for _, tool := range r.tools {
					info := tool.Info()
					_, err := json.Marshal(info)
					require.NoError(t, err)
					tool.SetProviderOptions(tool.ProviderOptions())
				}
				require.Equal(t, "hi", r.call("good__echo", `{"text":"hi"}`).Content)
			})
		}
		agents.Wait()
		r.cleanup()
		w.background.Wait()
	})
}

func TestFailuresTellTheModelWhatHappened(t *testing.T) {
	for name, tt := range map[string]struct {
		fault mcptest.Behaviour
		want  string
	}{
		"html":        {mcptest.Answer("text/html", "<html><body>Bad gateway</body></html>"), "unknown"},
		"forbidden":   {mcptest.Status(403, "no"), "authorization"},
		"server says": {mcptest.Message(`{"jsonrpc":"2.0","id":$ID,"error":{"code":-32000,"message":"out of paper"}}`), "out of paper"},
		"reset":       {mcptest.Reset, "unknown"},
		"gone":        {mcptest.Status(404, "no such session"), "not run"},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.serve("good", &mcptest.Server{
					Tools:  append(mcptest.DefaultTools(), mcptest.Tool{Name: mcptest.FaultyTool}),
					Wedges: map[mcptest.Phase]mcptest.Behaviour{mcptest.Faulty: tt.fault},
				})
				r := w.connect()
				response := r.call("good__faulty", `{}`)
				require.True(t, response.IsError)
				require.Contains(t, strings.ToLower(response.Content), tt.want)
				require.Equal(t, "hi", r.call("good__echo", `{"text":"hi"}`).Content, "the session lives on")
				r.cleanup()
				w.background.Wait()
			})
		})
	}
}
