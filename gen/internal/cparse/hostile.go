package cparse

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"modernc.org/cc/v4"
)

// What follows defends against headers on which cc/v4 does not end, or ends the process. Each
// must cost only itself, and its error must say where: so the threats are looked for in front of cc/v4.
//
//   - An include loop without a guard is followed for ever: findLoops follows the includes first.
//   - Macros that expand without end, and brackets, operators and else that nest too deeply, of which
//     each level is a few frames of stack: dryRun preprocesses a unit and counts its tokens.
//   - Types that are compared in exponential time: typeGuard counts their parts in the dry run.
//   - Types that would fill the memory if they were written out: checkWeight, when they are collected.
//   - What nobody has thought of yet: translate gives up after a time.
//
// Limits on a process of its own are no shorter way to the same. Such a process dies without saying
// which line it died of, and needs the dry run all the same, which finds the includes that are absent.

const (
	// expansionLimit bounds macro expansion in the dry run, and include loops
	// with it. All headers of a release in one unit take some 300,000.
	expansionLimit = 1_000_000
	maxTokens      = 3_000_000 // of a unit
	// maxRun bounds the tokens without a ';' or brace between them: cc/v4
	// recurses for each operator, cast and if among them.
	maxRun = 100_000
	// maxParts bounds the parts of a function type with the typedefs in it written
	// out: cc/v4 compares two such types part by part.
	maxParts = 100_000
	// maxWeight bounds the parts of a type, typedefs followed: a few lines of C
	// can spell a type with more parts than there is memory, were they written out.
	maxWeight = 10_000

	macrosName  = "/<macros>"
	macrosBegin = "cparse_macros_begin"
)

// findLoops finds headers that lead to an include loop in which no header has
// an include guard: cc/v4 would follow it for ever.
func (p *parser) findLoops(names []string, bad map[string]*ParseError) {
	w := &loopWalk{p: p, known: map[string]*ParseError{}}
	for _, n := range names {
		if bad[n] == nil {
			if e := w.walk(n, nil); e != nil {
				bad[n] = e
			}
		}
	}
}

// loopWalk follows includes depth first.
type loopWalk struct {
	p     *parser
	known map[string]*ParseError // headers done, and the loop each leads to or nil
}

// walk follows the includes of a header; open are the headers without a guard
// on the way to it, back to the last one with a guard.
func (w *loopWalk) walk(name string, open []string) *ParseError {
	if e, ok := w.known[name]; ok {
		return e
	}
	src, err := w.p.files.load(filepath.Join(w.p.dir, name))
	if err != nil {
		return nil // reported where it is included
	}
	if src.guard() != "" || src.once() {
		w.known[name] = nil // ends every loop through it
		open = nil
	} else {
		open = append(open[:len(open):len(open)], name)
	}
	var found *ParseError
	names, lines := src.includes()
	for i, n := range names {
		if j := slices.Index(open, n); j >= 0 {
			loop := strings.Join(append(open[j:len(open):len(open)], n), " -> ")
			found = &ParseError{Pos: Pos{File: name, Line: lines[i]}, Text: "include loop: " + loop, Line: src.sourceLine(lines[i])}
			break
		}
		if _, err := w.p.files.load(filepath.Join(w.p.dir, n)); err != nil {
			continue // a system header
		}
		if found = w.walk(n, open); found != nil {
			break
		}
	}
	w.known[name] = found
	return found
}

// errLimit is what stops the dry run.
type errLimit struct {
	text     string
	typedef  string // that the text is about
	inMacros bool   // in the list of macros, not in the text of the headers
}

func (e *errLimit) Error() string { return e.text }

// dryRun preprocesses a unit without parsing it. cc/v4's parser overflows the
// stack on tokens that nest too deeply, which no pre-scan of the files sees
// where macros make them, and does not return where the preprocessor stopped
// in the middle of a declaration. evaluate is whether its macros may be evaluated.
func (p *parser) dryRun(u unit, cfg cc.Config, sources []cc.Source) (tokens int, evaluate bool, err error) {
	defer func() {
		if x := recover(); x != nil {
			err = p.preprocessorPanic(u, x)
		}
	}()
	cfg.PragmaHandler = onceHandler()
	cfg.ExpansionLimit = expansionLimit
	sources = append(sources[:len(sources):len(sources)], cc.Source{Name: macrosName})
	w := &tokenGuard{}
	err = cc.Preprocess(&cfg, sources, w)
	var limit *errLimit
	switch {
	case err == nil:
		return w.tokens, true, nil
	case errors.As(err, &limit):
		if limit.inMacros {
			return w.tokens, false, nil
		}
		e := &ParseError{Pos: Pos{File: u.name()}, Text: limit.text}
		if path, line := p.findWord(u, limit.typedef); path != "" {
			e.Pos = Pos{File: p.display(path), Line: line}
			e.Line = p.files.loaded(path).sourceLine(line)
		}
		return w.tokens, false, e
	case strings.HasPrefix(err.Error(), macrosName+":"):
		return w.tokens, !strings.Contains(err.Error(), "expansion limit"), nil
	}
	e, _ := p.convert(u, err)
	return w.tokens, false, e
}

// preprocessorPanic words a panic of cc/v4's preprocessor. The known one is an
// #include of a macro once the limit of expansions is reached.
func (p *parser) preprocessorPanic(u unit, x any) *ParseError {
	for _, h := range u.headers {
		for _, name := range p.reach(h) {
			s := p.files.loaded(filepath.Join(p.dir, name))
			if s == nil {
				continue
			}
			for _, d := range s.directives {
				if d.name == "include" && d.rest != "" && d.rest[0] != '<' && d.rest[0] != '"' {
					return s.errorAt(name, d.start, "include loop, or an #include that names no file", true)
				}
			}
		}
	}
	return &ParseError{Pos: Pos{File: u.name()}, Text: fmt.Sprintf("the preprocessor failed: %v", x)}
}

