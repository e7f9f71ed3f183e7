package cparse

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"modernc.org/cc/v4"
	"modernc.org/token"
)

// collector turns the syntax tree of a unit into the declarations of its headers.
type collector struct {
	p        *parser
	headers  map[string]*Header // by path
	macros   map[string]*cc.Macro
	typedefs typedefs
	records  map[*Header]map[string]*Record
	funcs    map[*Header]map[string]*Func
	enums    map[string]*Type // by tag
	complete map[string]bool  // tags of structs and unions
	pack     packState
	foreign  *foreign
	err      *ParseError // what makes a header invalid that cc/v4 accepts
}

// collect returns the headers of a unit, in its order.
func (p *parser) collect(u unit, ast *cc.AST, f *foreign) ([]*Header, *ParseError) {
	c := &collector{
		p:        p,
		headers:  map[string]*Header{},
		macros:   ast.Macros,
		typedefs: typedefs{known: map[string]*Type{}, system: map[string]bool{}},
		enums:    map[string]*Type{},
		complete: map[string]bool{},
		foreign:  f,
		records:  map[*Header]map[string]*Record{},
		funcs:    map[*Header]map[string]*Func{},
	}
	var all []*Header
	for _, n := range u.headers {
		h := &Header{Name: n}
		path := filepath.Join(p.dir, n)
		if src := p.files.loaded(path); src != nil {
			h.Doc = src.fileDoc()
			h.Includes = c.includesOf(src)
			h.Problems = append(h.Problems, src.problems...)
		}
		c.headers[path] = h
		c.records[h] = map[string]*Record{}
		c.funcs[h] = map[string]*Func{}
		all = append(all, h)
	}
	for tu := ast.TranslationUnit; tu != nil; tu = tu.TranslationUnit {
		if tu.ExternalDeclaration != nil {
			c.external(tu.ExternalDeclaration)
		}
	}
	if c.err != nil {
		return nil, c.err
	}
	for _, h := range all {
		c.giveUpIncomplete(h)
	}
	for _, h := range all {
		c.dropIncomplete(h)
	}
	c.relabel(all)
	c.collectMacros()
	return all, nil
}

// sourceOf is the text of a header of the directory; nil for a system header,
// whose comments are of no interest.
func (c *collector) sourceOf(path string) *source {
	if filepath.Dir(path) != c.p.dir {
		return nil
	}
	return c.p.files.loaded(path)
}

// external reads one declaration. What it cannot read costs that declaration.
func (c *collector) external(d *cc.ExternalDeclaration) {
	at := d.Position()
	defer func() {
		if x := recover(); x != nil {
			c.problem(at.Filename, at.Line, fmt.Sprintf("declaration not understood: %v", x))
		}
	}()
	var err error
	switch d.Case {
	case cc.ExternalDeclarationDecl:
		at = d.Declaration.Position()
		err = c.declaration(d.Declaration)
	case cc.ExternalDeclarationFuncDef:
		at = d.FunctionDefinition.Declarator.NameTok().Position()
		err = c.definition(d.FunctionDefinition)
	}
	var untyped *untypedParams
	switch {
	case err == nil:
	case errors.As(err, &untyped) && c.foreign.absent != nil:
		c.problem(at.Filename, at.Line, c.foreign.blame(err.Error()))
	case errors.As(err, &untyped) && d.Case == cc.ExternalDeclarationDecl && c.err == nil:
		at := untyped.first.Position()
		c.err = &ParseError{Pos: Pos{File: c.p.display(at.Filename), Line: at.Line}, Text: err.Error()}
		if src := c.p.files.loaded(at.Filename); src != nil {
			c.err.Line = src.sourceLine(at.Line)
		}
	default:
		c.problem(at.Filename, at.Line, err.Error())
	}
}

func (c *collector) problem(path string, line int, text string) {
	if h := c.headers[path]; h != nil {
		h.Problems = append(h.Problems, Problem{Pos: Pos{File: h.Name, Line: line}, Text: text})
	}
}

