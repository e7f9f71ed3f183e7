package main

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// destination is the file of the side that does not have it yet. It gets its name when it is
// complete. Until then it has none, so that nothing can be left of it; or, where the file
// system cannot do that and where an interrupted copy is to go on later, a name of its own
// in the same directory. Only this user can read it before it has its mode.
type destination struct {
	f          *os.File
	path, part string // part is "" for a file without a name
	keep       bool   // what has come, when the copy is interrupted
	complete   bool   // it has its name
}

// createDestination makes the file. With keep it begins with what an earlier copy has left.
func createDestination(path string, keep bool) (*destination, error) {
	d := &destination{path: path, keep: keep}
	open := d.openUnnamed
	if keep {
		open = d.openPart
	}
	if err := open(); err != nil {
		return nil, because(reasonDestination, err)
	}
	return d, nil
}

const directoryAdvice = "-f must be in a directory where this user can make files"

// openUnnamed makes a file without a name, if the file system can.
func (d *destination) openUnnamed() error {
	dir := filepath.Dir(d.path)
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.EISDIR) || errors.Is(err, unix.EINVAL) {
		return d.openTemporary()
	}
	if err != nil {
		return fmt.Errorf("making a file in %s: %w: %s", dir, err, directoryAdvice)
	}
	d.f = os.NewFile(uintptr(fd), d.path)
	return nil
}

// openTemporary makes a file with a name that no other copy uses.
func (d *destination) openTemporary() error {
	f, err := os.CreateTemp(filepath.Dir(d.path), ".dma_copy-*")
	if err != nil {
		return fmt.Errorf("%w: %s", err, directoryAdvice)
	}
	d.f, d.part = f, f.Name()
	return nil
}

// openPart opens what an interrupted copy has left, or makes the file where this one would
// leave it.
func (d *destination) openPart() error {
	d.part = filepath.Join(filepath.Dir(d.path), partName(filepath.Base(d.path)))
	var err error
	d.f, err = os.OpenFile(d.part, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o600)
	if err != nil {
		if _, there := os.Lstat(d.part); there == nil {
			return fmt.Errorf("%w: remove it, or copy without --resume", err)
		}
		return fmt.Errorf("%w: %s", err, directoryAdvice)
	}
	if err := d.check(); err != nil {
		return errors.Join(err, d.f.Close())
	}
	return nil
}

// partName is the name of the part of a file, which may itself be as long as names can be.
func partName(base string) string {
	const most = 255 - len(".") - len(".part")
	if len(base) > most {
		sum := fmt.Sprintf("-%08x", crc32.ChecksumIEEE([]byte(base)))
		base = base[:most-len(sum)] + sum
	}
	return "." + base + ".part"
}

