// Package check compares the API that bindings were made from with the headers and libraries of an
// installed SDK.
//
// What comes in is the ledger of the bindings and the directory of an SDK ([Config]); what goes out is a
// [Report] of what differs. The C compiler is asked, not the parser of this project: it says which types are
// compatible, what a constant's value is, and where a member lies.
//
// Each symbol of the ledger is a probe (probe.go): a few declarations of C that compile, or put a number
// into the object file, if the SDK agrees. unit.go compiles the probes of all headers together, and of
// one header at a time where the headers do not compile together; object.go reads the numbers, judge.go turns them into differences. exports.go compares the functions
// with the symbols of the shared libraries.
package check

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/cparse"
	"github.com/go-doca/go-doca/gen/internal/ledger"
)

// Config says what to compare.
type Config struct {
	Ledger *ledger.Ledger
	// Others are ledgers of other versions: what that of the SDK's release lacks is not looked for.
	Others []*ledger.Ledger
	// SDK is an SDK's prefix or a directory with its headers.
	SDK string
	// Sonames are the shared libraries, by the library's name in the ledger. One without a
	// soname is not looked for.
	Sonames map[string]string
}

// Kind says what a difference is about.
type Kind string

// The kinds of differences.
const (
	Prototype Kind = "prototype"
	Linkage   Kind = "linkage" // a function that has become a macro or static inline
	Type      Kind = "typedef"
	Value     Kind = "value"
	Layout    Kind = "layout"
	Missing   Kind = "missing"
	Header    Kind = "header"
	Library   Kind = "library"
)

// Difference is one thing in which the SDK is not what the bindings expect.
type Difference struct {
	Kind     Kind   `json:"kind"`
	Name     string `json:"name"`
	Header   string `json:"header,omitempty"`
	Library  string `json:"library,omitempty"`
	Expected string `json:"expected,omitempty"`
	Found    string `json:"found,omitempty"`
}

// Report is the outcome of a comparison.
type Report struct {
	Bindings    string         `json:"bindings"` // version
	SDK         string         `json:"sdk"`      // version, empty where there is no doca_version.h
	Include     string         `json:"include"`
	Libraries   string         `json:"libraries,omitempty"` // the directories of the shared libraries
	Compiler    string         `json:"compiler"`
	Checked     map[string]int `json:"checked"` // how many symbols of each kind
	Differences []Difference   `json:"differences"`
	Notes       []string       `json:"notes"`
	// Unknown are the functions, enumerators, types and macros of the SDK that the ledger has not.
	Unknown []Unknown `json:"unknown"`
}

// Unknown is a symbol of the SDK.
type Unknown struct {
	Header string      `json:"header"`
	Kind   ledger.Kind `json:"kind"`
	Name   string      `json:"name"`
}

type checker struct {
	Config
	report  *Report
	compile *compiler
	sdk     *cparse.API
	present map[string]bool // headers
}

// Run compares. An error means that nothing could be compared.
func Run(ctx context.Context, cfg Config) (*Report, error) {
	include, err := cparse.FindIncludeDir(cfg.SDK)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "gen-check-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	c := &checker{Config: cfg, present: map[string]bool{}, report: &Report{
		Bindings: cfg.Ledger.Version, Include: include, Checked: map[string]int{}, Differences: []Difference{}, Notes: []string{}, Unknown: []Unknown{},
	}}
	if c.compile, err = findCompiler(ctx, include, dir); err != nil {
		return nil, err
	}
	c.report.Compiler = c.compile.version
	c.unknown()
	c.onlyOf(c.report.SDK)
	units, err := c.units()
	if err != nil {
		return nil, err
	}
	for _, u := range units {
		if err := c.run(ctx, u); err != nil {
			return nil, err
		}
	}
	c.exports()
	c.report.sort()
	return c.report, nil
}

func (r *Report) sort() {
	sort.SliceStable(r.Differences, func(i, j int) bool {
		x, y := r.Differences[i], r.Differences[j]
		return x.String() < y.String()
	})
	slices.Sort(r.Notes)
	r.Notes = slices.Compact(r.Notes)
	sort.Slice(r.Unknown, func(i, j int) bool {
		x, y := r.Unknown[i], r.Unknown[j]
		return x.Header+" "+string(x.Kind)+" "+x.Name < y.Header+" "+string(y.Kind)+" "+y.Name
	})
}

func (c *checker) differs(d Difference) { c.report.Differences = append(c.report.Differences, d) }

func (c *checker) note(format string, args ...any) {
	c.report.Notes = append(c.report.Notes, fmt.Sprintf(format, args...))
}

