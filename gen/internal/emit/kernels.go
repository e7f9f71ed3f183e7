package emit

import (
	"fmt"
	"hash/fnv"
	"path"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/go-doca/go-doca/gen/internal/doxygen"
	"github.com/go-doca/go-doca/gen/internal/model"
)

// The functions that start code on a DPA, which a package of kernels has in its table.
const (
	launchSet = "doca_dpa_kernel_launch_update_set"
	launchAdd = "doca_dpa_kernel_launch_update_add"
	callRPC   = "doca_dpa_rpc"
)

var launchers = []string{launchSet, launchAdd, callRPC}

// Kernels emits the package of the model's one library that has kernels. Its files are at the top.
func Kernels(m *model.Model, opt Options) (Files, error) {
	for _, l := range m.Libraries {
		if len(l.Kernels) == 0 {
			continue
		}
		opt.Path = path.Dir(opt.Path) // that of the library is below it
		e, err := newEmitter(m, opt)
		if err != nil {
			return nil, err
		}
		for _, n := range launchers {
			if e.funcs[n] == nil {
				return nil, fmt.Errorf("the headers of this SDK do not declare %s: is it older than DOCA 3.0?", n)
			}
		}
		e.lib = l
		if err := e.library(); err != nil {
			return nil, err
		}
		flat := Files{}
		for p, text := range e.files {
			flat[strings.TrimPrefix(p, l.Name+"/")] = text
		}
		if opt.Device != nil {
			return flat, e.deviceFiles(flat)
		}
		return flat, nil
	}
	return nil, fmt.Errorf("the header declares no function with __dpa_global__ or __dpa_rpc__")
}

// KernelPrefix begins the names in C of a package of kernels, given by its import path: a program may have several, with
// kernels, and even packages, of the same name.
func KernelPrefix(importPath string) string {
	hash := fnv.New32a()
	hash.Write([]byte(importPath))
	return fmt.Sprintf("godoca_%s_%08x_", path.Base(importPath), hash.Sum32())
}

// prefix begins the names in C of the current library.
func (e *emitter) prefix() string {
	if len(e.lib.Kernels) > 0 {
		return KernelPrefix(e.opt.Path + "/" + e.lib.Name)
	}
	return "godoca_" + e.lib.Name + "_"
}

// kernelShims are the C functions behind the Go functions of a kernel. They name the parameters' types, so the C
// compiler passes the arguments as the code on the DPA expects them.
func (e *emitter) kernelShims(k *model.Kernel) []shim {
	var params, args, pre []string
	for i, p := range k.Params {
		n := fmt.Sprintf("arg%d", i)
		if p.Type.Kind == model.Record { // a copy, for Go may have it at an address that is not aligned as C expects
			params = append(params, "void *"+n)
			pre = append(pre, fmt.Sprintf("%s local_%s;", p.Type.C, n), fmt.Sprintf("__builtin_memcpy(&local_%s, %s, sizeof(local_%s));", n, n, n))
			args = append(args, "local_"+n)
			continue
		}
		params = append(params, p.Type.C+" "+n)
		args = append(args, n)
	}
	// A name of its own in C, for that of the symbol may be one of C's, or of a parameter.
	symbol := "godoca_kernel_" + k.CName
	extern := e.kernelSymbol("extern void "+symbol+"(void)", k.CName)
	if k.Kind == model.Called {
		call := fmt.Sprintf("return godoca_sym.%s(%s);", callRPC, strings.Join(append([]string{"(struct doca_dpa *)dpa", symbol, "result"}, args...), ", "))
		params = append(append([]string{"uintptr_t dpa"}, params...), "uint64_t *result")
		return []shim{{
			Extern:    extern,
			Signature: fmt.Sprintf("int32_t %scall_%s(%s)", e.prefix(), k.CName, strings.Join(params, ", ")),
			Needs:     []string{callRPC},
			Body:      append(pre, call),
		}}
	}
	fixed := []string{"(struct doca_dpa *)dpa", "(struct doca_sync_event *)wait", "wait_threshold", "(struct doca_sync_event *)completion", "completion_count", "threads", symbol}
	call := strings.Join(append(fixed, args...), ", ")
	params = append([]string{"uintptr_t dpa", "uintptr_t wait", "uint64_t wait_threshold", "uintptr_t completion", "uint64_t completion_count", "uint32_t threads", "uint32_t add"}, params...)
	shims := []shim{{
		Extern:    extern,
		Signature: fmt.Sprintf("int32_t %slaunch_%s(%s)", e.prefix(), k.CName, strings.Join(params, ", ")),
		Body: append(pre,
			"if (add) {",
			"\tGODOCA_NEED("+launchAdd+");",
			"\treturn godoca_sym."+launchAdd+"("+call+");",
			"}",
			"GODOCA_NEED("+launchSet+");",
			"return godoca_sym."+launchSet+"("+call+");"),
	}}
	if k.Thread {
		shims = append(shims, shim{
			Signature: fmt.Sprintf("int32_t %sfunc_%s(void **result)", e.prefix(), k.CName),
			Body:      []string{"*result = (void *)(uintptr_t)" + symbol + ";", "return 0;"},
		})
	}
	return shims
}

