package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/cparse"
	"github.com/go-doca/go-doca/gen/internal/ledger"
	"github.com/go-doca/go-doca/gen/internal/model"
	"github.com/go-doca/go-doca/gen/internal/solib"
	"github.com/go-doca/go-doca/internal/release"
)

// source is where the headers come from and which libraries are wanted.
type source struct {
	sdk       string
	libs      string
	keepGoing bool
	base      *ledger.Ledger // of bindings that have some libraries already
}

// all selects every library of the SDK.
const all = "all"

// ours are the libraries of this project's own bindings; an SDK may lack some.
var ours = []string{"common", "syncevent", "dma", "dpadev", "dpa", "rdma", "comch", "compress", "erasurecoding", "argp"}

func (s *source) flags(fs *flag.FlagSet) {
	fs.StringVar(&s.sdk, "sdk", "", "SDK prefix or header `directory` (default: $DOCA_SDK_DIR, else the reference headers)")
	fs.StringVar(&s.libs, "libs", "", "comma-separated `list` of libraries, or all (default: "+strings.Join(ours, ",")+", as far as the SDK has them)")
	fs.BoolVar(&s.keepGoing, "keep-going", false, "list a header that cannot be read in skipped.txt instead of failing (implied by -libs all); the headers of DOCA core are needed all the same")
}

// read parses the headers and builds the model.
func (s *source) read() (*model.Model, error) {
	dir, newest, done, err := s.headers()
	if err != nil {
		return nil, err
	}
	defer done()
	m, err := s.readFrom(dir)
	if err == nil {
		m.Release = newest
	}
	return m, err
}

// headers is where all headers are. Those of a release that is kept as additions to another one are put together in a temporary
// directory, which done removes; the release is empty for others.
func (s *source) headers() (dir, newest string, done func(), err error) {
	if dir, err = s.dir(); err != nil {
		return "", "", nil, err
	}
	set, later, err := release.At(dir)
	if err != nil {
		return "", "", nil, err
	}
	if !later {
		return dir, "", func() {}, nil
	}
	temp, err := os.MkdirTemp("", "gen-headers-")
	if err != nil {
		return "", "", nil, err
	}
	done = func() { os.RemoveAll(temp) }
	if err := set.Write(temp); err != nil {
		done()
		return "", "", nil, err
	}
	return temp, set.Release, done, nil
}

// older makes the ledgers of the releases to which the headers are additions: by them the bindings know what is new.
func (s *source) older() (all []*ledger.Ledger, err error) {
	dir, err := s.dir()
	if err != nil {
		return nil, err
	}
	set, later, err := release.At(dir)
	if err != nil || !later {
		return nil, err
	}
	for _, d := range slices.Concat([]string{set.Base}, set.Additions[:len(set.Additions)-1]) {
		one := *s
		one.sdk = d
		m, err := one.read()
		if err != nil {
			return nil, err
		}
		all = append(all, m.Ledger())
	}
	return all, nil
}

// readFrom parses the headers of an SDK.
func (s *source) readFrom(dir string) (*model.Model, error) {
	include, err := cparse.FindIncludeDir(dir)
	if err != nil {
		return nil, err
	}
	names, err := headersIn(include)
	if err != nil {
		return nil, err
	}
	specs, missing, err := s.choose(model.Plan(names))
	if err != nil {
		return nil, err
	}
	if specs, err = s.onBase(specs, model.Plan(names)); err != nil {
		return nil, err
	}
	var headers, core []string
	for _, sp := range specs {
		headers = append(headers, sp.Headers...)
		if sp.Prefix == "" { // all others use its types
			core = append(core, sp.Headers...)
		}
	}
	api, err := cparse.Parse(cparse.Config{Dir: include, Headers: headers, KeepGoing: s.keepGoing || s.libs == all, Needed: core})
	if err != nil {
		return nil, err
	}
	for _, n := range missing {
		api.Notes = append(api.Notes, "library "+n+" is not in this SDK")
	}
	m, err := buildModel(api, specs)
	if err != nil {
		return nil, err
	}
	for _, h := range headers {
		if st, err := os.Stat(filepath.Join(include, h)); err == nil && st.Size() == 0 {
			m.Notes = append(m.Notes, h+" is an empty file")
		}
	}
	m.Locate(solib.Read(dir, include))
	return m, nil
}

