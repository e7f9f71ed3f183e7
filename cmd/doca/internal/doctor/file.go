// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// machines are the processors that there are bindings for.
var machines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}

// exists is true for a link that leads nowhere, too.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// judge says why a file is not a library that can be loaded, or nothing.
func judge(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		if target, linkErr := os.Readlink(path); linkErr == nil && os.IsNotExist(err) {
			return "is a link to " + target + ", which does not exist"
		}
		return fmt.Sprintf("cannot be looked at: %v", err)
	}
	if !info.Mode().IsRegular() {
		return "is not a file"
	}
	f, err := os.Open(path)
	if err != nil {
		if os.IsPermission(err) {
			return "cannot be read by this user: chmod a+r it"
		}
		return fmt.Sprintf("cannot be opened: %v", err)
	}
	defer f.Close()
	if info.Size() == 0 {
		return "is empty"
	}
	lib, err := elf.NewFile(f)
	if err != nil {
		return "is truncated, or no shared library: " + err.Error()
	}
	if want := machines[runtime.GOARCH]; lib.Machine != want {
		return fmt.Sprintf("is for another processor: it is for %v, this program for %v", lib.Machine, want)
	}
	if lib.Type != elf.ET_DYN {
		return "is no shared library"
	}
	for _, p := range lib.Progs {
		if p.Type == elf.PT_LOAD && p.Off+p.Filesz > uint64(info.Size()) {
			return fmt.Sprintf("is truncated: it has %d bytes and wants %d", info.Size(), p.Off+p.Filesz)
		}
	}
	return ""
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
