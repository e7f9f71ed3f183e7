package emit

import (
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/cparse"
	"github.com/go-doca/go-doca/gen/internal/model"
)

// shim is the C function behind a Go wrapper. Its status is the result, everything
// else goes through pointers, and its parameters are numbers and void pointers, so
// that cgo has few names to look up.
type shim struct {
	Extern    string // a declaration of what the program is linked with
	Before    string // a function that it needs
	Signature string
	Needs     []string
	Body      []string
}

// shim makes the shim of a function: convert the arguments (pre), call, convert the outputs (post). A
// function that may call back runs between godoca_enter and godoca_leave, which say into which ring.
func (e *emitter) shim(fn *model.Func) shim {
	s := shim{}
	var params, args, after []string
	if fn.Ring {
		params = append(params, "uintptr_t ring")
	}
	for _, p := range fn.Params {
		ps, arg, pre, post := e.shimParam(fn, p)
		params = append(params, ps...)
		if arg != "" {
			if exact := model.SpellExactParam(p.C, ""); fn.C.Inline && isPointer(p.C) && exact != model.SpellParam(p.C, "") {
				arg = "(" + exact + ")" + arg
			}
			args = append(args, arg)
		}
		s.Body = append(s.Body, pre...)
		after = append(after, post...)
	}
	if fn.Launch {
		for i := range launchArgs {
			args = append(args, fmt.Sprintf("args[%d]", i))
		}
		params = append(params, "const uint64_t *args")
	}
	call := fmt.Sprintf("godoca_sym.%s(%s)", fn.CName, strings.Join(args, ", "))
	if fn.C.Inline {
		call = fmt.Sprintf("godoca_inline_%s(%s)", fn.CName, strings.Join(args, ", "))
		s.Before = inlined(fn)
		s.Needs = fn.Calls
	} else {
		s.Needs = append([]string{fn.CName}, e.calledBack(fn)...)
	}
	if fn.Ring {
		s.Body = append([]string{"struct godoca_ring *outer;"}, s.Body...)
		s.Body = append(s.Body, "outer = godoca_enter((struct godoca_ring *)ring);")
		after = append([]string{"godoca_leave(outer);"}, after...)
	}
	switch fn.Ret.Mode {
	case model.RetStatus:
		if len(after) == 0 {
			s.Body = append(s.Body, "return "+call+";")
		} else {
			s.Body = append([]string{"int32_t rc;"}, s.Body...)
			s.Body = append(s.Body, "rc = "+call+";")
			s.Body = append(append(s.Body, after...), "return rc;")
		}
	case model.RetVoid:
		s.Body = append(append(append(s.Body, call+";"), after...), "return 0;")
	case model.RetString:
		params = append(params, "uintptr_t *result")
		s.Body = append(append(append(s.Body, "*result = (uintptr_t)"+call+";"), after...), "return 0;")
	case model.RetRecord:
		params = append(params, "void *result")
		t := fn.Ret.Type.C
		s.Body = append(append(append(s.Body, t+" local_result = "+call+";"), after...), // its members may be const
			"__builtin_memcpy(result, &local_result, sizeof(local_result));", "return 0;")
	case model.RetValue:
		t := fn.Ret.Type
		switch t.Kind {
		case model.DataK:
			params = append(params, "uint64_t *result")
			call += ".u64"
		case model.Handle, model.Record, model.Pointer:
			params = append(params, "uintptr_t *result")
			call = "(uintptr_t)" + call
		default:
			params = append(params, t.C+" *result")
		}
		s.Body = append(append(append(s.Body, "*result = "+call+";"), after...), "return 0;")
	}
	if len(params) == 0 {
		params = []string{"void"}
	}
	s.Signature = fmt.Sprintf("int32_t %s(%s)", e.shimName(fn.CName), strings.Join(params, ", "))
	return s
}

// inlined is a static inline function of a header, for the shim.
func inlined(fn *model.Func) string {
	var params []string
	for _, p := range fn.C.Params {
		params = append(params, model.SpellExactParam(p.Type, p.Name))
	}
	if params == nil {
		params = []string{"void"}
	}
	return model.SpellExact(fn.C.Ret, "godoca_inline_"+fn.CName+"("+strings.Join(params, ", ")+")") +
		"\n{\n\t" + statements(fn.Inline) + "\n}"
}

