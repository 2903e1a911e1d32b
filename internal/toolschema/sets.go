package toolschema

import (
	"slices"
	"strings"
)

// maxSets bounds the branches that are told in words.
const maxSets = 12

// sets tells which properties belong together in branches that became one
// object: each branch's words, its required names, and the fixed values that
// tell the branches apart.
func (w *walker) sets(list []*node) string {
	var out []string
	for _, b := range list {
		a := b.alt(kObject)
		if !w.work(2*len(a.props) + len(a.required)) {
			return ""
		}
		var names []string
		required := a.requires()
		for _, name := range sortedKeys(a.props) {
			p := a.props[name]
			fixed := len(p.alts) == 1 && !p.null && len(p.alts[0].enum) == 1
			switch {
			case fixed:
				names = append(names, w.inText(name)+"="+quote(p.alts[0].enum[0]))
			case required[name]:
				names = append(names, w.inText(name))
			}
		}
		for _, name := range a.required {
			if a.props[name] == nil {
				names = append(names, w.inText(name))
			}
		}
		s := strings.Join(names, " + ")
		words := b.description
		if words == "" {
			words = b.title
		}
		if words = shorten(words, maxRemark); words != "" {
			s = strings.TrimRight(words, ". ") + " (" + s + ")"
		}
		if s = strings.TrimSuffix(s, " ()"); s != "" && !slices.Contains(out, s) && len(out) < maxSets {
			out = append(out, s)
		}
	}
	if len(out) < 2 {
		return ""
	}
	return "One of: " + shorten(strings.Join(out, "; "), 2*maxRemark) + "."
}

// inText is a property name in a sentence: one that is not plain is quoted,
// which also makes visible what can't be seen.
func (w *walker) inText(name string) string {
	name = w.o.shown(name)
	if legalName(name) {
		return name
	}
	return quote(shorten(name, maxName))
}
