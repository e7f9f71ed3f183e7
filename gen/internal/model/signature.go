package model

import (
	"fmt"
	"strings"
)

// Signature is the Go function of package lib as the ledger shows it:
// "func Create(dev *common.Dev) (dma *DMA, err error)".
func (fn *Func) Signature(lib string) string {
	var in, out []string
	if fn.Ring {
		in = append(in, "ring *abi.Ring")
	}
	for _, p := range fn.Params {
		switch t := p.goForm(lib); {
		case t == "":
		case p.Mode.IsOut():
			out = append(out, p.GoName+" "+t)
		default:
			in = append(in, p.ArgName()+" "+t)
		}
	}
	if fn.Launch {
		in = append(in, "args ...abi.Arg")
	}
	switch fn.Ret.Mode {
	case RetString:
		out = append(out, fn.ResultName()+" string")
	case RetRecord, RetValue:
		out = append(out, fn.ResultName()+" "+fn.Ret.Type.In(lib))
	}
	return fmt.Sprintf("func %s(%s) (%s)", fn.GoName, strings.Join(in, ", "), strings.Join(append(out, "err error"), ", "))
}

// goForm is the type that a parameter has as an argument or as a result in Go; empty where it is neither.
func (p *Param) goForm(lib string) string {
	switch p.Mode {
	case InValue, InStruct, InData, InRecord, OutValue, OutBool:
		return p.Type.In(lib)
	case InRaw:
		return "unsafe.Pointer"
	case InString, InFormat, OutText, OutChars:
		return "string"
	case InBytes, InMatrix, InSized, OutView:
		return "[]byte"
	case InList, OutList, InSlice:
		return "[]" + p.Type.In(lib)
	case InC:
		return "abi.CSlice[" + p.Type.In(lib) + "]"
	case InArgv:
		return "[]string"
	case InArray, OutArray:
		return fmt.Sprintf("[%d]byte", p.Size)
	}
	return "" // the length of another parameter, or a callback that the shim supplies
}

// ArgName is the name of an argument. A format takes the finished text.
func (p *Param) ArgName() string {
	if p.Mode == InFormat {
		return "message"
	}
	return p.GoName
}

// ResultName is the name of what a function returns in C, where that is neither a status nor void.
func (fn *Func) ResultName() string {
	if fn.Ret.Mode == RetString {
		return "text"
	}
	for _, p := range fn.Params {
		if p.GoName == "result" {
			return "returned"
		}
	}
	return "result"
}

// In is the type as package lib writes it: "*DMA" in its own package is "*dma.DMA" in others.
func (t *GoType) In(lib string) string {
	if t.Pkg == "" || t.Pkg == lib {
		return t.Name
	}
	stars := t.Name[:strings.Count(t.Name, "*")]
	return stars + t.Pkg + "." + t.Name[len(stars):]
}
