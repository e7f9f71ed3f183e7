package model

import (
	"regexp"
	"slices"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/cparse"
)

// arrays gives the parameters that are arrays of a counted number of elements their Go form: a slice where the array is used
// during the call, memory of C where it may be used later, and for pointers to structs, which must be C's. Several arrays may share
// a count.
func (b *builder) arrays(fn *Func) {
	count := map[int][]int{}
	for i, p := range fn.Params {
		if p.Mode != "" || function(p.C) != nil {
			continue
		}
		n := b.countOf(fn, i)
		if n < 0 {
			continue
		}
		g, mode := b.arrayOf(fn, p)
		if g == nil {
			continue
		}
		p.Mode, p.Type, p.Pair = mode, g, n
		count[n] = append(count[n], i)
	}
	for n, arrays := range count {
		fn.Params[n].Mode, fn.Params[n].Pair = Implied, arrays[0]
		if len(arrays) > 1 {
			fn.Params[n].Counts = arrays
		}
	}
}

// countOf is the parameter that counts the elements of array i: the next one, or the only count that there is; else -1.
func (b *builder) countOf(fn *Func, i int) int {
	p, u := fn.Params[i], underlying(fn.Params[i].C)
	name := strings.ToLower(p.CName)
	if u.Kind != cparse.Pointer || u.Decayed && u.Len > 0 || elements.MatchString(name) && !arrayName.MatchString(name) { // a count itself
		return -1
	}
	isNumber := func(j int) bool {
		return j >= 0 && j < len(fn.Params) && fn.Params[j].Mode == "" && isInteger(fn.Params[j].C)
	}
	struc := underlying(u.Elem).Kind == cparse.Struct || underlying(u.Elem).Kind == cparse.Union
	plain := !isByte(u.Elem) && underlying(u.Elem).Kind != cparse.Void
	many := u.Decayed || manyName.MatchString(name) || plain && underlying(u.Elem).Kind == cparse.Pointer && underlying(u.Elem).Const
	if plain && isNumber(i+1) { // what follows bytes may count something larger
		next := strings.ToLower(fn.Params[i+1].CName)
		if elements.MatchString(next) && (b.soleCountOf(fn) || related(name, next)) && (many || !struc) ||
			many && arrayLength.MatchString(next) {
			return i + 1
		}
	}
	if !many || struc && !u.Decayed && !arrayName.MatchString(name) { // attrs may be one struct, beside a count of something else
		return -1
	}
	only := -1
	for j := range fn.Params {
		if isNumber(j) && elements.MatchString(strings.ToLower(fn.Params[j].CName)) {
			if only >= 0 {
				return -1
			}
			only = j
		}
	}
	return only
}

// soleCountOf tells whether a function counts the elements of one thing.
func (b *builder) soleCountOf(fn *Func) bool {
	n := 0
	for _, p := range fn.Params {
		if isInteger(p.C) && elements.MatchString(strings.ToLower(p.CName)) {
			n++
		}
	}
	return n == 1
}

// related tells whether the names of an array and of a count have a word in common: missing_indices and n_missing.
func related(array, count string) bool {
	words := strings.Split(count, "_")
	return slices.ContainsFunc(strings.Split(array, "_"), func(w string) bool {
		return len(w) > 2 && slices.ContainsFunc(words, func(c string) bool { return c == w || c+"s" == w || c == w+"s" })
	})
}

// arrayName matches what can be nothing but an array.
var arrayName = regexp.MustCompile(`(arr|array|list)$`)

// arrayLength matches how the length of an array is called where it counts elements, not bytes.
var arrayLength = regexp.MustCompile(`(^|_)(len|length)$`)

// arrayOf is the type of an array's elements and how it is passed, or nil if it is none that Go can make.
func (b *builder) arrayOf(fn *Func, p *Param) (*GoType, Mode) {
	elem := underlying(p.C).Elem
	e := underlying(elem)
	mode := InSlice
	if b.kept(fn, p) {
		mode = InC
	}
	switch e.Kind {
	case cparse.Void, cparse.Other:
		return nil, ""
	case cparse.Pointer:
		to := underlying(e.Elem)
		if to.Kind != cparse.Struct && to.Kind != cparse.Union {
			return nil, ""
		}
		g, err := b.resolve(elem)
		if err != nil || g.Kind == Pointer {
			return nil, ""
		}
		if g.Kind == Record {
			mode = InC
		} else if !e.Const && mode == InSlice && !isConst(elem) { // a list of handles has its own form
			return nil, ""
		}
		return g, mode
	}
	if isChar(elem) {
		return nil, ""
	}
	g, err := b.resolve(elem)
	if err != nil || g.Kind == Pointer {
		return nil, ""
	}
	return g, mode
}

// kept tells whether C may use what a parameter points to after the call: a task does, an object that is configured, and
// what installs a callback.
func (b *builder) kept(fn *Func, p *Param) bool {
	return b.ofTask(fn) && !reads(fn) || isSet(fn, p) || strings.Contains(fn.CName, "_set_") ||
		slices.ContainsFunc(fn.C.Params, func(p cparse.Param) bool { c := function(p.Type); return c != nil && len(c.Params) > 0 })
}
