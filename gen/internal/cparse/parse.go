package cparse

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"modernc.org/cc/v4"
)

// Config says what to parse.
type Config struct {
	// Dir is an include directory or the prefix of an SDK, see FindIncludeDir.
	Dir string
	// Headers are base names of headers in it, in the order of the result; nil means every doca*.h.
	Headers []string
	// KeepGoing turns a header that does not parse into one without
	// declarations whose Problems say why.
	KeepGoing bool
	// Needed are the headers for which KeepGoing does not hold.
	Needed []string
	// Layouts asks the C compiler for the layouts of records and enumerations.
	// Those that it cannot tell are nil; a note says why.
	Layouts bool
}

// Parse reads the headers. The error joins one *ParseError for each header
// that does not parse; the API is nil then.
func Parse(cfg Config) (*API, error) {
	dir, err := FindIncludeDir(cfg.Dir)
	if err != nil {
		return nil, err
	}
	p := &parser{dir: dir, files: newFiles(dir), keepGoing: cfg.KeepGoing, needed: cfg.Needed, layouts: cfg.Layouts}
	names := cfg.Headers
	if names == nil {
		if names, err = listHeaders(dir); err != nil {
			return nil, err
		}
	}
	if err := checkNames(names); err != nil {
		return nil, err
	}
	if p.cc, err = hostConfig(); err != nil {
		return nil, err
	}
	return p.parse(names)
}

// parser is the state of one Parse.
type parser struct {
	dir       string
	files     *files
	cc        *cc.Config
	keepGoing bool
	needed    []string
	layouts   bool
	absent    []absence // of all units
	endless   sync.Map  // names of headers that take too long
	notes     []string  // see API.Notes
}

func checkNames(names []string) error {
	for i, n := range names {
		if n == "" || n != filepath.Base(n) {
			return fmt.Errorf("header %q: not a base name", n)
		}
		if slices.Contains(names[:i], n) {
			return fmt.Errorf("header %q: listed twice", n)
		}
	}
	return nil
}

func (p *parser) parse(names []string) (*API, error) {
	bad := p.preload(names)
	version, err := p.version()
	if err != nil {
		return nil, err
	}
	var good []string
	for _, n := range names {
		if bad[n] == nil {
			good = append(good, n)
		}
	}
	done := p.parseAll(good, bad)
	fatal := names
	if p.keepGoing {
		fatal = p.needed
	}
	if err := joinErrors(fatal, bad); err != nil {
		return nil, err
	}
	if p.layouts {
		p.addLayouts(names, done)
	}
	slices.Sort(p.notes)
	p.notes = slices.Compact(p.notes)
	api := &API{Version: version, Notes: p.notes}
	for _, n := range names {
		h := done[n]
		if h == nil {
			h = &Header{Name: n, Unread: true}
			if e := bad[n]; e != nil {
				h.Problems = []Problem{{Pos: e.Pos, Text: e.Text}}
				what, _, _ := strings.Cut(e.Error(), "\n")
				api.Notes = append(api.Notes, n+" could not be read and is left out: "+what)
			}
		}
		api.Headers = append(api.Headers, h)
	}
	return api, nil
}

// preload reads all headers, so that one that cannot be read is named as such.
func (p *parser) preload(names []string) map[string]*ParseError {
	bad := map[string]*ParseError{}
	for _, n := range names {
		_, err := p.files.load(filepath.Join(p.dir, n))
		var pe *ParseError
		switch {
		case errors.As(err, &pe):
			bad[n] = pe
		case errors.Is(err, fs.ErrNotExist):
			bad[n] = &ParseError{Pos: Pos{File: n}, Text: "no such header in " + p.dir}
		case err != nil:
			bad[n] = &ParseError{Pos: Pos{File: n}, Text: err.Error()}
		}
	}
	p.findLoops(names, bad)
	return bad
}

// parseAll parses the host headers in one unit and the device headers in
// another. A header that spoils its unit gets a unit of its own. Headers with
// includes that are nowhere, which may spoil it, are in a third.
func (p *parser) parseAll(names []string, bad map[string]*ParseError) map[string]*Header {
	groups := make([]unit, 3)
	search := includeSearch{p: p, found: map[string]bool{}}
	for _, n := range names {
		g := &groups[0]
		switch {
		case device.MatchString(n):
			g = &groups[1]
		case !search.complete(n):
			g = &groups[2]
		}
		g.headers = append(g.headers, n)
	}
	done := map[string]*Header{}
	failed := map[string]result{}
	finish := func(u unit, r result) {
		if r.err != nil {
			failed[u.name()] = r
			return
		}
		for _, h := range r.headers {
			done[h.Name] = h
		}
		p.notes = append(p.notes, r.notes...)
		p.absent = append(p.absent, r.absent...)
		if r.unevaluated {
			p.notes = append(p.notes, u.name()+": a macro expands without end, so no macro was evaluated")
		}
	}
	var single []unit
	const attempts = 6 // joint runs, before all headers that are left run alone
	for i := 0; i < attempts && len(groups) > 0; i++ {
		groups = slices.DeleteFunc(groups, func(u unit) bool { return len(u.headers) == 0 })
		var left []unit
		for j, r := range p.runAll(groups) {
			switch u := groups[j]; {
			case len(u.headers) == 1, r.err == nil && !r.unevaluated:
				finish(u, r)
			case r.err == nil, r.err.tooLong:
				single = append(single, split(u.headers)...)
			default:
				alone, rest := p.culprits(u, r.err)
				single = append(single, split(alone)...)
				left = append(left, unit{headers: rest})
			}
		}
		groups = left
	}
	for _, u := range groups {
		single = append(single, split(u.headers)...)
	}
	// The headers that include fewer come first, so that one which takes too
	// long is found before those that include it.
	slices.SortStableFunc(single, func(a, b unit) int { return cmp.Compare(len(p.reach(a.name())), len(p.reach(b.name()))) })
	for i, r := range p.runAll(single) {
		finish(single[i], r)
	}
	sound := maps.Clone(done)
	for _, n := range names {
		if r, ok := failed[n]; ok {
			u, r := p.rescue(n, r, names, sound)
			if finish(u, r); r.err != nil {
				bad[n] = r.err
			}
		}
	}
	return done
}

