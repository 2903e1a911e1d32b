package toolschema

import (
	"slices"
	"strings"
)

// join makes the node of what any of the branches allows; nil without a branch.
// What branches of one kind say apart becomes one object, one array, or a list
// of scalar alternatives; which properties belong together is told in words,
// since those reach every provider.
func (w *walker) join(branches []*node) *node {
	if len(branches) == 0 {
		return nil
	}
	branches, null := withoutNull(branches)
	if len(branches) == 1 {
		branches[0].null = branches[0].null || null
		return branches[0]
	}
	out := &node{null: null}
	var objects, arrays []*node
	for _, b := range branches {
		out.null = out.null || b.null
		out.any = out.any || b.any
		if out.def == nil {
			out.def = b.def
		}
		if b.alt(kObject) != nil {
			objects = append(objects, b)
		}
		if b.alt(kArray) != nil {
			arrays = append(arrays, b)
		}
		w.joinScalars(out, b)
		for _, r := range b.remarks {
			out.remark(r)
		}
	}
	if out.any {
		out.alts = nil
		return out
	}
	if len(objects) > 0 {
		out.alts = append(out.alts, w.joinObjects(out, objects))
	}
	if len(arrays) > 0 {
		out.alts = append(out.alts, w.joinArrays(out, arrays))
	}
	out.absorb()
	return out
}

// withoutNull takes out the branches that allow null alone, so that one that is
// left keeps its own words.
func withoutNull(branches []*node) ([]*node, bool) {
	null := false
	var rest []*node
	for _, b := range branches {
		if b.nullOnly() {
			null = true
			continue
		}
		rest = append(rest, b)
	}
	if len(rest) == 0 {
		return branches[:1], null
	}
	return rest, null
}

func (n *node) remark(s string) {
	if s != "" && len(n.remarks) < maxRemarks && !slices.Contains(n.remarks, s) {
		n.remarks = append(n.remarks, s)
	}
}

// joinScalars adds b's scalar alternatives to out; a branch's own words go to
// the alternative, or for a single value of an enum to the remarks.
func (w *walker) joinScalars(out, b *node) {
	for i := range b.alts {
		a := b.alts[i]
		if !a.scalar() {
			continue
		}
		if !w.spend(1) || !w.work(2*len(out.alts)+len(a.enum)) {
			return
		}
		if a.title == "" {
			a.title = b.title
		}
		if a.description == "" {
			a.description = b.description
		}
		if len(a.enum) > 0 && len(a.rules) == 0 && out.unite(&a) {
			continue
		}
		if !slices.ContainsFunc(out.alts, func(o alt) bool { return o.equal(&a) }) {
			out.alts = append(out.alts, a)
			out.loosen(w)
		}
	}
}

// loosen keeps the types alone of too many alternatives.
func (n *node) loosen(w *walker) {
	if len(n.alts) <= maxAlts {
		return
	}
	w.note("more than %d alternatives became their types", maxAlts)
	var kept []alt
	for _, a := range n.alts {
		if !slices.ContainsFunc(kept, func(o alt) bool { return o.kind == a.kind }) {
			kept = append(kept, alt{kind: a.kind})
		}
	}
	n.alts = kept
}

// unite puts the values of an enum to those of another one of its kind. Both
// keep their words only where those are the same, or as a remark.
func (n *node) unite(a *alt) bool {
	for i := range n.alts {
		o := &n.alts[i]
		if o.kind != a.kind || o.enum == nil || len(o.rules) > 0 {
			continue
		}
		if o.title != a.title || o.description != a.description {
			n.remark(o.saying())
			n.remark(a.saying())
			o.title, o.description = "", ""
		}
		o.addValues(a.enum)
		return true
	}
	return false
}

func (a *alt) addValues(values []any) {
	if a.in == nil {
		a.in = make(map[any]bool, len(a.enum)+len(values))
		a.enum = slices.Clone(a.enum)
		for _, v := range a.enum {
			a.in[v] = true
		}
	}
	for _, v := range values {
		if !a.in[v] {
			a.in[v] = true
			a.enum = append(a.enum, v)
		}
	}
}

// maxRemark bounds one remark in bytes.
const maxRemark = 2_048

// saying tells an enum's own words, such as `"ro": may only read`.
func (a *alt) saying() string {
	text := a.description
	if text == "" {
		text = a.title
	}
	if text == "" || len(a.enum) == 0 {
		return ""
	}
	return shorten(strings.Join(quoteAll(a.enum), ", ")+": "+strings.TrimRight(text, ". ")+".", maxRemark)
}

