// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// machines are the processors that there are bindings for.
var machines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}

// exists is true for a link that leads nowhere, too, and for what this user may not see.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil || os.IsPermission(err)
}

// judge says why a file is not a library that can be loaded, or nothing.
func judge(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		if target, linkErr := os.Readlink(path); linkErr == nil && os.IsNotExist(err) {
			return "is a link to " + target + ", which does not exist"
		}
		if os.IsPermission(err) {
			return noAccess + ": chmod a+rx its directories"
		}
		return fmt.Sprintf("cannot be looked at: %v", err)
	}
	if !info.Mode().IsRegular() {
		return "is not a file"
	}
	f, err := os.Open(path)
	if err != nil {
		if os.IsPermission(err) {
			return noAccess + ": chmod a+r it"
		}
		return fmt.Sprintf("cannot be opened: %v", err)
	}
	defer f.Close()
	if info.Size() == 0 {
		return "is empty"
	}
	magic := make([]byte, len(elf.ELFMAG))
	if n, _ := f.ReadAt(magic, 0); string(magic[:n]) != elf.ELFMAG[:n] {
		return "is no shared library: it does not begin as one"
	}
	lib, err := elf.NewFile(f)
	if err != nil {
		return "is truncated or damaged: " + err.Error()
	}
	if want := machines[runtime.GOARCH]; lib.Machine != want {
		return fmt.Sprintf("is for another processor: it is for %v, this program for %v", lib.Machine, want)
	}
	if lib.Type != elf.ET_DYN || program(lib) {
		return "is no shared library but a program"
	}
	for _, p := range lib.Progs {
		if p.Type == elf.PT_LOAD && p.Off+p.Filesz > uint64(info.Size()) {
			return fmt.Sprintf("is truncated: it has %d bytes and wants %d", info.Size(), p.Off+p.Filesz)
		}
	}
	return ""
}

// noAccess is what judge says of a file that is there, and that this user may not read.
const noAccess = "cannot be read by this user"

// program tells whether a file that could be a library is a program that can be loaded anywhere.
func program(lib *elf.File) bool {
	flags, err := lib.DynValue(elf.DT_FLAGS_1)
	return err == nil && len(flags) > 0 && elf.DynFlag1(flags[0])&elf.DF_1_PIE != 0
}

// mend says what to do about files of which judge has said this.
func mend(problems []string, packaged string) string {
	for _, p := range problems {
		if !strings.Contains(p, noAccess) {
			return "reinstall the DOCA package that has " + packaged
		}
	}
	return "give this user access, or run as one who has it"
}

// fileRelease is the release in the name of a library's file, behind all links: 2.10 of libdoca_dma.so.2.10.0087.
func fileRelease(path string) string {
	file, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	_, version, _ := cutLast(filepath.Base(file), ".so.")
	return release(version)
}
