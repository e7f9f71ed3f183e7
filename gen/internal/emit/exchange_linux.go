package emit

import (
	"errors"
	"os"
	"runtime"
	"syscall"
	"unsafe"
)

// renameat2 is the number of the system call, which package syscall does not have for all of them.
var renameat2 = map[string]uintptr{"amd64": 316, "arm64": 276}

// swap exchanges two directories in one step.
func swap(a, b string) error {
	const (
		here     = -100 // AT_FDCWD
		exchange = 2    // RENAME_EXCHANGE
	)
	number, ok := renameat2[runtime.GOARCH]
	if !ok {
		return errNoExchange
	}
	p, err := syscall.BytePtrFromString(a)
	if err != nil {
		return err
	}
	q, err := syscall.BytePtrFromString(b)
	if err != nil {
		return err
	}
	at := here
	if _, _, e := syscall.Syscall6(number, uintptr(at), uintptr(unsafe.Pointer(p)), uintptr(at), uintptr(unsafe.Pointer(q)), exchange, 0); e != 0 {
		return e
	}
	return nil
}

// lock waits until no other run writes below a directory. The lock ends with the process, whatever ends it.
func lock(dir string) (unlock func(), err error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	for {
		if err = syscall.Flock(int(d.Fd()), syscall.LOCK_EX); !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		d.Close()
		return nil, err
	}
	return func() { d.Close() }, nil
}
