package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/go-doca/go-doca/gen/internal/model"
)

// collect emits the function that takes the records of the package's callbacks out of the overflow.
func (e *emitter) collect(f *jen.File) {
	var kinds []jen.Code
	for _, c := range e.lib.Callbacks {
		kinds = append(kinds, jen.Line().Id("Kind"+c.GoName))
	}
	if len(kinds) == 0 {
		return
	}
	f.Comment(fixed(model.CollectFunc + ` moves the records of this package's callbacks from the overflow to ring and returns their number. Any
		function of DOCA may call back. What runs during a call that takes no ring, or on a thread of DOCA's, leaves its record in the
		overflow ([abi.Ring.Collect]). Call it after such calls and after each call with a ring, unless package doca drives the
		contexts: its engines collect by themselves. Any goroutine may call it; ring belongs to the caller.`).String())
	f.Func().Id(model.CollectFunc).Params(jen.Id("ring").Op("*").Add(e.abiFn("Ring"))).Int().Block(
		jen.Return(jen.Id("ring").Dot("Collect").Call(jen.Func().Params(jen.Id("r").Op("*").Add(e.abiFn("Record"))).Bool().Block(
			jen.Switch(jen.Id("r").Dot("Kind")).Block(jen.Case(kinds...).Block(jen.Return(jen.True()))),
			jen.Return(jen.False())))))
}
