package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/emit"
	"github.com/go-doca/go-doca/gen/internal/ledger"
)

// ownBindings are this project's, on which those of other libraries stand.
const ownBindings = "github.com/go-doca/go-doca/generated"

// noBaseError is the want of bindings to build on.
type noBaseError string

func (e noBaseError) Error() string { return string(e) }

// place finds out where the output belongs and on which bindings it builds.
func place(dir, pkg, base string) (opt emit.Options, goMod string, err error) {
	if opt.Path, goMod, err = importPath(dir, pkg); err != nil {
		return opt, "", err
	}
	if base != "none" && base != opt.Path {
		opt.Base = base
	}
	if opt.Base != "" && goMod != "" {
		return opt, "", noBaseError(fmt.Sprintf("%s is in no Go module: create one (go mod init) that requires the module of %s", dir, base))
	}
	return opt, goMod, nil
}

// readBase reads the ledger of the bindings that a program in dir would import.
func readBase(base, dir string) (*ledger.Ledger, error) {
	load, err := packageDir(base+"/abi", dir)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(load, "load.go"))
	if err != nil {
		return nil, err
	}
	m := bindingsVersion.FindSubmatch(text)
	if m == nil {
		return nil, fmt.Errorf("%s/abi does not say which DOCA version it was generated from", base)
	}
	return ledger.ReadFile(filepath.Join(filepath.Dir(load), "api", ledger.Release(string(m[1]))+".txt"))
}

var bindingsVersion = regexp.MustCompile(`(?m)^const BindingsRelease = "([^"]+)"$`)

// packageDir asks the go command where a package is, as seen from the nearest directory above
// dir that is there. A vendor directory has what the module imports alone, and no ledgers, which are in no package. So what is
// vendored is taken from its module, where that can be had.
func packageDir(pkg, dir string) (string, error) {
	from, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for {
		if st, err := os.Stat(from); err == nil && st.IsDir() || from == filepath.Dir(from) {
			break
		}
		from = filepath.Dir(from)
	}
	list := func(flags ...string) (string, error) {
		cmd := exec.Command("go", slices.Concat([]string{"list"}, flags, []string{"-find", "-f", "{{.Dir}}", pkg})...)
		cmd.Dir = from
		out, err := cmd.Output()
		return strings.TrimSpace(string(out)), err
	}
	found, err := list()
	if err != nil || strings.HasSuffix(filepath.ToSlash(found), "/vendor/"+pkg) {
		if whole, err := list("-mod=readonly"); err == nil {
			return whole, nil
		}
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", noBaseError(fmt.Sprintf("cannot find the bindings to build on: %s: add their module (go get %s)", strings.TrimSpace(string(exit.Stderr)), pkg))
	}
	return found, err
}
