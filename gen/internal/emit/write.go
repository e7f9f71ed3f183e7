package emit

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Write makes dir hold exactly these files: those that an earlier run generated and this one did not are removed, files of
// others stay. It writes all of them beside dir, and exchanges the two directories in one step: whoever is killed, or has a full
// disk, leaves the old files or the new. Where the directories cannot be exchanged, each file is old or new.
func (f Files) Write(dir string) error { return f.write(dir, true) }

// WriteInto is Write, but leaves the directories below dir alone. With such directories, each file is old or new by itself.
func (f Files) WriteInto(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if e.IsDir() {
			return f.inPlace(dir, false)
		}
	}
	return f.write(dir, true)
}

// WriteAmong is Write for a directory that holds much besides: each file is old or new by itself.
func (f Files) WriteAmong(dir string) error { return f.inPlace(dir, true) }

func (f Files) write(dir string, below bool) error {
	err := f.exchange(dir)
	if errors.Is(err, errNoExchange) {
		err = f.inPlace(dir, below)
	}
	return err
}

// inPlace writes the files to temporary ones first, so that a full disk or a missing permission leaves what was there.
func (f Files) inPlace(dir string, below bool) error {
	stale, err := generatedFiles(dir, below)
	if err != nil {
		return err
	}
	var pending []rename
	defer func() {
		for _, r := range pending {
			os.Remove(r.from)
		}
	}()
	for _, p := range f.Paths() {
		path := filepath.Join(dir, filepath.FromSlash(p))
		delete(stale, path)
		old, err := os.ReadFile(path)
		if err == nil && bytes.Equal(old, f[p]) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		tmp, err := os.CreateTemp(filepath.Dir(path), temporary+"*")
		if err != nil {
			return err
		}
		pending = append(pending, rename{tmp.Name(), path})
		_, err = tmp.Write(f[p])
		if err := errors.Join(err, tmp.Chmod(0o644), tmp.Close()); err != nil {
			return fmt.Errorf("write %s: %w", path, err)
		}
	}
	for len(pending) > 0 {
		if err := os.Rename(pending[0].from, pending[0].to); err != nil {
			return err
		}
		pending = pending[1:]
	}
	for path := range stale {
		if err := os.Remove(path); err != nil {
			return err
		}
		if filepath.Dir(path) != filepath.Clean(dir) {
			os.Remove(filepath.Dir(path)) // if nothing is left in it
		}
	}
	return nil
}

type rename struct{ from, to string }

// temporary is how the names of files and directories begin that are there while a run writes.
const temporary = ".gen-"

// isTemporary tells what a run has left that was killed.
func isTemporary(name string) bool { return leftover.MatchString(name) }

var leftover = regexp.MustCompile(`^\` + temporary + `\d+$`)

// generatedFiles finds what an earlier run left in dir, and below it: what it made, and what it was writing when it was killed.
func generatedFiles(dir string, below bool) (map[string]bool, error) {
	found := map[string]bool{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && path == dir {
			return fs.SkipAll
		}
		if err == nil && d.IsDir() && path != dir && !below {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() {
			return err
		}
		is, err := isGenerated(path, d)
		if is {
			found[path] = true
		}
		return err
	})
	return found, err
}

func isGenerated(path string, d fs.DirEntry) (bool, error) {
	switch {
	case !d.Type().IsRegular():
		return false, nil
	case isTemporary(d.Name()):
		return true, nil
	}
	mark, err := firstLine(path)
	return strings.Contains(mark, generated), err
}

func firstLine(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	buf := make([]byte, 128)
	n, _ := file.Read(buf)
	line, _, _ := strings.Cut(string(buf[:n]), "\n")
	return line, nil
}
