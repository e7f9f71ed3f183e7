package model

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/cparse"
)

func (b *builder) addFunc(h *cparse.Header, f *cparse.Func) {
	g := exported(b.lib.Prefix, f.Name)
	fn := &Func{Decl: decl(f.Name, g, h.Name, f.Doc, f.Stability), C: f}
	if !f.Inline {
		fn.Soname = b.lib.Soname
	}
	callbacks, err := b.makeFunc(fn)
	if err != nil {
		b.skip(h.Name, "function", f.Name, err.Error())
		return
	}
	var taken string
	if fn.GoName, taken = b.claim(g, "Func", f.Name); taken != "" {
		b.skip(h.Name, "function", f.Name, taken)
		return
	}
	b.lib.Callbacks = append(b.lib.Callbacks, callbacks...)
	b.lib.Funcs = append(b.lib.Funcs, fn)
	b.bound()
}

func (b *builder) makeFunc(fn *Func) ([]*Callback, error) {
	f := fn.C
	if err := b.result(fn); err != nil {
		return nil, err
	}
	if f.Variadic {
		switch n := len(f.Params); {
		case n > 0 && isFormat(f.Params[n-1]):
			fn.Format = true
		case slices.ContainsFunc(f.Params, isCode):
			fn.Launch = true
		default:
			return nil, fmt.Errorf("variadic: cgo cannot pass arguments of unknown types")
		}
	}
	for i, p := range f.Params {
		fn.Params = append(fn.Params, &Param{CName: p.Name, GoName: param(p.Name, i), C: p.Type, Pair: -1})
	}
	installs := false
	for _, p := range fn.Params {
		if c := function(p.C); c != nil && deferrable(c) == nil {
			installs = true
		}
	}
	var callbacks []*Callback
	for i, p := range fn.Params {
		if p.Mode != "" {
			continue
		}
		if c := function(p.C); c != nil {
			if deferrable(c) != nil {
				p.Mode, p.Type = InRaw, &GoType{Pointer, "", "unsafe.Pointer", "void *"}
				continue
			}
			cb, err := b.callback(fn, p, c)
			if err != nil {
				return nil, err
			}
			p.Mode, p.Callback = InTramp, cb
			callbacks = append(callbacks, cb)
			continue
		}
		if err := b.mode(fn, i); err != nil {
			return nil, err
		}
		addressed(fn, p)
		if installs && p.Mode == InValue && p.Type.Kind == Pointer && p.Type.Name == "unsafe.Pointer" && underlying(underlying(p.C).Elem).Kind == cparse.Void {
			p.Type = &GoType{DataK, ABI, "Data", "uint64_t"} // a cookie for the callback
		}
		if installs && (p.Mode == InBytes || p.Mode == OutChars) && !isConst(underlying(p.C).Elem) {
			return nil, fmt.Errorf("keeps the caller's buffer %s and fills it at any time: no Go memory may stay with C", p.CName)
		}
	}
	if f.Inline {
		if err := b.inline(fn); err != nil {
			return nil, err
		}
	}
	fn.Ring = MayCallBack(f.Name) && len(fn.Params) > 0 && fn.Params[0].Mode == InValue && fn.Params[0].Type.Kind == Handle
	b.uniqueNames(fn)
	return callbacks, nil
}

// MayCallBack recognises the functions during which the library calls back.
func MayCallBack(name string) bool {
	switch name[strings.LastIndex(name, "_")+1:] {
	case "progress", "start", "stop", "destroy", "disconnect":
		return true
	}
	return false
}

func isFormat(p cparse.Param) bool {
	u := underlying(p.Type)
	return u.Kind == cparse.Pointer && isChar(u.Elem) && isConst(u.Elem) && (p.Name == "format" || p.Name == "fmt")
}

// isCode recognises code for a device, which is named by a function type without parameters.
func isCode(p cparse.Param) bool {
	f := function(p.Type)
	return f != nil && len(f.Params) == 0
}

