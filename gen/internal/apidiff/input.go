package apidiff

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/cparse"
	"github.com/go-doca/go-doca/gen/internal/ledger"
	"github.com/go-doca/go-doca/gen/internal/model"
)

// Input is one side of a comparison.
type Input struct {
	Side   Side
	Ledger *ledger.Ledger

	packages string           // directory with generated packages, or empty
	model    *model.Model     // of an SDK's headers, or nil
	ledgers  []*ledger.Ledger // of generated packages, of all versions that they know
	dir      string           // for temporary files
	generate func(m *model.Model, history []*ledger.Ledger, dir string, declarations bool) error
}

// Opener finds out what an argument of the command is.
type Opener struct {
	// Headers parses an SDK's headers.
	Headers func(dir string) (*model.Model, error)
	// Generate writes the Go packages of a model into a directory; history has the ledgers of other versions. Where declarations
	// alone are wanted, it may leave out the rest.
	Generate func(m *model.Model, history []*ledger.Ledger, dir string, declarations bool) error
	Temp     string // an empty directory; the caller removes it
	n        int
}

// Open takes a file for a ledger and a directory for generated packages or an SDK; what does not
// exist is a git revision, alone or with a path behind a colon.
func (o *Opener) Open(arg string) (*Input, error) {
	o.n++
	in := &Input{Side: Side{Name: arg}, dir: filepath.Join(o.Temp, fmt.Sprint(o.n)), generate: o.Generate}
	if err := os.MkdirAll(in.dir, 0o755); err != nil {
		return nil, err
	}
	info, err := os.Stat(arg)
	switch {
	case err == nil && info.IsDir():
		err = o.directory(in, arg)
	case err == nil:
		err = in.file(arg)
	case errors.Is(err, fs.ErrNotExist):
		if err = o.revision(in, arg); err != nil { // where it is for now says nothing to the reader
			err = errors.New(strings.ReplaceAll(err.Error(), in.dir+string(filepath.Separator), ""))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", arg, err)
	}
	in.Side.Version, in.Side.Symbols = in.Ledger.Version, len(in.Ledger.Symbols)
	return in, nil
}

func (in *Input) file(path string) (err error) {
	in.Side.Source = "ledger"
	in.Ledger, err = ledger.ReadFile(path)
	return err
}

func (o *Opener) directory(in *Input, dir string) error {
	ledgers, err := ledger.ReadDir(filepath.Join(dir, "api"))
	if err != nil {
		return err
	}
	if n := len(ledgers); n > 0 {
		in.Ledger, in.packages, in.ledgers = ledgers[n-1], dir, ledgers
		in.Side.Source = "generated packages"
		if n > 1 {
			in.Side.Source += fmt.Sprintf(", the newest of %d ledgers", n)
		}
		return nil
	}
	include, notSDK := cparse.FindIncludeDir(dir)
	if notSDK != nil {
		return fmt.Errorf("is neither a directory of generated packages (it has no api/VERSION.txt) nor an SDK (%w)", notSDK)
	}
	if in.model, err = o.Headers(dir); err != nil {
		return fmt.Errorf("as an SDK: %w", err)
	}
	in.Ledger = in.model.Ledger()
	in.Side.Source = "headers"
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if sub, err := filepath.Rel(abs, include); err == nil && sub != "." {
		in.Side.Source += " in " + filepath.ToSlash(sub)
	}
	return nil
}

// hasGo tells whether there are Go packages to compare, or headers to generate them from.
func (in *Input) hasGo() bool { return in.packages != "" || in.model != nil }

// goPackages parses the Go packages; those of an SDK are generated first, by what the other side
// knows of other versions: their comments tell since when a function exists.
func (in *Input) goPackages(other *Input) (*goPackages, error) {
	dir := in.packages
	if dir == "" {
		var history []*ledger.Ledger
		for _, l := range other.ledgers {
			if ledger.Release(l.Version) != ledger.Release(in.Ledger.Version) {
				history = append(history, l)
			}
		}
		dir = filepath.Join(in.dir, "generated")
		if err := in.generate(in.model, history, dir, other.model != nil); err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module generated\n\ngo 1.25\n"), 0o644); err != nil {
			return nil, err
		}
	}
	return parsePackages(dir)
}

// CompareInputs compares two sides, with their Go packages where both have them and withGo asks for it.
func CompareInputs(old, new *Input, withGo bool) (*Report, error) {
	var a, b *goPackages
	var notes []string
	switch {
	case !withGo:
		notes = append(notes, "the Go packages were not compared, as asked")
	case !old.hasGo() || !new.hasGo():
		notes = append(notes, "the Go packages were not compared: a ledger has none")
	default:
		var err error
		if a, err = old.goPackages(new); err != nil {
			return nil, fmt.Errorf("the Go packages of %s: %w", old.Side.Name, err)
		}
		if b, err = new.goPackages(old); err != nil {
			return nil, fmt.Errorf("the Go packages of %s: %w", new.Side.Name, err)
		}
	}
	if old.model == nil || new.model == nil { // comments of headers are not to be compared with those of Go
		old.setDocs(a)
		new.setDocs(b)
		if a == nil || b == nil {
			notes = append(notes, "documentation was not compared: one side has none, or has it in another form")
		}
	}
	r, c, apart := compareApart(old, new)
	notes = append(notes, apart...)
	r.Notes = append(notes, r.Notes...)
	r.Old, r.New = old.Side, new.Side
	if a != nil && b != nil {
		if err := c.addGo(r, a, b); err != nil {
			return nil, err
		}
		if err := addHandwritten(r, old, new); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// setDocs puts the comments of the Go packages in the place of the symbols' documentation.
func (in *Input) setDocs(p *goPackages) {
	for i := range in.Ledger.Symbols {
		s := &in.Ledger.Symbols[i]
		s.Doc = ""
		if p != nil && s.Go != "" {
			s.Doc = p.docs[qualified(s)]
		}
	}
}