// choose selects the wanted libraries; missing are those that nobody has asked for by name and
// that are not there.
func (s *source) choose(specs []model.Spec) (selected []model.Spec, missing []string, err error) {
	var there []string
	for _, sp := range specs {
		there = append(there, sp.Name)
	}
	if s.libs == all {
		return specs, nil, nil
	}
	names := strings.FieldsFunc(s.libs, func(r rune) bool { return r == ',' || r == ' ' })
	if len(names) == 0 {
		for _, n := range ours {
			if slices.Contains(there, n) {
				names = append(names, n)
			} else {
				missing = append(missing, n)
			}
		}
	}
	selected, unknown := model.Select(specs, names)
	if unknown != "" {
		return nil, nil, fmt.Errorf("library %q is not in this SDK, which has %s", unknown, strings.Join(there, ", "))
	}
	return selected, missing, nil
}

// onBase adds the libraries that the base has: they are read for their types, and not bound.
func (s *source) onBase(wanted, there []model.Spec) ([]model.Spec, error) {
	if s.base == nil {
		return wanted, nil
	}
	have := map[string]bool{}
	for _, sym := range s.base.Symbols {
		have[sym.Library] = true
	}
	var specs []model.Spec
	bound := 0
	for _, sp := range there {
		switch {
		case have[sp.Name]:
			sp.Base = s.base
			specs = append(specs, sp)
		case slices.ContainsFunc(wanted, func(w model.Spec) bool { return w.Name == sp.Name }):
			specs = append(specs, sp)
			bound++
		}
	}
	if bound == 0 {
		return nil, fmt.Errorf("nothing to generate: the base has %s; name others with -libs, or generate everything with -base none", strings.Join(slices.Sorted(maps.Keys(have)), ", "))
	}
	return specs, nil
}

// headersIn lists the headers of a directory.
func headersIn(dir string) ([]string, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "doca_*.h"))
	if err != nil {
		return nil, err
	}
	for i, p := range paths {
		paths[i] = filepath.Base(p)
	}
	return paths, nil
}

func (s *source) dir() (string, error) {
	if s.sdk != "" {
		return s.sdk, nil
	}
	if d := os.Getenv("DOCA_SDK_DIR"); d != "" {
		return d, nil
	}
	root, _, err := moduleOf(".")
	if err != nil {
		return "", err
	}
	own := filepath.Join(root, "headers")
	if newest, err := release.Newest(own); err == nil {
		return newest, nil
	}
	bindings, err := packageDir(ownBindings+"/abi", ".") // this is another module, which requires the project
	if err != nil {
		return "", fmt.Errorf("there are no reference headers in %s, so name an SDK with -sdk or in DOCA_SDK_DIR: %w", own, err)
	}
	return release.Newest(filepath.Join(bindings, "..", "..", "headers"))
}

// moduleOf finds the Go module that dir, which need not exist yet, is in.
func moduleOf(dir string) (root, path string, err error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", "", err
	}
	for d := abs; ; d = filepath.Dir(d) {
		text, err := os.ReadFile(filepath.Join(d, "go.mod"))
		if err == nil {
			for _, line := range strings.Split(string(text), "\n") {
				if f := strings.Fields(line); len(f) >= 2 && f[0] == "module" {
					return d, strings.Trim(f[1], `"`), nil
				}
			}
			return "", "", fmt.Errorf("%s has no module line", filepath.Join(d, "go.mod"))
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errNotDir) {
			return "", "", err
		}
		if filepath.Dir(d) == d {
			return "", "", errNoModule
		}
	}
}
