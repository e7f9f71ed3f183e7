package vet

import (
	"go/ast"
	"go/types"
	"reflect"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/ctrlflow"
	"golang.org/x/tools/go/ssa"
)

// build is the analyzer on which the others stand. It makes SSA of packages that have to do with DOCA, and facts for those that import
// them. (Analyzer buildssa would do so for each package of the standard library, too.)
var build = &analysis.Analyzer{
	Name:       "docassa",
	Doc:        "build SSA and facts for the analyzers of go-doca",
	URL:        page + "how-it-works",
	Run:        runBuild,
	Requires:   []*analysis.Analyzer{ctrlflow.Analyzer},
	ResultType: reflect.TypeFor[*program](),
	FactTypes:  []analysis.Fact{new(funcFact), new(fieldFact)},
}

// funcFact is what callers need to know of a function. Arguments are counted with the receiver as the first.
type funcFact struct {
	Does    map[int]effect // what it does with an argument
	NoBlock []int          // arguments that are functions which must not block
	Fresh   []int          // results that are new objects
	Blocks  string         // why it may block; empty if it does not
	Cancels bool           // it reports whether its argument, an error, is that of a context
}

func (*funcFact) AFact() {}

// fieldFact says that a function in a field must not block.
type fieldFact struct{ NoBlock bool }

func (*fieldFact) AFact() {}

// effect is a set of things that a function does with an argument.
type effect uint16

const (
	takes   effect = 1 << iota // closes it, keeps it, or gives it away
	posts                      // gives it to the device until it is received
	reads                      // reads its bytes
	writes                     // writes its bytes
	changes                    // changes what DOCA knows of it, such as its data segment
	stores                     // keeps the slice
	frees                      // closes it
	lends                      // returns what was made with it and keeps it alive
	passes                     // returns it, or a part of it
)

// program is the SSA of a package, with what is known of functions.
type program struct {
	pass     *analysis.Pass
	pkg      *ssa.Package
	funcs    []*ssa.Function // all of the package, literals too
	facts    map[*types.Func]*funcFact
	noBlock  map[*types.Var]bool // fields
	effects  map[argument]effect
	blocking map[*ssa.Function]*string
	fresh    map[*ssa.Function][]int
	calls    map[*ssa.Function][]*ssa.Call
}

type argument struct {
	fn *ssa.Function
	i  int
}

func programOf(pass *analysis.Pass) *program { return pass.ResultOf[build].(*program) }

func runBuild(pass *analysis.Pass) (any, error) {
	p := &program{
		pass: pass, facts: map[*types.Func]*funcFact{}, noBlock: map[*types.Var]bool{}, effects: map[argument]effect{},
		blocking: map[*ssa.Function]*string{}, fresh: map[*ssa.Function][]int{},
	}
	if !concerns(pass.Pkg, map[*types.Package]bool{}) {
		return p, nil
	}
	for _, f := range pass.AllObjectFacts() {
		switch fact := f.Fact.(type) {
		case *funcFact:
			if fn, ok := f.Object.(*types.Func); ok {
				p.facts[fn] = fact
			}
		case *fieldFact:
			if v, ok := f.Object.(*types.Var); ok {
				p.noBlock[v] = fact.NoBlock
			}
		}
	}
	prog := ssa.NewProgram(pass.Fset, 0)
	prog.SetNoReturn(pass.ResultOf[ctrlflow.Analyzer].(*ctrlflow.CFGs).NoReturn)
	for _, imported := range pass.Pkg.Imports() {
		prog.CreatePackage(imported, nil, nil, true)
	}
	p.pkg = prog.CreatePackage(pass.Pkg, pass.Files, pass.TypesInfo, false)
	p.pkg.Build()
	p.directives()
	p.declared(func(_ *ast.FuncDecl, f *types.Func) {
		if fn := prog.FuncValue(f); fn != nil {
			p.add(fn)
		}
	})
	p.declared(p.export)
	return p, nil
}

// concerns reports whether a package has to do with DOCA: it is part of the API, or imports what is.
func concerns(pkg *types.Package, seen map[*types.Package]bool) bool {
	if seen[pkg] {
		return false
	}
	seen[pkg] = true
	if inDoca(pkg) {
		return true
	}
	for _, imported := range pkg.Imports() {
		if concerns(imported, seen) {
			return true
		}
	}
	return false
}

func (p *program) declared(do func(*ast.FuncDecl, *types.Func)) {
	for _, file := range p.pass.Files {
		for _, d := range file.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				if f, ok := p.pass.TypesInfo.Defs[d.Name].(*types.Func); ok {
					do(d, f)
				}
			}
		}
	}
}

func (p *program) add(fn *ssa.Function) {
	p.funcs = append(p.funcs, fn)
	for _, anon := range fn.AnonFuncs {
		p.add(anon)
	}
}

