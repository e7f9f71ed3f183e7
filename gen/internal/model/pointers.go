package model

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/cparse"
)

// A pointer in C says neither which way the data goes nor how much it is. What follows tells by the type, by
// const, by the names of the parameter and of the next one, and by what kind of function it is. Where that
// leaves a doubt, the parameter is an unsafe.Pointer: the caller knows.

// pointerMode decides what a pointer is:
//
//   - const void *p, size_t len: bytes (export_desc of doca_mmap_create_from_export);
//   - const char *: a string; char * with a size: a text that C writes (doca_devinfo_get_pci_addr_str);
//   - uint8_t * is a flag, an array of known size, or bytes (byteMode);
//   - union doca_data *: 64 bits, taken or returned (doca_ctx_get_user_data);
//   - struct x *: a handle, or a record that the caller has (gid_array of doca_rdma_cap_get_gid);
//   - T **: doublePointer;
//   - T * of a number or an enumeration: a result (doca_devinfo_get_lid), unless it may be more than one or is what
//     a setter sets (doca_sync_event_set_addr).
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
		if isConst(u.Elem) && b.pair(fn, i, InBytes) || b.taskBytes(fn, i) || b.privateData(fn, i) || isConst(u.Elem) && b.keyBytes(fn, i) || b.copied(fn, i) {
			return nil
		}
		p.Mode, p.Type = InValue, raw
	case u.Decayed && u.Len > 0 && isByte(u.Elem) && !b.kept(fn, p):
		p.Mode, p.Size = OutArray, u.Len
		if isConst(u.Elem) {
			p.Mode = InArray
		}
	case isByte(u.Elem) && isConst(u.Elem):
		if b.pair(fn, i, InBytes) || b.keptBytes(fn, i) || b.matrixBytes(fn, i) {
			return nil
		}
		p.Mode, p.Type = InValue, raw
	case isByte(u.Elem) && (b.taskBytes(fn, i) || b.matrixBytes(fn, i)):
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
	case isConst(u.Elem), b.ofTask(fn) && !reads(fn), isArray(fn, i, u), isSet(fn, p):
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