// statements puts each statement on a line: gcc warns of one beside an if or a loop, as if it belonged to that.
func statements(tokens []string) string {
	var b strings.Builder
	depth := 0
	for i, t := range tokens {
		switch t {
		case "(":
			depth++
		case ")":
			depth--
		}
		b.WriteString(t)
		switch {
		case i == len(tokens)-1:
		case t == ";" && depth == 0:
			b.WriteString("\n\t")
		default:
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// calledBack are the functions that the callbacks which fn installs call without asking
// whether they are there.
func (e *emitter) calledBack(fn *model.Func) []string {
	var out []string
	add := func(names ...string) {
		for _, n := range names {
			if !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	for _, p := range fn.Params {
		if p.Callback == nil {
			continue
		}
		if p.Callback.Ctx != nil {
			add(p.Callback.Ctx.Owner, p.Callback.Ctx.AsCtx, p.Callback.Ctx.UserData)
		}
		if e.looksUp(p.Callback) {
			add("doca_task_get_status", p.Callback.AsTask)
		}
	}
	return out
}

// formShim is the shim that installs the trampolines of a task type's form.
func (e *emitter) formShim(fn *model.Func, t *model.Task) shim {
	form := e.form(t)
	s := e.shim(fn)
	s.Signature = strings.Replace(s.Signature, e.shimName(fn.CName)+"(", e.shimName(fn.CName)+"_"+form+"(", 1)
	for i := range s.Body {
		for _, p := range fn.Params {
			if p.Callback != nil {
				s.Body[i] = strings.ReplaceAll(s.Body[i], p.Callback.CName, p.Callback.CName+"_"+form)
			}
		}
	}
	if form == posted {
		s.Needs = append(s.Needs, e.batchCode(t).postedNeeds()...)
	}
	return s
}

// formShims are the shims of a task type's form.
func (e *emitter) formShims(fn *model.Func, t *model.Task) []shim {
	submit := map[string]func(*model.Task) shim{batched: e.submitBatch, queued: e.submitQueued, posted: e.submitPosts}[e.form(t)]
	return []shim{e.formShim(fn, t), submit(t)}
}

// cName is the shim's name of a parameter: the header's, unless the shim has such names for itself.
func cName(p *model.Param) string {
	switch n := p.CName; {
	case n == "":
		return "arg_" + p.GoName
	case ofShim.MatchString(n):
		return "arg_" + n
	default:
		return n
	}
}

// ofShim are the names that shims have for themselves, and those that cName makes.
var ofShim = regexp.MustCompile(`^(ring|result|rc|outer|args|(arg|local|godoca)_.*)$`)

// shimParam gives the shim's parameters for p, the argument it passes on, and what
// stands before and after the call.
func (e *emitter) shimParam(fn *model.Func, p *model.Param) (params []string, arg string, pre, post []string) {
	n := cName(p)
	cast := "(" + model.SpellParam(p.C, "") + ")"
	switch p.Mode {
	case model.InTramp:
		return nil, p.Callback.CName, nil, nil
	case model.InRaw:
		return []string{"void *" + n}, cast + "(uintptr_t)" + n, nil, nil
	case model.InGo:
		return []string{"uint8_t " + n}, n + " ? " + e.goName(fn, p) + " : NULL", nil, nil
	case model.InString:
		return []string{"const char *" + n}, n, nil, nil
	case model.InFormat:
		return []string{"const char *" + n}, `"%s", ` + n, nil, nil
	case model.InData:
		return []string{"uint64_t " + n}, "&local_" + n, []string{fmt.Sprintf("union doca_data local_%s = {.u64 = %s};", n, n)}, nil
	case model.InRecord: // a copy, for Go may have it at an address that is not aligned as C expects
		return []string{"void *" + n}, "local_" + n,
			[]string{fmt.Sprintf("%s local_%s;", p.Type.C, n), fmt.Sprintf("__builtin_memcpy(&local_%s, %s, sizeof(local_%s));", n, n, n)}, nil
	case model.InSized, model.InMatrix, model.InArray, model.InSlice, model.InC, model.InBytes, model.InStruct, model.InList, model.InArgv, model.OutChars, model.OutArray:
		return []string{"void *" + n}, n, nil, nil
	case model.OutText:
		return []string{"uintptr_t *" + n}, cast + n, nil, nil
	case model.OutList, model.OutView:
		count := fn.Params[p.Pair]
		return []string{"uintptr_t *" + n, fmt.Sprintf("%s *%s", spelledOut(count.C), cName(count))}, cast + n, nil, nil
	case model.Implied:
		if o := fn.Params[p.Pair].Mode; o == model.OutList || o == model.OutView {
			return nil, n, nil, nil
		}
		if isPointer(p.C) { // room before the call, length behind it
			return []string{spelledOut(p.C) + " " + n}, "&" + n, nil, nil
		}
		return []string{spelled(p.C) + " " + n}, n, nil, nil
	case model.OutValue, model.OutBool:
		switch p.Type.Kind {
		case model.DataK:
			return []string{"uint64_t *" + n}, "&local_" + n,
				[]string{fmt.Sprintf("union doca_data local_%s = {.u64 = 0};", n)}, []string{fmt.Sprintf("*%s = local_%s.u64;", n, n)}
		case model.Handle, model.Record, model.Pointer:
			return []string{"uintptr_t *" + n}, cast + n, nil, nil
		case model.Address:
			return []string{"uintptr_t *" + n}, cast + n, nil, nil
		}
		return []string{p.Type.C + " *" + n}, n, nil, nil
	}
	switch p.Type.Kind {
	case model.Handle, model.Address:
		return []string{"uintptr_t " + n}, cast + n, nil, nil
	case model.DataK:
		if isDataParam(p.C) {
			return []string{"uint64_t " + n}, fmt.Sprintf("(union doca_data){.u64 = %s}", n), nil, nil
		}
		return []string{"uint64_t " + n}, fmt.Sprintf("(void *)(uintptr_t)%s", n), nil, nil // a cookie
	case model.Record, model.Pointer:
		return []string{"void *" + n}, n, nil, nil
	}
	return []string{p.Type.C + " " + n}, n, nil, nil
}

// launchArgs is how many arguments the shim of a launch passes: all there may be, for what
// starts the code takes as many as that has. abi.Args mirrors it.
const launchArgs = 32

func isPointer(t *cparse.Type) bool {
	for t.Kind == cparse.Named && t.Elem != nil {
		t = t.Elem
	}
	return t.Kind == cparse.Pointer
}

func isDataParam(t *cparse.Type) bool {
	for t.Kind == cparse.Named {
		t = t.Elem
	}
	return t.Kind == cparse.Union
}

// part is the C of one header: shims, trampolines, and the forms in which tasks run without Go.
type part struct {
	Header      string
	Batches     []batchCode
	Owners      []*model.CtxPath
	Trampolines []trampoline
	Onces       []onceCallback
	Shims       []shim
}

// parts are the headers that have C.
func (e *emitter) parts() (all []part) {
	owners := map[string]bool{}
	for _, h := range e.lib.Headers {
		p := e.part(h.Name)
		if len(p.Shims)+len(p.Trampolines) == 0 {
			continue
		}
		p.Owners = slices.DeleteFunc(e.ctxPaths(h.Name), func(path *model.CtxPath) bool { return owners[path.Owner] })
		for _, path := range p.Owners {
			owners[path.Owner] = true
		}
		all = append(all, p)
	}
	return all
}

func (e *emitter) part(header string) part {
	p := part{Header: header}
	for _, fn := range e.lib.Funcs {
		if fn.Header != header {
			continue
		}
		p.Shims = append(p.Shims, e.shim(fn))
		if len(goFuncs(fn)) > 0 {
			p.Shims = append(p.Shims, e.funcShim(fn))
		}
		if t := e.batchTask(fn); t != nil {
			p.Batches = append(p.Batches, e.batchCode(t))
			p.Shims = append(p.Shims, e.formShims(fn, t)...)
			if e.form(t) == batched {
				p.Trampolines = append(p.Trampolines, e.batchedTrampolines(fn, t)...)
			}
		}
	}
	for _, k := range e.lib.Kernels {
		if k.Header == header {
			p.Shims = append(p.Shims, e.kernelShims(k)...)
		}
	}
	for _, o := range e.onces(header) {
		p.Onces = append(p.Onces, o.callbacks...)
		p.Shims = append(p.Shims, e.setShim(o), e.submitShim(o))
	}
	if header == "doca_pe.h" && e.has("doca_pe_progress") {
		p.Shims = append(p.Shims, progressBatch(), progressStep())
	}
	if header == "doca_buf.h" && e.has("doca_buf_set_data") {
		p.Shims = append(p.Shims, setViews())
	}
	for _, c := range e.lib.Callbacks {
		if c.Header == header {
			p.Trampolines = append(p.Trampolines, e.trampoline(c))
		}
	}
	return p
}

func (e *emitter) has(fn string) bool { return e.funcs[fn] != nil }

// symbols are the functions that the package's C calls, own ones first.
func (e *emitter) symbols() []string {
	seen := map[string]bool{}
	var own, other []string
	add := func(names ...string) {
		for _, n := range names {
			f := e.funcs[n]
			if f == nil || seen[n] {
				continue
			}
			seen[n] = true
			if f.soname == e.lib.Soname {
				own = append(own, n)
			} else {
				other = append(other, n)
			}
		}
	}
	for _, fn := range e.lib.Funcs {
		add(fn.CName)
		add(fn.Calls...)
	}
	if len(e.lib.Kernels) > 0 {
		add(launchers...)
	}
	for _, c := range e.lib.Callbacks {
		if c.Failed && c.AsTask != "" {
			add("doca_task_get_status", c.AsTask)
		}
		if c.Ctx != nil {
			add(c.Ctx.Owner, c.Ctx.AsCtx, c.Ctx.UserData)
		}
	}
	for _, o := range e.onces("") {
		add(o.task.AsTask)
		add(onceNeeds...)
	}
	for _, t := range e.lib.Tasks {
		if e.batched(t) {
			add("doca_task_submit", "doca_buf_set_data", "doca_task_submit_ex", "doca_ctx_flush_tasks", "doca_task_get_ctx", "doca_pe_progress")
			if e.form(t) == posted {
				add("doca_buf_get_data_len")
			}
		}
	}
	return append(own, other...)
}

// structTag matches the tag of a struct or union, which may have letters of any alphabet and dollar signs.
var structTag = regexp.MustCompile(`\b(?:struct|union) ([\w$\pL\pM\pN]+)`)

// writeC emits calls.h, shim.h and shim.c.
func (e *emitter) writeC() error {
	type symbol struct{ Pointer string }
	var symbols []symbol
	var text strings.Builder
	for _, n := range e.symbols() {
		s := symbol{model.SpellFuncPointer(e.funcs[n].c)}
		symbols = append(symbols, s)
		text.WriteString(s.Pointer + "\n")
	}
	var shims []string
	var items []batchCode
	for _, fn := range e.lib.Funcs {
		s := e.shim(fn)
		shims = append(shims, s.Signature)
		text.WriteString(strings.Join(s.Body, "\n"))
		if len(goFuncs(fn)) > 0 {
			f := e.funcShim(fn)
			shims = append(shims, f.Signature)
			text.WriteString(f.Extern)
		}
		if t := e.batchTask(fn); t != nil {
			items = append(items, e.batchCode(t))
			for _, s := range e.formShims(fn, t) {
				shims = append(shims, s.Signature)
			}
			text.WriteString("struct " + t.CName + "\n")
		}
	}
	for _, k := range e.lib.Kernels {
		for _, s := range e.kernelShims(k) {
			shims = append(shims, s.Signature)
		}
	}
	for _, o := range e.onces("") {
		shims = append(shims, e.setShim(o).Signature, e.submitShim(o).Signature)
	}
	if e.has("doca_pe_progress") && e.lib.Name == "common" {
		shims = append(shims, progressBatch().Signature, progressStep().Signature)
	}
	if e.has("doca_buf_set_data") && e.lib.Name == "common" {
		shims = append(shims, setViews().Signature)
	}
	for _, c := range e.lib.Callbacks {
		text.WriteString(e.trampoline(c).Params + "\n")
	}
	structs, err := e.cStructs()
	if err != nil {
		return err
	}
	complete := map[string]bool{"doca_data": true}
	var records, asserts []string
	for _, s := range structs {
		complete[s.CName] = true
		records = append(records, declaration(s))
		asserts = append(asserts, assertions(s)...)
	}
	if len(e.bits()) > 0 {
		shims = append(shims, "void "+e.prefix()+"ones(void *record, uint32_t number, int64_t ones)")
	}
	all := text.String() + strings.Join(records, "\n")
	tags := map[string]bool{"struct doca_buf": true, "struct doca_task": true, "struct doca_pe": true}
	for _, m := range structTag.FindAllStringSubmatch(all, -1) {
		if !complete[m[1]] && !strings.HasPrefix(m[1], "godoca_") {
			tags[m[0]] = true
		}
	}
	var sorted []string
	for t := range tags {
		sorted = append(sorted, t+";")
	}
	sort.Strings(sorted)
	sorted = append(sorted, e.untagged(all, complete)...)
	data := map[string]any{
		"Prefix": e.prefix(), "Upper": strings.ToUpper(e.lib.Name), "Calls": e.calls(), "Symbols": symbols, "Bits": e.bits(),
		"Tags": sorted, "Records": records, "Attributes": strings.Contains(strings.Join(records, ""), "__attribute__"), "Assertions": asserts, "Items": items, "Again": e.again(), "Deferred": e.deferred() && len(items) > 0, "Steps": e.steps() && (len(items) > 0 || e.lib.Name == "common"),
		"Parts": e.parts(),
	}
	if err := e.callsHeader(shims); err != nil {
		return err
	}
	if err := e.run(e.lib.Name+"/shim.h", "shim.h.tmpl", data); err != nil {
		return err
	}
	return e.run(e.lib.Name+"/shim.c", "shim.c.tmpl", data)
}
