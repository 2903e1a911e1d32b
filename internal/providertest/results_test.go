package providertest_test

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"charm.land/fantasy"
	"github.com/mcpclient-go/mcpclient"
	"github.com/mcpclient-go/mcpclient/internal/mcptest"
	"github.com/mcpclient-go/mcpclient/internal/providertest/fake"
)

// pngHeader is that of an image of one pixel.
const pngHeader = "\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\x00\x01\x00\x00\x00\x01"

// The bytes are as much of an image as anyone looks at.
var (
	png  = base64.StdEncoding.EncodeToString([]byte(pngHeader + "rest of it"))
	jpeg = base64.StdEncoding.EncodeToString([]byte("\xff\xd8\xff\xc0\x00\x07\x08\x00\x01\x00\x01rest of it"))
	wav  = base64.StdEncoding.EncodeToString([]byte("RIFF\x00\x00\x00\x00WAVEfmt "))
	pdf  = base64.StdEncoding.EncodeToString([]byte("%PDF-1.7\n"))
	svg  = base64.StdEncoding.EncodeToString([]byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`))
)

func block(typ, mime, data string) string {
	return `{"type":"` + typ + `","mimeType":"` + mime + `","data":"` + data + `"}`
}

func text(s string) string { return `{"type":"text","text":"` + s + `"}` }

func content(blocks ...string) string { return `{"content":[` + strings.Join(blocks, ",") + `]}` }

func failed(blocks ...string) string {
	return `{"isError":true,"content":[` + strings.Join(blocks, ",") + `]}`
}

// results are what a tool may return, by the tool's name, and what the model
// must see of it: text with these words, an image of this type where the
// provider takes images, and a mark of an error where it has one.
var results = []struct {
	name, result string
	says         []string
	image        string
	isError      bool
}{
	{"text", content(text("plain words")), []string{"plain words"}, "", false},
	{"texts", content(text("one"), text("two")), []string{"one\ntwo"}, "", false},
	{"empty_text", content(text("")), []string{"no output"}, "", false},
	{"blank_text", content(text(` \n\t`)), []string{"no output"}, "", false},
	{"nothing", content(), []string{"no output"}, "", false},
	{"error", failed(text("it broke")), []string{"it broke"}, "", true},
	{"empty_error", failed(text("")), []string{"failed"}, "", true},
	{"error_without_content", failed(), []string{"failed"}, "", true},
	{"structured", `{"content":[],"structuredContent":{"id":9007199254740993}}`, []string{"9007199254740993"}, "", false},
	{"structured_error", `{"isError":true,"content":[],"structuredContent":{"code":7}}`, []string{"code", "7"}, "", true},
	{"png", content(block("image", "image/png", png)), []string{"image/png"}, "image/png", false},
	{"jpeg", content(block("image", "image/jpeg", jpeg)), []string{"image/jpeg"}, "image/jpeg", false},
	{"jpeg_called_png", content(block("image", "image/png", jpeg)), []string{"image/jpeg"}, "image/jpeg", false},
	{"image_without_type", content(block("image", "", png)), []string{"image/png"}, "image/png", false},
	{"image_with_words", content(text("a caption"), block("image", "image/png", png)), []string{"a caption"}, "image/png", false},
	{"image_with_error", failed(text("it broke"), block("image", "image/png", png)), []string{"it broke", "image/png"}, "", true},
	{"only_image_with_error", failed(block("image", "image/png", png)), []string{"image/png"}, "", true},
	{"two_images", content(block("image", "image/png", png), block("image", "image/jpeg", jpeg)), []string{"image/jpeg"}, "image/png", false},
	{"not_base64", content(block("image", "image/png", "!!!")), []string{"image/png"}, "", false},
	{"no_data", content(block("image", "image/png", "")), []string{"image/png"}, "", false},
	{"svg_image", content(block("image", "image/svg+xml", svg)), []string{"svg"}, "", false},
	{"svg_called_png", content(block("image", "image/png", svg)), []string{"image"}, "", false},
	{"audio", content(block("audio", "audio/wav", wav)), []string{"audio/wav"}, "", false},
	{"audio_called_image", content(block("image", "audio/wav", wav)), []string{"audio/wav"}, "", false},
	{"link", content(`{"type":"resource_link","uri":"file:///a.txt","name":"a.txt"}`), []string{"file:///a.txt"}, "", false},
	{"embedded_text", content(`{"type":"resource","resource":{"uri":"file:///a.txt","text":"inside"}}`), []string{"inside"}, "", false},
	{"embedded_blob", content(`{"type":"resource","resource":{"uri":"file:///a.pdf","mimeType":"application/pdf","blob":"` + pdf + `"}}`), []string{"application/pdf"}, "", false},
	{"embedded_image", content(`{"type":"resource","resource":{"uri":"file:///a.png","blob":"` + png + `"}}`), []string{"file:///a.png"}, "image/png", false},
	{"huge_text", content(text(strings.Repeat("many words ", 100_000) + "end")), []string{"many words", "left out in the middle", "end"}, "", false},
	{"unknown_block", content(`{"type":"hologram","x":1}`), []string{"hologram"}, "", false},
	{"rpc_error", "", []string{"no such thing"}, "", true},
}

// kinds is a server with a tool for each result.
func kinds() *mcptest.Server {
	s := &mcptest.Server{}
	for _, r := range results {
		tool := mcptest.Tool{Name: r.name, Result: json.RawMessage(r.result), Annotations: map[string]any{"readOnlyHint": true}}
		if r.result == "" {
			tool.Result = mcptest.RPCError{Code: -32602, Message: "no such thing"}
		}
		s.Tools = append(s.Tools, tool)
	}
	return s
}

func call(tool string) fake.Call { return fake.Call{Tool: "k__" + tool} }

// persisted is a conversation as a backend stores it.
func persisted(t *testing.T, prompt string, result *fantasy.AgentResult) []fantasy.Message {
	t.Helper()
	messages := []fantasy.Message{fantasy.NewUserMessage(prompt)}
	for _, step := range result.Steps {
		messages = append(messages, step.Messages...)
	}
	stored, err := json.Marshal(messages)
	require.NoError(t, err)
	var loaded []fantasy.Message
	require.NoError(t, json.Unmarshal(stored, &loaded))
	require.Len(t, loaded, len(messages))
	return loaded
}

// A result of every kind is accepted in the turn that it belongs to, and from
// a stored conversation; and the model sees what there is to see.
func TestResults(t *testing.T) {
	asked(t)
	tools, _ := connect(t, mcpclient.Options{}, map[string]*mcptest.Server{"k": kinds()})
	everyWay(t, func(t *testing.T, p provider, m mode) {
		for i, r := range results {
			t.Run(r.name, func(t *testing.T) {
				api, model := p.model(t, fake.Reply{Text: "let me see", Calls: []fake.Call{call(r.name)}})
				a := agent(model, tools)
				result, err := m.run(t.Context(), a, "hello", nil)
				require.NoError(t, err)
				_, err = m.run(t.Context(), a, "and now?", persisted(t, "hello", result))
				require.NoError(t, err)
				accepted(t, api)
				turns := api.Accepted()
				require.Len(t, turns, 3)
				require.Empty(t, turns[0].Results)
				checkResult(t, p, i, turns[1])
				assert.Equal(t, turns[1].Results, turns[2].Results)
				assert.Equal(t, turns[1].Images, turns[2].Images)
			})
		}
	})
}

func checkResult(t *testing.T, p provider, i int, turn fake.Request) {
	t.Helper()
	want := results[i]
	require.Len(t, turn.Results, 1)
	got := turn.Results[0]
	assert.Equal(t, "k__"+want.name, got.Tool)
	assert.Equal(t, want.isError && p.marked, got.IsError)
	for _, words := range want.says {
		assert.Contains(t, got.Text, words)
	}
	if want.image == "" || p.losesMedia {
		assert.Empty(t, turn.Images)
		return
	}
	require.Len(t, turn.Images, 1)
	assert.Equal(t, want.image, turn.Images[0].MediaType)
	assert.Contains(t, string(turn.Images[0].Data), "rest of it")
}