// tokenGuard checks the tokens of a unit, one Write each.
type tokenGuard struct {
	tokens, run, elses int
	stack              []byte // open brackets
	inMacros           bool
	types              typeGuard
}

func (g *tokenGuard) Write(b []byte) (int, error) {
	switch b[0] {
	case ' ', '\n', '\t':
		return len(b), nil
	case '(', '[', '{':
		g.stack = append(g.stack, b[0])
		if len(g.stack) > maxNesting {
			return 0, g.limit(fmt.Sprintf("brackets nest more than %d levels deep", maxNesting))
		}
	case ')', ']', '}':
		if n := len(g.stack); n > 0 {
			g.stack = g.stack[:n-1]
		}
	}
	g.tokens++
	g.run++
	top := len(g.stack) == 0 || g.stack[len(g.stack)-1] == '{'
	switch {
	case top && (b[0] == ';' || b[0] == '{' || b[0] == '}'):
		g.run = 0
		if len(g.stack) == 0 {
			g.elses = 0
		}
	case string(b) == "else":
		g.elses++
	case string(b) == macrosBegin:
		g.inMacros = true
		g.stack = nil
	}
	if name := g.types.see(b); name != "" {
		return 0, &errLimit{text: fmt.Sprintf("typedef %s: a function type of more than %d parts", name, maxParts), typedef: name}
	}
	switch {
	case g.run > maxRun || g.elses > maxRun:
		return 0, g.limit(fmt.Sprintf("a declaration of more than %d tokens", maxRun))
	case g.tokens > maxTokens:
		return 0, g.limit(fmt.Sprintf("more than %d tokens", maxTokens))
	}
	return len(b), nil
}

func (g *tokenGuard) limit(text string) error {
	return &errLimit{text: text + " (after macro expansion)", inMacros: g.inMacros}
}

// typeGuard follows the tokens of a unit and counts the parts of typedefs.
type typeGuard struct {
	parts map[string]int // by typedef name
	sum   int            // of the typedef that is going on, 0 outside one
	depth int            // open brackets in it
	name  string         // that it declares, as far as one can tell
	fixed bool           // the name stood behind "(*", which nothing later changes
	prev  [2]byte        // first bytes of the last two tokens
}

// see looks at a token and returns the typedef that has too many parts.
func (g *typeGuard) see(b []byte) (name string) {
	defer func() { g.prev[0], g.prev[1] = g.prev[1], b[0] }()
	switch {
	case g.sum == 0:
		if string(b) == "typedef" {
			g.sum, g.depth, g.name, g.fixed = 1, 0, "", false
		}
		return ""
	case b[0] == '(' || b[0] == '[' || b[0] == '{':
		g.depth++
	case b[0] == ')' || b[0] == ']' || b[0] == '}':
		g.depth--
	case b[0] == ';' && g.depth <= 0:
		if g.parts == nil {
			g.parts = map[string]int{}
		}
		name, sum := g.name, g.sum
		g.parts[name], g.sum = sum, 0
		if sum > maxParts {
			return name
		}
	case isIdent(b[0]) && (b[0] < '0' || b[0] > '9'):
		g.sum = min(g.sum+g.parts[string(b)], maxParts+1)
		pointer := g.prev == [2]byte{'(', '*'} || g.prev == [2]byte{'*', '*'} && g.depth == 1
		if !g.fixed && (g.depth == 0 || g.depth == 1 && pointer) {
			g.name, g.fixed = string(b), g.depth == 1
		}
	}
	return ""
}

// weight counts the parts of a type, until there are more than budget.
func weight(t *Type, budget int) int {
	n := 0
	for ; t != nil && n <= budget; t = t.Elem {
		n++
		for _, p := range t.Params {
			if n > budget {
				break
			}
			n += weight(p.Type, budget-n)
		}
	}
	return n
}

func recordWeight(r *Record, budget int) int {
	n := 1
	for _, f := range r.Fields {
		if n > budget {
			break
		}
		n += weight(f.Type, budget-n)
		if f.Anon != nil {
			n += recordWeight(f.Anon, budget-n)
		}
	}
	return n
}

func checkWeight(t *Type) error {
	if weight(t, maxWeight) > maxWeight {
		return fmt.Errorf("a type of more than %d parts", maxWeight)
	}
	return nil
}

func checkRecordWeight(r *Record) error {
	if recordWeight(r, maxWeight) > maxWeight {
		return inRecord(Kind(r.Kind), r.Name, fmt.Errorf("more than %d parts", maxWeight))
	}
	return nil
}

// timeLimit is how long cc/v4 may take for a unit: many times what it does take on a busy machine,
// where all headers of a release are done in seconds.
func timeLimit(tokens int) time.Duration {
	return 20*time.Second + time.Duration(tokens)*100*time.Microsecond
}

// errTooLong is what translate ends with when its time is up.
var errTooLong = errors.New("too complicated: the C parser does not come to an end")

// translate is cc.Translate with an end. What runs on when the time is up cannot be stopped: it goes on until
// the process ends.
func translate(cfg *cc.Config, sources []cc.Source, limit time.Duration) (*cc.AST, error) {
	type result struct {
		ast   *cc.AST
		err   error
		panic any
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			r.panic = recover()
			done <- r
		}()
		r.ast, r.err = cc.Translate(cfg, sources)
	}()
	select {
	case r := <-done:
		if r.panic != nil {
			panic(r.panic)
		}
		return r.ast, r.err
	case <-time.After(limit):
		return nil, errTooLong
	}
}