// kernels emits the Go functions of one header's kernels and returns how many there are.
func (f *file) kernels(header string) (n int) {
	for _, k := range f.lib.Kernels {
		if k.Header == header {
			f.kernel(k)
			n++
		}
	}
	return n
}

func (f *file) kernel(k *model.Kernel) {
	params := []jen.Code{jen.Id("dpa").Op("*").Qual(f.pkg("common"), "DPA")}
	args := []jen.Code{address(jen.Id("dpa"))}
	opt := func(field string) *jen.Statement { return jen.Id("opts").Dot(field) }
	if k.Kind == model.Launched {
		params = append(params, jen.Id("opts").Id("LaunchOptions"))
		args = append(args, address(opt("Wait")), cgoType("uint64_t").Call(opt("WaitThreshold")),
			address(opt("Completion")), cgoType("uint64_t").Call(opt("CompletionCount")), cgoType("uint32_t").Call(opt("Threads")),
			cgoType("uint32_t").Call(f.abiFn("Byte").Call(opt("Add"))))
	}
	for _, p := range k.Params {
		params = append(params, jen.Id(p.GoName).Add(f.goType(p.Type)))
		if p.Type.Kind == model.Record {
			args = append(args, ptr(jen.Op("&").Id(p.GoName)))
		} else {
			args = append(args, f.toC(p.Type, jen.Id(p.GoName)))
		}
	}
	load := jen.If(jen.Err().Op("=").Id("library").Dot("Load").Call(), jen.Err().Op("!=").Nil()).Block(jen.Return())
	failed := func(name jen.Code) jen.Code {
		return jen.Err().Op("=").Id("library").Dot("Error").Call(name, jen.Int32().Call(jen.Id("rc")))
	}
	if k.Kind == model.Called {
		shim := f.prefix() + "call_" + k.CName
		f.direct = append(f.direct, shim)
		args = append(args, jen.Op("&").Id("out"))
		f.Comment(f.kernelDoc(k))
		f.Func().Id("Call"+k.GoName).Params(params...).Params(jen.Id("result").Uint64(), jen.Err().Error()).Block(load,
			jen.Var().Id("out").Qual("C", "uint64_t"),
			jen.If(jen.Id("rc").Op(":=").Qual("C", shim).Call(args...), jen.Id("rc").Op("!=").Lit(0)).Block(failed(jen.Lit(callRPC)), jen.Return()),
			jen.Return(jen.Uint64().Call(jen.Id("out")), jen.Nil()))
		f.Line()
		return
	}
	shim := f.prefix() + "launch_" + k.CName
	f.direct = append(f.direct, shim)
	f.Comment(f.kernelDoc(k))
	f.Func().Id("Launch"+k.GoName).Params(params...).Params(jen.Err().Error()).Block(load,
		jen.If(jen.Id("rc").Op(":=").Qual("C", shim).Call(args...), jen.Id("rc").Op("!=").Lit(0)).Block(failed(jen.Id("opts").Dot("function").Call())),
		jen.Return())
	f.Line()
	if !k.Thread {
		return
	}
	shim = f.prefix() + "func_" + k.CName
	f.direct = append(f.direct, shim)
	f.Comment(fixed("Func" + k.GoName + " returns " + k.CName + " as the function of a DPA thread, for doca_dpa_thread_set_func_arg. It is valid for the whole run of the program.").String())
	f.Func().Id("Func"+k.GoName).Params().Qual(unsafePkg, "Pointer").Block(
		jen.Var().Id("out").Qual(unsafePkg, "Pointer"),
		jen.Qual("C", shim).Call(jen.Op("&").Id("out")),
		jen.Return(jen.Id("out")))
	f.Line()
}

