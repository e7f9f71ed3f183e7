package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/device"
	"github.com/go-doca/go-doca/gen/internal/emit"
	"github.com/go-doca/go-doca/gen/internal/model"
	"github.com/go-doca/go-doca/headers"
)

// deviceCode makes the sources of kernels part of their package, for the emulator.
type deviceCode struct {
	sources, include, defines []string
	out                       string // directory of the package
	messages                  io.Writer

	tmp  string
	cc   device.Compiler
	made emit.Device
	// defined are the symbols of all sources and of the device library, needed what they take from elsewhere.
	defined, needed []string
}

// dpacore has the device library of the emulator, and the header that describes applications.
const dpacore = "github.com/go-doca/go-doca/emulator/dpacore"

// read reads the sources, which must have the kernels of the model.
func (d *deviceCode) read(pkg, app string, m *model.Model) (*emit.Device, error) {
	emulator, err := packageDir(dpacore, d.out)
	if err != nil {
		return nil, err
	}
	path, err := exec.LookPath(cmp.Or(os.Getenv("CC"), "cc"))
	if err != nil {
		return nil, fmt.Errorf("-device: no C compiler: %w", err)
	}
	if d.tmp, err = os.MkdirTemp("", "gen-dpa-"); err != nil {
		return nil, err
	}
	defer os.RemoveAll(d.tmp)
	d.cc = device.Compiler{Path: path, Flags: []string{"-DDOCA_ALLOW_EXPERIMENTAL_API", "-Wno-attributes", "-Wno-psabi", "-fno-common"}, Messages: d.messages}
	prefix := emit.KernelPrefix(pkg) + "dpa_"
	d.made.App = device.App{Name: app, Symbol: prefix + app, Kernel: prefix, Prefix: emit.KernelPrefix(pkg) + "emu_", Ops: prefix + device.Ops}

	for _, source := range d.sources {
		if err := d.add(source, []string{filepath.Dir(source)}, d.relative); err != nil {
			return nil, err
		}
	}
	if err := d.has(m); err != nil {
		return nil, err
	}
	library, err := filepath.Glob(filepath.Join(emulator, "device", "*.c"))
	if err != nil {
		return nil, err
	}
	for _, source := range library {
		if err := d.add(source, []string{emulator}, filepath.Base); err != nil {
			return nil, err
		}
	}
	if missing := slices.DeleteFunc(slices.Clone(d.needed), func(s string) bool {
		return slices.Contains(d.defined, s) || s == device.Ops || device.InLibc(s)
	}); len(missing) > 0 {
		slices.Sort(missing)
		return nil, fmt.Errorf("code for the DPA uses what no -device source has: %s", strings.Join(slices.Compact(missing), ", "))
	}
	text, err := (&device.Flattener{Name: filepath.Base}).Flatten(filepath.Join(emulator, "emu_dpa_app.h"))
	if err != nil {
		return nil, err
	}
	d.made.AppText = text
	d.made.Renamed = append(d.defined, device.Ops)
	slices.Sort(d.made.Renamed)
	return &d.made, nil
}

// add reads one source, of the program's or of the device library. What is committed has its name from name.
func (d *deviceCode) add(source string, dirs []string, name func(path string) string) error {
	f := device.Flattener{Dirs: slices.Concat(dirs, d.include), SDK: device.Headers{FS: headers.FS, Dirs: []string{"3.0", "dpa"}}}
	if _, err := os.Stat(source); err != nil {
		return fmt.Errorf("-device: %w", err)
	}
	whole, err := d.flatten(&f, source)
	if err != nil {
		return err
	}
	file := filepath.Join(d.tmp, "source.c")
	if err := os.WriteFile(file, []byte(whole), 0o600); err != nil {
		return err
	}
	u, err := d.cc.Read(file)
	if errors.Is(err, device.ErrCompile) {
		return fmt.Errorf("-device %s: %w", source, err)
	}
	if err != nil {
		return err
	}
	for _, s := range u.Defined {
		if slices.Contains(d.defined, s) {
			return fmt.Errorf("-device %s: %s is in another source as well", source, s)
		}
	}
	d.defined = append(d.defined, u.Defined...)
	d.needed = append(d.needed, u.Needed...)
	d.made.Kernels = append(d.made.Kernels, u.Kernels...)
	f.Name = name
	if whole, err = d.flatten(&f, source); err != nil {
		return err
	}
	stem := strings.TrimSuffix(filepath.Base(source), filepath.Ext(source))
	d.made.Sources = append(d.made.Sources, emit.DeviceSource{
		Name: strings.TrimSuffix(stem, "_device") + "_device.c",
		Text: whole + "#line 1 \"gen\"\n" + u.Registry(d.made.App.Prefix),
	})
	return nil
}

// flatten makes one text of a source, with the macros of -D in front.
func (d *deviceCode) flatten(f *device.Flattener, source string) (string, error) {
	text, err := f.Flatten(source)
	if err != nil {
		return "", err
	}
	defines := ""
	for _, macro := range d.defines {
		name, value, given := strings.Cut(macro, "=")
		if !given {
			value = "1"
		}
		defines += fmt.Sprintf("#define %s %s\n", name, value)
	}
	return defines + text, nil
}

// relative is a path of the program as seen from the package.
func (d *deviceCode) relative(path string) string {
	out, err := filepath.Abs(d.out)
	if err != nil {
		return path
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	rel, err := filepath.Rel(out, abs)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}

// has checks that the sources define the kernels of the header, as it declares them.
func (d *deviceCode) has(m *model.Model) error {
	var all []error
	for _, l := range m.Libraries {
		for _, k := range l.Kernels {
			i := slices.IndexFunc(d.made.Kernels, func(have *device.Kernel) bool { return have.Name == k.CName })
			switch {
			case i < 0:
				all = append(all, fmt.Errorf("%s: no -device source defines it with its mark", k.CName))
			case d.made.Kernels[i].RPC != (k.Kind == model.Called) || len(d.made.Kernels[i].Params) != len(k.Params):
				all = append(all, d.made.Kernels[i].Error("%s is not as the header declares it", k.CName))
			}
		}
	}
	return errors.Join(all...)
}
