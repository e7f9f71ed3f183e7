package main

import (
	"errors"
	"flag"
	"fmt"
	"go/token"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/cparse"
	"github.com/go-doca/go-doca/gen/internal/emit"
	"github.com/go-doca/go-doca/gen/internal/model"
)

// handwrittenDPA is the package that starts kernels for programs.
const handwrittenDPA = "github.com/go-doca/go-doca/doca/dpa"

// kernels writes a package with a Go function for each kernel of a program's own header.
func kernels(fs *flag.FlagSet, args []string, out io.Writer) error {
	var src source
	var include dirs
	fs.StringVar(&src.sdk, "sdk", "", "SDK prefix or header `directory` (default: $DOCA_SDK_DIR, else the reference headers)")
	header := fs.String("header", "", "`file` that declares the kernels, with __dpa_global__ and __dpa_rpc__")
	dir := fs.String("out", "", "output `directory`: that of the package")
	pkg := fs.String("pkg", "", "import `path` of the package (default: taken from the go.mod above the output directory)")
	on := fs.String("base", ownBindings, "import `path` of the bindings of DOCA that the package uses")
	archive := fs.String("archive", "", "`file` that dpacc writes, to link with; without it, name it in CGO_LDFLAGS")
	app := fs.String("app", "", "`name` that dpacc has as --app-name; the package gets a function App for it")
	raw := fs.Bool("raw", false, "the functions take DOCA's own objects, in place of those of package dpa; so it is with other bindings")
	ldflags := fs.String("ldflags", "", "more `flags` for the linker, behind the archive")
	var sources, defines dirs
	fs.Var(&sources, "device", "`source` of the kernels, which the package gets for the emulator; may be repeated")
	fs.Var(&defines, "D", "define a `macro`, NAME or NAME=VALUE, for the sources; may be repeated")
	fs.Var(&include, "I", "look for the headers that the header includes in this `directory` as well; may be repeated")
	if err := parse(fs, args); err != nil {
		return err
	}
	if *header == "" || *dir == "" {
		defer fs.Usage()
		return wrongCall(fs, "name the header with -header and the output directory with -out")
	}
	if len(sources) > 0 && *app == "" {
		return wrongCall(fs, "-device wants -app as well: the name that dpacc has as --app-name")
	}
	if *app != "" && !identifier.MatchString(*app) {
		return wrongCall(fs, fmt.Sprintf("-app %q is not an identifier of C", *app))
	}
	opt, _, err := place(*dir, *pkg, *on)
	if err != nil {
		return err
	}
	if opt.Base == "" || *on == "none" {
		return wrongCall(fs, "-base: kernels need the bindings of DOCA")
	}
	if src.base, err = readBase(opt.Base, *dir); err != nil {
		return err
	}
	if opt.Archive, err = linked(*dir, *archive, *ldflags); err != nil {
		return err
	}
	opt.App = *app
	if opt.Base == ownBindings && !*raw { // package dpa has no other bindings
		opt.DPA = handwrittenDPA
	}
	m, err := src.readKernels(*header, include, path.Base(opt.Path))
	if err != nil {
		return err
	}
	if len(sources) > 0 {
		d := deviceCode{sources: sources, include: include, defines: defines, out: *dir, messages: fs.Output()}
		if opt.Device, err = d.read(opt.Path, *app, m); err != nil {
			return err
		}
	}
	files, err := emit.Kernels(m, opt)
	if err != nil {
		return fmt.Errorf("%s: %w", *header, err)
	}
	if err := files.WriteInto(*dir); err != nil {
		return err
	}
	for _, l := range m.Libraries {
		for _, k := range l.Kernels {
			fmt.Fprintf(out, "%s: %s\n", k.CName, k.Kind)
		}
	}
	return nil
}

type dirs []string

func (d *dirs) String() string { return strings.Join(*d, ",") }

func (d *dirs) Set(s string) error { *d = append(*d, s); return nil }

var identifier = regexp.MustCompile(`^[A-Za-z_]\w*$`)

// linked are the flags with which cgo links a package in dir.
func linked(dir, archive, ldflags string) (string, error) {
	if archive == "" {
		return ldflags, nil
	}
	absDir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	abs, err := filepath.Abs(archive)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(absDir, abs)
	if err != nil {
		return "", err
	}
	return strings.TrimSpace("${SRCDIR}/" + filepath.ToSlash(rel) + " " + ldflags), nil
}