// check takes the part for this process. What somebody else has put in its place would show
// or give him the file.
func (d *destination) check() error {
	if unix.Flock(int(d.f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		return fmt.Errorf("%s is in use: another copy to %s is running", d.part, d.path)
	}
	var ours, named unix.Stat_t
	err := unix.Fstat(int(d.f.Fd()), &ours)
	if err == nil {
		err = unix.Lstat(d.part, &named)
	}
	switch {
	case err != nil || ours.Ino != named.Ino || ours.Dev != named.Dev: // just now it has got its name
		return fmt.Errorf("%s is in use: another copy to %s was running", d.part, d.path)
	case ours.Mode&unix.S_IFMT != unix.S_IFREG || int(ours.Uid) != os.Geteuid() || ours.Nlink != 1:
		return fmt.Errorf("%s is not what a copy of this user has left: remove it", d.part)
	}
	return d.f.Chmod(0o600)
}

// size is how much an earlier copy has left.
func (d *destination) size() (int64, error) {
	info, err := d.f.Stat()
	if err != nil {
		return 0, because(reasonDestination, err)
	}
	return info.Size(), nil
}

// startAt forgets what is behind a place, and goes on from there.
func (d *destination) startAt(offset int64) error {
	err := d.f.Truncate(offset)
	if err == nil {
		_, err = d.f.Seek(offset, io.SeekStart)
	}
	return because(reasonDestination, err)
}

// writer appends to the file and adds what it writes to a checksum.
func (d *destination) writer(sum *checksum) io.Writer { return &destinationWriter{d, sum} }

type destinationWriter struct {
	d   *destination
	sum *checksum
}

func (w *destinationWriter) Write(b []byte) (int, error) {
	w.sum.add(b)
	n, err := w.d.f.Write(b)
	if err != nil {
		err = failf(reasonDestination, "writing %s: %w%s", w.d.path, errors.Unwrap(err), writeAdvice(err))
	}
	return n, err
}

func writeAdvice(err error) string {
	switch {
	case errors.Is(err, unix.ENOSPC), errors.Is(err, unix.EDQUOT):
		return ": make room there, or name another file system with -f"
	case errors.Is(err, unix.EFBIG):
		return ": this user, or this file system, may not have files of that size (see ulimit -f)"
	}
	return ""
}

// store puts what was written on the disk.
func (d *destination) store() error {
	if err := d.f.Sync(); err != nil {
		return errors.Join(failf(reasonDestination, "storing %s: %w%s", d.path, errors.Unwrap(err), writeAdvice(err)), d.discard())
	}
	return nil
}

// commit gives the file its mode and its name.
func (d *destination) commit(mode fs.FileMode) error {
	if err := d.install(mode); err != nil {
		return errors.Join(failf(reasonDestination, "%w", err), d.discard())
	}
	f := d.f
	d.f = nil
	return because(reasonDestination, f.Close())
}

func (d *destination) install(mode fs.FileMode) error {
	if err := d.f.Chmod(mode); err != nil {
		return err
	}
	if err := d.f.Sync(); err != nil { // its mode: what it has is there since store
		return err
	}
	err := d.name()
	switch {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s has been made by somebody else during the copy: remove the one that is not wanted, and copy again", d.path)
	case err != nil:
		return fmt.Errorf("naming the file %s: %w: leave its directory as it is during the copy, and copy again", d.path, err)
	}
	d.complete, d.part = true, ""
	return syncDirectory(filepath.Dir(d.path))
}

// name replaces nothing.
func (d *destination) name() error {
	if d.part == "" {
		return unix.Linkat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", d.f.Fd()), unix.AT_FDCWD, d.path, unix.AT_SYMLINK_FOLLOW)
	}
	err := unix.Renameat2(unix.AT_FDCWD, d.part, unix.AT_FDCWD, d.path, unix.RENAME_NOREPLACE)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) { // not every file system can
		if err = unix.Link(d.part, d.path); err == nil {
			err = unix.Unlink(d.part)
		}
	}
	return err
}

// syncDirectory puts a file's name on the disk, where the file system wants to be told.
func syncDirectory(path string) error {
	dir, err := os.Open(path)
	if errors.Is(err, fs.ErrPermission) { // one may make files where one may not look
		return nil
	}
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := dir.Sync(); err != nil && !errors.Is(err, unix.EINVAL) {
		return err
	}
	return nil
}

// release ends a copy that has not come to its end, if there is one.
func (d *destination) release() {
	if d == nil || d.f == nil {
		return
	}
	if info, err := d.f.Stat(); d.keep && err == nil && info.Size() > 0 {
		_ = d.f.Close()
		return
	}
	_ = d.discard()
}

// discard gives the file up, which has no name yet, or that of a part.
func (d *destination) discard() error {
	if d.f == nil {
		return nil
	}
	f := d.f
	d.f = nil
	if d.part == "" {
		return f.Close()
	}
	err := os.Remove(d.part)
	if errors.Is(err, fs.ErrNotExist) { // its directory has been moved
		err = nil
	}
	return errors.Join(err, f.Close())
}