func (b *builder) result(fn *Func) error {
	t := fn.C.Ret
	u := underlying(t)
	switch {
	case u.Kind == cparse.Void:
		fn.Ret.Mode = RetVoid
		return nil
	case u.Kind == cparse.EnumT && u.Name == "doca_error":
		fn.Ret.Mode = RetStatus
		return nil
	case u.Kind == cparse.Pointer && isChar(u.Elem):
		fn.Ret.Mode = RetString
		return nil
	}
	g, err := b.resolve(t)
	if err != nil {
		return fmt.Errorf("result: %w", err)
	}
	fn.Ret = Ret{RetValue, g}
	if g.Kind == Record && u.Kind != cparse.Pointer {
		fn.Ret.Mode = RetRecord
		if err := b.byValue(t); err != nil {
			return fmt.Errorf("result: %w", err)
		}
	}
	return nil
}

// mode decides how parameter i, and the one that belongs to it, appear in Go.
func (b *builder) mode(fn *Func, i int) error {
	p := fn.Params[i]
	u := underlying(p.C)
	if u.Kind == cparse.Pointer || u.Kind == cparse.Array {
		return b.pointerMode(fn, i, u)
	}
	if u.Kind == cparse.Other {
		return fmt.Errorf("parameter %s is a %s", p.CName, u.Name)
	}
	g, err := b.resolve(p.C)
	if err != nil {
		return fmt.Errorf("parameter %s: %w", p.CName, err)
	}
	if g.Kind == Record {
		if err := b.byValue(p.C); err != nil {
			return fmt.Errorf("parameter %s: %w", p.CName, err)
		}
		p.Mode, p.Type = InRecord, g
		return nil
	}
	p.Mode, p.Type = InValue, g
	if i+1 < len(fn.Params) && isArgv(fn.Params[i+1].C) && isInteger(p.C) && (p.CName == "" || argCount.MatchString(p.CName)) {
		p.Mode, p.Pair = Implied, i+1
		fn.Params[i+1].Mode, fn.Params[i+1].Pair = InArgv, i
	}
	return nil
}

// byValue tells whether a record can be passed by value: C leaves out what lies behind a flexible array.
func (b *builder) byValue(t *cparse.Type) error {
	o := b.records[tagOf(t)]
	if f := b.flexible(o.decl); f != nil {
		return fmt.Errorf("%s by value, whose %s is a flexible array: C does not pass that", o.ctype, f.Name)
	}
	return nil
}

// flexible is the flexible array that a record ends in, its own or that of a record which it holds there, or nil. All
// members of a union are at its end.
func (b *builder) flexible(r *cparse.Record) *cparse.Field {
	for i, f := range r.Fields {
		if r.Kind != "union" && i < len(r.Fields)-1 {
			continue
		}
		u := underlying(f.Type)
		held := f.Anon
		if o := b.records[tagOf(f.Type)]; held == nil && o != nil {
			held = o.decl
		}
		switch {
		case u.Kind == cparse.Array && u.Len <= 0:
			return f
		case held != nil && (u.Kind == cparse.Struct || u.Kind == cparse.Union):
			if in := b.flexible(held); in != nil {
				return in
			}
		}
	}
	return nil
}

var argCount = regexp.MustCompile(`(?i)^(argc|n|nb|num|count)(_|$)|_(n|count|num|len)$`)

func isArgv(t *cparse.Type) bool {
	u := underlying(t)
	if u.Kind != cparse.Pointer {
		return false
	}
	e := underlying(u.Elem)
	return e.Kind == cparse.Pointer && isChar(e.Elem) && !isConst(e.Elem)
}

