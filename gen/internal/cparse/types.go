package cparse

import (
	"fmt"

	"modernc.org/cc/v4"
)

// vaListNames are the spellings of va_list in C libraries and compilers.
var vaListNames = map[string]bool{"va_list": true, "__gnuc_va_list": true, "__builtin_va_list": true}

// typedefs resolves typedef names to what they stand for.
type typedefs struct {
	known  map[string]*Type
	system map[string]bool // of a file outside the directory: its own typedef names are of no interest
}

// named is the type of a typedef name.
func (c *collector) named(name string) (*Type, error) {
	if vaListNames[name] {
		return &Type{Kind: Other, Name: "va_list"}, nil
	}
	t := c.typedefs.known[name]
	if t == nil {
		return nil, fmt.Errorf("typedef %s could not be read", name)
	}
	if c.typedefs.system[name] {
		for t.Kind == Named {
			t = t.Elem
		}
	}
	return &Type{Kind: Named, Name: name, Elem: t}, nil
}

// declType applies a declarator to the type in front of it.
func (c *collector) declType(t *Type, d *cc.Declarator) (*Type, error) {
	if d == nil {
		return t, nil
	}
	t, err := pointers(t, d.Pointer)
	if err != nil {
		return nil, err
	}
	return c.directType(t, d.DirectDeclarator)
}

func (c *collector) directType(t *Type, d *cc.DirectDeclarator) (*Type, error) {
	if d == nil {
		return t, nil
	}
	switch d.Case {
	case cc.DirectDeclaratorIdent:
		return t, nil
	case cc.DirectDeclaratorDecl:
		return c.declType(t, d.Declarator)
	case cc.DirectDeclaratorArr, cc.DirectDeclaratorStaticArr, cc.DirectDeclaratorArrStatic:
		n, err := arrayLen(d.AssignmentExpression)
		if err != nil {
			return nil, err
		}
		return c.directType(&Type{Kind: Array, Elem: t, Len: n}, d.DirectDeclarator)
	case cc.DirectDeclaratorFuncParam:
		f, err := c.funcType(t, d.ParameterTypeList)
		if err != nil {
			return nil, err
		}
		return c.directType(f, d.DirectDeclarator)
	case cc.DirectDeclaratorFuncIdent:
		if d.IdentifierList != nil {
			return nil, fmt.Errorf("function declared without parameter types")
		}
		return c.directType(&Type{Kind: FuncT, Elem: t}, d.DirectDeclarator)
	}
	return nil, fmt.Errorf("declarator not understood: %s", cc.NodeSource(d))
}

// abstractType is declType for a declarator without a name.
func (c *collector) abstractType(t *Type, d *cc.AbstractDeclarator) (*Type, error) {
	if d == nil {
		return t, nil
	}
	t, err := pointers(t, d.Pointer)
	if err != nil {
		return nil, err
	}
	return c.directAbstract(t, d.DirectAbstractDeclarator)
}

func (c *collector) directAbstract(t *Type, d *cc.DirectAbstractDeclarator) (*Type, error) {
	if d == nil {
		return t, nil
	}
	switch d.Case {
	case cc.DirectAbstractDeclaratorDecl:
		return c.abstractType(t, d.AbstractDeclarator)
	case cc.DirectAbstractDeclaratorArr, cc.DirectAbstractDeclaratorStaticArr, cc.DirectAbstractDeclaratorArrStatic:
		n, err := arrayLen(d.AssignmentExpression)
		if err != nil {
			return nil, err
		}
		return c.directAbstract(&Type{Kind: Array, Elem: t, Len: n}, d.DirectAbstractDeclarator)
	case cc.DirectAbstractDeclaratorFunc:
		f, err := c.funcType(t, d.ParameterTypeList)
		if err != nil {
			return nil, err
		}
		return c.directAbstract(f, d.DirectAbstractDeclarator)
	}
	return nil, fmt.Errorf("declarator not understood: %s", cc.NodeSource(d))
}

// pointers wraps t in the pointers of a declarator, the leftmost star first.
func pointers(t *Type, p *cc.Pointer) (*Type, error) {
	for ; p != nil; p = p.Pointer {
		if p.Case == cc.PointerBlock {
			return nil, fmt.Errorf("block pointer")
		}
		t = &Type{Kind: Pointer, Elem: t, Const: isConst(p.TypeQualifiers)}
	}
	return t, nil
}

func isConst(q *cc.TypeQualifiers) bool {
	for ; q != nil; q = q.TypeQualifiers {
		if q.TypeQualifier != nil && q.TypeQualifier.Case == cc.TypeQualifierConst {
			return true
		}
	}
	return false
}

// arrayLen is the value between the brackets, -1 where there is none.
func arrayLen(e cc.ExpressionNode) (int, error) {
	if e == nil {
		return -1, nil
	}
	n, _, ok := intValue(e.Value())
	if !ok {
		return 0, fmt.Errorf("array length is not a constant: %s", cc.NodeSource(e))
	}
	if n < 0 || n > 1<<31 {
		return 0, fmt.Errorf("array length %d", n)
	}
	return int(n), nil
}

// intValue is the value of a constant; unsigned is whether it exceeds an int64.
func intValue(v cc.Value) (n int64, unsigned, ok bool) {
	switch x := v.(type) {
	case cc.Int64Value:
		return int64(x), false, true
	case cc.UInt64Value:
		return int64(x), int64(x) < 0, true
	}
	return 0, false, false
}

// funcType is a function with result t.
func (c *collector) funcType(t *Type, l *cc.ParameterTypeList) (*Type, error) {
	f := &Type{Kind: FuncT, Elem: t}
	if l == nil {
		return f, nil
	}
	f.Variadic = l.Case == cc.ParameterTypeListVar
	for pl := l.ParameterList; pl != nil; pl = pl.ParameterList {
		p, err := c.param(pl.ParameterDeclaration)
		if err != nil {
			return nil, err
		}
		if p.Type.Kind == Void && p.Name == "" && len(f.Params) == 0 && pl.ParameterList == nil {
			break // (void)
		}
		f.Params = append(f.Params, p)
	}
	return f, nil
}

func (c *collector) param(d *cc.ParameterDeclaration) (Param, error) {
	spec, err := c.specifiers(d.DeclarationSpecifiers)
	if err != nil {
		return Param{}, err
	}
	t := spec.typ
	if d.Case == cc.ParameterDeclarationAbstract {
		t, err = c.abstractType(t, d.AbstractDeclarator)
	} else {
		t, err = c.declType(t, d.Declarator)
	}
	if err != nil {
		return Param{}, fmt.Errorf("parameter %s: %w", d.Declarator.Name(), err)
	}
	switch t.Kind {
	case Array:
		t = &Type{Kind: Pointer, Elem: t.Elem, Decayed: true, Len: t.Len}
	case FuncT:
		t = &Type{Kind: Pointer, Elem: t}
	}
	return Param{Name: d.Declarator.Name(), Type: t}, nil
}
