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
			Signature: fmt.Sprintf("int32_t %sfunc_%s(uintptr_t *result)", e.prefix(), k.CName),
			Body:      []string{"*result = (uintptr_t)" + symbol + ";", "return 0;"},
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

// kernel emits the Go functions of a kernel. Those of package dpa (Options.DPA) know what a program has there; without it they take
// DOCA's own objects.
func (f *file) kernel(k *model.Kernel) {
	args := f.kernelArgs(k)
	var params []jen.Code
	for _, p := range k.Params {
		params = append(params, jen.Id(p.GoName).Add(f.goType(p.Type)))
	}
	f.Comment(f.kernelDoc(k))
	switch {
	case k.Kind == model.Called:
		f.direct = append(f.direct, f.prefix()+"call_"+k.CName)
		f.callKernel(k, params, args)
	default:
		f.direct = append(f.direct, f.prefix()+"launch_"+k.CName)
		f.launchKernel(k, params, args)
	}
	f.Line()
	if k.Thread {
		f.threadFunc(k)
	}
}

// kernelArgs are the arguments of the C function behind a kernel.
func (f *file) kernelArgs(k *model.Kernel) []jen.Code {
	context, events := jen.Id("dpa"), "opts"
	if f.opt.DPA != "" {
		context, events = jen.Id("raw"), "raw"
	}
	var args []jen.Code
	opt := func(field string) *jen.Statement { return jen.Id(events).Dot(field) }
	if k.Kind == model.Launched {
		if f.opt.DPA != "" {
			context = opt("DPA")
		}
		args = append(args, address(context), address(opt("Wait")), cgoType("uint64_t").Call(opt("WaitThreshold")),
			address(opt("Completion")), cgoType("uint64_t").Call(opt("CompletionCount")), cgoType("uint32_t").Call(opt("Threads")),
			cgoType("uint32_t").Call(f.abiFn("Byte").Call(opt("Add"))))
	} else {
		args = append(args, address(context))
	}
	for _, p := range k.Params {
		if p.Type.Kind == model.Record {
			args = append(args, ptr(jen.Op("&").Id(p.GoName)))
		} else {
			args = append(args, f.toC(p.Type, jen.Id(p.GoName)))
		}
	}
	return args
}

// kernelBody calls the C function, and returns its error.
func (f *file) kernelBody(shim string, function jen.Code, args []jen.Code) []jen.Code {
	return []jen.Code{
		jen.If(jen.Err().Op("=").Id("library").Dot("Load").Call(), jen.Err().Op("!=").Nil()).Block(jen.Return()),
		jen.If(jen.Id("rc").Op(":=").Add(f.callC(shim, args...)), jen.Id("rc").Op("!=").Lit(0)).Block(
			jen.Err().Op("=").Id("library").Dot("Error").Call(function, jen.Int32().Call(jen.Id("rc")))),
	}
}

func (f *file) launchKernel(k *model.Kernel, params, args []jen.Code) {
	function := jen.Id("launchFunction").Call(jen.Id("raw").Dot("Add"))
	if f.opt.DPA == "" {
		function = jen.Id("launchFunction").Call(jen.Id("opts").Dot("Add"))
	}
	body := append(f.kernelBody(f.prefix()+"launch_"+k.CName, function, args), jen.Return())
	if f.opt.DPA == "" {
		params = append([]jen.Code{jen.Id("dpa").Op("*").Qual(f.pkg("common"), "DPA"), jen.Id("opts").Id("LaunchOptions")}, params...)
		f.Func().Id("Launch" + k.GoName).Params(params...).Params(jen.Err().Error()).Block(body...)
		return
	}
	params = append([]jen.Code{jen.Id("d").Op("*").Qual(f.opt.DPA, "DPA"), jen.Id("opts").Qual(f.opt.DPA, "LaunchOptions")}, params...)
	f.Func().Id("Launch"+k.GoName).Params(params...).Params(jen.Op("*").Qual(f.opt.DPA, "Launch"), jen.Error()).Block(
		jen.Return(jen.Qual(f.opt.DPA, "LaunchKernel").Call(jen.Id("d"), jen.Lit(k.CName), jen.Id("opts"),
			jen.Func().Params(jen.Id("raw").Qual(f.opt.DPA, "RawLaunch")).Params(jen.Err().Error()).Block(body...))))
}

