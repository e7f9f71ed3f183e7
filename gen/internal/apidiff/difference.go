package apidiff

import (
	"fmt"
	"slices"
	"strconv"
)

// protoDiff compares two prototypes. Parameters are paired up, the surest pairs first; what is
// left on one side is gone or new.
type protoDiff struct {
	*comparison
	old, new       prototype
	usedOld        []bool
	usedNew        []bool
	kept           [][2]int // indexes of the pairs
	call, spelling []string // what differs in a call, and what in spelling alone
}

// difference says in words how two prototypes differ: in what a call passes, and in spelling.
func (c *comparison) difference(old, new string) (call, spelling []string) {
	a, okA := c.parsePrototype(old, true)
	b, okB := c.parsePrototype(new, false)
	if !okA || !okB {
		return []string{fmt.Sprintf("%s is now %s", old, new)}, nil
	}
	d := &protoDiff{comparison: c, old: a, new: b, usedOld: make([]bool, len(a.params)), usedNew: make([]bool, len(b.params))}
	d.result()
	d.match()
	d.unmatched()
	d.order()
	if len(d.call) == 0 && c.oldCall(old) != c.newCall(new) {
		d.call = append(d.call, fmt.Sprintf("%s is now %s", old, new))
	}
	return d.call, d.spelling
}

func (d *protoDiff) result() {
	was, is := d.old.result, d.new.result
	if d.oldCall("typedef "+was+" x") != d.newCall("typedef "+is+" x") {
		d.call = append(d.call, fmt.Sprintf("the result is %s, was %s", is, was))
	} else if !sameText(d.renamed(was), is) {
		d.spelling = append(d.spelling, fmt.Sprintf("the result is spelled %s, was %s", is, was))
	}
}

// match pairs up the parameters: by name and type, by name, by their neighbours, by type and alike
// names, by place and alike names.
func (d *protoDiff) match() {
	named := func(x, y cParam) bool { return x.name != "" && x.name == y.name }
	d.pairUp(func(x, y cParam) bool { return x.call == y.call && named(x, y) }, d.keep)
	d.pairUp(named, d.retype)
	for i := range d.old.params {
		j := beside(d.kept, i, len(d.old.params), len(d.new.params))
		if j >= 0 && d.free(i, j) && d.old.params[i].call == d.new.params[j].call {
			d.keep(i, j)
		}
	}
	d.pairUp(func(x, y cParam) bool { return x.call == y.call && alikeNames(x, y) }, d.keep)
	for i := range min(len(d.old.params), len(d.new.params)) {
		if d.free(i, i) && alikeNames(d.old.params[i], d.new.params[i]) {
			d.retype(i, i)
		}
	}
}

func (d *protoDiff) free(i, j int) bool { return !d.usedOld[i] && !d.usedNew[j] }

// pairUp reports each parameter with the first that is the same.
func (d *protoDiff) pairUp(same func(x, y cParam) bool, report func(i, j int)) {
	for i, x := range d.old.params {
		for j, y := range d.new.params {
			if d.free(i, j) && same(x, y) {
				report(i, j)
				break
			}
		}
	}
}

// keep notes a pair of the same type.
func (d *protoDiff) keep(i, j int) {
	d.usedOld[i], d.usedNew[j] = true, true
	d.kept = append(d.kept, [2]int{i, j})
	x, y := d.old.params[i], d.new.params[j]
	if x.name != y.name && x.name != "" && y.name != "" {
		d.spelling = append(d.spelling, fmt.Sprintf("parameter %s is called %s", x.name, y.name))
	}
	if !sameText(d.renamed(x.typ), y.typ) && x.call == y.call {
		d.spelling = append(d.spelling, fmt.Sprintf("parameter %s is spelled %s, was %s", y.label(j), y.typ, x.typ))
	}
}

// retype notes a pair whose type differs.
func (d *protoDiff) retype(i, j int) {
	x, y := d.old.params[i], d.new.params[j]
	if is, was := y.typ, x.typ; sameText(d.renamed(was), is) {
		d.call = append(d.call, fmt.Sprintf("parameter %s: %s is %s, was %s", y.label(j), is, y.call, x.call))
	} else {
		d.call = append(d.call, fmt.Sprintf("parameter %s is %s, was %s", y.label(j), is, was))
	}
	d.keep(i, j)
}

// unmatched notes the parameters that have no pair.
func (d *protoDiff) unmatched() {
	for i, x := range d.old.params {
		if !d.usedOld[i] {
			d.call = append(d.call, fmt.Sprintf("parameter %s (%s, %s) is gone", x.label(i), x.typ, place(i, len(d.old.params))))
		}
	}
	for j, y := range d.new.params {
		if !d.usedNew[j] {
			d.call = append(d.call, fmt.Sprintf("parameter %s (%s) is new, %s", y.label(j), y.typ, place(j, len(d.new.params))))
		}
	}
}

// order notes the parameters that stand elsewhere.
func (d *protoDiff) order() {
	for _, m := range moved(d.kept) {
		d.call = append(d.call, fmt.Sprintf("parameter %s is %s, was %s", d.new.params[m[1]].label(m[1]), place(m[1], len(d.new.params)), place(m[0], len(d.old.params))))
	}
}

// alikeNames tells whether one parameter can be the other under a new name.
func alikeNames(x, y cParam) bool {
	if x.name == "" || y.name == "" {
		return true
	}
	l := compareWords(words("", x.name), words("", y.name))
	return l.score >= 0.5 && !l.opposed
}

// place says which of n parameters one is: "second", "last".
func place(i, n int) string {
	if i == n-1 && n > 1 {
		return "last"
	}
	if names := []string{"first", "second", "third"}; i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("%dth", i+1)
}

// beside is the index in NEW that the neighbours of parameter i ask for, or -1.
func beside(kept [][2]int, i, na, nb int) int {
	before, after := -1, nb
	okBefore, okAfter := i == 0, i == na-1
	for _, k := range kept {
		if k[0] == i-1 {
			before, okBefore = k[1], true
		}
		if k[0] == i+1 {
			after, okAfter = k[1], true
		}
	}
	if okBefore && okAfter && after-before == 2 {
		return before + 1
	}
	return -1
}

// moved are the parameters that are not in the order of the others.
func moved(kept [][2]int) [][2]int {
	slices.SortFunc(kept, func(a, b [2]int) int { return a[0] - b[0] })
	var from, to []string
	var places []int
	for _, k := range kept {
		from = append(from, strconv.Itoa(k[1]))
		places = append(places, k[1])
	}
	slices.Sort(places)
	for _, p := range places {
		to = append(to, strconv.Itoa(p))
	}
	stay := map[int]bool{}
	for _, m := range common(from, to) {
		stay[m[0]] = true
	}
	var out [][2]int
	for i, k := range kept {
		if !stay[i] {
			out = append(out, k)
		}
	}
	return out
}
