package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/mcpclient-go/mcpclient"
)

// entry is one server of an mcpServers file, as editors and other clients write
// it. Further keys are theirs alone.
type entry struct {
	Type      string            `json:"type"`
	Transport string            `json:"transport"` // some clients' name for type
	URL       string            `json:"url"`
	Command   json.RawMessage   `json:"command"`
	Headers   map[string]string `json:"headers"`
	Disabled  bool              `json:"disabled"`
}

// serverFile is what such a file gives.
type serverFile struct {
	configs []mcpclient.ServerConfig
	// remarks say what of the file is not used, and why.
	remarks []string
}

// parseServers reads a file's content. Values of variables come from lookup.
// Errors name servers, fields and variables, and never a value.
func parseServers(content []byte, lookup func(string) (string, bool)) (*serverFile, error) {
	var file struct {
		MCPServers map[string]entry `json:"mcpServers"`
		Servers    map[string]entry `json:"servers"` // the editor VS Code calls it so
	}
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	if err := json.Unmarshal(content, &file); err != nil {
		return nil, jsonError(content, err)
	}
	entries := file.MCPServers
	if entries == nil {
		entries = file.Servers
	}
	if entries == nil {
		return nil, errors.New(`there is no "mcpServers" object; the file should look like {"mcpServers":{"NAME":{"url":"https://..."}}}`)
	}
	out := &serverFile{}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		if err := out.add(name, entries[name], lookup); err != nil {
			errs = append(errs, fmt.Errorf("server %q: %w", name, err))
		}
	}
	return out, errors.Join(errs...)
}

func (f *serverFile) add(name string, e entry, lookup func(string) (string, bool)) error {
	kind := strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(cmp.Or(e.Type, e.Transport)))
	switch {
	case e.Disabled:
		f.remark("%q is left out: it is disabled", name)
		return nil
	case kind == "stdio" || (e.URL == "" && e.Command != nil):
		f.remark("%q is left out: it is a command to start (stdio), and only servers with a url can be connected", name)
		return nil
	case e.URL == "":
		return errors.New(`it has no "url"; give it one, or remove it`)
	}
	config := mcpclient.ServerConfig{ID: uuid.NewSHA1(uuid.Nil, []byte(name)), Slug: name}
	switch kind {
	case "", "http", "streamablehttp":
		config.Transport = mcpclient.TransportStreamableHTTP
	case "sse":
		config.Transport = mcpclient.TransportSSE
	default:
		return fmt.Errorf(`unknown type %q; it may be "http", "streamable-http" or "sse"`, cmp.Or(e.Type, e.Transport))
	}
	var err error
	if config.URL, err = expand(e.URL, lookup); err != nil {
		return fmt.Errorf("url: %w", err)
	}
	headers, err := f.headers(name, e.Headers, lookup)
	if err != nil {
		return err
	}
	if len(headers) > 0 {
		config.Auth = headers
	}
	f.configs = append(f.configs, config)
	return nil
}

// headers are those of an entry, without the ones that the protocol itself
// sets and that many files have all the same.
func (f *serverFile) headers(server string, given map[string]string, lookup func(string) (string, bool)) (mcpclient.CustomHeaders, error) {
	headers := mcpclient.CustomHeaders{}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if strings.EqualFold(name, "Accept") || strings.EqualFold(name, "Content-Type") {
			f.remark("%q: the header %s is left out: the client sets it itself", server, name)
			continue
		}
		value, err := expand(given[name], lookup)
		if err != nil {
			return nil, fmt.Errorf("header %q: %w", name, err)
		}
		headers[name] = value
	}
	return headers, nil
}

func (f *serverFile) remark(format string, args ...any) {
	f.remarks = append(f.remarks, fmt.Sprintf(format, args...))
}

// jsonError says where in the file an error is.
func jsonError(content []byte, err error) error {
	offset := int64(len(content))
	var syntax *json.SyntaxError
	var mismatch *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &mismatch):
		offset = mismatch.Offset
		err = fmt.Errorf("%s should be a %s, and is a %s", cmp.Or(mismatch.Field, "the file"), kindName(mismatch), mismatch.Value)
	}
	line := 1 + bytes.Count(content[:min(offset, int64(len(content)))], []byte("\n"))
	return fmt.Errorf("line %d: %w (the file must be plain JSON, without comments and trailing commas)", line, err)
}

func kindName(e *json.UnmarshalTypeError) string {
	if kind := e.Type.Kind().String(); kind != "map" && kind != "struct" {
		return kind
	}
	return "object"
}