func (f *file) callKernel(k *model.Kernel, params, args []jen.Code) {
	body := []jen.Code{jen.Var().Id("out").Add(cgoType("uint64_t"))}
	body = append(body, f.kernelBody(f.prefix()+"call_"+k.CName, jen.Lit(callRPC), append(args, jen.Op("&").Id("out")))...)
	body = append(body, jen.Return(jen.Uint64().Call(jen.Id("out")), jen.Err()))
	results := []jen.Code{jen.Id("result").Uint64(), jen.Err().Error()}
	raw := func(name string) jen.Code { return jen.Id(name).Op("*").Qual(f.pkg("common"), "DPA") }
	if f.opt.DPA == "" {
		f.Func().Id("Call" + k.GoName).Params(append([]jen.Code{raw("dpa")}, params...)...).Params(results...).Block(body...)
		return
	}
	params = append([]jen.Code{jen.Id("ctx").Qual("context", "Context"), jen.Id("d").Op("*").Qual(f.opt.DPA, "DPA")}, params...)
	f.Func().Id("Call"+k.GoName).Params(params...).Params(jen.Uint64(), jen.Error()).Block(
		jen.Return(jen.Qual(f.opt.DPA, "CallFunction").Call(jen.Id("ctx"), jen.Id("d"), jen.Lit(k.CName),
			jen.Func().Params(raw("raw")).Params(results...).Block(body...))))
}

func (f *file) threadFunc(k *model.Kernel) {
	shim := f.prefix() + "func_" + k.CName
	f.direct = append(f.direct, shim)
	symbol := []jen.Code{jen.Var().Id("out").Qual(unsafePkg, "Pointer"), f.callC(shim, pointerAt("out"))}
	doc := func(use string) {
		f.Comment(fixed("Func" + k.GoName + " returns " + k.CName + " as the function of a DPA thread, for " + use + ". It is valid for the whole run of the program.").String())
	}
	if f.opt.DPA == "" {
		doc("doca_dpa_thread_set_func_arg")
		f.Func().Id("Func"+k.GoName).Params().Qual(unsafePkg, "Pointer").Block(append(symbol, jen.Return(jen.Id("out")))...)
	} else {
		doc("dpa.ThreadConfig")
		f.Func().Id("Func"+k.GoName).Params().Qual(f.opt.DPA, "Func").Block(
			append(symbol, jen.Return(jen.Qual(f.opt.DPA, "FuncOf").Call(jen.Lit(k.CName), jen.Id("out"))))...)
	}
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
		wait := ""
		if f.opt.DPA != "" {
			wait = ". If ctx ends first, the call goes on"
		}
		c.Para("Call" + k.GoName + " calls " + k.CName + " on the DPA and waits for its result" + wait + ". Calls " + callRPC)
	} else {
		c.Para("Launch" + k.GoName + " launches the kernel " + k.CName + " and does not wait for it. Calls " + launchSet + ", or " + launchAdd + " if opts.Add is set")
	}
	c.Para(c.Brief())
	c.Body()
	items := []string{"dpa: the context. It must be started"}
	if f.opt.DPA != "" {
		items = []string{"d: the context"}
	}
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
	if f.opt.DPA != "" {
		c.Items("Errors:", []string{"[abi.ErrorInvalidValue]: an argument is invalid", "[dpa.ErrFatal]: the DPA has had a fatal error", "[abi.ErrorBadState]: the context is closed"})
	} else {
		c.Items("Errors:", []string{"[abi.ErrorInvalidValue]: an argument is invalid", "[abi.ErrorDriver]: a driver call failed", "[abi.ErrorBadState]: the context is not started"})
	}
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
	if e.opt.DPA == "" {
		e.launchOptions(f)
	}
	f.Comment("// launchFunction is the name of DOCA's function for a launch.")
	f.Func().Id("launchFunction").Params(jen.Id("add").Bool()).String().Block(
		jen.If(jen.Id("add")).Block(jen.Return(jen.Lit(launchAdd))), jen.Return(jen.Lit(launchSet)))
	f.Line()
	if e.opt.App == "" {
		return
	}
	f.CgoPreamble(e.kernelSymbol("extern struct doca_dpa_app *godoca_dpa_app", e.opt.App) + "\nstatic void *godoca_app(void) { return godoca_dpa_app; }")
	use := "dpa.SetApp"
	if e.opt.DPA != "" {
		use = "dpa.Config"
	}
	if e.opt.Device != nil {
		f.CgoPreamble("#ifdef GODOCA_DPACC\nenum { GODOCA_EMULATED = 0 };\n#else\nenum { GODOCA_EMULATED = 1 };\n#endif")
	}
	text, body := "App returns the application "+e.opt.App+", for "+use+". Nobody frees it.", []jen.Code(nil)
	if e.opt.Device != nil { // DOCA would take what describes them for its own
		text += " Without the tag dpacc its kernels are for the emulator, and App returns nil on any other DOCA."
		body = append(body, jen.If(jen.Qual("C", "GODOCA_EMULATED").Op("==").Lit(1).Op("&&").Op("!").Qual(e.pkg("abi"), "EmulatesDPA").Call()).Block(jen.Return(jen.Nil())))
	}
	f.Comment(fixed(text).String())
	f.Func().Id("App").Params().Op("*").Qual(e.pkg("dpa"), "App").Block(
		append(body, jen.Return(jen.Parens(jen.Op("*").Qual(e.pkg("dpa"), "App")).Call(jen.Qual("C", "godoca_app").Call())))...)
	f.Line()
}

// launchOptions emits the type of the options of a launch.
func (e *emitter) launchOptions(f *jen.File) {
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
}
