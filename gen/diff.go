package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/apidiff"
	"github.com/go-doca/go-doca/gen/internal/emit"
	"github.com/go-doca/go-doca/gen/internal/ledger"
	"github.com/go-doca/go-doca/gen/internal/model"
)

// exitStatus is an exit status that is an answer, or that goes before the one that all commands have.
type exitStatus struct {
	code int
	err  error // nil where there is nothing to say
}

func (e exitStatus) Error() string { return fmt.Sprintf("exit status %d", e.code) }

// The exit statuses of diff.
const (
	diffAdditions = 1
	diffBreaking  = 2
	diffFailed    = 3
)

const diffHelp = `usage: gen diff [flags] OLD NEW

diff compares two versions of the API and says what each difference means for Go programs.
OLD and NEW are each one of

  a directory with the headers of an SDK      /opt/mellanox/doca, headers/3.0
  a ledger                                    generated/api/3.0.txt
  a directory of generated packages           generated
  a git revision, its "generated" if no path  HEAD~1, v1.0.0, main:generated/api/2.5.txt

A name that exists as a file or directory is taken as one. The Go packages are compared as well
where both sides have them; those of an SDK are generated into a temporary directory.
The packages of doca and emulator are compared too, if both sides have one of these
directories beside generated packages.

Exit status: 0 the change is compatible, 1 there are additions and -additions asks for it,
2 something breaks, 3 the comparison failed or was called in a wrong way.

`

// diff compares two versions of the API.
func diff(fs *flag.FlagSet, args []string, out io.Writer) error {
	src := source{libs: all}
	fs.StringVar(&src.libs, "libs", all, "comma-separated `list` of libraries to read from headers, or all")
	format := fs.String("format", "text", strings.Join(apidiff.Formats, ", ")+": the `form` of the report")
	file := fs.String("o", "", "write the report to this `file`")
	additions := fs.Bool("additions", false, "exit with status 1 where there is something new and nothing breaks")
	withGo := fs.Bool("go", true, "compare the Go packages as well")
	fs.Usage = func() {
		fmt.Fprint(fs.Output(), diffHelp)
		fs.PrintDefaults()
	}
	sides, err := operands(fs, args)
	if err != nil {
		return err
	}
	write := apidiff.Writer(*format)
	switch {
	case len(sides) != 2:
		err = fmt.Errorf("want two arguments, OLD and NEW, not %d: see gen diff -h", len(sides))
	case write == nil:
		err = fmt.Errorf("there is no format %q: want %s", *format, strings.Join(apidiff.Formats, ", "))
	}
	if err != nil {
		return exitStatus{diffFailed, err}
	}
	r, err := compareSides(src, sides, *withGo)
	if err != nil {
		return exitStatus{diffFailed, err}
	}
	var b bytes.Buffer
	if err = write(&b, r); err == nil {
		if *file != "" {
			err = os.WriteFile(*file, b.Bytes(), 0o644)
		} else {
			_, err = out.Write(b.Bytes())
		}
	}
	switch {
	case err != nil:
		return exitStatus{diffFailed, err}
	case r.Summary.Breaking > 0:
		return exitStatus{code: diffBreaking}
	case *additions && r.Summary.Addition > 0:
		return exitStatus{code: diffAdditions}
	}
	return nil
}

// operands parses flags, which may stand behind the arguments as well.
func operands(fs *flag.FlagSet, args []string) ([]string, error) {
	var out []string
	for {
		switch err := fs.Parse(args); {
		case errors.Is(err, flag.ErrHelp):
			return nil, err
		case err != nil: // which flag has told
			return nil, exitStatus{code: diffFailed}
		case fs.NArg() == 0:
			return out, nil
		}
		out = append(out, fs.Arg(0))
		args = fs.Args()[1:]
	}
}

func compareSides(src source, sides []string, withGo bool) (*apidiff.Report, error) {
	temp, err := os.MkdirTemp("", "gen-diff-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	open := apidiff.Opener{Temp: temp, Headers: func(dir string) (*model.Model, error) {
		s := src
		s.sdk = dir
		return s.read()
	}, Generate: func(m *model.Model, history []*ledger.Ledger, dir string, declarations bool) error {
		files, err := emit.Generate(m, emit.Options{Path: "generated", History: history, Declarations: declarations})
		if err != nil {
			return err
		}
		return files.Write(dir)
	}}
	old, err := open.Open(sides[0])
	if err != nil {
		return nil, err
	}
	new, err := open.Open(sides[1])
	if err != nil {
		return nil, err
	}
	return apidiff.CompareInputs(old, new, withGo)
}
