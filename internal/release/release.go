// Package release makes the headers of a DOCA release of those of an older one and of what releases after it have added.
//
// The reference headers have a directory for each release. The oldest has all headers; a later one has additions alone, in files
// that are named after the headers which they belong to:
//
//   - enumerators of an enumeration that the header has already, in the form "enum tag {", one line or more for each, "};". They go to
//     its end;
//   - all else goes to the end of the header.
//
// What precedes the first empty line of such a file is about the file, and is left out. A file for which there is no header is a new
// header, and is taken as it is.
package release

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Set is the directories that the headers of a release are in.
type Set struct {
	Release   string   // "3.2"
	Base      string   // a directory with all headers
	Additions []string // directories of the releases after it, the oldest first
}

var form = regexp.MustCompile(`^(\d+)\.(\d+)$`)

// versionHeader is in a directory with all headers, and in no other.
const versionHeader = "doca_version.h"

// At finds out what the release of a directory is made of. It is not ok where the directory has all headers by itself, or is none of a
// release.
func At(dir string) (s Set, ok bool, err error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return Set{}, false, err
	}
	s.Release = filepath.Base(abs)
	if !form.MatchString(s.Release) || whole(abs) {
		return Set{}, false, nil
	}
	all, err := releases(filepath.Dir(abs))
	if err != nil {
		return Set{}, false, err
	}
	for _, r := range all {
		d := filepath.Join(filepath.Dir(abs), r)
		switch {
		case compare(r, s.Release) > 0:
		case whole(d):
			s.Base, s.Additions = d, nil
		case s.Base != "":
			s.Additions = append(s.Additions, d)
		}
	}
	return s, s.Base != "" && slices.Contains(s.Additions, abs), nil
}

// Newest is the directory of the newest release in a directory of reference headers.
func Newest(dir string) (string, error) {
	all, err := releases(dir)
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		return "", fmt.Errorf("no headers of a release in %s: want directories such as 3.0", dir)
	}
	return filepath.Join(dir, all[len(all)-1]), nil
}

// Write writes the headers into a directory. more are directories with further additions.
func (s Set) Write(to string, more ...string) error {
	headers, err := filepath.Glob(filepath.Join(s.Base, "*.h"))
	if err != nil {
		return err
	}
	text := map[string]string{}
	for _, path := range headers {
		if err := read(path, text); err != nil {
			return err
		}
	}
	for _, dir := range slices.Concat(s.Additions, more) {
		files, err := filepath.Glob(filepath.Join(dir, "*.h"))
		if err != nil {
			return err
		}
		added := map[string]string{}
		for _, path := range files {
			if err := read(path, added); err != nil {
				return err
			}
			name := filepath.Base(path)
			if have, ok := text[name]; !ok {
				text[name] = added[name]
			} else if text[name], err = merge(have, added[name]); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
		}
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for name, t := range text {
		if err := os.WriteFile(filepath.Join(to, name), []byte(t), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func read(path string, into map[string]string) error {
	text, err := os.ReadFile(path)
	into[filepath.Base(path)] = string(text)
	return err
}

var (
	enumerators = regexp.MustCompile(`(?ms)^enum (\w+) \{\n(.*?)^\};\n`)
	closing     = "\n#ifdef __cplusplus\n}\n#endif\n"
)

// merge adds to the text of a header.
func merge(header, added string) (string, error) {
	_, added, ok := strings.Cut(added, "\n\n")
	if !ok {
		return "", errors.New("no empty line behind what the file says of itself")
	}
	for _, m := range enumerators.FindAllStringSubmatch(added, -1) {
		head := regexp.MustCompile(`(?ms)^(?:typedef )?enum ` + m[1] + ` \{\n.*?^\}`)
		place := head.FindStringIndex(header)
		if place == nil {
			continue // a new one
		}
		end := place[1] - 1
		header = header[:end] + m[2] + header[end:]
		added = strings.Replace(added, m[0], "", 1)
	}
	if added = strings.TrimSpace(added); added == "" {
		return header, nil
	}
	before, after, ok := strings.Cut(header, closing)
	if !ok {
		return "", errors.New("the header has no place for additions: it does not end in the brace of extern \"C\"")
	}
	return before + "\n" + added + "\n" + closing + after, nil
}

// whole tells whether a directory has all headers.
func whole(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, versionHeader))
	return err == nil
}

// releases are the directories that are named like releases, the oldest first.
func releases(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		if e.IsDir() && form.MatchString(e.Name()) {
			names = append(names, e.Name())
		}
	}
	slices.SortFunc(names, compare)
	return names, nil
}

// compare orders releases by their numbers.
func compare(a, b string) int {
	number := func(s string, i int) int {
		n, _ := strconv.Atoi(form.FindStringSubmatch(s)[i])
		return n
	}
	return cmp.Or(cmp.Compare(number(a, 1), number(b, 1)), cmp.Compare(number(a, 2), number(b, 2)))
}
