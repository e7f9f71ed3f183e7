package cparse

// Prototype returns the declaration on one line, with the header's own type names.
func (f *Func) Prototype() string { return funcLine(f) }
