package cparse

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// standInDir is where the stand-ins seem to be: no such directory exists.
const standInDir = "/<built-in>"

// standIns declare the few names of third-party headers (rdma-core, UCX, DPDK,
// the DPA toolchain) that DOCA headers use.
//
//go:embed standin
var standIns embed.FS

// files opens headers for cc/v4: it reads each file once for all units, guards
// against what cc/v4 cannot survive, and knows the stand-ins.
type files struct {
	mu     sync.Mutex
	dir    string
	byPath map[string]*entry
	used   map[string]bool // stand-ins
}

// entry is a file that was read, or the reason why not.
type entry struct {
	once sync.Once
	src  *source
	err  error
}

func newFiles(dir string) *files {
	return &files{dir: dir, byPath: map[string]*entry{}, used: map[string]bool{}}
}

// load reads and indexes a file.
func (f *files) load(name string) (*source, error) {
	f.mu.Lock()
	e := f.byPath[name]
	if e == nil {
		e = &entry{}
		f.byPath[name] = e
	}
	f.mu.Unlock()
	e.once.Do(func() { e.src, e.err = f.read(name) })
	return e.src, e.err
}

// loaded is a file that has been read already, or nil.
func (f *files) loaded(name string) *source {
	f.mu.Lock()
	e := f.byPath[name]
	f.mu.Unlock()
	if e == nil {
		return nil
	}
	return e.src
}

func (f *files) read(name string) (*source, error) {
	if rel, ok := strings.CutPrefix(name, standInDir+"/"); ok {
		text, err := standIns.ReadFile("standin/" + rel)
		if err != nil {
			return nil, fs.ErrNotExist
		}
		return newSource(rel, text)
	}
	shown := name
	if filepath.Dir(name) == f.dir {
		shown = filepath.Base(name)
	}
	refuse := func(why string) error {
		return &ParseError{Pos: Pos{File: shown}, Text: why}
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, e := os.Lstat(name); e == nil {
			return nil, refuse("dangling symbolic link")
		}
		return nil, fs.ErrNotExist
	case err != nil:
		return nil, refuse(reason(err))
	case info.IsDir():
		return nil, refuse("is a directory")
	case !info.Mode().IsRegular():
		return nil, refuse("is not a regular file")
	case info.Size() > maxFileSize:
		return nil, refuse(fmt.Sprintf("%d bytes: too big for a header (limit %d)", info.Size(), maxFileSize))
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, refuse(reason(err))
	}
	return newSource(shown, text)
}

// reason is an error without the path, which the position says already.
func reason(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

// Open implements fs.FS for cc/v4, which passes absolute paths.
func (f *files) Open(name string) (fs.File, error) {
	if !path.IsAbs(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	src, err := f.load(path.Clean(name))
	if err != nil {
		return nil, err
	}
	if rel, ok := strings.CutPrefix(name, standInDir+"/"); ok {
		f.mu.Lock()
		f.used[rel] = true
		f.mu.Unlock()
	}
	return &memFile{name: path.Base(name), size: int64(len(src.text)), Reader: bytes.NewReader(src.text)}, nil
}

// refused is the reason why an include that exists could not be used.
func (f *files) refused(include string) *ParseError {
	f.mu.Lock()
	defer f.mu.Unlock()
	for name, e := range f.byPath {
		var pe *ParseError
		if strings.HasSuffix(name, "/"+include) && errors.As(e.err, &pe) {
			return pe
		}
	}
	return nil
}

// memFile is an open file of files, and its own fs.FileInfo.
type memFile struct {
	*bytes.Reader
	name string
	size int64
}

var _ io.ReadCloser = (*memFile)(nil)

func (m *memFile) Stat() (fs.FileInfo, error) { return memInfo{m}, nil }
func (m *memFile) Close() error               { return nil }

type memInfo struct{ m *memFile }

func (i memInfo) Name() string       { return i.m.name }
func (i memInfo) Size() int64        { return i.m.size }
func (i memInfo) Mode() fs.FileMode  { return 0o444 }
func (i memInfo) ModTime() time.Time { return time.Time{} }
func (i memInfo) IsDir() bool        { return false }
func (i memInfo) Sys() any           { return nil }