func (c *collector) declaration(d *cc.Declaration) error {
	if d.Case == cc.DeclarationAssert {
		return c.pack.assertion(d.StaticAssertDeclaration)
	}
	if d.Case == cc.DeclarationAuto {
		return fmt.Errorf("__auto_type declaration")
	}
	if d.DeclarationSpecifiers == nil && d.InitDeclaratorList == nil {
		return nil // a stray semicolon
	}
	start := d.Position()
	s, err := c.specifiers(d.DeclarationSpecifiers)
	if err != nil {
		c.labelKnown(d)
		return err
	}
	doc := c.declDoc(d.DeclarationSpecifiers, start, d.Token.Position())
	s.describe(doc)
	attrs := append(s.attrs, attrsOf(d.AttributeSpecifierList)...)
	if s.enum != nil && hasPacked(attrs) {
		c.packEnum(s, s.enum)
	}
	if d.InitDeclaratorList == nil {
		c.tagOnly(s, doc)
		return nil
	}
	for l := d.InitDeclaratorList; l != nil; l = l.InitDeclaratorList {
		id := l.InitDeclarator
		own := append(attrsOf(l.AttributeSpecifierList), attrsOf(id.AttributeSpecifierList)...)
		s.label = label(id)
		if err := c.declarator(s, id.Declarator, append(own, attrs...), doc); err != nil {
			return fmt.Errorf("%s: %w", id.Declarator.Name(), err)
		}
	}
	return nil
}

// declDoc is the comment of a declaration: in front of its first word, which
// may be a macro, behind that macro, or behind its end.
func (c *collector) declDoc(n cc.Node, start, end token.Position) string {
	src := c.sourceOf(start.Filename)
	if src == nil || c.headers[start.Filename] == nil {
		return ""
	}
	if t := cc.NodeTokens(n); len(t) > 0 {
		first := t[0].Position()
		if doc := src.docBefore(src.offset(first.Line, first.Column)); doc != "" {
			return doc
		}
	}
	return src.memberDoc(start, end)
}

func hasPacked(attrs []attr) bool {
	for _, a := range attrs {
		if a.name == "packed" {
			return true
		}
	}
	return false
}

// describe gives the comment in front of a declaration to the record or
// enumeration in it, where that has none of its own.
func (s *spec) describe(doc string) {
	if s.record != nil && s.record.Doc == "" {
		s.record.Doc = doc
	}
	if s.enum != nil && s.enum.Doc == "" {
		s.enum.Doc = doc
	}
}

// tagOnly is a declaration without a declarator: struct x;
func (c *collector) tagOnly(s *spec, doc string) {
	if s.opaque == nil {
		return
	}
	at := s.opaque.Token.Position()
	c.addRecord(at.Filename, &Record{
		Kind: string(s.typ.Kind), Name: s.typ.Name, Doc: doc,
		Pos: Pos{File: c.p.display(at.Filename), Line: at.Line},
	})
}

// addRecord adds a record to its header; a complete one takes the place of a forward declaration.
func (c *collector) addRecord(path string, r *Record) {
	h := c.headers[path]
	if h == nil {
		return
	}
	old := c.records[h][r.Name]
	switch {
	case r.Name == "":
		h.Records = append(h.Records, r)
	case old == nil:
		c.records[h][r.Name] = r
		h.Records = append(h.Records, r)
	case !old.Complete && r.Complete:
		if r.Doc == "" {
			r.Doc = old.Doc
		}
		*old = *r
	case old.Doc == "":
		old.Doc = r.Doc
	}
}

func (c *collector) addEnum(path string, e *Enum) {
	if h := c.headers[path]; h != nil {
		h.Enums = append(h.Enums, e)
	}
}

// declarator reads one declarator of a declaration at file scope.
func (c *collector) declarator(s *spec, d *cc.Declarator, attrs []attr, doc string) error {
	t, err := c.declType(s.typ, d)
	if err == nil {
		err = cmp.Or(checkArrays(t), checkAttrs(attrs), checkWeight(t))
	}
	if err != nil {
		return err
	}
	tok := d.NameTok()
	at := tok.Position()
	name := tok.SrcStr()
	if s.typedef {
		c.typedef(s, name, t, at.Filename, at.Line, doc, attrs)
		return nil
	}
	h := c.headers[at.Filename]
	if h == nil {
		return nil
	}
	if t.Kind == Named {
		for u := t.Elem; u != nil; u = u.Elem {
			if u.Kind != Named {
				if u.Kind == FuncT {
					t = u // a prototype by means of a function typedef
				}
				break
			}
		}
	}
	if t.Kind != FuncT {
		return fmt.Errorf("a variable, not a function or type")
	}
	f := &Func{Name: name, Ret: t.Elem, Params: t.Params, Variadic: t.Variadic, Doc: doc, Pos: Pos{File: h.Name, Line: at.Line}}
	f.Inline, f.Body = s.inline || s.static, s.body
	if s.label != name {
		f.Label = s.label
	}
	f.Stability = c.stability(c.sourceOf(at.Filename), attrs)
	if f.Inline && f.Stability == Unmarked {
		f.Stability = Inline
	}
	c.addFunc(h, f)
	return nil
}