// rescue tries a header that failed alone once more: with made-up types in
// place of those for which an include is absent; behind the others, on which
// it may rely without including them; and without the declarations for which
// an include is absent.
func (p *parser) rescue(name string, r result, names []string, sound map[string]*Header) (unit, result) {
	u := unit{headers: []string{name}, rescue: r.absent != nil}
	if r.err.tooLong {
		return u, r
	}
	reach := p.reach(name)
	whole := p.sourcesOf(reach)
	var alone result
	if u.rescue {
		alone = p.run(u)
		if alone.err == nil && slices.Equal(p.sourcesOf(reach), whole) {
			return u, alone // all its declarations are there
		}
	}
	taken := p.sourcesOf(reach)
	for _, n := range names {
		if sound[n] != nil && device.MatchString(n) == device.MatchString(name) {
			u.before = append(u.before, n)
		}
	}
	if u.before != nil {
		p.restore(reach, whole)
		if again := p.run(u); again.err == nil {
			if r.absent == nil {
				again.notes = append(again.notes, name+": parsed after the other headers, because it does not parse alone")
			}
			return u, again
		}
		u.before = nil
		p.restore(reach, taken)
	}
	if !u.rescue {
		return u, r
	}
	if alone.err == nil {
		return u, alone
	}
	e := *r.err
	e.Text = (&foreign{absent: r.absent}).blame(e.Text)
	r.err = &e
	return u, r
}

// sourcesOf are the sources of headers of the directory.
func (p *parser) sourcesOf(names []string) (all []*source) {
	for _, n := range names {
		all = append(all, p.files.loaded(filepath.Join(p.dir, n)))
	}
	return all
}

// restore undoes what a run has taken out of headers.
func (p *parser) restore(names []string, sources []*source) {
	for i, n := range names {
		if path := filepath.Join(p.dir, n); sources[i] != nil && p.files.loaded(path) != sources[i] {
			p.files.replace(path, sources[i])
		}
	}
}

// split makes a unit of each header.
func split(names []string) (units []unit) {
	for _, n := range names {
		units = append(units, unit{headers: []string{n}})
	}
	return units
}

// culprits parts the headers of a unit that failed: those that include the
// file with the error, which may be that file itself, and the others.
func (p *parser) culprits(u unit, e *ParseError) (alone, rest []string) {
	for _, n := range u.headers {
		if slices.Contains(p.reach(n), e.Pos.File) {
			alone = append(alone, n)
		} else {
			rest = append(rest, n)
		}
	}
	if alone == nil {
		return rest, nil
	}
	return alone, rest
}

// reach is a header and all headers of the directory that it includes,
// directly or through others.
func (p *parser) reach(name string) []string {
	all := []string{name}
	for i := 0; i < len(all); i++ {
		src := p.files.loaded(filepath.Join(p.dir, all[i]))
		if src == nil {
			continue
		}
		names, _ := src.includes()
		for _, n := range names {
			if !slices.Contains(all, n) {
				all = append(all, n)
			}
		}
	}
	return all
}

// runAll runs units in parallel.
func (p *parser) runAll(units []unit) []result {
	results := make([]result, len(units))
	var wg sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, u := range units {
		wg.Add(1)
		slots <- struct{}{}
		go func() {
			defer func() { <-slots; wg.Done() }()
			if results[i].err = p.tooLong(u); results[i].err != nil {
				return
			}
			results[i] = p.run(u)
			if e := results[i].err; e != nil && e.tooLong && len(u.headers) == 1 {
				p.endless.Store(u.name(), true)
			}
		}()
	}
	wg.Wait()
	return results
}

// tooLong is the error for a header that includes one which takes too long.
func (p *parser) tooLong(u unit) *ParseError {
	if len(u.headers) > 1 {
		return nil
	}
	for _, n := range p.reach(u.name())[1:] {
		if _, ok := p.endless.Load(n); ok {
			return &ParseError{Pos: Pos{File: u.name()}, Text: "includes " + n + ", which is too complicated for the C parser", tooLong: true}
		}
	}
	return nil
}

// device matches headers that are compiled for a device: they repeat types of
// host headers, so the two cannot share a unit.
var device = regexp.MustCompile(`^doca_(dpa|pcc|pcc_np|gpunetio)_dev(_|\.h$)`)

// joinErrors joins the errors in the order of the headers, each place once.
func joinErrors(names []string, bad map[string]*ParseError) error {
	var all []error
	seen := map[string]bool{}
	for _, n := range names {
		if e := bad[n]; e != nil && !seen[e.Error()] {
			seen[e.Error()] = true
			all = append(all, e)
		}
	}
	return errors.Join(all...)
}
