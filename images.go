package mcpclient

import (
	"context"
	"strings"

	"charm.land/fantasy"
)

// providerKey is the context key of the name of the provider that runs a step.
type providerKey struct{}

// PrepareStep tells tools which provider runs the step, so that images reach
// the model in a form that the provider passes on: some lose them, and then the
// whole conversation fails. Give it to the agent as its PrepareStep function
// (fantasy.WithPrepareStep), or call it from your own and return the context it
// returns. It changes nothing else of the step and never fails.
func PrepareStep(ctx context.Context, options fantasy.PrepareStepFunctionOptions) (context.Context, fantasy.PrepareStepResult, error) {
	if options.Model != nil {
		ctx = context.WithValue(ctx, providerKey{}, options.Model.Provider())
	}
	return ctx, fantasy.PrepareStepResult{}, nil
}

// lossyProviders send nothing at all in place of a tool result with an image,
// which leaves a call without an answer: google and kronk in every version of
// fantasy known, openrouter and vercel before v0.45.4, which can't be told
// from here.
var lossyProviders = []string{"google", "vertex", "kronk", "openrouter", "vercel"}

func imagesAsText(ctx context.Context, mode ImageMode) bool {
	if mode == ImagesAsText {
		return true
	}
	provider, _ := ctx.Value(providerKey{}).(string)
	provider = strings.ToLower(provider)
	for _, lossy := range lossyProviders {
		if strings.Contains(provider, lossy) {
			return true
		}
	}
	return false
}
