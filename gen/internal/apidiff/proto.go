package apidiff

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// prototype is a C prototype taken apart.
type prototype struct {
	result string
	params []cParam
}

type cParam struct {
	text, name string // "const struct doca_dev *dev", "dev"
	typ        string // the text without the name
	call       string // the type as a call sees it, with the names of NEW
}

// parsePrototype takes a prototype, or a typedef of a function, apart.
func (c *comparison) parsePrototype(text string, old bool) (p prototype, ok bool) {
	text = strings.TrimSpace(strings.TrimPrefix(text, "typedef "))
	if !strings.HasSuffix(text, ")") {
		return p, false
	}
	open := matching(text)
	if open < 0 {
		return p, false
	}
	p.result = strings.TrimSpace(text[:open])
	if !strings.HasSuffix(p.result, ")") { // of a typedef, (*name) stays
		p.result = strings.TrimRight(p.result, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
	} else if i := strings.LastIndex(p.result, "("); i >= 0 {
		p.result = p.result[:i]
	}
	p.result = strings.TrimSpace(p.result)
	for _, part := range splitParams(text[open+1 : len(text)-1]) {
		if part == "void" || part == "" {
			continue
		}
		q := cParam{text: part, name: paramName(part)}
		q.typ = withoutName(part, q.name)
		if q.call = c.newTypes.Call("void f(" + part + ")"); old {
			q.call = c.oldCall("void f(" + part + ")")
		}
		q.call = strings.TrimSuffix(strings.TrimPrefix(q.call, "func("), ") void")
		p.params = append(p.params, q)
	}
	return p, true
}

// matching is the place of the parenthesis that the last one closes.
func matching(s string) int {
	depth := 0
	for i := len(s) - 1; i >= 0; i-- {
		switch s[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

func splitParams(s string) []string {
	var out []string
	depth, start := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, strings.TrimSpace(s[start:i]))
				start = i + 1
			}
		}
	}
	return append(out, strings.TrimSpace(s[start:]))
}

var typeWords = map[string]bool{"void": true, "char": true, "short": true, "int": true, "long": true, "float": true, "double": true,
	"signed": true, "unsigned": true, "_Bool": true, "bool": true, "const": true, "volatile": true, "restrict": true, "struct": true,
	"union": true, "enum": true}

// paramName is the name of a parameter, or empty.
func paramName(text string) string {
	if i := strings.Index(text, "(*"); i >= 0 {
		return identifier.FindString(text[i+2:])
	}
	end, _, _ := strings.Cut(text, "[")
	all := identifier.FindAllString(end, -1)
	if len(all) < 2 {
		return ""
	}
	last, before := all[len(all)-1], all[len(all)-2]
	if typeWords[last] || before == "struct" || before == "union" || before == "enum" || !strings.HasSuffix(strings.TrimSpace(end), last) {
		return ""
	}
	if len(all) == 2 && (before == "const" || before == "volatile") {
		return ""
	}
	return last
}

func withoutName(text, name string) string {
	if name == "" {
		return text
	}
	i := strings.LastIndex(text, name)
	if j := strings.Index(text, "(*"); j >= 0 {
		i = j + 2 + strings.Index(text[j+2:], name)
	}
	return strings.TrimSpace(strings.TrimSpace(text[:i]) + text[i+len(name):])
}

// difference says in words how two prototypes differ: in what a call passes, and in spelling.
func (c *comparison) difference(old, new string) (call, spelling []string) {
	a, okA := c.parsePrototype(old, true)
	b, okB := c.parsePrototype(new, false)
	if !okA || !okB {
		return []string{fmt.Sprintf("%s is now %s", old, new)}, nil
	}
	if x, y := c.oldCall("typedef "+a.result+" x"), c.newCall("typedef "+b.result+" x"); x != y {
		call = append(call, fmt.Sprintf("the result is %s, was %s", b.result, a.result))
	} else if !sameText(c.renamed(a.result), b.result) {
		spelling = append(spelling, fmt.Sprintf("the result is spelled %s, was %s", b.result, a.result))
	}
	usedA, usedB := make([]bool, len(a.params)), make([]bool, len(b.params))
	pairUp := func(same func(x, y cParam) bool, report func(i, j int)) {
		for i, x := range a.params {
			if usedA[i] {
				continue
			}
			for j, y := range b.params {
				if !usedB[j] && same(x, y) {
					usedA[i], usedB[j] = true, true
					report(i, j)
					break
				}
			}
		}
	}
	var kept [][2]int
	keep := func(i, j int) {
		kept = append(kept, [2]int{i, j})
		x, y := a.params[i], b.params[j]
		if x.name != y.name && x.name != "" && y.name != "" {
			spelling = append(spelling, fmt.Sprintf("parameter %s is called %s", x.name, y.name))
		}
		if !sameText(c.renamed(x.typ), y.typ) && x.call == y.call {
			spelling = append(spelling, fmt.Sprintf("parameter %s is spelled %s, was %s", y.label(j), y.typ, x.typ))
		}
	}
	retype := func(i, j int) {
		x, y := a.params[i], b.params[j]
		if is, was := y.typ, x.typ; sameText(c.renamed(was), is) {
			call = append(call, fmt.Sprintf("parameter %s: %s is %s, was %s", y.label(j), is, y.call, x.call))
		} else {
			call = append(call, fmt.Sprintf("parameter %s is %s, was %s", y.label(j), is, was))
		}
		keep(i, j)
	}
	named := func(x, y cParam) bool { return x.name != "" && x.name == y.name }
	pairUp(func(x, y cParam) bool { return x.call == y.call && named(x, y) }, keep)
	pairUp(named, retype)
	for i := range a.params { // neighbours are the same on both sides
		if j := beside(kept, i, len(a.params), len(b.params)); j >= 0 && !usedA[i] && !usedB[j] && a.params[i].call == b.params[j].call {
			usedA[i], usedB[j] = true, true
			keep(i, j)
		}
	}
	pairUp(func(x, y cParam) bool { return x.call == y.call && alikeNames(x, y) }, keep)
	for i := range min(len(a.params), len(b.params)) {
		if !usedA[i] && !usedB[i] && alikeNames(a.params[i], b.params[i]) {
			usedA[i], usedB[i] = true, true
			retype(i, i)
		}
	}
	for i, x := range a.params {
		if !usedA[i] {
			call = append(call, fmt.Sprintf("parameter %s (%s, %s) is gone", x.label(i), x.typ, place(i, len(a.params))))
		}
	}
	for j, y := range b.params {
		if !usedB[j] {
			call = append(call, fmt.Sprintf("parameter %s (%s) is new, %s", y.label(j), y.typ, place(j, len(b.params))))
		}
	}
	for _, m := range moved(kept) {
		call = append(call, fmt.Sprintf("parameter %s is %s, was %s", b.params[m[1]].label(m[1]), place(m[1], len(b.params)), place(m[0], len(a.params))))
	}
	if len(call) == 0 && c.oldCall(old) != c.newCall(new) {
		call = append(call, fmt.Sprintf("%s is now %s", old, new))
	}
	return call, spelling
}

// alikeNames tells whether one parameter can be the other under a new name.
func alikeNames(x, y cParam) bool {
	if x.name == "" || y.name == "" {
		return true
	}
	l := compareWords(words("", x.name), words("", y.name))
	return l.score >= 0.5 && !l.opposed
}

// label names a parameter, by its place where it has no name.
func (p cParam) label(i int) string {
	if p.text == "..." {
		return "..."
	}
	if p.name == "" {
		return fmt.Sprintf("%d", i+1)
	}
	return p.name
}

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
