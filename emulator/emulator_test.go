// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"debug/elf"
	"os"
	"os/exec"
	"strings"
	"testing"
	"unsafe"

	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

func TestMain(m *testing.M) {
	os.Setenv("DOCA_PROVIDER", Name)
	if os.Getenv(lacking) != "" {
		os.Setenv("DOCA_PROVIDER", lacking)
	}
	os.Exit(m.Run())
}

func TestIsTheProvider(t *testing.T) {
	info, err := abi.Active()
	if err != nil {
		t.Fatal(err)
	}
	if info.Name != Name || info.Version != "3.0.0058" { // whatever the bindings are made from
		t.Fatalf("active provider is %v", info)
	}
}

func TestLookup(t *testing.T) {
	if lookup("libdoca_common.so.2", "doca_ctx_start") == nil {
		t.Error("doca_ctx_start is missing")
	}
	if lookup("libdoca_dma.so.2", "doca_dma_create") == nil {
		t.Error("doca_dma_create is missing")
	}
	if lookup("libdoca_dma.so.2", "doca_ctx_start") != nil {
		t.Error("doca_ctx_start is in the wrong library")
	}
	if lookup("libdoca_common.so.2", "doca_nothing") != nil {
		t.Error("doca_nothing exists")
	}
	if lookup("", "") != nil || lookup("libzzz.so", "doca_ctx_start") != nil {
		t.Error("there is a function in no library")
	}
	if numSymbols() < 500 {
		t.Errorf("the table has %d functions", numSymbols())
	}
	for i := range 2 * numSymbols() { // once in the order of the table, and once against it
		s := symbolAt(min(i, 2*numSymbols()-1-i))
		library, name := s.names()
		if s.since != nil { // the emulator is 3.0 here
			if lookup(library, name) != nil {
				t.Errorf("%s is newer than the emulator, and is found", name)
			}
			continue
		}
		if fn := lookup(library, name); fn == nil || fn != unsafe.Pointer(s.fn) {
			t.Errorf("%s in %s is not found", name, library)
		}
		if lookup(library, name+"x") != nil || lookup(library, name[:len(name)-1]+"\x00") != nil {
			t.Errorf("what is not %s is found", name)
		}
	}
}

// A DOCA function that the executable exports would take the place of the real library's.
func TestNoSymbolIsExported(t *testing.T) {
	// -rdynamic is what cgo links with where the linker cannot do better.
	exe := t.TempDir() + "/program"
	main := t.TempDir() + "/main.go"
	const source = "package main\n\nimport _ \"github.com/go-doca/go-doca/emulator\"\n\nfunc main() {}\n"
	if err := os.WriteFile(main, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "build", "-ldflags=-extldflags=-rdynamic", "-o", exe, main).CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	file, err := elf.Open(exe)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	dynamic, err := file.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range dynamic {
		if strings.HasPrefix(s.Name, "doca_") || strings.HasPrefix(s.Name, "emu_") {
			t.Errorf("%s is exported", s.Name)
		}
	}
	static, err := file.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, s := range static {
		found = found || s.Name == "doca_ctx_start"
	}
	if !found {
		t.Error("the program does not hold the emulator at all")
	}
}

func devices(t *testing.T) []string {
	t.Helper()
	list, err := common.DevinfoCreateList()
	if err != nil {
		t.Fatal(err)
	}
	defer common.DevinfoDestroyList(list)
	var addrs []string
	for _, info := range list {
		addr, err := common.DevinfoGetPCIAddrStr(info)
		if err != nil {
			t.Fatal(err)
		}
		addrs = append(addrs, addr)
	}
	return addrs
}

func TestDevices(t *testing.T) {
	const want = "0000:03:00.0 0000:03:00.1 0000:b1:00.0 0000:b1:00.1"
	if got := strings.Join(devices(t), " "); got != want {
		t.Errorf("devices are %s, want %s", got, want)
	}
	t.Setenv("DOCA_EMU_SIDE", "host") // cgo passes it on to C
	const host = "0000:b1:00.0 0000:b1:00.1"
	if got := strings.Join(devices(t), " "); got != host {
		t.Errorf("devices of the host are %s, want %s", got, host)
	}
}
