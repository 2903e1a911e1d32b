package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// expand replaces ${VAR}, ${VAR:-default} and ${env:VAR} in a value. As in a
// shell, the default also stands for an empty variable. A "$" without "{" is
// itself. Errors name variables and quote nothing else: values may be secret.
func expand(value string, lookup func(string) (string, bool)) (string, error) {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(value, "${")
		out.WriteString(before)
		if !found {
			return out.String(), nil
		}
		expression, after, closed := strings.Cut(rest, "}")
		if !closed {
			return "", errors.New(`"${" has no closing "}"`)
		}
		text, err := variable(expression, lookup)
		if err != nil {
			return "", err
		}
		out.WriteString(text)
		value = after
	}
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// variable is the value of what stands between "${" and "}".
func variable(expression string, lookup func(string) (string, bool)) (string, error) {
	name, byDefault, hasDefault := strings.Cut(strings.TrimPrefix(expression, "env:"), ":-")
	if id, ok := strings.CutPrefix(name, "input:"); ok {
		return "", fmt.Errorf("only an editor can ask for the input %q; use ${VAR} and set that environment variable", id)
	}
	if !variableName.MatchString(name) {
		return "", errors.New("what is between ${ and } is not the name of a variable; only ${VAR}, ${VAR:-default} and ${env:VAR} are known")
	}
	value, set := lookup(name)
	switch {
	case hasDefault && value == "":
		return byDefault, nil
	case !set:
		return "", fmt.Errorf("the environment variable %s is not set; set it, or write ${%s:-default}", name, name)
	}
	return value, nil
}
