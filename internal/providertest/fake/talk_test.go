package fake_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

var (
	png  = base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\nrest"))
	svg  = base64.StdEncoding.EncodeToString([]byte("<svg/>"))
	wide = base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n" + strings.Repeat("x", 4<<20)))
)

// talks are what a request may hold behind the user's first message; "…" is
// where an image goes, and refused says whether the API refuses it.
type talks map[string]struct {
	talk    string
	refused bool
}

func (tt talks) run(t *testing.T, api string) {
	t.Parallel()
	for name, tc := range tt {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refused := ask(t, api, apis[api].body("", tc.talk))
			assert.Equal(t, tc.refused, refused != "", refused)
		})
	}
}

func chatTalks() talks {
	calls := func(ids ...string) string {
		all := make([]string, len(ids))
		for i, id := range ids {
			all[i] = `{"id":"` + id + `","type":"function","function":{"name":"t","arguments":"{}"}}`
		}
		return `,{"role":"assistant","tool_calls":[` + strings.Join(all, ",") + `]}`
	}
	result := func(id, text string) string {
		return `,{"role":"tool","tool_call_id":"` + id + `","content":"` + text + `"}`
	}
	image := func(url string) string {
		return `,{"role":"user","content":[{"type":"image_url","image_url":{"url":"` + url + `"}}]}`
	}
	const user = `,{"role":"user","content":"go on"}`
	return talks{
		"answered":            {calls("a", "b") + result("b", "x") + result("a", "x") + user, false},
		"image behind":        {calls("a", "b") + result("a", "x") + result("b", "x") + image("data:image/png;base64,"+png), false},
		"image between":       {calls("a", "b") + result("a", "x") + image("data:image/png;base64,"+png) + result("b", "x"), true},
		"unanswered":          {calls("a") + user, true},
		"unanswered at last":  {calls("a"), true},
		"one of two":          {calls("a", "b") + result("a", "x") + user, true},
		"answer to nothing":   {result("a", "x"), true},
		"answered twice":      {calls("a") + result("a", "x") + result("a", "x"), true},
		"same ID twice":       {calls("a", "a") + result("a", "x"), true},
		"no calls":            {`,{"role":"assistant","tool_calls":[]}`, true},
		"says nothing":        {`,{"role":"assistant","content":null}`, true},
		"image as other type": {image("data:image/jpeg;base64," + png), true},
		"svg":                 {image("data:image/svg+xml;base64," + svg), true},
		"no image":            {image("data:image/png;base64,"), true},
		"image in a result":   {calls("a") + `,{"role":"tool","tool_call_id":"a","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,` + png + `"}}]}`, true},
	}
}

func TestChatTalk(t *testing.T) { chatTalks().run(t, "openai") }

func TestOpenRouterTalk(t *testing.T) {
	tt := chatTalks()
	tt["blank result"] = struct {
		talk    string
		refused bool
	}{`,{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"t","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":" "}`, true}
	tt.run(t, "openrouter")
}

func TestResponsesTalk(t *testing.T) {
	const (
		call   = `,{"type":"function_call","call_id":"a","name":"t","arguments":"{}"}`
		output = `,{"type":"function_call_output","call_id":"a","output":"x"}`
		user   = `,{"role":"user","content":"go on"}`
	)
	image := func(url string) string {
		return `,{"role":"user","content":[{"type":"input_image","image_url":"` + url + `"}]}`
	}
	talks{
		"answered":          {call + output, false},
		"answered later":    {call + user + output, false},
		"image":             {call + output + image("data:image/png;base64,"+png), false},
		"unanswered":        {call + user, true},
		"answer to nothing": {output, true},
		"answered twice":    {call + output + output, true},
		"wrong image type":  {image("data:image/gif;base64," + png), true},
		"svg":               {image("data:image/svg+xml;base64," + svg), true},
	}.run(t, "responses")
}

