package fake

import (
	"fmt"
	"regexp"
)

// object is a JSON object; what it was made of may be anything.
type object = map[string]any

func asObject(path string, v any) (object, error) {
	o, ok := v.(object)
	if !ok {
		return nil, fmt.Errorf("%s: expected an object, got %s", path, kind(v))
	}
	return o, nil
}

func asList(path string, v any) ([]any, error) {
	l, ok := v.([]any)
	if !ok {
		return nil, fmt.Errorf("%s: expected an array, got %s", path, kind(v))
	}
	return l, nil
}

func asString(path string, v any) (string, error) {
	s, ok := v.(string)
	if !ok {
		return "", fmt.Errorf("%s: expected a string, got %s", path, kind(v))
	}
	return s, nil
}

func kind(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case string:
		return "a string"
	case []any:
		return "an array"
	case object:
		return "an object"
	}
	return "a number"
}

// each calls f with every object of a list.
func each(path string, v any, f func(path string, o object) error) error {
	l, err := asList(path, v)
	if err != nil {
		return err
	}
	for i, e := range l {
		p := fmt.Sprintf("%s[%d]", path, i)
		o, err := asObject(p, e)
		if err != nil {
			return err
		}
		if err := f(p, o); err != nil {
			return err
		}
	}
	return nil
}

// toolNames are the names of one request's tools.
type toolNames struct {
	legal *regexp.Regexp
	most  int // 0: any number
	seen  map[string]bool
}

func (n *toolNames) add(path, name string) error {
	switch {
	case !n.legal.MatchString(name):
		return fmt.Errorf("%s: name %q does not match %s", path, name, n.legal)
	case n.seen[name]:
		return fmt.Errorf("%s: duplicate tool name %q", path, name)
	case n.most > 0 && len(n.seen) == n.most:
		return fmt.Errorf("%s: more than %d tools", path, n.most)
	}
	if n.seen == nil {
		n.seen = map[string]bool{}
	}
	n.seen[name] = true
	return nil
}
