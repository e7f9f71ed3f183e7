package cparse

import (
	"fmt"
	"strings"
	"sync"

	"modernc.org/cc/v4"
)

const (
	unitName = "<unit>"
	// predefined are the macros that the DPA compiler has built in.
	predefined = "\n#define __dpa_global__\n#define __dpa_rpc__\n"
)

// unit is a translation unit that includes headers and nothing else.
type unit struct {
	headers []string
}

// name is what errors without a place are reported for.
func (u unit) name() string { return u.headers[0] }

// text has one line for each header, so that a line names its header. The
// declaration behind the last one makes cc/v4 report what a header left open.
func (u unit) text() string {
	var b strings.Builder
	for _, h := range u.headers {
		fmt.Fprintf(&b, "#include <%s>\n", h)
	}
	b.WriteString("struct cparse_end;\n")
	return b.String()
}

var hostCC = sync.OnceValues(func() (*cc.Config, error) { return cc.NewConfig("", "") })

// hostConfig is the configuration for headers in dir. The C compiler runs once per process.
func hostConfig(dir string) (*cc.Config, error) {
	host, err := hostCC()
	if err != nil {
		return nil, fmt.Errorf("no C compiler ($CC, cc, gcc) to take predefined macros and the system include directories from: %w", err)
	}
	c := *host
	paths := append([]string{dir}, host.SysIncludePaths...)
	paths = append(paths, standInDir)
	c.SysIncludePaths = paths
	c.IncludePaths = append([]string{"@"}, paths...)
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
}

func (r result) addTo(done map[string]*Header) {
	for _, h := range r.headers {
		done[h.Name] = h
	}
}

// run parses a unit and collects the declarations of its headers. It never panics.
func (p *parser) run(u unit) (r result) {
	defer func() {
		if x := recover(); x != nil {
			r = result{err: &ParseError{Pos: Pos{File: u.name()}, Text: fmt.Sprintf("the C parser failed: %v", x)}}
		}
	}()
	view := &unitFS{files: p.files, missing: map[string]bool{}}
	cfg := *p.cc
	cfg.FS = view
	cfg.PragmaHandler = onceHandler()
	cfg.ExpansionLimit = expansionLimit
	sources := []cc.Source{
		{Name: "<predefined>", Value: cfg.Predefined + predefined},
		{Name: "<builtin>", Value: cc.Builtin},
		{Name: unitName, Value: u.text()},
	}
	evaluate, err := p.dryRun(u, &cfg, sources)
	if e := p.missingInclude(u, view); e != nil {
		return result{err: e}
	}
	if err != nil {
		return result{err: asParseError(u, err)}
	}
	cfg.PragmaHandler = onceHandler()
	cfg.EvalAllMacros = evaluate
	cfg.ExpansionLimit = 4 * expansionLimit // the dry run has shown that less will do
	ast, err := cc.Translate(&cfg, sources)
	if err != nil {
		return result{err: p.convert(u, err)}
	}
	headers, bad := p.collect(u, ast)
	return result{headers: headers, err: bad, unevaluated: !evaluate}
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
