package toolschema

import "slices"

// kind is a set of JSON types, without null.
type kind uint8

const (
	kString kind = 1 << iota
	kInteger
	kNumber
	kBoolean
	kObject
	kArray
)

// kindNames are in the order in which alternatives are written.
var kindNames = []struct {
	kind kind
	name string
}{
	{kString, "string"}, {kInteger, "integer"}, {kNumber, "number"},
	{kBoolean, "boolean"}, {kObject, "object"}, {kArray, "array"},
}

func (k kind) name() string {
	for _, e := range kindNames {
		if k == e.kind {
			return e.name
		}
	}
	return ""
}

// widest takes integers out where all numbers are allowed.
func (k kind) widest() kind {
	if k&kNumber != 0 {
		k &^= kInteger
	}
	return k
}

// typeNames are JSON Schema's type names and those that generators of schemas
// write by mistake, after the language they work in. Matched in lower case.
var typeNames = map[string]kind{
	"string": kString, "str": kString, "text": kString,
	"integer": kInteger, "int": kInteger, "int32": kInteger, "int64": kInteger, "long": kInteger,
	"number": kNumber, "float": kNumber, "double": kNumber, "decimal": kNumber,
	"boolean": kBoolean, "bool": kBoolean,
	"object": kObject, "dict": kObject, "map": kObject,
	"array": kArray, "list": kArray,
}

// node is a schema without references and combinators: a set of values told
// as alternatives, of which at most one is an object and one an array. It is
// what providers can carry: Google's reads one type and no alternatives. A nil
// *node allows nothing.
type node struct {
	null bool   // null is allowed
	any  bool   // every value is allowed; alts is empty
	alts []alt  // none and not any: null alone
	one  [1]alt // room for alts where there is one, as there mostly is

	title, description string
	remarks            []string // sentences to append to the description
	def                any      // a scalar, or nil for none
	flags              []string // true annotations, such as "deprecated"
}

// alt is one alternative of a node: a JSON type and the rules for it.
type alt struct {
	kind  kind
	rules rules        // valid for kind
	enum  []any        // nil: any value of kind
	in    map[any]bool // the values of enum, once another one joined it

	title, description string // of a scalar alternative among several

	// of kObject
	props    map[string]*node // nil values are not kept
	required []string         // names of props
	closed   bool             // additionalProperties is false
	open     bool             // additionalProperties is true
	extra    *node            // schema of additionalProperties
	names    *node            // propertyNames, where it says more than string

	// of kArray
	items *node // nil: not said
}

func anything() *node { return &node{any: true, null: true} }

func (n *node) alt(k kind) *alt {
	for i := range n.alts {
		if n.alts[i].kind == k {
			return &n.alts[i]
		}
	}
	return nil
}

func (n *node) nullOnly() bool { return n.null && !n.any && len(n.alts) == 0 }

// bare says that the alternative allows every value of its kind.
func (a *alt) bare() bool {
	return len(a.rules) == 0 && a.enum == nil && a.title == "" && a.description == ""
}

// requires are the required names as a set.
func (a *alt) requires() map[string]bool {
	if len(a.required) == 0 {
		return nil
	}
	set := make(map[string]bool, len(a.required))
	for _, name := range a.required {
		set[name] = true
	}
	return set
}

func (a *alt) scalar() bool { return a.kind&(kObject|kArray) == 0 }

// annotate fills what dst leaves open from src.
func annotate(dst, src *node) {
	if dst.title == "" {
		dst.title = src.title
	}
	if dst.description == "" {
		dst.description = src.description
	}
	if dst.def == nil {
		dst.def = src.def
	}
	for _, r := range src.remarks {
		if len(dst.remarks) < maxRemarks && !slices.Contains(dst.remarks, r) {
			dst.remarks = append(dst.remarks, r)
		}
	}
	for _, f := range src.flags {
		if !slices.Contains(dst.flags, f) {
			dst.flags = append(dst.flags, f)
		}
	}
}

// maxRemarks bounds what is appended to one description.
const maxRemarks = 16
