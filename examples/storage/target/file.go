package target

import (
	"cmp"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/go-doca/go-doca/doca"
)

// SyncMode says when what was written to a file must be on its disk.
type SyncMode string

// The modes.
const (
	SyncNever SyncMode = "never" // when the system finds it right
	SyncStop  SyncMode = "stop"  // before the initiator is told that the storage has stopped
	SyncWrite SyncMode = "write" // before the initiator is told that a write has been done
)

// File is a file whose contents are a storage. It is mapped: blocks move between it and the host without a copy in between, and
// what is written is in the file for other programs as well.
type File struct {
	Content
	f *os.File
}

// OpenFile opens a file, or makes one, of count blocks of size bytes. If count is 0, an existing file has as many as there are in it, and
// a new one DefaultBlockCount. The room on the disk is taken at once, so that no write can fail for want of it.
func OpenFile(path string, count, size uint32, mode SyncMode) (_ *File, err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	made := errors.Is(err, os.ErrNotExist)
	if made {
		f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	}
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
		if err != nil && made {
			os.Remove(path)
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	n := int(info.Size())
	switch {
	case n == 0:
		if n, err = contentSize(cmp.Or(count, DefaultBlockCount), size); err != nil {
			return nil, err
		}
	case size == 0 || n%int(size) != 0 || n > maxContent:
		return nil, fmt.Errorf("%w: %s has %d bytes, which is no number of blocks of %d bytes, or more than %d", doca.ErrInvalidValue, path, n, size, maxContent)
	case count != 0 && uint64(n) != uint64(count)*uint64(size):
		return nil, fmt.Errorf("%w: %s has %d bytes; %d blocks of %d bytes are %d: leave out the number to take the file as it is",
			doca.ErrInvalidValue, path, n, count, size, uint64(count)*uint64(size))
	}
	if err := unix.Fallocate(int(f.Fd()), 0, 0, int64(n)); err != nil && !errors.Is(err, unix.EOPNOTSUPP) {
		return nil, fmt.Errorf("cannot make %s %d bytes long: %w", path, n, err)
	} else if err != nil { // no fallocate here
		if err := f.Truncate(int64(n)); err != nil {
			return nil, err
		}
	}
	data, err := unix.Mmap(int(f.Fd()), 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("cannot map %s: %w", path, err)
	}
	file := &File{Content: Content{Data: data, BlockSize: size}, f: f}
	if mode == SyncStop {
		file.Content.Sync = file.sync
	}
	if mode == SyncWrite {
		file.Content.Written = file.written
	}
	return file, nil
}

// sync waits until the whole file is on the disk.
func (f *File) sync() error {
	return errors.Join(unix.Msync(f.Data, unix.MS_SYNC), f.f.Sync())
}

// written waits until a part is on the disk.
func (f *File) written(off int64, n int) error {
	page := int64(os.Getpagesize())
	from := off / page * page
	return unix.Msync(f.Data[from:off+int64(n)], unix.MS_SYNC)
}

// Close unmaps and closes the file. No target uses it any more.
func (f *File) Close() error {
	return errors.Join(unix.Munmap(f.Data), f.f.Close())
}
