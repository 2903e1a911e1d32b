package toolschema

import (
	"fmt"
	"slices"
	"strings"
)

// maxHops bounds references and combinators that lead to one level of the
// outcome: a chain of references is not deep for the model, but it is for the
// stack.
const maxHops = 64

// walker makes nodes of raw schemas. It only reads the raw ones.
//
// It never takes a map of names for a schema: properties, patternProperties,
// dependentSchemas are read where they stand, and schema is called with each of
// their values. So parameters may be called "type" or "$ref".
type walker struct {
	o     Options
	doc   *document
	limit int  // of bytes, for this attempt
	nodes int  // left of Options.MaxNodes
	bytes int  // left of limit
	steps int  // left of this attempt's share of the work
	over  bool // the attempt is void, only its end matters

	refDepth int // references inside one another that are still inlined
	reached  int // the most that there were, so that only fewer would change anything

	path  []uintptr // identities of the schemas above, to find cycles
	notes []string
}

// schemaBytes is about what a schema has in JSON text without its words.
const schemaBytes = 24

// schemaSteps is about the work of a schema that says nothing.
const schemaSteps = 20

// place is where in the outcome a schema stands.
type place struct {
	depth int // levels of objects and arrays above
	hops  int // references and combinators since the last level
	refs  int // references above
	base  *resource
}

func (p place) deeper() place { p.depth++; p.hops = 0; return p }
func (p place) hop() place    { p.hops++; return p }

// note keeps a reason for the log, once.
func (w *walker) note(format string, args ...any) {
	if len(w.notes) >= maxNotes {
		return
	}
	s := shorten(w.o.clean(fmt.Sprintf(format, args...)), maxNoteLength)
	if !slices.Contains(w.notes, s) {
		w.notes = append(w.notes, s)
	}
}

// refill gives the whole budget to the walk, and then to what is written: they
// differ, since unions and merges make one of many.
func (w *walker) refill() { w.nodes, w.bytes = w.o.MaxNodes, w.limit }

// spend takes n nodes from the budget of this attempt.
func (w *walker) spend(n int) bool {
	if w.nodes -= n; w.nodes < 0 {
		w.over = true
	}
	return w.work(n)
}

// text takes the bytes of a schema's text from the budget, so that an attempt
// that can't fit ends early.
func (w *walker) text(n int) {
	if w.bytes -= n; w.bytes < 0 {
		w.over = true
	}
	w.work(n / textStep)
}

// schema makes the node of one schema; nil where it allows nothing or is no
// schema at all.
func (w *walker) schema(v raw, p place) *node {
	if !w.spend(1) {
		return anything()
	}
	w.text(schemaBytes)
	switch v := v.(type) {
	case bool:
		if v {
			return anything()
		}
		return nil
	case []any:
		if isEmpty(v) {
			return anything()
		}
		return nil
	case map[string]any:
		w.work(schemaSteps + len(v))
		return w.object(v, p)
	}
	return nil
}

func (w *walker) object(m map[string]any, p place) *node {
	if p.depth > w.o.MaxDepth || p.hops > maxHops {
		w.note("levels below %d are left out", w.o.MaxDepth)
		return w.stub(m, p.base, "Deeper levels are left out.")
	}
	p.base = w.doc.baseOf(m, p.base)
	w.path = append(w.path, identity(m))
	defer func() { w.path = w.path[:len(w.path)-1] }()

	n := w.own(m, p)
	n = w.follow(m, n, p)
	if n == nil {
		return nil
	}
	n = w.combine(m, n, p)
	w.conditions(m, n, p)
	if b, _ := m["nullable"].(bool); b { // OpenAPI 3.0 says null so
		n.null = true
	}
	if !n.any && !n.null && len(n.alts) == 0 {
		return nil
	}
	return n
}

