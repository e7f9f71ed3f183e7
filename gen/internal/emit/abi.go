package emit

import (
	"fmt"
	"slices"

	"github.com/go-doca/go-doca/gen/internal/ledger"
	"github.com/go-doca/go-doca/gen/internal/model"
)

// emulated is the path of the bindings that the emulator is a provider of.
const emulated = "github.com/go-doca/go-doca/generated"

// abi emits the package that all others import. Its error codes come from the
// headers, the rest is the same for every SDK.
func (e *emitter) abi() error {
	type constant struct {
		model.EnumConst
		Comment string
	}
	var consts []constant
	common := ""
	doc := e.docNames().scope("abi", "")
	for _, l := range e.m.Libraries {
		if l.Name == "common" {
			common = l.Soname
		}
		for _, en := range l.Enums {
			if en.CName == "doca_error" {
				for _, c := range en.Consts {
					consts = append(consts, constant{c, constDoc(doc, c.GoName, c.CName, c.Doc)})
				}
			}
		}
	}
	type code struct {
		GoName string
		Value  int
	}
	var brought []code // what the templates use and these headers lack
	for _, c := range []code{{"Success", 0}, {"ErrorUnknown", 1}, {"ErrorNotSupported", 4}, {"ErrorInvalidValue", 6}, {"ErrorNoMemory", 7}} {
		if !slices.ContainsFunc(consts, func(have constant) bool { return have.GoName == c.GoName }) {
			brought = append(brought, c)
		}
	}
	if len(consts) == 0 {
		return fmt.Errorf("enum doca_error is in none of the headers: every wrapper needs it (doca_error.h)")
	}
	data := map[string]any{"Consts": consts, "Brought": brought, "Version": e.m.Version.String, "Release": ledger.Release(e.m.Newest()), "Common": common, "Emulated": e.opt.Path == emulated}
	for _, name := range []string{"doc.go", "error.go", "load.go", "loader.c", "bits.go", "cslice.go", "inbox.go", "inspect.go", "memory.go", "nocgo.go", "notlinux.go", "queue.go", "ring.go", "ring.c", "ring.h"} {
		if err := e.run("abi/"+name, name+".tmpl", data); err != nil {
			return err
		}
	}
	return nil
}
