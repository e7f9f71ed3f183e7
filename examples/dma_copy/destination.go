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

// destination is the file on the side that does not have it yet. It gets its name when it is
// complete. Until then it has none, so that nothing can be left of it. If the file system
// cannot do that, or an interrupted copy is to go on later, it has a name of its own in the
// same directory until then. Only this user can read it until it gets its mode.
type destination struct {
	f          *os.File
	path, part string // part is "" for a file without a name
	keep       bool   // keep what has arrived when the copy is interrupted
	complete   bool   // it has its name
}

// createDestination creates the file. With keep it begins with what an earlier copy has left.
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

const directoryAdvice = "-f must be in a directory where this user can create files"

// openUnnamed creates a file without a name, or with a temporary one if the file system cannot
// do that.
func (d *destination) openUnnamed() error {
	dir := filepath.Dir(d.path)
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.EISDIR) || errors.Is(err, unix.EINVAL) {
		return d.openTemporary()
	}
	if err != nil {
		return fmt.Errorf("creating a file in %s: %w: %s", dir, err, directoryAdvice)
	}
	d.f = os.NewFile(uintptr(fd), d.path)
	return nil
}

// openTemporary creates a file with a name that no other copy uses.
func (d *destination) openTemporary() error {
	f, err := os.CreateTemp(filepath.Dir(d.path), ".dma_copy-*")
	if err != nil {
		return fmt.Errorf("%w: %s", err, directoryAdvice)
	}
	d.f, d.part = f, f.Name()
	return nil
}

// openPart opens what an interrupted copy has left, or creates the file that this one would
// leave.
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

// partName returns the name of a file's part. It is no longer than names can be, even if the
// file's own name is as long as that.
func partName(base string) string {
	const most = 255 - len(".") - len(".part")
	if len(base) > most {
		sum := fmt.Sprintf("-%08x", crc32.ChecksumIEEE([]byte(base)))
		base = base[:most-len(sum)] + sum
	}
	return "." + base + ".part"
}

// check locks the part for this process. It refuses what somebody else has put in its place,
// through which they could read or replace the file.
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
	case err != nil || ours.Ino != named.Ino || ours.Dev != named.Dev: // it has just got its name
		return fmt.Errorf("%s is in use: another copy to %s was running", d.part, d.path)
	case ours.Mode&unix.S_IFMT != unix.S_IFREG || int(ours.Uid) != os.Geteuid() || ours.Nlink != 1:
		return fmt.Errorf("%s was not left by a copy of this user: remove it", d.part)
	}
	return d.f.Chmod(0o600)
}

// size returns how many bytes an earlier copy has left.
func (d *destination) size() (int64, error) {
	info, err := d.f.Stat()
	if err != nil {
		return 0, because(reasonDestination, err)
	}
	return info.Size(), nil
}

// startAt cuts the file off at offset and goes on from there.
func (d *destination) startAt(offset int64) error {
	err := d.f.Truncate(offset)
	if err == nil {
		_, err = d.f.Seek(offset, io.SeekStart)
	}
	return because(reasonDestination, err)
}

// writer returns a writer that appends to the file and adds what it writes to a checksum.
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
		return ": a file of that size is more than this file system or this user (see ulimit -f) may have"
	}
	return ""
}

// store flushes what was written to the disk.
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
	if err := d.f.Sync(); err != nil { // for its mode: store has flushed what it holds
		return err
	}
	err := d.name()
	switch {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("somebody else created %s during the copy: remove the file if it is not wanted, and copy again", d.path)
	case err != nil:
		return fmt.Errorf("naming the file %s: %w: leave its directory as it is during the copy, and copy again", d.path, err)
	}
	d.complete, d.part = true, ""
	return syncDirectory(filepath.Dir(d.path))
}

// name gives the file its name, unless another file has it.
func (d *destination) name() error {
	if d.part == "" {
		return unix.Linkat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", d.f.Fd()), unix.AT_FDCWD, d.path, unix.AT_SYMLINK_FOLLOW)
	}
	err := unix.Renameat2(unix.AT_FDCWD, d.part, unix.AT_FDCWD, d.path, unix.RENAME_NOREPLACE)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) { // not every file system can do that
		if err = unix.Link(d.part, d.path); err == nil {
			err = unix.Unlink(d.part)
		}
	}
	return err
}

// syncDirectory flushes the names in a directory to the disk, if the file system can do that.
func syncDirectory(path string) error {
	dir, err := os.Open(path)
	if errors.Is(err, fs.ErrPermission) { // the directory may be writable and not readable
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

// release gives up a file that is not complete, if there is one. With keep it leaves the part
// for a later copy to go on from.
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

// discard removes the file, which has no name yet or that of a part.
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
