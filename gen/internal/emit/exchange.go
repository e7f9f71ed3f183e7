package emit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// errNoExchange says that nothing was written, because a directory cannot be put in the place of another here.
var errNoExchange = errors.New("directories cannot be exchanged")

// exchange writes what dir is to hold beside it, and puts that in its place. It holds a lock on the directory above, so what
// looks like its own work is that of a run that was killed.
func (f Files) exchange(dir string) error {
	target, err := exchangeable(dir)
	if err != nil {
		return err
	}
	if info, err := os.Stat(target); err == nil && !info.IsDir() {
		return &fs.PathError{Op: "write to", Path: dir, Err: syscall.ENOTDIR}
	}
	above := filepath.Dir(target)
	if err := os.MkdirAll(above, 0o755); err != nil {
		return err
	}
	unlock, err := lock(above)
	if err != nil {
		return errNoExchange
	}
	defer unlock()
	prefix := temporary + filepath.Base(target) + "-"
	if err := sweep(above, prefix); err != nil {
		return err
	}
	stage, err := os.MkdirTemp(above, prefix)
	if err != nil {
		return errNoExchange // not allowed to write there
	}
	defer os.RemoveAll(stage)                                                     // afterwards it has what dir had
	if err := errors.Join(os.Remove(stage), os.Mkdir(stage, 0o755)); err != nil { // with the mode that others have
		return err
	}
	if err := f.stage(stage, target); err != nil {
		return err
	}
	if _, err := os.Lstat(target); errors.Is(err, fs.ErrNotExist) {
		return os.Rename(stage, target)
	}
	if swap(stage, target) != nil {
		return errNoExchange
	}
	return nil
}

// exchangeable is the place of a directory, or errNoExchange: if it is the working directory, the shell would stay in the old one.
func exchangeable(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		abs = real
	}
	here, err := os.Getwd()
	if err != nil {
		return "", errNoExchange
	}
	if real, err := filepath.EvalSymlinks(here); err == nil {
		here = real
	}
	if rel, err := filepath.Rel(abs, here); err != nil || filepath.IsLocal(rel) || abs == filepath.Dir(abs) {
		return "", errNoExchange
	}
	return abs, nil
}

// sweep removes what runs left that were killed.
func sweep(above, prefix string) error {
	entries, err := os.ReadDir(above)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if n := strings.TrimPrefix(e.Name(), prefix); e.IsDir() && n != e.Name() && isTemporary(temporary+n) {
			if err := os.RemoveAll(filepath.Join(above, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// stage fills a directory with the files, and with those of others in the old one. What has not changed is linked, not copied.
func (f Files) stage(stage, old string) error {
	if err := adopt(stage, old, f); err != nil {
		return err
	}
	for _, p := range f.Paths() {
		from, to := filepath.Join(old, filepath.FromSlash(p)), filepath.Join(stage, filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if text, err := os.ReadFile(from); err == nil && bytes.Equal(text, f[p]) {
			if err := link(from, to); err != nil {
				return err
			}
			continue
		}
		if err := os.WriteFile(to, f[p], 0o644); err != nil {
			return fmt.Errorf("write %s: %w", from, err)
		}
	}
	return nil
}

// adopt takes over the files of others, and the directories that they are in.
func adopt(stage, old string, f Files) error {
	err := filepath.WalkDir(old, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && path == old {
			return fs.SkipAll
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(old, path)
		if err != nil {
			return err
		}
		to := filepath.Join(stage, rel)
		if d.IsDir() {
			return adoptDir(to, d)
		}
		if _, ours := f[filepath.ToSlash(rel)]; ours {
			return nil
		}
		if is, err := isGenerated(path, d); is || err != nil {
			return err
		}
		return link(path, to)
	})
	if err != nil {
		return err
	}
	return prune(stage, old)
}

func adoptDir(to string, d fs.DirEntry) error {
	info, err := d.Info()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	return os.Chmod(to, info.Mode().Perm()|0o700)
}

// prune removes directories that had nothing but generated files; those that were empty stay.
func prune(stage, old string) error {
	var dirs []string
	err := filepath.WalkDir(stage, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && path != stage {
			dirs = append(dirs, path)
		}
		return err
	})
	for i := len(dirs) - 1; i >= 0 && err == nil; i-- { // what is inside goes first
		rel, _ := filepath.Rel(stage, dirs[i])
		had, readErr := os.ReadDir(filepath.Join(old, rel))
		if err = readErr; len(had) > 0 {
			os.Remove(dirs[i]) // fails where something is left
		}
	}
	return err
}

// link puts a file in a second place; where files cannot be linked, a copy.
func link(from, to string) error {
	if os.Link(from, to) == nil {
		return nil
	}
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		where, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(where, to)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no file, and cannot be linked", from)
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close(), os.Chtimes(to, info.ModTime(), info.ModTime()))
}
