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
		return c.directType(&Type{Kind: Array, Elem: t, Len: c.arrayLen(d.AssignmentExpression), Const: isConst(d.TypeQualifiers)}, d.DirectDeclarator)
	case cc.DirectDeclaratorFuncParam:
		f, err := c.funcType(t, d.ParameterTypeList)
		if err != nil {
			return nil, err
		}
		return c.directType(f, d.DirectDeclarator)
	case cc.DirectDeclaratorFuncIdent:
		if l := d.IdentifierList; l != nil {
			return nil, &untypedParams{first: l.Token2}
		}
		return c.directType(&Type{Kind: FuncT, Elem: t}, d.DirectDeclarator)
	}
	return nil, fmt.Errorf("declarator not understood: %s", cc.NodeSource(d))
}

// untypedParams are names where parameter types should be: misspelt types, or
// a function in the style before C89.
type untypedParams struct {
	first cc.Token
}

func (e *untypedParams) Error() string {
	return fmt.Sprintf("unknown type name %q, or parameters without types", e.first.SrcStr())
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
		return c.directAbstract(&Type{Kind: Array, Elem: t, Len: c.arrayLen(d.AssignmentExpression)}, d.DirectAbstractDeclarator)
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

// variable is the length of an array whose length is not a constant. Only the
// array that a parameter is may have it.
const variable = -2

// arrayLen is the value between the brackets, -1 where there is none.
func (c *collector) arrayLen(e cc.ExpressionNode) int {
	if e == nil {
		return -1
	}
	n, err := c.constant(e)
	if err != nil || n < 0 {
		return variable
	}
	return int(n)
}

// checkArrays refuses arrays of variable length.
func checkArrays(t *Type) error {
	for ; t != nil; t = t.Elem {
		if t.Kind == Array && t.Len == variable {
			return fmt.Errorf("array length is not a constant, or depends on the layout of a struct")
		}
	}
	return nil
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
	if err := checkAttrs(attrsOf(d.AttributeSpecifierList)); err != nil {
		return Param{}, err
	}
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
		t = &Type{Kind: Pointer, Elem: t.Elem, Decayed: true, Len: max(t.Len, -1), Const: t.Const}
	case FuncT:
		t = &Type{Kind: Pointer, Elem: t}
	}
	if err := checkArrays(t); err != nil {
		return Param{}, fmt.Errorf("parameter %s: %w", d.Declarator.Name(), err)
	}
	return Param{Name: d.Declarator.Name(), Type: t}, nil
}
