package emit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/model"
)

// paramDocs are the texts of @param by the parameter that each belongs to; rest are those
// that no parameter has.
func paramDocs(d *doxygen, params []string) (byParam map[string]*docSection, rest []*docSection) {
	byParam = map[string]*docSection{}
	taken := func(want string, same func(a, b string) bool) (string, bool) {
		for _, p := range params {
			if byParam[p] == nil && p != "" && same(p, want) {
				return p, true
			}
		}
		return "", false
	}
	plain := func(a, b string) bool { return flatName(a) == flatName(b) }
	near := func(a, b string) bool { return distance(flatName(a), flatName(b)) <= 1+len(a)/6 }
	left := d.params()
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, plain, near} {
		var still []*docSection
		for _, s := range left {
			if p, ok := taken(s.Name, same); ok {
				byParam[p] = s
			} else {
				still = append(still, s)
			}
		}
		left = still
	}
	// What has another name altogether stands where its parameter stands.
	var free []string
	for _, p := range params {
		if byParam[p] == nil {
			free = append(free, p)
		}
	}
	if len(free) != len(left) {
		return byParam, left
	}
	for i, s := range left {
		byParam[free[i]] = s
	}
	return byParam, nil
}

// params are the sections of @param, one for each name.
func (d *doxygen) params() []*docSection {
	var out []*docSection
	seen := map[string]*docSection{}
	for _, s := range d.Sections {
		if s.Kind != secParam {
			continue
		}
		for _, n := range strings.Split(strings.TrimLeft(s.Name, "*&"), ",") {
			if old := seen[n]; old != nil {
				old.Blocks = append(old.Blocks, s.Blocks...)
				continue
			}
			seen[n] = &docSection{Kind: secParam, Name: n, Blocks: s.Blocks}
			out = append(out, seen[n])
		}
	}
	return out
}

// flatName is a name without what writers get wrong: capitals and underscores.
func flatName(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }

// distance counts the letters by which two names differ.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// funcScope is the scope of a function: its parameters have their Go names.
func (f *file) funcScope(fn *model.Func) *docScope {
	s := f.scope(fn.CName)
	s.success, s.since = "nil", f.spans[fn.CName].Since
	s.params, s.never = map[string]string{}, map[string]bool{}
	for _, p := range fn.Params {
		s.never[p.CName] = neverNil(fn, p)
		if p.CName != "" && p.Mode != model.InTramp {
			s.params[p.CName] = paramName(fn, p)
		}
	}
	return s
}

// neverNil tells whether a parameter is a result or a string in Go, or the length of one.
func neverNil(fn *model.Func, p *model.Param) bool {
	switch p.Mode {
	case model.InString, model.InFormat, model.InData:
		return true
	case model.Implied:
		return fn.Params[p.Pair].Mode.IsOut()
	}
	return p.Mode.IsOut()
}

// paramName is what a parameter is called in the Go form: the length of a slice is len(slice).
func paramName(fn *model.Func, p *model.Param) string {
	switch p.Mode {
	case model.InFormat:
		return "message"
	case model.Implied:
		return "len(" + paramName(fn, fn.Params[p.Pair]) + ")"
	}
	return p.GoName
}

// paramItems are the items of the lists of parameters, results and callbacks.
func (f *file) paramItems(fn *model.Func, s *docScope, d *doxygen) (in, out, callbacks []string) {
	var names []string
	for _, p := range fn.Params {
		names = append(names, p.CName)
	}
	docs, rest := paramDocs(d, names)
	if fn.Ring {
		in = append(in, "ring: takes the records of callbacks that run during the call; nil drops them")
	}
	for _, p := range fn.Params {
		text := ""
		if sec := docs[p.CName]; sec != nil {
			text = s.paramText(p, flatText(sec.Blocks))
		}
		name := paramName(fn, p)
		switch {
		case p.Callback != nil:
			it := "[Kind" + p.Callback.GoName + "]"
			if text != "" {
				it += ": " + text
			}
			callbacks = append(callbacks, it)
		case text == "":
		case p.Mode == model.Implied && fn.Params[p.Pair].Mode.IsOut(): // its length is not the caller's
		case p.Mode.IsOut():
			out = append(out, name+": "+text)
		case p.Mode == model.InRaw && p.C != nil && p.C.Name != "":
			in = append(in, name+": a C function, "+p.C.Name+": "+text)
		default:
			in = append(in, name+": "+text)
		}
	}
	if fn.Launch {
		in = append(in, launchItem(s, rest))
		rest = slices.DeleteFunc(rest, isRest)
	}
	for _, sec := range rest {
		if t := s.text(flatText(sec.Blocks)); t != "" {
			in = append(in, sec.Name+": "+lowerFirst(t))
		}
	}
	return in, out, callbacks
}

// isRest tells whether a section is about the arguments of a variadic function.
func isRest(sec *docSection) bool { return sec.Name == "..." }

// launchItem is about the arguments that a launch passes on.
func launchItem(s *docScope, secs []*docSection) string {
	text := "the arguments of what is started"
	if i := slices.IndexFunc(secs, isRest); i >= 0 {
		text = strings.TrimSuffix(lowerFirst(s.text(flatText(secs[i].Blocks))), ".")
	}
	return fmt.Sprintf("args: %s; each takes 64 bits, and there are at most %d", text, launchArgs)
}

var (
	mayBeNull = regexp.MustCompile(`(?i)(?:[;,.]\s*|\s+and\s+|^)(?:it\s+|the pointer\s+)?(?:must not|may|can|cannot|can not|may not|should not|shall not) be NULL(?: itself)?\s*([.;,]|$)`)
	// Go's strings have no terminator of their own.
	terminated = regexp.MustCompile(`(?i)[,;] (?:NUL|null|zero)[- ]terminated\b`)
	trueValue  = regexp.MustCompile(`(?i)\bnot 0\b|\bnon-?zero\b|\b1\b`)
	falseZero  = regexp.MustCompile(`(?i)\b(?:0|zero)\b`)
)

// paramText is the text of a parameter in Go's terms: strings and results are never nil, and
// flags are true and false.
func (s *docScope) paramText(p *model.Param, raw string) string {
	switch p.Mode {
	case model.InString, model.InFormat, model.InData, model.InList:
		raw = terminated.ReplaceAllString(mayBeNull.ReplaceAllString(raw, "$1"), "")
	default:
		if p.Mode.IsOut() {
			raw = mayBeNull.ReplaceAllString(raw, "$1")
		}
	}
	if p.Type != nil && p.Type.Name == "bool" {
		raw = falseZero.ReplaceAllString(trueValue.ReplaceAllString(raw, "true"), "false")
	}
	return lowerFirst(s.text(strings.Trim(raw, " ;,")))
}
