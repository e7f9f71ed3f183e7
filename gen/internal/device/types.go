package device

import (
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"slices"
)

// kernels adds the functions with a mark that the object defines. One that is declared alone belongs to another source.
func (u *Unit) kernels(file *elf.File, found []mark) error {
	for _, m := range found {
		if m.static {
			return m.pos.errorf("%s is static or inline, so the host has no symbol for it", m.name)
		}
	}
	found = slices.DeleteFunc(found, func(m mark) bool { return !slices.Contains(u.Defined, m.name) })
	if len(found) == 0 {
		return nil
	}
	data, err := file.DWARF()
	if err != nil {
		return fmt.Errorf("cannot read the compiler's debug information: %w", err)
	}
	functions, err := functionsOf(data)
	if err != nil {
		return fmt.Errorf("cannot read the compiler's debug information: %w", err)
	}
	seen := map[string]bool{}
	for _, m := range found {
		at, defined := functions[m.name]
		if seen[m.name] || !defined {
			continue
		}
		seen[m.name] = true
		k := &Kernel{Name: m.name, RPC: m.rpc, Pos: m.pos}
		if err := k.read(data, at); err != nil {
			return m.pos.errorf("%s cannot be started: %v", m.name, err)
		}
		if _, size := k.layout(); size > mostArguments {
			return m.pos.errorf("%s cannot be started: its arguments have %d bytes, more than %d", m.name, size, mostArguments)
		}
		u.Kernels = append(u.Kernels, k)
	}
	return nil
}

// mostArguments is EMU_DPA_MAX_ARGS of the emulator.
const mostArguments = 4096

// functionsOf finds the descriptions of functions that have bodies.
func functionsOf(data *dwarf.Data) (map[string]dwarf.Offset, error) {
	found := map[string]dwarf.Offset{}
	for r := data.Reader(); ; {
		e, err := r.Next()
		if err != nil {
			return nil, err
		}
		if e == nil {
			return found, nil
		}
		if e.Tag == dwarf.TagSubprogram {
			name, _ := e.Val(dwarf.AttrName).(string)
			declared, _ := e.Val(dwarf.AttrDeclaration).(bool)
			if name != "" && !declared {
				found[name] = e.Offset
			}
		}
		if e.Tag != dwarf.TagCompileUnit {
			r.SkipChildren()
		}
	}
}

// read fills in the parameters, and refuses what no host can pass.
func (k *Kernel) read(data *dwarf.Data, at dwarf.Offset) error {
	r := data.Reader()
	r.Seek(at)
	e, err := r.Next()
	if err != nil {
		return err
	}
	if err := k.result(data, e); err != nil || !e.Children {
		return err
	}
	for {
		e, err := r.Next()
		switch {
		case err != nil:
			return err
		case e == nil || e.Tag == 0:
			return nil
		case e.Tag == dwarf.TagUnspecifiedParameters:
			return fmt.Errorf("it is variadic: a kernel has a fixed number of arguments")
		case e.Tag == dwarf.TagFormalParameter:
			t, err := typeOf(data, e)
			if err != nil {
				return err
			}
			p, err := argument(t)
			if err != nil {
				name, _ := e.Val(dwarf.AttrName).(string)
				return fmt.Errorf("parameter %d (%s): %w", len(k.Params)+1, name, err)
			}
			k.Params = append(k.Params, p)
		}
		r.SkipChildren()
	}
}

func (k *Kernel) result(data *dwarf.Data, e *dwarf.Entry) error {
	t, err := typeOf(data, e)
	if err != nil {
		return err
	}
	switch {
	case !k.RPC && t != nil:
		return fmt.Errorf("it returns a value: a __dpa_global__ function returns void, and a __dpa_rpc__ function uint64_t")
	case k.RPC && (t == nil || !isInt(bare(t)) || t.Size() != 8):
		return fmt.Errorf("it does not return a 64-bit integer, as a __dpa_rpc__ function must")
	}
	return nil
}

func typeOf(data *dwarf.Data, e *dwarf.Entry) (dwarf.Type, error) {
	at, ok := e.Val(dwarf.AttrType).(dwarf.Offset)
	if !ok {
		return nil, nil
	}
	return data.Type(at)
}

// bare is a type without qualifiers and typedefs.
func bare(t dwarf.Type) dwarf.Type {
	for {
		switch x := t.(type) {
		case *dwarf.QualType:
			t = x.Type
		case *dwarf.TypedefType:
			t = x.Type
		default:
			return t
		}
	}
}

// argument tells how a parameter of a type is passed.
func argument(t dwarf.Type) (Param, error) {
	if err := usable(t); err != nil {
		return Param{}, err
	}
	name, err := spell(t)
	if err != nil {
		return Param{}, err
	}
	b := bare(t)
	p := Param{C: name, Passed: name, Size: t.Size(), Int: isInt(b)}
	if _, enum := b.(*dwarf.EnumType); (enum || p.Int || isBool(b)) && p.Size < 4 {
		p.Passed = "int" // small numbers are promoted
	}
	return p, nil
}

// usable refuses what code on the DPA does not have. A pointer is an address in DPA memory.
func usable(t dwarf.Type) error {
	switch b := bare(t).(type) {
	case *dwarf.FloatType, *dwarf.ComplexType:
		return fmt.Errorf("floating-point number, which the DPA does not have: take an integer")
	case *dwarf.ArrayType:
		return usable(b.Type)
	case *dwarf.StructType:
		for _, f := range b.Field {
			if err := usable(f.Type); err != nil {
				return fmt.Errorf("member %s: %w", f.Name, err)
			}
		}
	case *dwarf.PtrType, *dwarf.EnumType:
	default:
		if !isInt(b) && !isBool(b) {
			return fmt.Errorf("%s is not a number, a pointer or a record", t)
		}
		if b.Size() > 8 {
			return fmt.Errorf("integer of %d bytes: take two of 8", b.Size())
		}
	}
	return nil
}

func isInt(t dwarf.Type) bool {
	switch t.(type) {
	case *dwarf.IntType, *dwarf.UintType, *dwarf.CharType, *dwarf.UcharType:
		return true
	}
	return false
}

func isBool(t dwarf.Type) bool {
	_, ok := t.(*dwarf.BoolType)
	return ok
}

// spell is a type in C, without qualifiers, as the end of its source can name it.
func spell(t dwarf.Type) (string, error) {
	switch x := t.(type) {
	case *dwarf.QualType:
		return spell(x.Type)
	case *dwarf.TypedefType:
		if qualified(x.Type) {
			return spell(x.Type)
		}
		return x.Name, nil
	case *dwarf.PtrType:
		return "void *", nil
	case *dwarf.StructType:
		if x.StructName != "" {
			return x.Kind + " " + x.StructName, nil
		}
	case *dwarf.EnumType:
		if x.EnumName != "" {
			return "enum " + x.EnumName, nil
		}
	default:
		if name := t.Common().Name; name != "" {
			return name, nil
		}
	}
	return "", fmt.Errorf("its type has no name")
}

// qualified tells whether a typedef's type is const or volatile.
func qualified(t dwarf.Type) bool {
	switch x := t.(type) {
	case *dwarf.QualType:
		return true
	case *dwarf.TypedefType:
		return qualified(x.Type)
	}
	return false
}