func (b *builder) pointerMode(fn *Func, i int, u *cparse.Type) error {
	p := fn.Params[i]
	e := underlying(u.Elem)
	raw := &GoType{Pointer, "", "unsafe.Pointer", "void *"}
	switch {
	case u.Elem.Kind == cparse.Named && u.Elem.Name == "FILE", e.Name == "_IO_FILE":
		return b.stdio(fn, p)
	case e.Kind == cparse.Other:
		return fmt.Errorf("parameter %s is a pointer to %s", p.CName, e.Name)
	case isChar(u.Elem):
		return b.charMode(fn, i, u)
	case e.Kind == cparse.Void:
		if isConst(u.Elem) && b.pair(fn, i, InBytes) {
			return nil
		}
		p.Mode, p.Type = InValue, raw
	case isByte(u.Elem) && isConst(u.Elem):
		if b.pair(fn, i, InBytes) {
			return nil
		}
		p.Mode, p.Type = InValue, raw
	case isByte(u.Elem) && b.ofTask(fn) && !reads(fn):
		p.Mode, p.Type = InValue, raw
	case isByte(u.Elem) && (i+1 == len(fn.Params) || !isLength(fn.Params[i+1])) && isArray(fn, i, u):
		p.Mode, p.Type = InValue, raw
	case isByte(u.Elem):
		return b.byteMode(fn, i)
	case isData(u.Elem):
		g, _ := b.resolve(u.Elem)
		p.Mode, p.Type = OutValue, g
		if isConst(u.Elem) {
			p.Mode = InData
		}
	case e.Kind == cparse.Struct || e.Kind == cparse.Union:
		g, err := b.resolve(p.C)
		if err != nil {
			return fmt.Errorf("parameter %s: %w", p.CName, err)
		}
		p.Mode, p.Type = InValue, g
		if g.Kind == Record {
			p.Mode = InStruct
		}
	case e.Kind == cparse.Pointer:
		return b.doublePointer(fn, i, u, e)
	case isConst(u.Elem), b.ofTask(fn) && !reads(fn), isArray(fn, i, u):
		p.Mode, p.Type = InValue, raw
	default:
		g, err := b.resolve(u.Elem)
		if err != nil {
			return fmt.Errorf("parameter %s: %w", p.CName, err)
		}
		p.Mode, p.Type = OutValue, g
	}
	return nil
}

// stdio says why a stream of C's stdio cannot be passed, and what to call in place of the function.
func (b *builder) stdio(fn *Func, p *Param) error {
	reason := fmt.Sprintf("parameter %s is a FILE *, a stream of C's stdio: Go has none to pass", p.CName)
	if fd := strings.Replace(fn.CName, "_with_file", "_with_fd", 1); fd != fn.CName && b.funcs[fd] != nil {
		reason += "; " + fd + " does the same with a file descriptor"
	}
	return fmt.Errorf("%s", reason)
}

func (b *builder) charMode(fn *Func, i int, u *cparse.Type) error {
	p := fn.Params[i]
	if isConst(u.Elem) {
		p.Mode = InString
		if fn.Format && i == len(fn.Params)-1 {
			p.Mode = InFormat
		}
		return nil
	}
	if size, macro, ok := b.bufferSize(fn.CName, p.CName); ok {
		p.Mode, p.Size, p.SizeMacro = OutChars, size, macro
		b.pair(fn, i, OutChars)
		return nil
	}
	if b.pair(fn, i, InBytes) {
		return nil
	}
	if i+1 < len(fn.Params) && isLengthPointer(fn.Params[i+1]) {
		p.Mode, p.Size, p.Pair = OutChars, textSize, i+1
		fn.Params[i+1].Mode, fn.Params[i+1].Pair = Implied, i
		return nil
	}
	return fmt.Errorf("parameter %s: output buffer of unknown size", p.CName)
}

// textSize is the room for a text whose size only the call tells.
const textSize = 4096

// isLengthPointer recognises a length that tells the room before a call, and what is used of it
// behind it.
func isLengthPointer(p *Param) bool {
	u := underlying(p.C)
	return p.Mode == "" && u.Kind == cparse.Pointer && !isConst(u.Elem) && isInteger(u.Elem) && lengthName.MatchString(strings.ToLower(p.CName))
}

