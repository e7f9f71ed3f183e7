package emit

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Write makes dir hold exactly these files. The files are written to temporary places
// first, so that a full disk or a missing permission leaves what was there; files that an
// earlier run generated and this one did not are removed, files of others stay.
func (f Files) Write(dir string) error { return f.write(dir, true) }

// WriteInto is Write, but leaves the directories below dir alone.
func (f Files) WriteInto(dir string) error { return f.write(dir, false) }

func (f Files) write(dir string, below bool) error {
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
		tmp, err := os.CreateTemp(filepath.Dir(path), ".gen-*")
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
	}
	return nil
}

type rename struct{ from, to string }

// generatedFiles finds what an earlier run left in dir, and below it.
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
		mark, err := firstLine(path)
		if err == nil && strings.Contains(mark, generated) {
			found[path] = true
		}
		return err
	})
	return found, err
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
