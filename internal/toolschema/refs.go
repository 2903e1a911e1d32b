package toolschema

import (
	"slices"
	"strings"
)

// refKeywords point to another schema. The dynamic ones mean their static
// target here: nothing extends a tool's schema from outside.
var refKeywords = []string{"$ref", "$dynamicRef", "$recursiveRef"}

// reference makes the node of what a reference points to. What can't be inlined
// becomes a stub; nothing is ever fetched.
func (w *walker) reference(f *found, p place) *node {
	if !f.ok {
		return w.unknown(f)
	}
	m, ok := f.schema.(map[string]any)
	if !ok {
		return w.schema(f.schema, p.hop())
	}
	if w.onPath(m) {
		w.note("reference %q is recursive and cut", f.ref)
		return w.stub(m, f.base, "Recursive: the same shape as "+f.name+" again.")
	}
	w.reached = max(w.reached, p.refs+1)
	if p.refs >= w.refDepth {
		w.note("references inside references are cut for size")
		return w.stub(m, f.base, "Shape of "+f.name+", left out for size.").orObject()
	}
	p = p.hop()
	p.refs++
	p.base = f.base
	return w.schema(m, p)
}

// unknown stands for a schema that can't be had. It may be of any type: one that
// is said wrongly keeps the model from what the server takes.
func (w *walker) unknown(f *found) *node {
	n := anything()
	if strings.HasPrefix(f.ref, "#") {
		w.note("reference %q points nowhere", f.ref)
		n.remark("The definition of " + f.name + " is missing.")
	} else {
		w.note("reference %q is not local", f.ref)
		n.remark("The definition of " + f.name + " is elsewhere.")
	}
	w.reached = max(w.reached, 1)
	if w.refDepth == 0 {
		return n.orObject()
	}
	return n
}

// orObject makes an object of what may be anything, where there is no room for
// more: that is what most definitions are, and it takes a tenth of the bytes.
func (n *node) orObject() *node {
	if n.any {
		n.any, n.alts = false, []alt{{kind: kObject}}
	}
	return n
}

func (w *walker) onPath(m map[string]any) bool {
	w.work(1 + len(w.path)/8)
	return slices.Contains(w.path, identity(m))
}