// joinObjects makes one object of all: the union of the properties, of which
// those are required that every branch requires.
func (w *walker) joinObjects(out *node, list []*node) alt {
	first := list[0].alt(kObject)
	if len(list) == 1 {
		out.adopt(list[0])
		return *first
	}
	o := alt{kind: kObject, closed: true, open: true, required: slices.Clone(first.required), rules: first.rules}
	props := map[string][]*node{}
	var extras []*node
	for _, b := range list {
		a := b.alt(kObject)
		if !w.spend(len(a.props)) || !w.work(len(a.required)+len(o.required)) {
			break
		}
		for name, prop := range a.props {
			props[name] = append(props[name], prop)
		}
		required := a.requires()
		o.required = slices.DeleteFunc(o.required, func(s string) bool { return !required[s] })
		o.closed, o.open = o.closed && a.closed, o.open && a.open
		o.rules = looser(o.rules, a.rules)
		if a.extra != nil {
			extras = append(extras, a.extra)
		}
	}
	for _, name := range sortedKeys(props) {
		o.setProp(name, w.joinSame(props[name]))
	}
	if extras != nil {
		o.extra = w.joinSame(extras)
		o.closed, o.open = false, false
	}
	out.remark(w.sets(list))
	w.note("alternative objects became one")
	return o
}

// joinSame joins what branches say of one name, and keeps the words that they
// share. The list is not empty.
func (w *walker) joinSame(list []*node) *node {
	n := w.join(list)
	if slices.Contains(list, n) {
		return n
	}
	list, _ = withoutNull(list)
	n.title, n.description, n.flags = list[0].title, list[0].description, slices.Clone(list[0].flags)
	for _, b := range list[1:] {
		if b.title != n.title {
			n.title = ""
		}
		n.description = either(n.description, b.description)
		n.flags = slices.DeleteFunc(n.flags, func(f string) bool { return !slices.Contains(b.flags, f) })
	}
	w.work(len(list))
	w.mergeSame(n, n.unsay(list))
	return n
}

// maxEither bounds the descriptions of branches that became one, in bytes.
const maxEither = 2 * maxRemark

// either is one description of two.
func either(a, b string) string {
	switch {
	case a == b, b == "":
		return a
	case a == "":
		return b
	case len(a) >= maxEither || strings.Contains(a, b):
		return a
	}
	return shorten(a+" Or: "+b, maxEither)
}

// unsay takes from the alternatives what is said of the whole, and tells which
// of them changed.
func (n *node) unsay(list []*node) (changed []bool) {
	said := make(map[string]bool, len(list))
	for _, b := range list {
		said[b.description] = true
	}
	changed = make([]bool, len(n.alts))
	for i := range n.alts {
		a := &n.alts[i]
		if a.description != "" && said[a.description] {
			a.description, changed[i] = "", true
		}
		if a.title != "" && a.title == n.title {
			a.title, changed[i] = "", true
		}
	}
	return changed
}

// mergeSame removes alternatives that are equal since they changed, and unites
// enums.
func (w *walker) mergeSame(n *node, changed []bool) {
	if !slices.Contains(changed, true) {
		return
	}
	old := n.alts
	n.alts = nil
	var kept []bool // whether those of n.alts changed
	for i := range old {
		a := old[i]
		w.work(1 + len(n.alts)/2)
		same := false
		for o := range n.alts {
			same = same || (changed[i] || kept[o]) && n.alts[o].equal(&a)
		}
		if a.scalar() && (same || len(a.enum) > 0 && len(a.rules) == 0 && n.unite(&a)) {
			continue
		}
		n.alts, kept = append(n.alts, a), append(kept, changed[i])
	}
}

func (w *walker) joinArrays(out *node, list []*node) alt {
	first := list[0].alt(kArray)
	if len(list) == 1 {
		out.adopt(list[0])
		return *first
	}
	o := alt{kind: kArray, rules: first.rules}
	var items []*node
	for _, b := range list {
		a := b.alt(kArray)
		o.rules = looser(o.rules, a.rules)
		out.remark(shorten(b.description, maxRemark))
		if a.items == nil {
			items = append(items, anything())
			continue
		}
		items = append(items, a.items)
	}
	o.items = w.joinSame(items)
	return o
}

// adopt keeps a container branch's own words where it is the only one.
func (n *node) adopt(b *node) {
	k := kObject
	if b.alt(k) == nil {
		k = kArray
	}
	if len(b.alts) == 1 && b.description != "" {
		b.alt(k).description, b.alt(k).title = b.description, b.title
	}
}

// looser are the rules of a that b has too, the wider of two bounds.
func looser(a, b rules) rules {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	out := rules{}
	for key, v := range a {
		other, ok := b[key]
		switch {
		case !ok:
		case slices.Contains(lower, key):
			out[key] = min(v.(float64), other.(float64))
		case slices.Contains(upper, key):
			out[key] = max(v.(float64), other.(float64))
		case v == other:
			out[key] = v
		}
	}
	return out
}

// absorb drops alternatives that another one makes needless.
func (n *node) absorb() {
	if i := slices.IndexFunc(n.alts, func(a alt) bool { return a.kind == kNumber && a.bare() }); i >= 0 {
		n.alts = slices.DeleteFunc(n.alts, func(a alt) bool { return a.kind == kInteger && a.bare() })
	}
}
