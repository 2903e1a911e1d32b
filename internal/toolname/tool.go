package toolname

import (
	"slices"
	"strings"
)

// tool is one raw name and what a model-safe name shows of it.
type tool struct {
	raw string
	// text is raw with each illegal character as "_", cut where no name could
	// hold it. It is empty where that leaves nothing to read.
	text  string
	exact bool // text is raw, unchanged and whole
}

// newTools returns the distinct tools of raw, sorted by raw name.
func newTools(raw []string) []tool {
	distinct := slices.Clone(raw)
	slices.Sort(distinct)
	distinct = slices.Compact(distinct)
	tools := make([]tool, len(distinct))
	for i, r := range distinct {
		tools[i] = newTool(r)
	}
	return tools
}

func newTool(raw string) tool {
	text := toolText(raw)
	if text == raw {
		return tool{raw: raw, text: text, exact: true}
	}
	if !isReadable(text) {
		text = ""
	}
	return tool{raw: raw, text: text}
}

// toolText keeps one character more than its cut needs, so that a name
// that is too long is seen to be, and looks no further into a hostile raw name.
func toolText(raw string) string {
	var b strings.Builder
	for _, r := range raw {
		if b.Len() > maxName {
			break
		}
		if !isNameRune(r) {
			r = '_'
		}
		b.WriteByte(byte(r))
	}
	return b.String()
}

// isReadable reports whether text holds a letter or a digit.
func isReadable(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return isLetter(r) || isDigit(r) })
}

func isNameRune(r rune) bool { return isWordRune(r) || r == '_' }

func isWordRune(r rune) bool { return isLetter(r) || isDigit(r) || r == '-' }

func isLetter(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }

func isDigit(r rune) bool { return '0' <= r && r <= '9' }
