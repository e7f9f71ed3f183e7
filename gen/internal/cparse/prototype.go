package cparse

// Prototype returns the declaration on one line, with the header's own type names.
func (f *Func) Prototype() string { return funcLine(f) }

// Declaration returns the typedef on one line.
func (t *Typedef) Declaration() string {
	name := typedefType(t)
	switch t.Type.Kind {
	case Struct, Union, EnumT:
		return "typedef " + name + " " + t.Name
	}
	return "typedef " + t.Type.declare(t.Name)
}

// Declaration returns the record on one line, with its members if it is complete.
func (r *Record) Declaration() string {
	s := r.Kind + " " + r.Name
	if !r.Complete {
		return s
	}
	for _, a := range r.Attrs {
		s += " __attribute__((" + a + "))"
	}
	return s + " " + fieldList(r.Fields)
}