// addFunc adds a function once; a body and a comment may come with a later declaration.
func (c *collector) addFunc(h *Header, f *Func) {
	old := c.funcs[h][f.Name]
	if old == nil {
		c.funcs[h][f.Name] = f
		h.Funcs = append(h.Funcs, f)
		return
	}
	if old.Doc == "" {
		old.Doc = f.Doc
	}
	if f.Body != "" {
		old.Body, old.Params = f.Body, f.Params // it goes by their names
		old.Inline = old.Inline || f.Inline
	}
	old.Label = cmp.Or(old.Label, f.Label)
	if old.Stability == Unmarked || old.Stability == Inline {
		old.Stability = f.Stability
	}
}

// label is the symbol that a declarator gives to its function, if it does.
func label(d *cc.InitDeclarator) string {
	if d.Asm == nil {
		return ""
	}
	return strings.Trim(d.Asm.Token3.SrcStr(), `"`)
}

// labelKnown takes over the labels of functions that have been declared before: extern __typeof__(f) f __asm__("other").
func (c *collector) labelKnown(d *cc.Declaration) {
	for l := d.InitDeclaratorList; l != nil; l = l.InitDeclaratorList {
		name := l.InitDeclarator.Declarator.Name()
		for _, funcs := range c.funcs {
			if f, other := funcs[name], label(l.InitDeclarator); f != nil && other != "" && other != name {
				f.Label = other
			}
		}
	}
}

// relabel follows #pragma redefine_extname, which gives a function another symbol as an assembler label does.
func (c *collector) relabel(headers []*Header) {
	for _, h := range headers {
		src := c.p.files.loaded(filepath.Join(c.p.dir, h.Name))
		if src == nil {
			continue
		}
		for _, d := range src.directives {
			words := strings.Fields(d.rest)
			if d.name != "pragma" || len(words) < 3 || words[0] != "redefine_extname" {
				continue
			}
			for _, other := range headers {
				if f := c.funcs[other][words[1]]; f != nil && words[2] != f.Name {
					f.Label = words[2]
				}
			}
		}
	}
}

func (c *collector) typedef(s *spec, name string, t *Type, path string, line int, doc string, attrs []attr) {
	c.typedefs.known[name] = t
	h := c.headers[path]
	c.typedefs.system[name] = h == nil && filepath.Dir(path) != c.p.dir
	if h == nil {
		return
	}
	if s.record != nil && s.record.Name == "" && s.record.Typedef == "" {
		s.record.Typedef = name
		c.addRecord(path, s.record)
	}
	if s.enum != nil && s.enum.Name == "" && s.enum.Typedef == "" {
		s.enum.Typedef = name
	}
	for _, old := range h.Typedefs {
		if old.Name == name {
			return // C11 allows to repeat a typedef
		}
	}
	h.Typedefs = append(h.Typedefs, &Typedef{Name: name, Type: t, Attrs: layout(attrs), Doc: doc, Pos: Pos{File: h.Name, Line: line}})
}

// definition reads a function with a body.
func (c *collector) definition(d *cc.FunctionDefinition) error {
	s, err := c.specifiers(d.DeclarationSpecifiers)
	if err != nil {
		return err
	}
	tok := d.Declarator.NameTok()
	h := c.headers[tok.Position().Filename]
	if h == nil {
		return nil
	}
	start := d.Position()
	s.inline = true
	s.body = body(d.CompoundStatement)
	doc := c.declDoc(d.DeclarationSpecifiers, start, d.CompoundStatement.Token2.Position())
	if err := c.declarator(s, d.Declarator, s.attrs, doc); err != nil {
		return fmt.Errorf("%s: %w", tok.SrcStr(), err)
	}
	return nil
}

// body are the tokens between the braces, separated by blanks.
func body(b *cc.CompoundStatement) string {
	var words []string
	for _, t := range cc.NodeTokens(b) {
		words = append(words, t.SrcStr())
	}
	words = words[1 : len(words)-1]
	// cc/v4 adds the declaration of __func__. Where its tokens are tells nothing: all those of a body that a macro
	// makes are in one place.
	if name := slices.Index(words, "__func__"); name == 3 && words[0] == "static" && words[8] == ";" {
		words = words[9:]
	}
	return strings.Join(words, " ")
}
