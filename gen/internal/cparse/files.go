package cparse

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Where the stand-ins seem to be: no such directories exist.
const (
	builtin    = "/<built-in>/"
	standInDir = builtin + "thirdparty"
	libcDir    = builtin + "libc"
	missingDir = builtin + "missing" // has every header there is, empty
)

// standIns declare the few names of third-party headers (rdma-core, UCX, DPDK,
// json-c, the DPA toolchain) that DOCA headers use, and a plain C library.
//
//go:embed standin
var standIns embed.FS

// files opens headers for cc/v4: it reads each file once for all units, guards
// against what cc/v4 cannot survive, and knows the stand-ins.
type files struct {
	mu     sync.Mutex
	dir    string
	byPath map[string]*entry
}

// entry is a file that was read, or the reason why not. The lock of files
// guards the result, except for whoever has waited for once.
type entry struct {
	once   sync.Once
	src    *source
	err    error
	system bool // found in none of DOCA's directories
}

func newFiles(dir string) *files {
	return &files{dir: dir, byPath: map[string]*entry{}}
}

// load reads and indexes a file.
func (f *files) load(name string) (*source, error) {
	f.mu.Lock()
	e := f.byPath[name]
	if e == nil {
		e = &entry{system: f.isSystem(name)}
		f.byPath[name] = e
	}
	f.mu.Unlock()
	e.once.Do(func() {
		src, err := f.read(name)
		f.mu.Lock()
		defer f.mu.Unlock()
		e.src, e.err = src, err
	})
	return e.src, e.err
}

// replace puts another source in the place of one that was loaded.
func (f *files) replace(name string, src *source) {
	f.mu.Lock()
	defer f.mu.Unlock()
	e := &entry{src: src}
	e.once.Do(func() {})
	f.byPath[name] = e
}

// isSystem reports whether a file comes with the C compiler or library.
func (f *files) isSystem(name string) bool {
	return filepath.Dir(name) != f.dir && !strings.HasPrefix(name, builtin)
}

// loaded is a file that has been read already, or nil.
func (f *files) loaded(name string) *source {
	f.mu.Lock()
	defer f.mu.Unlock()
	if e := f.byPath[name]; e != nil {
		return e.src
	}
	return nil
}

func (f *files) read(name string) (*source, error) {
	if rel, ok := strings.CutPrefix(name, builtin); ok {
		text, err := standIns.ReadFile("standin/" + rel)
		if err != nil {
			return nil, fs.ErrNotExist
		}
		return newSource(rel, text, false)
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
	return newSource(shown, text, f.isSystem(name))
}

// reason is an error without the path, which the position says already.
func reason(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

// unitFS opens files for cc/v4 on behalf of one unit. Includes that nobody has
// end at missingDir, the last directory of the search: where cc/v4 stops at an
// include, its parser may loop.
type unitFS struct {
	files   *files
	used    map[string]bool // stand-ins
	missing map[string]bool // includes that nobody has
}

// Open implements fs.FS; cc/v4 passes absolute paths.
func (u *unitFS) Open(name string) (fs.File, error) {
	if name == macrosName {
		return newMemFile(name, u.files.macroList()), nil
	}
	if !path.IsAbs(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	if rel, ok := strings.CutPrefix(name, missingDir+"/"); ok {
		f := newMemFile(name, nil)
		f.absent = true
		f.onRead = func() { u.missing[rel] = true }
		return f, nil
	}
	src, err := u.files.load(path.Clean(name))
	if err != nil {
		return nil, err
	}
	f := newMemFile(name, src.text)
	if rel, ok := strings.CutPrefix(name, builtin); ok {
		f.onRead = func() { u.used[rel] = true }
	}
	return f, nil
}

// paths are the files asked for so far, sorted.
func (f *files) paths() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Sorted(maps.Keys(f.byPath))
}

func newMemFile(name string, text []byte) *memFile {
	return &memFile{name: path.Base(name), size: int64(len(text)), r: bytes.NewReader(text)}
}

// memFile is an open file of a unitFS.
type memFile struct {
	r      *bytes.Reader
	name   string
	size   int64
	absent bool   // stands for a file that is not there
	onRead func() // called when the file is read, not only looked at (__has_include)
}

func (m *memFile) Read(b []byte) (int, error) {
	if m.onRead != nil {
		m.onRead()
	}
	return m.r.Read(b)
}

func (m *memFile) Stat() (fs.FileInfo, error) { return memInfo{m}, nil }
func (m *memFile) Close() error               { return nil }

type memInfo struct{ m *memFile }

func (i memInfo) Name() string       { return i.m.name }
func (i memInfo) Size() int64        { return i.m.size }
func (i memInfo) Mode() fs.FileMode  { return 0o444 }
func (i memInfo) ModTime() time.Time { return time.Time{} }
func (i memInfo) IsDir() bool        { return i.m.absent } // makes __has_include false
func (i memInfo) Sys() any           { return nil }
