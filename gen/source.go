package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/cparse"
	"github.com/go-doca/go-doca/gen/internal/model"
)

// source is where the headers come from and which libraries are wanted.
type source struct {
	sdk  string
	libs string
}

func (s *source) flags(fs *flag.FlagSet) {
	fs.StringVar(&s.sdk, "sdk", "", "SDK prefix or header `directory` (default: $DOCA_SDK_DIR, else the reference headers)")
	fs.StringVar(&s.libs, "libs", "common,dma,comch,argp", "comma-separated `list` of libraries")
}

// read parses the headers and builds the model.
func (s *source) read() (*cparse.API, *model.Model, error) {
	dir, err := s.dir()
	if err != nil {
		return nil, nil, err
	}
	include, err := cparse.FindIncludeDir(dir)
	if err != nil {
		return nil, nil, err
	}
	specs, unknown := model.SpecsFor(strings.FieldsFunc(s.libs, func(r rune) bool { return r == ',' || r == ' ' }))
	if unknown != "" {
		var names []string
		for _, sp := range model.Specs {
			names = append(names, sp.Name)
		}
		return nil, nil, fmt.Errorf("library %q is unknown: there are %s", unknown, strings.Join(names, ", "))
	}
	var headers []string
	for _, sp := range specs {
		for _, h := range sp.Headers {
			if _, err := os.Lstat(filepath.Join(include, h)); err == nil {
				headers = append(headers, h)
			} else if !errors.Is(err, fs.ErrNotExist) {
				return nil, nil, err
			}
		}
	}
	api, err := cparse.Parse(cparse.Config{Dir: include, Headers: headers})
	if err != nil {
		return nil, nil, err
	}
	m, err := model.Build(api, specs)
	return api, m, err
}

func (s *source) dir() (string, error) {
	if s.sdk != "" {
		return s.sdk, nil
	}
	if d := os.Getenv("DOCA_SDK_DIR"); d != "" {
		return d, nil
	}
	root, _, err := module(".")
	if err != nil {
		return "", err
	}
	return filepath.Join(root, "headers", "3.0"), nil
}

// module finds the Go module that dir, which need not exist yet, is in.
func module(dir string) (root, path string, err error) {
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