func (b *builder) byteMode(fn *Func, i int) error {
	p := fn.Params[i]
	if i+1 < len(fn.Params) && isLength(fn.Params[i+1]) {
		if size, macro, ok := b.bufferSize(fn.CName, p.CName); ok {
			p.Mode, p.Size, p.SizeMacro = OutArray, size, macro
			fn.Params[i+1].Mode, fn.Params[i+1].Pair = Implied, i
			p.Pair = i + 1
			return nil
		}
		if !b.pair(fn, i, InBytes) {
			p.Mode, p.Type = InValue, &GoType{Pointer, "", "unsafe.Pointer", "void *"}
		}
		return nil
	}
	p.Type = &GoType{Scalar, "", "uint8", "uint8_t"}
	p.Mode = OutValue
	if isFlag(fn.CName, p.CName) {
		p.Mode, p.Type = OutBool, &GoType{Scalar, "", "bool", "uint8_t"}
	}
	return nil
}

var flagName = regexp.MustCompile(`(^|_)(is|exported|from_export|export|supported|enabled|equal|hotplug)(_|$)`)

// isFlag recognises the uint8_t results that DOCA means as booleans.
func isFlag(fn, p string) bool { return flagName.MatchString(fn) || flagName.MatchString(p) }

var lengthName = regexp.MustCompile(`(^|_)(len|length|size|capacity)$`)

func isLength(p *Param) bool {
	return p.Mode == "" && isInteger(p.C) && lengthName.MatchString(strings.ToLower(p.CName))
}

// pair makes parameter i+1 the length of parameter i, if it is one.
func (b *builder) pair(fn *Func, i int, m Mode) bool {
	if i+1 >= len(fn.Params) || !isLength(fn.Params[i+1]) || m == InBytes && b.ofTask(fn) {
		return false
	}
	fn.Params[i].Mode, fn.Params[i].Pair = m, i+1
	fn.Params[i+1].Mode, fn.Params[i+1].Pair = Implied, i
	return true
}

// ofTask tells whether a function makes or changes a task. DOCA may read what such a function is
// given as late as when the task is submitted, so it must not be Go memory.
func (b *builder) ofTask(fn *Func) bool {
	for _, p := range fn.Params {
		t := underlying(p.C)
		for t.Kind == cparse.Pointer {
			t = underlying(t.Elem)
		}
		if _, ok := b.asTask[t.Name]; ok && t.Kind == cparse.Struct {
			return true
		}
	}
	return false
}

// reads tells whether a function of a task only reads it, so that what it writes it writes at once.
func reads(fn *Func) bool {
	return len(fn.Params) > 0 && underlying(fn.Params[0].C).Kind == cparse.Pointer && isConst(underlying(fn.Params[0].C).Elem)
}

// bufferSize finds the macro that gives the size of an output buffer:
// DOCA_DEVINFO_PCI_ADDR_SIZE for pci_addr_str of doca_devinfo_get_pci_addr_str.
func (b *builder) bufferSize(fn, p string) (size int, macro string, ok bool) {
	stem := strings.ToUpper(strings.TrimSuffix(p, "_str"))
	best := 0
	for _, m := range b.macros {
		if m.Int == nil || !strings.HasSuffix(m.Name, "_"+stem+"_SIZE") {
			continue
		}
		if n := commonPrefix(m.Name, strings.ToUpper(fn)); n > best && n > len("DOCA_") {
			best, size, macro, ok = n, int(*m.Int), m.Name, true
		}
	}
	return size, macro, ok
}

func commonPrefix(x, y string) int {
	n := 0
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	return n
}