// charMode decides what a char * is. C writes to one that is not const: the size of the buffer is a macro's
// (DOCA_DEVINFO_PCI_ADDR_SIZE), the next parameter's, or textSize.
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
	if u.Decayed && u.Len > 0 && !b.kept(fn, p) { // char name[32]
		p.Mode, p.Size = OutChars, u.Len
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

// privateData recognises bytes that are void * in C and not const, by the name of their length: private_data and private_data_len
// of doca_rdma_connection_accept.
func (b *builder) privateData(fn *Func, i int) bool {
	if i+1 >= len(fn.Params) || b.kept(fn, fn.Params[i]) || makes(fn) {
		return false
	}
	p, n := fn.Params[i], fn.Params[i+1]
	if n.Mode != "" || n.CName != p.CName+"_len" && n.CName != p.CName+"_length" || underlying(n.C).Kind != cparse.Int {
		return false
	}
	p.Mode, p.Type, p.Pair = InSlice, &GoType{Scalar, "", "byte", "uint8_t"}, i+1
	n.Mode, n.Pair = Implied, i
	return true
}

// keyBytes recognises bytes whose number an enumeration has, in the names of its enumerators: raw_key and raw_key_type of
// doca_aes_gcm_key_create, with DOCA_AES_GCM_KEY_128 and its like.
func (b *builder) keyBytes(fn *Func, i int) bool {
	if i+1 >= len(fn.Params) || b.ofTask(fn) {
		return false
	}
	p, n := fn.Params[i], fn.Params[i+1]
	u := underlying(n.C)
	if u.Kind != cparse.EnumT || n.CName != p.CName+"_type" {
		return false
	}
	bits := map[int64]int{}
	for _, c := range b.enumerators[u.Name] {
		m := bitsName.FindStringSubmatch(c.Name)
		if m == nil {
			return false
		}
		n, err := strconv.Atoi(m[1])
		if err != nil || n < 64 || n%8 != 0 {
			return false
		}
		bits[c.Value] = n / 8
	}
	if len(bits) == 0 {
		return false
	}
	p.Mode, p.Sizes = InSized, bits
	return true
}

var bitsName = regexp.MustCompile(`_(\d+)(?:_?BITS?)?$`)

// makes tells whether a function makes an object, which may be about the memory that the function is given.
func makes(fn *Func) bool {
	return slices.ContainsFunc(fn.Params, func(p *Param) bool {
		u := underlying(p.C)
		return u.Kind == cparse.Pointer && pointee(u.Elem) != ""
	})
}

// keptBytes makes memory of C of bytes that a task or an object keeps, iv and iv_length of doca_aes_gcm_task_encrypt_set_iv.
func (b *builder) keptBytes(fn *Func, i int) bool {
	if i+1 >= len(fn.Params) || !isLength(fn.Params[i+1]) || !b.kept(fn, fn.Params[i]) {
		return false
	}
	p := fn.Params[i]
	p.Mode, p.Type, p.Pair = InC, &GoType{Scalar, "", "byte", "uint8_t"}, i+1
	fn.Params[i+1].Mode, fn.Params[i+1].Pair = Implied, i
	return true
}

// taskBytes makes memory of C of bytes that a task reads when it runs, or writes, const or not: msg and len of
// doca_comch_server_task_send_alloc_init, imm_data and imm_data_len of doca_comch_producer_task_send_set_imm_data.
func (b *builder) taskBytes(fn *Func, i int) bool {
	return b.ofTask(fn) && !reads(fn) && b.keptBytes(fn, i)
}

// copied recognises memory that is copied during the call, by the verb of C: src_ptr of doca_dpa_h2d_memcpy. Its length is the only
// one, wherever it stands.
func (b *builder) copied(fn *Func, i int) bool {
	if !strings.HasSuffix(fn.CName, "_memcpy") {
		return false
	}
	length := -1
	for j, p := range fn.Params {
		if underlying(p.C).Kind == cparse.Pointer && j != i {
			if underlying(underlying(p.C).Elem).Kind == cparse.Void { // two of them: the length may be that of either
				return false
			}
			continue
		}
		if j != i && isLength(p) {
			if length >= 0 {
				return false
			}
			length = j
		}
	}
	if length < 0 {
		return false
	}
	fn.Params[i].Mode, fn.Params[i].Pair = InBytes, length
	fn.Params[length].Mode, fn.Params[length].Pair = Implied, i
	return true
}

// matrixBytes recognises the elements of a matrix, with its two dimensions behind them: data, data_block_count and rdnc_block_count of
// doca_ec_matrix_create_from_raw. The object that is made has a copy.
func (b *builder) matrixBytes(fn *Func, i int) bool {
	if i+2 >= len(fn.Params) || !makes(fn) || b.kept(fn, fn.Params[i]) {
		return false
	}
	for j, p := range fn.Params {
		isDimension := j == i+1 || j == i+2
		if isDimension != isCount(fn, j, elements) || isDimension && p.Mode != "" {
			return false
		}
	}
	fn.Params[i].Mode, fn.Params[i].Dims = InMatrix, []int{i + 1, i + 2}
	return true
}

// byteMode decides what a uint8_t * is that C writes to: mac_addr, size of doca_devinfo_get_mac_addr is an array,
// is_equal of doca_devinfo_is_equal_pci_addr a bool, rnr_retry_count of doca_rdma_get_rnr_retry_count a number.
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
	if severalBytes(fn, p) {
		p.Mode, p.Type = InValue, &GoType{Pointer, "", "unsafe.Pointer", "void *"}
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

var lengthName = regexp.MustCompile(`(^|_)(len|length|size|sz|capacity)$`)

// isLength recognises the length of what stands in front of it: size_t len, uint32_t export_desc_len.
func isLength(p *Param) bool {
	return p.Mode == "" && isInteger(p.C) && lengthName.MatchString(strings.ToLower(p.CName))
}

// pair makes parameter i+1 the length of parameter i, if it is one. Bytes for a task are not made a slice, for DOCA
// reads them later.
func (b *builder) pair(fn *Func, i int, m Mode) bool {
	if i+1 >= len(fn.Params) || !isLength(fn.Params[i+1]) || m == InBytes && b.ofTask(fn) {
		return false
	}
	fn.Params[i].Mode, fn.Params[i].Pair = m, i+1
	fn.Params[i+1].Mode, fn.Params[i+1].Pair = Implied, i
	return true
}

// ofTask tells whether a function makes or changes a task (doca_rdma_task_write_allocate_init). DOCA may read what such a function is
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

// reads tells whether a function of a task only reads it (const struct doca_rdma_task_receive *task), so that what it writes it writes at once.
func reads(fn *Func) bool {
	return len(fn.Params) > 0 && underlying(fn.Params[0].C).Kind == cparse.Pointer && isConst(underlying(fn.Params[0].C).Elem)
}

// isSet recognises what a setter takes: addr of doca_sync_event_set_addr. DOCA keeps the pointer.
func isSet(fn *Func, p *Param) bool { return strings.HasSuffix(fn.CName, "_set_"+p.CName) }

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
	if ok {
		return size, macro, ok
	}
	for _, m := range b.macros { // pf_vuid of doca_devinfo_rep_get_pf_vuid: DOCA_DEVINFO_REP_VUID_SIZE
		of, isSize := strings.CutSuffix(m.Name, "_SIZE")
		cut := strings.LastIndex(of, "_")
		if m.Int == nil || !isSize || cut <= len("DOCA") || !strings.HasSuffix(stem, of[cut:]) {
			continue
		}
		if n := cut + 1; strings.HasPrefix(strings.ToUpper(fn), of[:n]) && n > best {
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

// doublePointer decides what a pointer to a pointer is:
//
//   - struct x **: a new handle (doca_dma_create), or a list to free (doca_devinfo_destroy_list);
//   - struct x ***, uint32_t *n: a list that C makes (doca_devinfo_create_list);
//   - const void **, size_t *len, or const uint8_t **: a view of C's memory (doca_mmap_export_pci);
//   - const char **: a text that stays C's (doca_rdma_addr_get_params);
//   - void **: an address that C tells (doca_umem_get_address);
//   - all that may be an array: the caller's memory.
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
	case (inner.Kind == cparse.Void || isByte(e.Elem)) && isConst(e.Elem) && next(true):
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

// isCount tells whether parameter i is a number with a name like these.
func isCount(fn *Func, i int, name *regexp.Regexp) bool {
	return i >= 0 && i < len(fn.Params) && isInteger(fn.Params[i].C) && name.MatchString(strings.ToLower(fn.Params[i].CName))
}

// elements match how a count of elements is called, manyName what there is more than one of: the plural is one sign.
var (
	elements = regexp.MustCompile(`(^|_)(n|nb|nr|nof|num|count)(_|$)|arr(ay)?_(len|size)$`)
	manyName = regexp.MustCompile(`(arr|array|list|[^su]s)$`)
)

var countName = regexp.MustCompile(`^(n|nb|num|count)(_|$)|_(count|num|len)$`)

var (
	// bytesName matches what one byte does not hold.
	bytesName = regexp.MustCompile(`(^|_)(mac|addr|address|gid|guid|uuid|key|iv|buf|buffer|bytes|data|desc|descriptor|blob|payload|digest|hash)(_|$)`)
	// bytesSaid matches the words for several bytes in the comment of a parameter.
	bytesSaid = regexp.MustCompile(`(?i)\b(?:buffer|array|bytes|octets|string)\b|\[\d+\]`)
	// command begins what a comment says of one thing, and ofParam is that of a parameter.
	command = regexp.MustCompile(`(?m)^\s*[@\\]\w+`)
	ofParam = regexp.MustCompile(`^\s*[@\\]param\s*(?:\[[\w\s,]*\])?\s*(\w+)`)
)

// severalBytes tells whether parameter p, a pointer to a byte without a length, is to more than one, by its name or by what the
// comment says of it. A single result would let C write beyond it.
func severalBytes(fn *Func, p *Param) bool {
	if bytesName.MatchString(strings.ToLower(p.CName)) {
		return true
	}
	end := len(fn.C.Doc)
	at := command.FindAllStringIndex(fn.C.Doc, -1)
	for _, begin := range slices.Backward(at) {
		said := fn.C.Doc[begin[0]:end]
		end = begin[0]
		if m := ofParam.FindStringSubmatch(said); m != nil && m[1] == p.CName {
			return bytesSaid.MatchString(said)
		}
	}
	return false
}
