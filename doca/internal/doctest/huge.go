package doctest

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// IsHuge reports whether the system has been asked for huge pages in the middle of data.
func IsHuge(t testing.TB, data []byte) bool {
	t.Helper()
	smaps, err := os.ReadFile("/proc/self/smaps")
	Check(t, err)
	at, within := uintptr(unsafe.Pointer(&data[len(data)/2])), false
	for line := range strings.Lines(string(smaps)) {
		var from, to uintptr
		if n, _ := fmt.Sscanf(line, "%x-%x ", &from, &to); n == 2 {
			within = from <= at && at < to
		}
		if flags, ok := strings.CutPrefix(line, "VmFlags:"); ok && within {
			return slices.Contains(strings.Fields(flags), "hg")
		}
	}
	return false
}
