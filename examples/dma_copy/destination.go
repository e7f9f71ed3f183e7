package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// destination is the file of the side that does not have it yet. It gets its name when it is
// complete; until then it is a hidden file in the same directory.
type destination struct {
	f          *os.File
	path, part string
	keep       bool // what has come, when the copy is interrupted
}

// createDestination makes the file. With keep it begins with what an earlier copy has left.
func createDestination(path string, keep bool) (*destination, error) {
	d := &destination{path: path, keep: keep, part: filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".part")}
	var err error
	d.f, err = os.OpenFile(d.part, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o666)
	if err != nil {
		return nil, failf(reasonDestination, "%w: -f must be in a directory where this user can make files", err)
	}
	if !d.lock() {
		return nil, errors.Join(failf(reasonDestination, "%s is in use: another copy to %s is running", d.part, path), d.f.Close())
	}
	if !keep {
		if err := d.f.Truncate(0); err != nil {
			return nil, errors.Join(because(reasonDestination, err), d.discard())
		}
	}
	return d, nil
}

// lock takes the file for this process, unless another one has it or has just removed it.
func (d *destination) lock() bool {
	if unix.Flock(int(d.f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		return false
	}
	ours, err := d.f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(d.part)
	return err == nil && os.SameFile(ours, named)
}

// prefix adds what an earlier copy has left to a checksum, if it is no more than most bytes.
func (d *destination) prefix(most int64, sum *checksum) error {
	info, err := d.f.Stat()
	if err == nil && info.Size() <= most {
		_, err = io.Copy(sum, d.f)
	}
	return because(reasonDestination, err)
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
		err = failf(reasonDestination, "writing %s: %w", w.d.path, errors.Unwrap(err))
	}
	return n, err
}

// commit gives the file its mode, unless that is 0, and its name.
func (d *destination) commit(mode fs.FileMode) error {
	err := d.install(mode)
	if err != nil {
		return errors.Join(failf(reasonDestination, "%w", err), d.discard())
	}
	f := d.f
	d.f = nil
	return because(reasonDestination, f.Close())
}

func (d *destination) install(mode fs.FileMode) error {
	if mode != 0 {
		if err := d.f.Chmod(mode); err != nil {
			return err
		}
	}
	if err := d.f.Sync(); err != nil {
		return err
	}
	err := unix.Renameat2(unix.AT_FDCWD, d.part, unix.AT_FDCWD, d.path, unix.RENAME_NOREPLACE)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) { // not every file system can
		return os.Rename(d.part, d.path)
	}
	if err != nil {
		return fmt.Errorf("naming the file %s: %w", d.path, err)
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

// discard removes the file, which has no name yet.
func (d *destination) discard() error {
	if d.f == nil {
		return nil
	}
	f := d.f
	d.f = nil
	return errors.Join(os.Remove(d.part), f.Close())
}