func TestAnthropicTalk(t *testing.T) {
	use := func(ids ...string) string {
		all := make([]string, len(ids))
		for i, id := range ids {
			all[i] = `{"type":"tool_use","id":"` + id + `","name":"t","input":{}}`
		}
		return `,{"role":"assistant","content":[` + strings.Join(all, ",") + `]}`
	}
	user := func(blocks ...string) string {
		return `,{"role":"user","content":[` + strings.Join(blocks, ",") + `]}`
	}
	result := func(id, more string, blocks ...string) string {
		return `{"type":"tool_result","tool_use_id":"` + id + `"` + more + `,"content":[` + strings.Join(blocks, ",") + `]}`
	}
	text := func(s string) string { return `{"type":"text","text":"` + s + `"}` }
	image := func(typ, data string) string {
		return `{"type":"image","source":{"type":"base64","media_type":"` + typ + `","data":"` + data + `"}}`
	}
	const isError = `,"is_error":true`
	talks{
		"answered":            {use("a", "b") + user(result("b", "", text("x")), result("a", "", text("x")), text("go on")), false},
		"image in a result":   {use("a") + user(result("a", "", image("image/png", png), text("x"))), false},
		"result without any":  {use("a") + user(result("a", "")), false},
		"error":               {use("a") + user(result("a", isError, text("x"))), false},
		"error says nothing":  {use("a") + user(result("a", isError)), true},
		"error with blank":    {use("a") + user(result("a", isError, text(""))), true},
		"error with an image": {use("a") + user(result("a", isError, text("x"), image("image/png", png))), true},
		"blank":               {use("a") + user(result("a", "", text(" "))), true},
		"wrong image type":    {use("a") + user(result("a", "", image("image/jpeg", png))), true},
		"svg":                 {use("a") + user(result("a", "", image("image/svg+xml", svg))), true},
		"audio":               {use("a") + user(result("a", "", image("audio/wav", png))), true},
		"no image type":       {use("a") + user(result("a", "", image("", png))), true},
		"no image":            {use("a") + user(result("a", "", image("image/png", ""))), true},
		"image over 5 MiB":    {use("a") + user(result("a", "", image("image/png", wide))), true},
		"unanswered":          {use("a") + user(text("go on")), true},
		"unanswered at last":  {use("a"), true},
		"one of two":          {use("a", "b") + user(result("a", "", text("x"))), true},
		"answered late":       {use("a") + user(text("x"), result("a", "", text("x"))), true},
		"answer to nothing":   {user(result("a", "", text("x"))), true},
		"same ID twice":       {use("a", "a") + user(result("a", "", text("x"))), true},
		"bad ID":              {use("a.b") + user(result("a.b", "", text("x"))), true},
		"input is no object":  {`,{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"t","input":"{}"}]}` + user(result("a", "", text("x"))), true},
	}.run(t, "anthropic")
}

func TestGoogleTalk(t *testing.T) {
	turn := func(role string, parts ...string) string {
		return `,{"role":"` + role + `","parts":[` + strings.Join(parts, ",") + `]}`
	}
	call := func(name string) string { return `{"functionCall":{"name":"` + name + `"}}` }
	response := func(name string) string {
		return `{"functionResponse":{"name":"` + name + `","response":{"result":"x"}}}`
	}
	image := func(typ, data string) string {
		return `{"inlineData":{"mimeType":"` + typ + `","data":"` + data + `"}}`
	}
	const text = `{"text":"x"}`
	talks{
		"answered":          {turn("model", call("a"), call("b")) + turn("user", response("a"), response("b")), false},
		"image of the user": {turn("user", image("image/png", png)), false},
		"unanswered":        {turn("model", call("a")) + turn("user", text), true},
		"unanswered last":   {turn("model", call("a")), true},
		"one of two":        {turn("model", call("a"), call("a")) + turn("user", response("a")), true},
		"too many":          {turn("model", call("a")) + turn("user", response("a"), response("a")), true},
		"answer to nothing": {turn("user", response("a")), true},
		"other function":    {turn("model", call("a")) + turn("user", response("b")), true},
		"no parts":          {turn("model"), true},
		"empty text":        {turn("model", `{"text":""}`), true},
		"wrong image type":  {turn("user", image("image/webp", png)), true},
	}.run(t, "google")
}
