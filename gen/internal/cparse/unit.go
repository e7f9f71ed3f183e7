package cparse

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"modernc.org/cc/v4"
)

const (
	unitName = "<unit>"
	// predefined are the macros that the DPA compiler has built in, those of C
	// compilers that cc/v4 lacks, and the overlay's.
	predefined = "\n#define __dpa_global__\n#define __dpa_rpc__\n" +
		"#define __has_attribute(name) 1\n#define __has_builtin(name) 1\n" +
		"#define " + noPragma + "(text)\n" +
		"#define " + packPragma + "(text) _Static_assert(1, text);\n" +
		"#define " + packMacro + "(...) _Static_assert(1, \"pack(\" #__VA_ARGS__ \")\");\n"
)

// unit is a translation unit that includes headers and nothing else.
type unit struct {
	headers []string
	before  []string // headers that are included in front of them
	rescue  bool     // give up declarations for the sake of the others
}

// name is what errors without a place are reported for.
func (u unit) name() string { return u.headers[0] }

// text has one line for each header, so that a line names its header. The
// declaration behind the last one makes cc/v4 report what a header left open.
func (u unit) text() string {
	var b strings.Builder
	for _, h := range slices.Concat(u.before, u.headers) {
		fmt.Fprintf(&b, "#include <%s>\n", h)
	}
	b.WriteString("struct cparse_end;\n")
	return b.String()
}

var hostCC = sync.OnceValues(func() (*cc.Config, error) { return cc.NewConfig("", "") })

// hostConfig is the configuration of cc/v4 for the machine. The C compiler
// runs once per process.
func hostConfig() (*cc.Config, error) {
	host, err := hostCC()
	if err != nil {
		return nil, fmt.Errorf("no C compiler ($CC, cc, gcc) to take predefined macros and the system include directories from: %w", err)
	}
	c := *host
	c.Header = true
	c.IgnoreStaticAssert = true // cc/v4 lays some packed types out wrongly
	c.FSOnly = true
	return &c, nil
}

// result is a unit that was run.
type result struct {
	headers     []*Header
	err         *ParseError
	unevaluated bool // its macros have no values
	absent      []absence
	notes       []string
}

// run parses a unit and collects the declarations of its headers. Where a
// system header is what cannot be read, it tries again with the built-in
// headers in front of the system's.
func (p *parser) run(u unit) result {
	r := p.runWith(u, false)
	if r.err == nil || !filepath.IsAbs(r.err.Pos.File) {
		return r
	}
	plain := p.runWith(u, true)
	if plain.err != nil {
		return r
	}
	plain.notes = append(plain.notes, fmt.Sprintf("%s could not be read (line %d: %s): built-in headers were used instead of the system's",
		r.err.Pos.File, r.err.Pos.Line, r.err.Text))
	return plain
}

// runWith is run with the system's headers, or with built-in ones in front of
// them. It never panics.
func (p *parser) runWith(u unit, plain bool) (r result) {
	defer func() {
		if x := recover(); x != nil {
			r = result{err: &ParseError{Pos: Pos{File: u.name()}, Text: fmt.Sprintf("the C parser failed: %v", x)}}
		}
	}()
	view := &unitFS{files: p.files, used: map[string]bool{}, missing: map[string]bool{}}
	cfg := *p.cc
	cfg.FS = view
	cfg.SysIncludePaths = p.search(plain)
	cfg.IncludePaths = append([]string{"@"}, cfg.SysIncludePaths...)
	sources := []cc.Source{
		{Name: "<predefined>", Value: cfg.Predefined + predefined},
		{Name: "<builtin>", Value: cc.Builtin},
		{Name: unitName, Value: u.text()},
	}
	tokens, evaluate, err := p.dryRun(u, cfg, sources)
	absent, e := p.absences(u, view)
	if e != nil {
		return result{err: e}
	}
	if err != nil {
		return result{err: asParseError(u, err), absent: absent}
	}
	cfg.EvalAllMacros = evaluate
	f := &foreign{absent: absent}
	ast, e := p.translate(u, cfg, sources, f, timeLimit(tokens))
	if e != nil {
		return result{err: e, absent: absent}
	}
	headers, e := p.collect(u, ast, f)
	return result{headers: headers, err: e, unevaluated: !evaluate, absent: absent, notes: append(view.notes(), f.notes()...)}
}

// search are the directories of #include <...>, in order.
func (p *parser) search(plain bool) []string {
	paths := []string{p.dir}
	if plain {
		paths = append(paths, standInDir, libcDir)
	}
	paths = append(paths, p.cc.HostSysIncludePaths...)
	return append(paths, standInDir, libcDir, missingDir)
}

// notes name the stand-ins that were used for what is not installed.
func (u *unitFS) notes() (notes []string) {
	for rel := range u.used {
		if name, ok := strings.CutPrefix(rel, "thirdparty/"); ok {
			notes = append(notes, name+": not installed, so a built-in stand-in was used")
		}
	}
	slices.Sort(notes)
	return notes
}

// onceHandler handles #pragma once, which cc/v4 leaves to its user.
func onceHandler() func([]cc.Token) error {
	seen := map[string]bool{}
	return func(t []cc.Token) error {
		if len(t) == 0 || t[0].SrcStr() != "once" {
			return nil
		}
		file := t[0].Position().Filename
		if seen[file] {
			return cc.SkipSource
		}
		seen[file] = true
		return nil
	}
}
