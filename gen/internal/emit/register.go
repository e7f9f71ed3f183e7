package emit

import (
	"bytes"

	"github.com/dave/jennifer/jen"

	"github.com/go-doca/go-doca/gen/internal/ledger"
)

// register emits library.go: the package's documentation, its symbols, and the table.
func (e *emitter) register() error {
	f := e.goFile()
	if len(e.lib.Kernels) > 0 {
		f.PackageComment(e.kernelsDoc())
	} else {
		f.PackageComment(e.packageDoc())
	}
	if len(e.lib.Kernels) > 0 {
		e.kernelPackage(f)
	}
	if e.calls() {
		e.table(f)
	}
	if e.usesC() && e.inLibrary() {
		f.CgoPreamble(`#include "shim.h"`)
		e.support(f)
	}
	e.queries(f)
	e.collect(f)
	var b bytes.Buffer
	if err := f.Render(&b); err != nil {
		return err
	}
	e.files[e.lib.Name+"/library.go"] = b.Bytes()
	return nil
}

// table emits the variable with the addresses of the functions.
func (e *emitter) table(f *jen.File) {
	var symbols []jen.Code
	for _, n := range e.symbols() {
		fields := []jen.Code{jen.Id("Name").Op(":").Lit(n)}
		if s := e.funcs[n].soname; s != e.lib.Soname {
			fields = append(fields, jen.Id("Library").Op(":").Lit(s))
		}
		if s := e.spans[n]; s.From != "" {
			fields = append(fields, jen.Id("From").Op(":").Lit(s.From))
		}
		if s := e.spans[n]; s.Until != "" {
			fields = append(fields, jen.Id("Until").Op(":").Lit(s.Until))
		}
		if s := e.spans[n]; s.Before != "" {
			fields = append(fields, jen.Id("Since").Op(":").Lit(s.Since))
			if ledger.Compare(s.Since, ledger.Release(e.m.Version.String)) > 0 {
				fields = append(fields, jen.Id("Lacks").Op(":").Lit(s.Before))
			}
		}
		symbols = append(symbols, jen.Line().Values(fields...))
	}
	symbols = append(symbols, jen.Line())
	f.Comment("// symbols are the functions, in the order of the C table. As a variable of its own it is ready when the program starts.")
	f.Var().Id("symbols").Op("=").Index().Add(e.abiFn("Symbol")).Values(symbols...)
	f.Line()
	f.Comment("// library holds the addresses of the functions.")
	f.Var().Id("library").Op("=").Add(e.abiFn("Register")).Call(jen.Lit(e.lib.Soname), jen.Id("symbols"), jen.Id("symbolTable").Call())
}