// readKernels parses a program's header, with those of its own that it includes, and the SDK's headers for their types.
func (s *source) readKernels(header string, include []string, pkg string) (*model.Model, error) {
	if !token.IsIdentifier(pkg) {
		return nil, fmt.Errorf("%q is not a name for a Go package: choose another directory, or -pkg", pkg)
	}
	dir, _, done, err := s.headers()
	if err != nil {
		return nil, err
	}
	defer done()
	sdk, err := cparse.FindIncludeDir(dir)
	if err != nil {
		return nil, err
	}
	tmp, err := os.MkdirTemp("", "gen-dpa-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	p := &program{dir: tmp, include: include, from: map[string]string{}}
	if err := p.link(sdk); err != nil {
		return nil, err
	}
	names, err := headersIn(sdk)
	if err != nil {
		return nil, err
	}
	if err := p.add(header); err != nil {
		return nil, err
	}
	var specs []model.Spec
	headers := slices.Clone(p.own)
	for _, sp := range model.Plan(names) {
		if slices.Contains([]string{"common", "syncevent", "dpadev", "dpa"}, sp.Name) {
			sp.Base = s.base
			specs = append(specs, sp)
			headers = append(headers, sp.Headers...)
		}
	}
	api, err := cparse.Parse(cparse.Config{Dir: tmp, Headers: headers})
	if err != nil {
		return nil, p.places(err)
	}
	kinds, err := p.kinds(api)
	if err != nil {
		return nil, err
	}
	specs = append(specs, model.Spec{Name: pkg, Soname: "libdoca_dpa.so.2", Headers: p.own, Kernels: kinds})
	m, err := model.Build(api, specs)
	if err != nil {
		return nil, err
	}
	return m, p.problems(m)
}

// program is the headers of a program, copied beside the SDK's.
type program struct {
	dir     string
	include []string
	own     []string          // in the order in which they are read: included ones first
	from    map[string]string // where each was
	text    string            // of all of them, without comments, and of directives the # alone
	defines []define          // in them
	undefs  []string          // macros that they take back: at their end there are none, but kernels may have been declared with them
}

// define is the definition of a macro.
type define struct {
	header string
	line   int
	name   string
	params bool
	value  string // with what is left of the parameters
}

// link has the SDK's headers in the directory.
func (p *program) link(sdk string) error {
	entries, err := os.ReadDir(sdk)
	for _, e := range entries {
		err = errors.Join(err, os.Symlink(filepath.Join(sdk, e.Name()), filepath.Join(p.dir, e.Name())))
	}
	return err
}

var (
	includes   = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]`)
	comments   = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*`)
	directives = regexp.MustCompile(`(?m)^[ \t]*#(?:[^\n\\]|\\.|\\\n)*`)
	defines    = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*define[ \t]+([\w$\pL\pM\pN]+)(\(?)((?:[^\n\\]|\\.|\\\n)*)`)
	undefs     = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*undef[ \t]+([\w$\pL\pM\pN]+)`)
)

