// Package faults makes the emulator fail on demand, for tests: emu_fault.h lists what it can do. A Go test that imports
// package emulator calls emulator.SetFaults; here the emulator is a shared library, as an SDK would be.
package faults

// #include <stdint.h>
// #include <stdlib.h>
// static int32_t set(void *fn, const char *spec, char *err, size_t len) {
//	return ((int32_t (*)(const char *, char *, size_t))fn)(spec, err, len);
// }
// static void clear(void *fn) { ((void (*)(void))fn)(); }
import "C"

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/generated/abi"
)

const library = "libdoca_common.so.2"

// Set applies faults, such as "fail-task=3", until the end of the test, which cannot be parallel then.
func Set(t testing.TB, spec string) {
	t.Helper()
	require.NoError(t, set(spec))
	clearAll, err := abi.Lookup(library, "emu_fault_clear")
	require.NoError(t, err)
	t.Cleanup(func() { C.clear(clearAll) })
}

func set(spec string) error {
	fn, err := abi.Lookup(library, "emu_fault_set")
	if err != nil {
		return err
	}
	text := C.CString(spec)
	defer C.free(unsafe.Pointer(text))
	var why [256]C.char
	if code := C.set(fn, text, &why[0], C.size_t(len(why))); code != 0 {
		return fmt.Errorf("%w: %s", abi.Error(code), C.GoString(&why[0]))
	}
	return nil
}
