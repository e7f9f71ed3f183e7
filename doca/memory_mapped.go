package doca

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"unsafe"
)

// writes are the flags that let a device write.
const writes = AccessLocalReadWrite | AccessRDMAWrite | AccessRDMAAtomic | AccessPCIReadWrite

// unmapped returns what is wrong with memory that devices are to use, or "". A device, or the
// emulator in this process, that writes where the program may not would end it.
func unmapped(data []byte, access Access) string {
	for range 3 { // the list can lack something while others change mappings
		if wrong, sure := look(data, access); sure {
			return wrong
		}
	}
	return "" // DOCA finds out
}

// look looks once, and reports whether it is sure.
func look(data []byte, access Access) (wrong string, sure bool) {
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return "", false
	}
	defer maps.Close()
	write := access == 0 || access&writes != 0
	at := uintptr(unsafe.Pointer(unsafe.SliceData(data)))
	end := at + uintptr(len(data))
	lines := bufio.NewScanner(maps)
	for lines.Scan() && at < end {
		from, to, mode, ok := mapping(lines.Bytes())
		if !ok {
			return "", false
		}
		switch {
		case to <= at:
			continue
		case from > at:
			return hole(at)
		case !strings.HasPrefix(mode, "r"):
			return fmt.Sprintf("the program may not read it at %#x", at), true
		case write && mode[1] != 'w':
			return fmt.Sprintf("the program may not write to it at %#x: map it with PROT_WRITE, or give AccessLocalReadOnly", at), true
		}
		at = to
	}
	if at >= end {
		return "", true
	}
	if lines.Err() != nil {
		return "", false
	}
	return hole(at)
}

// mapping takes a line of /proc/self/maps apart, such as "7f00-7f80 rw-p 0 00:00 0". Package fmt would take longer for the list than
// the system takes to make it.
func mapping(line []byte) (from, to uintptr, mode string, ok bool) {
	addresses, rest, _ := bytes.Cut(line, []byte(" "))
	first, last, _ := bytes.Cut(addresses, []byte("-"))
	flags, _, _ := bytes.Cut(rest, []byte(" "))
	a, err := strconv.ParseUint(string(first), 16, 64)
	if err != nil {
		return 0, 0, "", false
	}
	b, err := strconv.ParseUint(string(last), 16, 64)
	return uintptr(a), uintptr(b), string(flags), err == nil && len(flags) >= 2
}

// hole returns what is wrong with an address that the list of mappings lacks. Under qemu the list is
// not complete, so mincore(2) decides.
func hole(at uintptr) (wrong string, sure bool) {
	var page byte
	start := at &^ uintptr(os.Getpagesize()-1)
	_, _, errno := syscall.Syscall(syscall.SYS_MINCORE, start, 1, uintptr(unsafe.Pointer(&page)))
	if errno != syscall.ENOMEM {
		return "", false
	}
	return fmt.Sprintf("nothing is mapped at %#x", at), true
}