// kernelDoc is the comment of the Go function that starts a kernel.
func (f *file) kernelDoc(k *model.Kernel) string {
	s := f.scope(k.CName)
	s.Params = map[string]string{}
	var names []string
	for _, p := range k.Params {
		names = append(names, p.CName)
		s.Params[p.CName] = p.GoName
	}
	c := doxygen.NewComment(s, k.Doc, doxygen.LineWidth)
	if k.Kind == model.Called {
		c.Para("Call" + k.GoName + " calls " + k.CName + " on the DPA and waits for its result. Calls " + callRPC)
	} else {
		c.Para("Launch" + k.GoName + " launches the kernel " + k.CName + " and does not wait for it. Calls " + launchSet + ", or " + launchAdd + " if opts.Add is set")
	}
	c.Para(c.Brief())
	c.Body()
	items := []string{"dpa: the context. It must be started"}
	docs, _ := c.Params(names)
	for _, p := range k.Params {
		if text := docs[p.CName].Text(doxygen.Form{}); text != "" {
			items = append(items, p.GoName+": "+text)
		}
	}
	c.Items("Parameters:", items)
	if k.Kind == model.Called && c.HasResult() {
		c.Items("Results:", []string{"result: " + doxygen.LowerFirst(c.Result())})
	}
	c.Items("Errors:", []string{"[abi.ErrorInvalidValue]: an argument is invalid", "[abi.ErrorDriver]: a driver call failed", "[abi.ErrorBadState]: the context is not started"})
	c.Prototype(k.C.Prototype())
	return c.String()
}

// kernelsDoc is the comment of the package.
func (e *emitter) kernelsDoc() string {
	c := doxygen.NewComment(nil, "", doxygen.LineWidth)
	c.Para("Package " + e.lib.Name + " starts the functions of an application on a DPA, each with the arguments that it takes in C.")
	c.Para(`Any goroutine may start them. The errors are those of DOCA, each an [*abi.CallError]; or an [*abi.SymbolError] or [*abi.LibraryError]
		if the library in use lacks what starts them. Records are copied during the call.`)
	if e.opt.Device != nil {
		c.Para(`The functions are part of the package, for the emulator. For a DPA, build the program with the tag dpacc: it is then linked with
			the archive that dpacc has made of the application.`)
	} else {
		c.Para("The program must be linked with the archive that dpacc has made of the application, which has the symbols of the functions.")
	}
	return strings.TrimSpace(c.String())
}

// kernelPackage emits what every package of kernels has: the options of a launch, and the application.
func (e *emitter) kernelPackage(f *jen.File) {
	condition := ""
	if e.opt.Device != nil {
		condition = hardwareTag + " "
		f.CgoPreamble("#cgo " + condition + "CFLAGS: -DGODOCA_DPACC")
	}
	if e.opt.Archive != "" {
		f.CgoPreamble("#cgo " + condition + "LDFLAGS: " + e.opt.Archive)
	}
	event := jen.Op("*").Qual(e.pkg("syncevent"), "SyncEvent")
	f.Comment("// LaunchOptions say when a kernel starts, in how many threads, and what its end does.")
	f.Type().Id("LaunchOptions").Struct(
		jen.Comment("// Wait is the event that the kernel waits for, or nil: it starts immediately. The DPA must be one of its").Line().Comment("// subscribers."),
		jen.Id("Wait").Add(event),
		jen.Comment("// WaitThreshold is the smallest value of Wait at which the kernel starts, 0 to 254."),
		jen.Id("WaitThreshold").Uint64(),
		jen.Comment("// Completion is the event that the end of the kernel sets, or nil. The DPA must be one of its publishers."),
		jen.Id("Completion").Add(event.Clone()),
		jen.Comment("// CompletionCount is the new value of Completion; with Add, what is added to it."),
		jen.Id("CompletionCount").Uint64(),
		jen.Id("Add").Bool(),
		jen.Comment("// Threads is the number of threads, from 1 to what dpa.GetMaxThreadsPerKernel returns."),
		jen.Id("Threads").Uint32(),
	)
	f.Line()
	f.Func().Params(jen.Id("o").Id("LaunchOptions")).Id("function").Params().String().Block(
		jen.If(jen.Id("o").Dot("Add")).Block(jen.Return(jen.Lit(launchAdd))), jen.Return(jen.Lit(launchSet)))
	f.Line()
	if e.opt.App == "" {
		return
	}
	f.CgoPreamble(e.kernelSymbol("extern struct doca_dpa_app *godoca_dpa_app", e.opt.App) + "\nstatic void *godoca_app(void) { return godoca_dpa_app; }")
	f.Comment(fixed("App returns the application " + e.opt.App + ", for dpa.SetApp. Nobody frees it.").String())
	f.Func().Id("App").Params().Op("*").Qual(e.pkg("dpa"), "App").Block(
		jen.Return(jen.Parens(jen.Op("*").Qual(e.pkg("dpa"), "App")).Call(jen.Qual("C", "godoca_app").Call())))
	f.Line()
}