// follow inlines a reference under the schema's own keywords.
func (w *walker) follow(m map[string]any, n *node, p place) *node {
	for _, key := range refKeywords {
		if _, ok := m[key].(string); !ok {
			continue
		}
		target := w.reference(w.doc.find(m, key, p.base), p)
		if target == nil {
			w.note("%s points to a schema that allows nothing", key)
			return nil
		}
		n = w.meetOver(n, target)
	}
	return n
}

// combine applies allOf, anyOf and oneOf.
func (w *walker) combine(m map[string]any, n *node, p place) *node {
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		list, ok := m[key].([]any)
		if !ok || len(list) == 0 {
			continue
		}
		branches := w.branches(list, p.hop())
		if key == "allOf" {
			for _, b := range branches {
				n = w.meetBranch(n, b)
			}
			continue
		}
		if u := w.join(branches); u != nil {
			n = w.meetBranch(n, u)
		}
	}
	return n
}

// meetBranch is meetOver for a branch whose words say more than the whole's,
// unlike those of a reference, which the words beside it replace.
func (w *walker) meetBranch(n, b *node) *node {
	more := b.description
	if n.description == "" || w.says(n, more) {
		more = ""
	}
	n = w.meetOver(n, b)
	n.remark(shorten(more, maxRemark))
	return n
}

// says tells whether n's description has these words already. In one that is
// very long they are not looked for.
func (w *walker) says(n *node, words string) bool {
	if len(n.description) > 2*maxEither || len(n.remarks) >= maxRemarks {
		return false
	}
	w.work(len(n.description) / (4 * textStep))
	return strings.Contains(n.description, words)
}

func (w *walker) branches(list []any, p place) []*node {
	var out []*node
	for _, v := range list {
		if b := w.schema(v, p); b != nil {
			out = append(out, b)
		}
		if w.over {
			return nil
		}
	}
	return out
}

// meetOver narrows n by other, where n's own words are about the whole.
func (w *walker) meetOver(n, other *node) *node {
	out := w.meet(n, other)
	out.title, out.description, out.def = n.title, n.description, n.def
	out.remarks, out.flags = n.remarks, n.flags
	annotate(out, other)
	return out
}

// conditions adds the properties that only conditional keywords name, as
// optional ones: a model can't be told the condition by every provider, but it
// has to see the property.
func (w *walker) conditions(m map[string]any, n *node, p place) {
	var conditional []raw
	for _, key := range []string{"then", "else"} {
		if v, ok := m[key].(map[string]any); ok && m["if"] != nil {
			conditional = append(conditional, v)
		}
	}
	for _, key := range []string{"dependentSchemas", "dependencies"} {
		deps, _ := m[key].(map[string]any)
		for _, name := range sortedKeys(deps) {
			if v, ok := deps[name].(map[string]any); ok {
				conditional = append(conditional, v)
			}
		}
	}
	if m["if"] != nil || len(conditional) > 0 {
		w.note("conditional rules are left out")
	}
	for _, key := range []string{"not", "contains", "dependentRequired"} {
		if m[key] != nil {
			w.note("a rule with %s is left out", key)
		}
	}
	for _, v := range conditional {
		c := w.schema(v, p.hop())
		if c == nil || c.alt(kObject) == nil {
			continue
		}
		w.offer(n, c.alt(kObject))
	}
}

// offer adds to n's object the properties of c that it lacks.
func (w *walker) offer(n *node, c *alt) {
	if n.any && len(c.props) > 0 {
		n.any, n.alts = false, []alt{{kind: kObject}}
	}
	a := n.alt(kObject)
	if a == nil {
		return
	}
	w.work(len(c.props))
	for name, prop := range c.props {
		if old, ok := a.props[name]; !ok || old.any {
			a.setProp(name, prop)
		}
	}
}

func (a *alt) setProp(name string, n *node) {
	if a.props == nil {
		a.props = map[string]*node{}
	}
	a.props[name] = n
}

// sortedKeys gives the walk one order: what is made of a schema, what is cut,
// and the notes must not depend on how maps are walked.
func sortedKeys[V any](m map[string]V) []string {
	if len(m) == 0 {
		return nil
	}
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
