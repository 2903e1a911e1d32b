package toolschema_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcpclient-go/mcpclient/internal/toolschema"
)

func FuzzConvert(f *testing.F) {
	for _, seed := range []string{
		ordinary, argumentSchema, `true`, `{"type":["array","null"],"items":[{},{"$ref":"#"}]}`,
		`{"$ref":"#/a","a":{"allOf":[{"properties":{"x y":{"const":1}},"required":["x y"]},{"$ref":"#b"}]},"b":{"$anchor":"b","oneOf":[{"required":["x"]},true]}}`,
		`{"properties":{"a":{"enum":[1,"",null,{}],"minimum":1e400,"exclusiveMinimum":true,"default":[]},"b":{"anyOf":[{"type":"null"},{"prefixItems":[1,{}]}]}}}`,
		`{"if":{},"then":{"properties":{"p":{"type":"dict","patternProperties":{"^a":{}},"propertyNames":{"pattern":"("}}}},"nullable":true}`,
		`{"$id":"http://x/","properties":{"a":{"$id":"y","$ref":"z#/q"},"z":{"$id":"z","q":{"not":{}}}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		// Small limits let the fuzzer reach them.
		for _, o := range []toolschema.Options{{}, {Intent: true, MaxNodes: 60, MaxDepth: 3, MaxBytes: 2_000}, {Clean: visible, DescriptionLength: 12}} {
			s, err := toolschema.Convert(json.RawMessage(in), o)
			if (s == nil) == (err == nil) {
				t.Fatalf("schema %v and error %v", s, err)
			}
			if err != nil {
				continue
			}
			checkSchema(t, "fuzz", s)
			if o.Clean != nil {
				checker{t, "fuzz"}.visible(s.Properties)
				checker{t, "fuzz"}.visible(s.Remarks)
				checker{t, "fuzz"}.brief(map[string]any{"properties": s.Properties, "description": s.Remarks}, o.DescriptionLength)
			}
			for name := range s.Properties {
				args, err := s.Arguments(`{` + quoted(name) + `:[{}]}`)
				if err != nil || !json.Valid(args) {
					t.Fatalf("argument %q: %s, %v", name, args, err)
				}
			}
		}
		var v any
		if json.Unmarshal(in, &v) == nil {
			before, _ := json.Marshal(v)
			if s, err := toolschema.Convert(v, toolschema.Options{}); err == nil {
				checkSchema(t, "fuzz value", s)
			}
			if after, _ := json.Marshal(v); !bytes.Equal(before, after) {
				t.Fatal("Convert writes to its input")
			}
		}
	})
}

func FuzzArguments(f *testing.F) {
	for _, seed := range []string{
		``, `null`, `"{}"`, `[]`, `{"id":1.0,"opt":null,"maybe":null}`, `{"_where":{"_eq":"\ud800\u0000","n":1e400}}`,
		`{"rows":[{"a_b":9007199254740993,"c":null}],"model_intent":"x"}`, "{\"a\xff\":\"\xed\xa0\x80\"} ", `{"a":1}{`, `"\"{}\""`,
	} {
		f.Add(seed)
	}
	schemas := make([]*toolschema.Schema, 0, 2)
	for _, o := range []toolschema.Options{{}, {Intent: true}} {
		s, err := toolschema.Convert(json.RawMessage(argumentSchema), o)
		if err != nil {
			f.Fatal(err)
		}
		schemas = append(schemas, s)
	}
	free, err := toolschema.Convert(nil, toolschema.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, in string) {
		for _, s := range append(schemas, free) {
			out, err := s.Arguments(in)
			if err != nil {
				if out != nil || !strings.HasSuffix(err.Error(), "Nothing was sent.") {
					t.Fatalf("%s, %v", out, err)
				}
				continue
			}
			if !json.Valid(out) || out[0] != '{' || !utf8.Valid(out) {
				t.Fatalf("%q is no object", out)
			}
			// What went through once needs no change again, but for names
			// and nulls, which a server's own names may bring back.
			again, err := free.Arguments(string(out))
			if err != nil || !bytes.Equal(again, out) {
				t.Fatalf("%q became %q, %v", out, again, err)
			}
		}
		out, err := free.Arguments(in)
		text := strings.TrimSpace(in)
		if json.Valid([]byte(text)) && strings.HasPrefix(text, "{") && utf8.ValidString(text) && !strings.Contains(text, `\u`) {
			if err != nil || string(out) != text {
				t.Fatalf("%q became %q, %v", text, out, err)
			}
		}
	})
}
