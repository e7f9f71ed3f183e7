package cparse

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"modernc.org/cc/v4"
)

const (
	// expansionLimit bounds macro expansion in the dry run, and include loops
	// with it. All headers of a release in one unit take some 300,000.
	expansionLimit = 1_000_000
	maxTokens      = 3_000_000 // of a unit
	// maxRun bounds the tokens without a ';' or brace between them: cc/v4
	// recurses for each operator, cast and if among them.
	maxRun = 100_000

	macrosName  = "/<macros>"
	macrosBegin = "cparse_macros_begin"
)

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

// macroList is a source that expands each object-like macro of the headers
// read so far, so that the dry run covers what evaluating them will do.
func (f *files) macroList() []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	var b strings.Builder
	b.WriteString(macrosBegin + " ;\n")
	for _, e := range f.byPath {
		if e.src == nil || e.system {
			continue
		}
		for _, d := range e.src.directives {
			if name, _ := d.macro(); d.name == "define" && name != "" && (len(d.rest) == len(name) || d.rest[len(name)] != '(') {
				b.WriteString(name + " ;\n")
			}
		}
	}
	return []byte(b.String())
}
