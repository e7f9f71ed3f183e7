package main

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/device"
)

// archive links the objects with the libraries for the device, hides all symbols but those of the host, and writes the
// output.
func (b *build) archive() error {
	whole := filepath.Join(b.dir, "whole.o")
	if err := b.link(whole); err != nil {
		return err
	}
	if err := b.checkSymbols(whole); err != nil {
		return err
	}
	keep := b.app + "\n"
	for _, k := range b.kernels {
		keep += k.Name + "\n"
	}
	list := filepath.Join(b.dir, "keep")
	if err := os.WriteFile(list, []byte(keep), 0o600); err != nil {
		return err
	}
	if err := b.tool("objcopy", "--keep-global-symbols="+list, whole); err != nil {
		return err
	}
	made := whole
	if filepath.Ext(b.output) == ".a" {
		// The member has the name of the archive, so that programs that take archives apart find it.
		name := strings.TrimSuffix(filepath.Base(b.output), ".a")
		member := filepath.Join(b.dir, name+".whole.o")
		made = filepath.Join(b.dir, name+".a")
		if err := os.Rename(whole, member); err != nil {
			return err
		}
		if err := b.tool("ar", "rcsD", made, member); err != nil {
			return err
		}
	}
	text, err := os.ReadFile(made)
	if err != nil {
		return err
	}
	return os.WriteFile(b.output, text, 0o644) // only now: a failure leaves what was there
}

// link makes one object of all. The libraries of the SDK are found without -L.
func (b *build) link(whole string) error {
	linker := device.Compiler{Path: b.cc.Path, Messages: b.cc.Messages, Trace: b.cc.Trace}
	args := slices.Concat([]string{"-r", "-nostdlib", "-fno-lto", "-o", whole}, b.objects, b.deviceLibs, []string{"-L" + b.prefix.lib()})
	return linker.Run(args...)
}

// checkSymbols refuses code that needs what is not there: it could not be linked for the DPA, and here would reach functions
// of the host's program.
func (b *build) checkSymbols(whole string) error {
	file, err := elf.Open(whole)
	if err != nil {
		return err
	}
	defer file.Close()
	all, err := file.Symbols()
	if err != nil {
		return err
	}
	var missing []string
	for _, s := range all {
		if s.Section == elf.SHN_UNDEF && s.Name != "" && !device.InLibc(s.Name) {
			missing = append(missing, s.Name)
		}
	}
	slices.Sort(missing)
	if len(missing) == 0 {
		return nil
	}
	hint := ""
	if slices.ContainsFunc(missing, func(s string) bool { return strings.HasPrefix(s, "doca_dpa_dev_") }) {
		hint = "; DOCA's functions are in -device-libs=\"-ldoca_dpa_dev -ldoca_dpa_dev_comm\""
	}
	return fmt.Errorf("code for the DPA uses what neither it nor the libraries for the device have: %s%s", strings.Join(missing, ", "), hint)
}

// tool runs one of the binary utilities that belong to the compiler.
func (b *build) tool(name string, args ...string) error {
	var path bytes.Buffer
	finder := exec.Command(b.cc.Path, "-print-prog-name="+name)
	finder.Stdout = &path
	if err := finder.Run(); err != nil {
		return fmt.Errorf("%s does not tell where %s is: %w", b.cc.Path, name, err)
	}
	t := device.Compiler{Path: strings.TrimSpace(path.String()), Messages: b.cc.Messages, Trace: b.cc.Trace}
	return t.Run(args...)
}