// units are the host headers and the device headers, which cannot be included together.
func (c *checker) units() ([]*unit, error) {
	host, device := &unit{}, &unit{}
	of := func(header string) *unit {
		if cparse.ForDevice(header) {
			return device
		}
		return host
	}
	gone := map[string]int{}
	for i := range c.Ledger.Symbols {
		s := &c.Ledger.Symbols[i]
		u := of(s.Header)
		there, err := c.isThere(s.Header)
		if err != nil {
			return nil, err
		}
		if there && !slices.Contains(u.headers, s.Header) {
			u.headers = append(u.headers, s.Header)
		}
		p, err := newProbe(i, s, c.Ledger)
		if err != nil {
			return nil, fmt.Errorf("ledger: %w", err)
		}
		if p == nil {
			continue
		}
		if !there {
			gone[s.Header]++
		}
		u.probes = append(u.probes, p)
	}
	for _, h := range sortedKeys(gone) {
		c.differs(Difference{Kind: Header, Name: h, Header: h, Found: fmt.Sprintf("not there; the bindings have %s of it", plural(gone[h], "symbol"))})
	}
	var units []*unit
	for _, u := range []*unit{host, device} {
		if len(u.headers) > 0 {
			slices.Sort(u.headers)
			units = append(units, u)
		} else if len(u.probes) > 0 {
			c.withoutHeaders(u)
		}
	}
	return units, nil
}

// withoutHeaders reports the symbols of a unit of which nothing is there.
func (c *checker) withoutHeaders(u *unit) {
	for _, p := range u.probes {
		if p.symbol.Kind != ledger.Typedef || p.symbol.Go != "" {
			c.missing(p)
		}
	}
}

func (c *checker) isThere(header string) (bool, error) {
	if there, ok := c.present[header]; ok {
		return there, nil
	}
	_, err := os.Stat(filepath.Join(c.compile.include, header))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	c.present[header] = err == nil
	return err == nil, nil
}

// run compiles a unit; where its headers do not compile together, each alone.
func (c *checker) run(ctx context.Context, u *unit) error {
	if err := u.compile(ctx, c.compile); err != nil {
		return err
	}
	c.report.Notes = append(c.report.Notes, u.notes...)
	if len(u.broken) == 0 {
		return c.judge(ctx, u)
	}
	first := u.broken[0]
	where := fmt.Sprintf("%s:%d: %s", filepath.Base(first.file), first.line, first.text)
	if len(u.headers) == 1 {
		h := u.headers[0]
		c.differs(Difference{Kind: Header, Name: h, Header: h,
			Found: fmt.Sprintf("does not compile: %s; its %s not compared", where, were(len(u.probes), "symbol"))})
		return nil
	}
	c.note("the headers do not compile together (%s), so each was compiled alone", where)
	for _, h := range u.headers {
		alone := &unit{headers: []string{h}}
		for _, p := range u.probes {
			if p.symbol.Header == h {
				p.failed = map[string]string{}
				alone.probes = append(alone.probes, p)
			}
		}
		if err := c.run(ctx, alone); err != nil {
			return err
		}
	}
	for _, p := range u.probes {
		if !c.present[p.symbol.Header] {
			c.missing(p)
		}
	}
	return nil
}

// unknown reads the SDK's version, and what it has that the ledger has not.
func (c *checker) unknown() {
	api, err := cparse.Parse(cparse.Config{Dir: c.compile.include, KeepGoing: true})
	if err != nil {
		c.note("what else the SDK has is not known: %v", err)
		c.sdk = &cparse.API{}
		return
	}
	c.sdk = api
	c.report.SDK = api.Version.String
	known := map[string]bool{}
	for _, s := range c.Ledger.Symbols {
		known[s.Name] = true
	}
	add := func(header string, kind ledger.Kind, name string) {
		if name != "" && !known[name] && !strings.HasPrefix(name, "_") {
			known[name] = true
			c.report.Unknown = append(c.report.Unknown, Unknown{header, kind, name})
		}
	}
	for _, h := range api.Headers {
		for _, f := range h.Funcs {
			kind := ledger.Function
			if f.Inline {
				kind = ledger.Inline
			}
			add(h.Name, kind, f.Name)
		}
		for _, e := range h.Enums {
			add(h.Name, ledger.Enum, e.Name)
			for _, k := range e.Consts {
				add(h.Name, ledger.Enumerator, k.Name)
			}
		}
		for _, r := range h.Records {
			kind := ledger.Object
			if r.Complete {
				kind = ledger.Kind(r.Kind)
			}
			add(h.Name, kind, r.Name)
		}
		for _, t := range h.Typedefs {
			add(h.Name, ledger.Typedef, t.Name)
		}
		for _, m := range h.Macros {
			add(h.Name, ledger.Macro, m.Name)
		}
		for _, n := range h.FuncMacros {
			add(h.Name, ledger.Macro, n)
		}
	}
}

// onlyOf leaves out what the SDK's release is known to lack: the bindings do not call it there.
func (c *checker) onlyOf(sdk string) {
	i := slices.IndexFunc(c.Others, func(l *ledger.Ledger) bool {
		return !l.Partial && ledger.Release(l.Version) == ledger.Release(sdk) && ledger.Compare(l.Version, c.Ledger.Version) < 0
	})
	if sdk == "" || i < 0 {
		return
	}
	has := map[string]bool{}
	for _, s := range c.Others[i].Symbols {
		has[string(s.Kind)+" "+s.Name] = true
	}
	only := &ledger.Ledger{Version: c.Ledger.Version}
	for _, s := range c.Ledger.Symbols {
		if has[string(s.Kind)+" "+s.Name] {
			only.Symbols = append(only.Symbols, s)
		}
	}
	if later := len(c.Ledger.Symbols) - len(only.Symbols); later > 0 {
		c.note("%s of the bindings came after DOCA %s and were not compared", plural(later, "symbol"), c.Others[i].Version)
	}
	c.Ledger = only
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
