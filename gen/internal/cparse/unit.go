package cparse

import (
	"fmt"
	"strings"
	"sync"

	"modernc.org/cc/v4"
)

const (
	unitName = "<unit>"
	// expansionLimit bounds macro expansion, and include loops with it.
	expansionLimit = 20_000_000
	// predefined are the macros that the DPA compiler has built in.
	predefined = "\n#define __dpa_global__\n#define __dpa_rpc__\n"
)

// unit is a translation unit that includes headers and nothing else.
type unit struct {
	headers []string
}

// name is what errors without a place are reported for.
func (u unit) name() string { return u.headers[0] }

// text has one line for each header, so that a line names its header; the
// declaration behind the last one makes cc/v4 report what a header left open.
func (u unit) text() string {
	var b strings.Builder
	for _, h := range u.headers {
		fmt.Fprintf(&b, "#include <%s>\n", h)
	}
	b.WriteString("struct cparse_end;\n")
	return b.String()
}

// ccConfig is what a C compiler says about the machine.
type ccConfig struct {
	cc.Config
}

var hostCC = sync.OnceValues(func() (*cc.Config, error) { return cc.NewConfig("", "") })

// hostConfig is the configuration for headers in dir. The C compiler runs once per process.
func hostConfig(dir string) (ccConfig, error) {
	host, err := hostCC()
	if err != nil {
		return ccConfig{}, fmt.Errorf("no C compiler ($CC, cc, gcc) to take predefined macros and the system include directories from: %w", err)
	}
	c := *host
	c.IncludePaths = append([]string{dir}, append(host.SysIncludePaths[:len(host.SysIncludePaths):len(host.SysIncludePaths)], standInDir)...)
	c.SysIncludePaths = c.IncludePaths
	c.IncludePaths = append([]string{"@"}, c.IncludePaths...)
	c.EvalAllMacros = true
	c.Header = true
	c.IgnoreStaticAssert = true // cc/v4 lays some packed types out wrongly
	c.FSOnly = true
	c.ExpansionLimit = expansionLimit
	return ccConfig{c}, nil
}

// result is a unit that was run.
type result struct {
	headers []*Header
	err     *ParseError
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
			r = result{err: &ParseError{Pos: Pos{File: u.name()}, Text: fmt.Sprintf("the C parser panicked: %v", x)}}
		}
	}()
	cfg := p.cc.Config
	cfg.FS = p.files
	once := map[string]bool{}
	cfg.PragmaHandler = func(t []cc.Token) error {
		if len(t) == 0 || t[0].SrcStr() != "once" {
			return nil
		}
		file := t[0].Position().Filename
		if once[file] {
			return cc.SkipSource
		}
		once[file] = true
		return nil
	}
	ast, err := cc.Translate(&cfg, []cc.Source{
		{Name: "<predefined>", Value: cfg.Predefined + predefined},
		{Name: "<builtin>", Value: cc.Builtin},
		{Name: unitName, Value: u.text()},
	})
	if err != nil {
		return result{err: p.convert(u, err)}
	}
	return result{headers: p.collect(u, ast)}
}

// refusedInclude explains an include that exists and could not be used.
func (p *parser) refusedInclude(text string) *ParseError {
	name, ok := strings.CutPrefix(text, "include file not found: ")
	if !ok || len(name) < 3 {
		return nil
	}
	return p.files.refused(name[1 : len(name)-1])
}