// directives reads those in the doc comments of the package.
func (p *program) directives() {
	for _, file := range p.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				p.funcDirectives(n)
			case *ast.StructType:
				for _, field := range n.Fields.List {
					p.fieldDirectives(field)
				}
			}
			return true
		})
	}
}

func (p *program) funcDirectives(d *ast.FuncDecl) {
	f, ok := p.pass.TypesInfo.Defs[d.Name].(*types.Func)
	if !ok || d.Doc == nil {
		return
	}
	for _, c := range d.Doc.List {
		verb, name, _ := strings.Cut(strings.TrimPrefix(c.Text, "//doca:"), " ")
		i := argumentNamed(f, strings.TrimSpace(name))
		if verb == c.Text || i < 0 {
			continue
		}
		fact := p.factOf(f)
		switch verb {
		case "takes":
			fact.Does[i] |= takes
		case "posts":
			fact.Does[i] |= posts
		case "noblock":
			fact.NoBlock = append(fact.NoBlock, i)
		}
	}
}

func (p *program) fieldDirectives(field *ast.Field) {
	if field.Doc == nil {
		return
	}
	for _, c := range field.Doc.List {
		if strings.TrimSpace(c.Text) != "//doca:noblock" {
			continue
		}
		for _, name := range field.Names {
			if v, ok := p.pass.TypesInfo.Defs[name].(*types.Var); ok {
				p.noBlock[v] = true
				if v.Exported() {
					p.pass.ExportObjectFact(v, &fieldFact{true})
				}
			}
		}
	}
}

func argumentNamed(f *types.Func, name string) int {
	s := f.Signature()
	for i := range s.Params().Len() {
		if s.Params().At(i).Name() == name {
			if s.Recv() != nil {
				i++
			}
			return i
		}
	}
	return -1
}

func (p *program) factOf(f *types.Func) *funcFact {
	if p.facts[f] == nil {
		p.facts[f] = &funcFact{Does: map[int]effect{}}
	}
	return p.facts[f]
}

// export makes the fact of a function. That of a function of the API follows from its signature and its directives; no
// caller should depend on how it works today.
func (p *program) export(_ *ast.FuncDecl, f *types.Func) {
	if !inDoca(f.Pkg()) {
		fn := p.pkg.Prog.FuncValue(f)
		if fn == nil {
			return
		}
		fact := p.factOf(f)
		for i := range fn.Params {
			fact.Does[i] |= p.does(fn, i)
		}
		fact.Fresh = p.makesFresh(fn)
		fact.Blocks = p.blocks(fn)
		fact.Cancels = cancels(fn)
	}
	if fact := p.facts[f]; fact != nil && f.Pkg() == p.pass.Pkg {
		p.pass.ExportObjectFact(f, fact)
	}
}

// body returns the function that a call runs, if its source is in this package.
func body(c *ssa.CallCommon) *ssa.Function {
	fn := c.StaticCallee()
	if fn == nil || len(fn.Blocks) == 0 || fn.Origin() != nil && len(fn.Origin().Blocks) == 0 { // an instance of what is generic elsewhere
		return nil
	}
	return fn
}

// effectOf returns what a call does with argument i. known is false if the callee may do anything.
func (p *program) effectOf(c *ssa.CallCommon, i int) (e effect, known bool) {
	f := callee(c)
	if fact := p.facts[f]; f != nil && fact != nil {
		e, known = fact.Does[i], true
	}
	if fn := body(c); fn != nil && i < len(fn.Params) {
		return e | p.does(fn, i), true
	}
	if known || p.api(f) {
		return e, true
	}
	return 0, f != nil && onlyReads(f)
}

// api reports whether a function is one of the API, of which the signature and the directives say all. Within the package that it
// is of, its source does.
func (p *program) api(f *types.Func) bool {
	return f != nil && f.Exported() && inDoca(f.Pkg()) && f.Pkg() != p.pass.Pkg
}

// onlyReads reports whether a function is of a package that looks at its arguments and keeps none.
func onlyReads(f *types.Func) bool {
	if f.Pkg() == nil {
		return false
	}
	switch f.Pkg().Path() {
	case "fmt", "log", "log/slog", "errors", "testing", "github.com/stretchr/testify/assert", "github.com/stretchr/testify/require":
		return f.Name() != "Cleanup"
	case "runtime":
		return f.Name() == "KeepAlive"
	}
	return false
}

// made returns which results of a call are new objects.
func (p *program) made(c *ssa.CallCommon) []int {
	f := callee(c)
	if f == nil {
		return nil
	}
	if inDoca(f.Pkg()) {
		return makes(f)
	}
	if fn := body(c); fn != nil {
		return p.makesFresh(fn)
	}
	if fact := p.facts[f]; fact != nil {
		return fact.Fresh
	}
	return nil
}