func (b *builder) doublePointer(fn *Func, i int, u, e *cparse.Type) error {
	p := fn.Params[i]
	inner := underlying(e.Elem)
	next := func(depth bool) bool {
		if i+1 >= len(fn.Params) {
			return false
		}
		t := underlying(fn.Params[i+1].C)
		if depth {
			return t.Kind == cparse.Pointer && isInteger(t.Elem)
		}
		return isInteger(fn.Params[i+1].C)
	}
	array := counted(fn, i, u) || e.Const
	raw := &GoType{Pointer, "", "unsafe.Pointer", "void *"}
	switch {
	case isChar(e.Elem) && isConst(e.Elem) && array:
		p.Mode, p.Type = InValue, raw
	case isChar(e.Elem) && isConst(e.Elem):
		p.Mode = OutText
	case isArgv(p.C):
		p.Mode, p.Type = InValue, raw
	case inner.Kind == cparse.Void && isConst(e.Elem) && next(true):
		p.Mode, p.Pair = OutView, i+1
		fn.Params[i+1].Mode, fn.Params[i+1].Pair = Implied, i
	case inner.Kind == cparse.Void && array:
		p.Mode, p.Type = InValue, raw
	case inner.Kind == cparse.Void:
		p.Mode, p.Type = OutValue, raw
	case inner.Kind == cparse.Pointer:
		g, err := b.resolve(e.Elem)
		if err != nil || !next(true) || g.Kind != Handle || array {
			p.Mode, p.Type = InValue, raw
			return nil
		}
		p.Mode, p.Type, p.Pair = OutList, g, i+1
		fn.Params[i+1].Mode, fn.Params[i+1].Pair = Implied, i
	default:
		g, err := b.resolve(u.Elem)
		if err != nil {
			return fmt.Errorf("parameter %s: %w", p.CName, err)
		}
		p.Mode, p.Type = OutValue, g
		if slices.ContainsFunc([]string{"_destroy_list", "_list_destroy", "_free"}, func(s string) bool { return strings.HasSuffix(fn.CName, s) }) {
			p.Mode = InList
		} else if next(false) && countName.MatchString(fn.Params[i+1].CName) {
			p.Mode, p.Pair = InList, i+1
			fn.Params[i+1].Mode, fn.Params[i+1].Pair = Implied, i
		} else if array {
			p.Mode, p.Type = InValue, raw
		}
	}
	return nil
}

// isArray tells whether parameter i, a pointer to a number, may be to more than one: beside a count, or
// named as an array where there is a count. That is no single result: the caller passes the memory.
func isArray(fn *Func, i int, u *cparse.Type) bool {
	if counted(fn, i, u) {
		return true
	}
	name := strings.ToLower(fn.Params[i].CName)
	if elements.MatchString(name) { // a count itself
		return false
	}
	for j := range fn.Params {
		// One in front may belong to what is in front of it.
		next := j == i-1 && (j < 2 || underlying(fn.Params[j-1].C).Kind != cparse.Pointer)
		if isCount(fn, j, elements) && (next || manyName.MatchString(name)) {
			return true
		}
	}
	return false
}

// counted tells whether parameter i is written with brackets, or in front of a count.
func counted(fn *Func, i int, u *cparse.Type) bool {
	return u.Kind == cparse.Array || u.Decayed || isCount(fn, i+1, lengthName) || isCount(fn, i+1, elements)
}

func isCount(fn *Func, i int, name *regexp.Regexp) bool {
	return i >= 0 && i < len(fn.Params) && isInteger(fn.Params[i].C) && name.MatchString(strings.ToLower(fn.Params[i].CName))
}

var (
	elements = regexp.MustCompile(`(^|_)(n|nb|nr|nof|num|count)(_|$)|arr(ay)?_(len|size)$`)
	manyName = regexp.MustCompile(`(arr|array|list|[^su]s)$`)
)

var countName = regexp.MustCompile(`^(n|nb|num|count)(_|$)|_(count|num|len)$`)

// uniqueNames keeps two parameters from getting one Go name, and one from hiding a package that
// the wrapper names.
func (b *builder) uniqueNames(fn *Func) {
	seen := map[string]bool{}
	imports := func(t *GoType) {
		if t != nil && t.Pkg != b.lib.Name {
			seen[t.Pkg] = true
		}
	}
	imports(fn.Ret.Type)
	for _, p := range fn.Params {
		imports(p.Type)
	}
	for i, p := range fn.Params {
		if seen[p.GoName] {
			p.GoName += "Value"
		}
		for seen[p.GoName] {
			p.GoName = fmt.Sprintf("%s%d", p.GoName, i)
		}
		seen[p.GoName] = true
	}
}
