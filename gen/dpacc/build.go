package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/attributes"
	"github.com/go-doca/go-doca/gen/internal/device"
)

// symbols is what begins the names of what dpacc adds to an archive.
const symbols = "emu_dpa_"

// build makes one archive.
type build struct {
	*options
	prefix  prefix
	cc      device.Compiler // for the sources
	host    device.Compiler
	dir     string // for what is in between
	kernels []*device.Kernel
	objects []string
}

func newBuild(o *options, find func() (prefix, error), messages io.Writer) (*build, error) {
	p, err := find()
	if err != nil {
		return nil, err
	}
	path, err := exec.LookPath(cmp.Or(o.hostCC, os.Getenv("CC"), "cc"))
	if err != nil {
		return nil, fmt.Errorf("-hostcc: %w", err)
	}
	sanitizers, err := p.sanitizers()
	if err != nil {
		return nil, err
	}
	var trace io.Writer
	if o.verbose {
		trace = messages
	}
	// Position-independent, for the archive may become part of a program or of a shared library.
	flags := func(own []string) []string {
		return slices.Concat([]string{"-O2"}, own, o.both, []string{"-fPIC", "-fno-common", "-fno-lto", "-pthread", "-Wno-psabi"}, sanitizers, []string{"-isystem", p.include()})
	}
	return &build{
		options: o,
		prefix:  p,
		cc:      device.Compiler{Path: path, Flags: flags(o.deviceCC), Messages: messages, Trace: trace},
		host:    device.Compiler{Path: path, Flags: flags(o.hostFlags), Messages: messages, Trace: trace},
	}, nil
}

func (b *build) run() (err error) {
	if b.attributes != "" {
		if err := attributes.Check(b.attributes); err != nil {
			return err
		}
	}
	if b.dir, err = os.MkdirTemp("", "dpacc-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	for i, source := range b.sources {
		if err := b.source(i, source); err != nil {
			return err
		}
	}
	if len(b.kernels) == 0 {
		return fmt.Errorf("no function in %s is marked with __dpa_global__ or __dpa_rpc__", strings.Join(b.sources, ", "))
	}
	if err := b.describe(); err != nil {
		return err
	}
	return b.archive()
}

// source compiles one source, with the functions that call its kernels behind it.
func (b *build) source(number int, name string) error {
	u, err := b.cc.Read(name)
	if err != nil {
		return err
	}
	for _, k := range u.Kernels {
		if k.Name == b.app {
			return k.Error("the kernel has the name of the application, %s", b.app)
		}
	}
	b.kernels = append(b.kernels, u.Kernels...)
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	whole := fmt.Sprintf("#line 1 %q\n%s\n#line 1 \"<dpacc>\"\n%s", name, text, u.Registry(symbols))
	return b.compile(&b.cc, fmt.Sprintf("%d", number), whole, append([]string{"-w", "-iquote", filepath.Dir(name)}, device.Unmarked...)...)
}

// describe compiles the description of the application.
func (b *build) describe() error {
	app := device.App{Name: b.app, Symbol: b.app, Prefix: symbols, Ops: device.Ops}
	return b.compile(&b.host, "app", "#include \"emu_dpa_app.h\"\n\n"+app.Describe(b.kernels), "-w", "-iquote", b.prefix.internal())
}

func (b *build) compile(cc *device.Compiler, name, text string, flags ...string) error {
	dir := filepath.Join(b.dir, name) // of its own: the C compiler looks for headers there first
	source, object := filepath.Join(dir, "source.c"), filepath.Join(b.dir, name+".o")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		return err
	}
	b.objects = append(b.objects, object)
	return cc.Run(append(flags, "-c", "-o", object, source)...)
}
