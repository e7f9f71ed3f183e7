package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// source is the file on the side that has it.
type source struct {
	*os.File
	size     int64
	mode     fs.FileMode
	modified time.Time
}

// openSource opens the file. It returns nil if there is none.
func openSource(path string) (*source, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(path); err == nil {
			return nil, fmt.Errorf("%s is a symbolic link to nothing: remove it, or name the file itself", path)
		}
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: name a file that can be read, or a path where one can be created", err)
	}
	if !info.Mode().IsRegular() {
		what := "not a regular file"
		if info.IsDir() {
			what = "a directory"
		}
		return nil, fmt.Errorf("%s is %s: -f names one file", path, what)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%w: give this user permission to read it", err)
	}
	if info.Size() == 0 { // as files of the kernel claim, which are made when they are read
		n, err := f.Read(make([]byte, 1))
		if n > 0 {
			err = fmt.Errorf("%s claims to have 0 bytes, but has more: copy it to a file on a disk first", path)
		}
		if err = notEOF(err); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	return &source{File: f, size: info.Size(), mode: info.Mode().Perm(), modified: info.ModTime()}, nil
}

// changed reports whether somebody has written to the file since it was opened.
func (s *source) changed() bool {
	info, err := s.Stat()
	return err == nil && (info.Size() != s.size || !info.ModTime().Equal(s.modified))
}

// reader returns a reader of the rest of the file, up to the size that it had when it was
// opened. What it reads is added to a checksum.
func (s *source) reader(sum *checksum) io.Reader { return &sourceReader{s: s, sum: sum} }

type sourceReader struct {
	s   *source
	sum *checksum
}

func (r *sourceReader) Read(b []byte) (int, error) {
	left := r.s.size - r.sum.n
	if left == 0 {
		return 0, io.EOF
	}
	n, err := r.s.Read(b[:min(int64(len(b)), left)])
	r.sum.add(b[:n])
	if errors.Is(err, io.EOF) && r.sum.n < r.s.size {
		err = tooShort(r.s.File, r.s.size)
	}
	return n, because(reasonSource, notEOF(err))
}

// tooShort returns the error for a file that has ended before its first n bytes were read.
func tooShort(f *os.File, n int64) error {
	if info, err := f.Stat(); err == nil && info.Size() >= n { // as other files of the kernel claim
		return fmt.Errorf("%s claims to have %d bytes, but has fewer: copy it to a file on a disk first", f.Name(), info.Size())
	}
	return fmt.Errorf("%s became shorter while it was read: copy it again", f.Name())
}

// notEOF drops io.EOF: the end of the file is where the count of its bytes says.
func notEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
