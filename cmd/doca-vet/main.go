// Command doca-vet finds mistakes in programs that use go-doca: see docs/vet.md in the repository.
//
//	doca-vet ./...
//	go vet -vettool=$(which doca-vet) ./...
//
// "doca-vet help" lists the analyzers, and "doca-vet help unclosed" says more of one.
package main

import (
	"golang.org/x/tools/go/analysis/multichecker"

	"github.com/go-doca/go-doca/vet"
)

// multichecker hands over to unitchecker when go vet calls.
func main() { multichecker.Main(vet.Analyzers()...) }
