// Package vet finds mistakes in programs that use go-doca and that the compiler cannot see: objects that nobody closes, errors of Close that
// get lost, memory that a program touches while a device has it, slices that outlive their memory, callbacks that block, and handles that
// are copied.
//
// The analyzers are those of golang.org/x/tools/go/analysis. Command doca-vet runs them, by itself and for go vet; package vet/golangci makes
// a plugin of golangci-lint of them. docs/vet.md in the repository has the reason for each, with examples.
//
// What the analyzers know of the packages follows from types, and from directives in the doc comments of functions and fields:
//
//	//doca:takes name     the parameter's object belongs to the callee, or to the result: the caller need not close it
//	//doca:posts name     the parameter's buffers belong to the device until they are received
//	//doca:noblock name   the function that is passed as this parameter must not block; without a name, the one in this field
//
// Bindings on top of package bind can have the same directives.
package vet

import "golang.org/x/tools/go/analysis"

// Analyzers returns all analyzers of the package. Programs may run each of them alone.
func Analyzers() []*analysis.Analyzer {
	return []*analysis.Analyzer{Unclosed, CloseError, InFlight, Kept, Callback, Copied, CtxAbort}
}

const page = "https://github.com/go-doca/go-doca/blob/main/docs/vet.md#"
