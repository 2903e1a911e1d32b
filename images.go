package mcpclient

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"charm.land/fantasy"
)

// providerKey is the context key of the name of the provider that runs a step.
type providerKey struct{}

// PrepareStep tells tools which provider runs the step, so that images reach
// the model in a form that the provider passes on: some lose them, and then the
// whole conversation fails. Images that are already in the conversation, from a
// step of another provider or of several calls at once, it moves behind the
// results of their turn, as a message of the user, where the provider would lose
// them or misplace them. Give it to the agent as its PrepareStep function
// (fantasy.WithPrepareStep), or call it from your own, return the context it
// returns, and use its Messages where they are not nil. It changes nothing else
// of the step, never fails, and may be called concurrently. Without it images go
// to the model as they are.
func PrepareStep(ctx context.Context, options fantasy.PrepareStepFunctionOptions) (context.Context, fantasy.PrepareStepResult, error) {
	if options.Model == nil {
		return ctx, fantasy.PrepareStepResult{}, nil
	}
	provider := strings.ToLower(options.Model.Provider())
	ctx = context.WithValue(ctx, providerKey{}, provider)
	var result fantasy.PrepareStepResult
	if losesImages(provider) || misplacesImages(provider) {
		result.Messages = imagesBehind(options.Messages)
	}
	return ctx, result, nil
}

// lossyProviders send nothing at all in place of a tool result with an image,
// which leaves a call without an answer, in every version of fantasy known.
// lossyBefore are those that did so before fantasyKeepsMedia.
var (
	lossyProviders = []string{"google", "vertex", "kronk"}
	lossyBefore    = []string{"openrouter", "vercel"}
)

// fantasyKeepsMedia is the first version of fantasy whose openrouter and vercel
// providers send media of tool results.
var fantasyKeepsMedia = [3]int{0, 45, 4}

// splitters put an image of a tool result into a message of the user right
// behind that result, which splits the results of several calls at once, before
// fantasyKeepsMedia.
var splitters = []string{"openai", "azure"}

func imagesAsText(ctx context.Context, mode ImageMode) bool {
	return mode == ImagesAsText || losesImages(providerOf(ctx))
}

func providerOf(ctx context.Context) string {
	provider, _ := ctx.Value(providerKey{}).(string)
	return provider
}

func losesImages(provider string) bool {
	return isOneOf(provider, lossyProviders) || isOneOf(provider, lossyBefore) && !fantasyIsNew()
}

func misplacesImages(provider string) bool {
	return isOneOf(provider, splitters) && !fantasyIsNew()
}

func isOneOf(provider string, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return strings.Contains(provider, name) })
}

// anthropicImageBytes is what 5 MiB of base64 hold: the most that Anthropic's
// API takes of an image.
const anthropicImageBytes = 15 << 18

// mediaBytes is the limit of an image for the step's provider.
func mediaBytes(ctx context.Context, limit int64) int64 {
	if isOneOf(providerOf(ctx), []string{"anthropic", "bedrock"}) {
		return min(limit, anthropicImageBytes)
	}
	return limit
}

// fantasyIsNew looks at what the program was built with. A version that can't be
// told counts as an old one.
var fantasyIsNew = sync.OnceValue(func() bool {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return false
	}
	for _, m := range info.Deps {
		if m.Path == "charm.land/fantasy" {
			if m.Replace != nil {
				m = m.Replace
			}
			return atLeast(m.Version, fantasyKeepsMedia)
		}
	}
	return false
})

// atLeast compares a version of the form v1.2.3.
func atLeast(version string, least [3]int) bool {
	var v [3]int
	if _, err := fmt.Sscanf(version, "v%d.%d.%d", &v[0], &v[1], &v[2]); err != nil {
		return false
	}
	return slices.Compare(v[:], least[:]) >= 0
}
