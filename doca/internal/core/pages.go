package core

import (
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

// Memory that another process may use is a shared mapping of a file in memory where DOCA is software: the emulator
// passes the file on, and the other process maps it and copies with memcpy. Between private mappings the kernel
// must copy page by page. Real devices need no such file, and memory that has none can have huge pages.

// sharedFrom is the size from which on this is worth a file descriptor.
const sharedFrom = 64 << 10

// Of linux/memfd.h and linux/fcntl.h; package syscall has none of them.
const (
	memfdCloexec      = 1
	memfdAllowSealing = 2
	addSeals          = 1033
	sealSeal          = 1
	sealShrink        = 2
	sealGrow          = 4
)

func memfdCreate() uintptr {
	switch runtime.GOARCH {
	case "amd64":
		return 319
	case "arm64":
		return 279
	}
	return 0
}

// remoteFlags are the permissions by which another process may use a memory.
const remoteFlags = uint32(common.AccessFlagRDMARead | common.AccessFlagRDMAWrite | common.AccessFlagRDMAAtomic |
	common.AccessFlagPCIReadOnly | common.AccessFlagPCIReadWrite)

// isShared says whether memory with these permissions is to be shared.
func isShared(size int, permissions uint32) bool {
	if size < sharedFrom || permissions&remoteFlags == 0 || memfdCreate() == 0 {
		return false
	}
	provider, err := abi.Active()
	return err == nil && provider.Name != abi.SDK
}

// mapShared maps a file of size bytes, and keeps it open. The file is sealed, so nobody can cut it off beneath
// the mapping. It returns an error if the system does not let it.
func mapShared(size int) (data []byte, free func() error, err error) {
	var limit syscall.Rlimit // beyond it, the system sends a signal
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil || uint64(size) > limit.Cur {
		return nil, nil, syscall.EFBIG
	}
	name := []byte("go-doca\x00")
	fd, _, errno := syscall.Syscall(memfdCreate(), uintptr(unsafe.Pointer(&name[0])), memfdCloexec|memfdAllowSealing, 0)
	if errno != 0 {
		return nil, nil, errno
	}
	file := os.NewFile(fd, "memory")
	if err := file.Truncate(int64(size)); err != nil {
		file.Close()
		return nil, nil, err
	}
	if _, _, errno := syscall.Syscall(syscall.SYS_FCNTL, fd, addSeals, sealSeal|sealShrink|sealGrow); errno != 0 {
		file.Close()
		return nil, nil, errno
	}
	data, err = syscall.Mmap(int(fd), 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return data, func() error {
		if err := syscall.Munmap(data); err != nil {
			return err
		}
		_ = file.Close() // there is nothing to be written
		return nil
	}, nil
}

// MapPages maps size bytes, a multiple of the page size, for memory with these permissions of DOCA.
func MapPages(size int, permissions uint32) (data []byte, free func() error, err error) {
	if isShared(size, permissions) {
		if data, free, err = mapShared(size); err == nil {
			return data, free, nil
		}
	}
	return mapPrivate(size)
}

// hugePage is the size of a huge page, where pages have 4 KiB.
const hugePage = 2 << 20

// mapPrivate maps memory of this process. If there is room for one, it has huge pages where the system gives them to those who ask:
// a device and a processor have less to look up in these, and there is less to pin.
func mapPrivate(size int) (data []byte, free func() error, err error) {
	room := size
	if size >= hugePage {
		room += hugePage // to begin with a huge page; what is before and behind is never used
	}
	all, err := syscall.Mmap(-1, 0, room, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, nil, err
	}
	data = all
	if size >= hugePage {
		skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(all)))) & (hugePage - 1)
		data = all[skip:][:size:size]
		_ = syscall.Madvise(data, syscall.MADV_HUGEPAGE) // it is only advice
	}
	return data, func() error { return syscall.Munmap(all) }, nil
}