// add copies a header, and before it those that it includes from its own directory or one of -I.
func (p *program) add(file string) error {
	base := filepath.Base(file)
	if from, ok := p.from[base]; ok {
		if from != file {
			return fmt.Errorf("%s and %s have the same name: gen dpa needs headers with names of their own", from, file)
		}
		return nil
	}
	if _, err := os.Lstat(filepath.Join(p.dir, base)); err == nil {
		return fmt.Errorf("%s has the name of a header of the SDK: rename it", file)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	p.from[base] = file
	plain := comments.ReplaceAllString(string(text), " ")
	for _, m := range includes.FindAllStringSubmatch(plain, -1) {
		for _, dir := range append([]string{filepath.Dir(file)}, p.include...) {
			path := filepath.Join(dir, m[1])
			if st, err := os.Stat(path); err != nil || st.IsDir() {
				continue
			}
			if m[1] != filepath.Base(m[1]) {
				return fmt.Errorf("%s: includes %q: name its directory with -I, and the header alone in the include", file, m[1])
			}
			if strings.HasPrefix(m[1], "doca_") {
				break // the SDK's
			}
			if err := p.add(path); err != nil {
				return err
			}
			break
		}
	}
	p.own = append(p.own, base)
	p.text += directives.ReplaceAllString(plain, "#") + "\n"
	for _, m := range undefs.FindAllStringSubmatch(plain, -1) {
		p.undefs = append(p.undefs, m[1])
	}
	p.addDefines(base, string(text))
	return os.WriteFile(filepath.Join(p.dir, base), text, 0o644)
}

// addDefines notes the macros that a header defines.
func (p *program) addDefines(header, text string) {
	text = comments.ReplaceAllStringFunc(text, func(c string) string {
		return " " + strings.Repeat("\\\n", strings.Count(c, "\n")) // so that lines keep their numbers
	})
	for _, at := range defines.FindAllStringSubmatchIndex(text, -1) {
		part := func(i int) string { return text[at[2*i]:at[2*i+1]] }
		p.defines = append(p.defines, define{header, 1 + strings.Count(text[:at[2]], "\n"), part(1), part(2) != "", part(3)})
	}
}

// kinds finds the marks of the functions, which are macros: of dpacc's, or of the program's own that have one in them.
func (p *program) kinds(api *cparse.API) (map[string]model.KernelKind, error) {
	marks := map[string]model.KernelKind{"__dpa_global__": model.Launched, "__dpa_rpc__": model.Called}
	for _, h := range api.Headers {
		for _, mc := range h.Macros {
			for _, word := range strings.Fields(mc.Value) {
				if kind, ok := marks[word]; ok && slices.Contains(p.own, h.Name) {
					marks[mc.Name] = kind
				}
			}
		}
	}
	for _, d := range p.defines {
		for _, word := range strings.Fields(d.value) {
			if kind, ok := marks[word]; ok && !d.params && slices.Contains(p.undefs, d.name) {
				marks[d.name] = kind
			}
		}
	}
	words := slices.Sorted(maps.Keys(marks))
	if err := p.markedByMacro(api, words); err != nil {
		return nil, err
	}
	kinds := map[string]model.KernelKind{}
	for _, h := range api.Headers {
		if !slices.Contains(p.own, h.Name) {
			continue
		}
		for _, f := range h.Funcs {
			// Behind the mark are types, attributes, and the functions that a comma separates from this one.
			marked := regexp.MustCompile(`\b(` + strings.Join(words, "|") + `)\b(?:__attribute__\s*\(\([^;{}]*?\)\)|\([^;{}()]*\)\s*,|[^;{}()#])*[^\w$\pL\pM\pN]` +
				regexp.QuoteMeta(f.Name) + `\s*\)?\s*[(,;]`)
			for _, m := range marked.FindAllStringSubmatch(p.text, -1) {
				kind := marks[m[1]]
				if old, ok := kinds[f.Name]; ok && old != kind {
					return nil, fmt.Errorf("%s:%d: %s is marked with both __dpa_global__ and __dpa_rpc__", p.from[h.Name], f.Pos.Line, f.Name)
				}
				kinds[f.Name] = kind
			}
		}
	}
	return kinds, nil
}

// markedByMacro refuses a function-like macro that declares kernels: its text does not tell which.
func (p *program) markedByMacro(api *cparse.API, marks []string) error {
	macros := slices.Clone(p.undefs)
	for _, h := range api.Headers {
		macros = append(macros, h.FuncMacros...)
	}
	mark := regexp.MustCompile(`\b(` + strings.Join(marks, "|") + `)\b`)
	for _, d := range p.defines {
		if m := mark.FindString(d.value); m != "" && d.params && slices.Contains(macros, d.name) {
			return fmt.Errorf("%s:%d: the macro %s has %s in it: write the mark in front of each function", p.from[d.header], d.line, d.name, m)
		}
	}
	return nil
}

// problems are the kernels that no program can start, and the declarations that could not be read.
func (p *program) problems(m *model.Model) error {
	lines := map[string]int{}
	for _, h := range m.API.Headers {
		for _, f := range h.Funcs {
			lines[h.Name+" "+f.Name] = f.Pos.Line
		}
	}
	var all []error
	for _, l := range m.Libraries {
		if l.Base {
			continue
		}
		for _, s := range l.Skipped {
			switch s.Kind {
			case string(model.Launched), string(model.Called):
				all = append(all, fmt.Errorf("%s:%d: %s cannot be started: %s", p.from[s.Header], lines[s.Header+" "+s.Name], s.Name, s.Reason))
			case "declaration":
				name, line, _ := strings.Cut(s.Name, ":")
				all = append(all, fmt.Errorf("%s:%s: %s", p.from[name], line, s.Reason))
			}
		}
	}
	return errors.Join(all...)
}

// places names the headers in parse errors by where they are.
func (p *program) places(err error) error {
	var all []error
	list := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		list = joined.Unwrap()
	}
	for _, e := range list {
		var pe *cparse.ParseError
		if errors.As(e, &pe) && p.from[pe.Pos.File] != "" {
			at := *pe
			at.Pos.File = p.from[pe.Pos.File]
			e = &at
		}
		all = append(all, e)
	}
	return errors.Join(all...)
}
