package cparse

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
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
}

// Parse reads the headers. The error joins one *ParseError for each header
// that does not parse; the API is nil then.
func Parse(cfg Config) (*API, error) {
	dir, err := FindIncludeDir(cfg.Dir)
	if err != nil {
		return nil, err
	}
	p := &parser{dir: dir, files: newFiles(dir), keepGoing: cfg.KeepGoing}
	names := cfg.Headers
	if names == nil {
		if names, err = listHeaders(dir); err != nil {
			return nil, err
		}
	}
	if err := checkNames(names); err != nil {
		return nil, err
	}
	if p.cc, err = hostConfig(dir); err != nil {
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
	if err := joinErrors(names, bad); err != nil && !p.keepGoing {
		return nil, err
	}
	api := &API{Version: version, Notes: p.notes()}
	for _, n := range names {
		h := done[n]
		if h == nil {
			h = &Header{Name: n}
			if e := bad[n]; e != nil {
				h.Problems = []Problem{{Pos: e.Pos, Text: e.Text}}
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
// another, and only where that fails each header in a unit of its own.
func (p *parser) parseAll(names []string, bad map[string]*ParseError) map[string]*Header {
	var groups []unit
	var host, dev unit
	for _, n := range names {
		if isDevice(n) {
			dev.headers = append(dev.headers, n)
		} else {
			host.headers = append(host.headers, n)
		}
	}
	for _, u := range []unit{host, dev} {
		if len(u.headers) > 0 {
			groups = append(groups, u)
		}
	}
	done := map[string]*Header{}
	var single []unit
	for i, r := range p.runAll(groups) {
		if r.err == nil {
			r.addTo(done)
			continue
		}
		for _, n := range groups[i].headers {
			single = append(single, unit{headers: []string{n}})
		}
	}
	for i, r := range p.runAll(single) {
		if r.err == nil {
			r.addTo(done)
			continue
		}
		bad[single[i].headers[0]] = r.err
	}
	return done
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
			results[i] = p.run(u)
		}()
	}
	wg.Wait()
	return results
}

// isDevice reports whether a header is compiled for the DPA: it repeats types
// of host headers, so the two cannot share a unit.
func isDevice(name string) bool {
	return strings.HasPrefix(name, "doca_dpa_dev")
}

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

// notes are what was done so that the headers parse.
func (p *parser) notes() []string {
	var notes []string
	for rel := range p.files.used {
		notes = append(notes, fmt.Sprintf("%s is not installed: a built-in stand-in took its place", rel))
	}
	slices.Sort(notes)
	return notes
}
