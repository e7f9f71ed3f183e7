// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"debug/elf"
	"go/build"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The Go imports of the folders say which may use which: Go knows no circles, and rebuilds a package
// when one that it imports has changed. These tests hold the C sources to them.

const module = "github.com/go-doca/go-doca/emulator/"

// folders reads the Go packages below this one.
func folders(t *testing.T) map[string]*build.Package {
	t.Helper()
	files, err := filepath.Glob("*/*.go")
	require.NoError(t, err)
	found := map[string]*build.Package{}
	for _, file := range files {
		dir, err := filepath.Abs(filepath.Dir(file))
		require.NoError(t, err)
		pkg, err := build.ImportDir(dir, 0)
		require.NoError(t, err)
		found[filepath.Base(dir)] = pkg
	}
	require.Contains(t, found, "core")
	return found
}

// mayUse tells whether a folder may use what is in another one.
func mayUse(pkgs map[string]*build.Package, folder, other string) bool {
	switch {
	case folder == other:
		return true
	case folder == ".": // the facade, and the tests
		return true
	case pkgs[folder] == nil: // argp, which Go programs do not link in
		return other == "core"
	}
	return slices.Contains(pkgs[folder].Imports, module+other)
}

var include = regexp.MustCompile(`(?m)^#include "(.*)"`)

// includes returns what the C files of the libraries and of this folder include of each other.
func includes(t *testing.T) map[string][]string {
	t.Helper()
	arrows := map[string][]string{}
	for _, pattern := range []string{"*.[ch]", "*/*.[ch]"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, file := range files {
			if strings.HasPrefix(file, "test/") || strings.HasPrefix(file, "sdktest/") {
				continue
			}
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			arrows[file] = nil
			for _, m := range include.FindAllStringSubmatch(string(text), -1) {
				header := path.Join(path.Dir(file), m[1])
				if _, err := os.Stat(header); err != nil {
					header = m[1]
				}
				require.FileExists(t, header, "%s includes it", file)
				arrows[file] = append(arrows[file], header)
			}
		}
	}
	require.Greater(t, len(arrows), 50)
	return arrows
}

// circle returns the files of a circle, or nothing.
func circle(arrows map[string][]string) []string {
	done := map[string]bool{}
	var path []string
	var visit func(file string) []string
	visit = func(file string) []string {
		if i := slices.Index(path, file); i >= 0 {
			return append(slices.Clone(path[i:]), file)
		}
		if done[file] {
			return nil
		}
		done[file] = true
		path = append(path, file)
		for _, next := range arrows[file] {
			if found := visit(next); found != nil {
				return found
			}
		}
		path = path[:len(path)-1]
		return nil
	}
	for _, file := range slices.Sorted(maps.Keys(arrows)) {
		if found := visit(file); found != nil {
			return found
		}
	}
	return nil
}

func TestIncludes(t *testing.T) {
	pkgs, arrows := folders(t), includes(t)
	assert.Empty(t, circle(arrows))
	for file, headers := range arrows {
		folder := path.Dir(file)
		for _, header := range headers {
			other := path.Dir(header)
			assert.True(t, mayUse(pkgs, folder, other), "%s includes %s, but package %s does not import %s", file, header, folder, other)
			if other != folder && other != "." {
				assert.Contains(t, pkgs[other].EmbedPatterns, "*.h",
					"%s includes %s: package %s must embed its headers, or Go does not see that they change", file, header, other)
			}
		}
	}
}

var declared = regexp.MustCompile(`(?m)^EMU_(?:API|LOCAL) [^();]*?\b(emu_\w+)\(`)

// What emu_x.h declares is in emu_x.c of the same folder.
func TestPairs(t *testing.T) {
	num := 0
	for file := range includes(t) {
		if ok, _ := path.Match("emu_*.h", path.Base(file)); !ok {
			continue
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range declared.FindAllStringSubmatch(string(text), -1) {
			source := strings.TrimSuffix(file, ".h") + ".c"
			body, err := os.ReadFile(source)
			if assert.NoError(t, err, "%s declares %s", file, m[1]) {
				assert.Regexp(t, `(?m)^\w[^=;]*\b`+m[1]+`\(`, string(body), "%s: %s is not in %s", file, m[1], source)
			}
			num++
		}
	}
	require.Greater(t, num, 100)
}

// No function is called of a folder that is not imported, nor in circles between files.
func TestCalls(t *testing.T) {
	pkgs := folders(t)
	objects := t.TempDir()
	defined, used := map[string]string{}, map[string][]string{}
	for folder, pkg := range pkgs {
		for _, file := range pkg.CFiles {
			file = path.Join(folder, file)
			object := filepath.Join(objects, strings.ReplaceAll(file, "/", "_")+".o")
			args := append(slices.Clone(pkg.CgoCFLAGS), "-O0", "-c", file, "-o", object)
			out, err := exec.Command(compiler(t), args...).CombinedOutput()
			require.NoError(t, err, "%s", out)
			used[file] = symbolsOf(t, object, file, defined)
		}
	}
	require.Greater(t, len(used), 50)
	arrows := map[string][]string{}
	for file, names := range used {
		for _, name := range names {
			other, ok := defined[name]
			if !ok {
				continue // the system's
			}
			assert.True(t, mayUse(pkgs, path.Dir(file), path.Dir(other)),
				"%s uses %s of %s, but package %s does not import %s", file, name, other, path.Dir(file), path.Dir(other))
			arrows[file] = append(arrows[file], other)
		}
	}
	require.Contains(t, arrows["dma/doca_dma.c"], "core/emu_ctx.c")
	assert.Empty(t, circle(arrows))
}

func compiler(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "CC").Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}

// symbolsOf adds what an object defines, and returns what it needs.
func symbolsOf(t *testing.T, object, file string, defined map[string]string) (needed []string) {
	t.Helper()
	opened, err := elf.Open(object)
	require.NoError(t, err)
	defer opened.Close()
	symbols, err := opened.Symbols()
	require.NoError(t, err)
	for _, s := range symbols {
		switch {
		case s.Section == elf.SHN_UNDEF:
			needed = append(needed, s.Name)
		case elf.ST_BIND(s.Info) == elf.STB_GLOBAL:
			assert.NotContains(t, defined, s.Name)
			defined[s.Name] = file
		}
	}
	return needed
}
