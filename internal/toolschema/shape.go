package toolschema

// shape says what has to change in the arguments on their way to the server.
// A nil *shape changes nothing.
type shape struct {
	fields map[string]field // of an object, by the name the model sees
	extra  *shape           // of an object's other properties
	items  *shape           // of a list

	renamed bool // a name here or below changes
}

// field is one property whose argument may have to change.
type field struct {
	name     string // as the server has it
	renamed  bool
	dropNull bool // optional and not nullable: null means not given
	shape    *shape
}

// field adds one property; s may be nil.
func (s *shape) field(name string, f field) *shape {
	if s == nil {
		s = &shape{fields: map[string]field{}}
	}
	s.fields[name] = f
	s.renamed = s.renamed || f.renamed || f.shape.renames()
	return s
}

// with adds what other says; the two are of different alternatives, of which
// only one is an object and one a list. Either may be nil.
func (s *shape) with(other *shape) *shape {
	if s == nil || other == nil {
		return or(s, other)
	}
	return &shape{
		fields:  orMap(s.fields, other.fields),
		extra:   or(s.extra, other.extra),
		items:   or(s.items, other.items),
		renamed: s.renamed || other.renamed,
	}
}

func or(a, b *shape) *shape {
	if a != nil {
		return a
	}
	return b
}

func orMap(a, b map[string]field) map[string]field {
	if a != nil {
		return a
	}
	return b
}

// renames says whether a name below changes.
func (s *shape) renames() bool { return s != nil && s.renamed }
