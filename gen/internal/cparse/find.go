package cparse

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// marks are the headers that tell an include directory of DOCA.
var marks = []string{"doca_error.h", "doca_version.h"}

// FindIncludeDir returns the absolute path of the directory that holds DOCA's
// headers: dir itself, or where an SDK installed under dir keeps them
// (include, infrastructure/include, any other */include).
func FindIncludeDir(dir string) (string, error) {
	if dir == "" {
		return "", fmt.Errorf("no directory given: want an SDK prefix such as /opt/mellanox/doca, or an include directory")
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(abs)
	if err != nil {
		return "", fmt.Errorf("DOCA headers: %w", err)
	}
	if !info.IsDir() {
		return "", fmt.Errorf("DOCA headers: %s is not a directory", dir)
	}
	tried := []string{abs}
	for _, sub := range []string{"include", "include/doca", "infrastructure/include", "*/include", "usr/include", "opt/mellanox/doca/include"} {
		found, err := filepath.Glob(filepath.Join(globQuote(abs), sub))
		if err != nil {
			return "", err
		}
		if found == nil {
			found = []string{filepath.Join(abs, sub)}
		}
		for _, d := range found {
			if !slices.Contains(tried, d) {
				tried = append(tried, d)
			}
		}
	}
	for _, d := range tried {
		for _, m := range marks {
			if _, err := os.Stat(filepath.Join(d, m)); err == nil {
				return d, nil
			}
		}
	}
	return "", fmt.Errorf("no DOCA headers: neither %s in any of %s", strings.Join(marks, " nor "), strings.Join(tried, ", "))
}

// globQuote makes a path safe as the start of a pattern.
func globQuote(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// listHeaders are the base names of DOCA's headers in a directory, sorted.
func listHeaders(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("DOCA headers: %w", err)
	}
	var names []string
	for _, e := range entries {
		if n := e.Name(); strings.HasPrefix(n, "doca") && strings.HasSuffix(n, ".h") {
			names = append(names, n)
		}
	}
	if names == nil {
		return nil, fmt.Errorf("no header doca*.h in %s", dir)
	}
	return names, nil
}
