package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What makes the build of the packages fast: few runs of the C compiler, with flags of their own.
func TestPackagesBuildFast(t *testing.T) {
	t.Parallel()
	headers, err := filepath.Glob("../generated/*/shim.h")
	require.NoError(t, err)
	require.NotEmpty(t, headers)
	for _, header := range headers {
		dir := filepath.Dir(header)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			sources, err := filepath.Glob(filepath.Join(dir, "*.c"))
			require.NoError(t, err)
			assert.Equal(t, []string{filepath.Join(dir, "shim.c")}, sources)
			files, err := filepath.Glob(filepath.Join(dir, "*.go"))
			require.NoError(t, err)
			flags, shims := 0, false
			for _, file := range files {
				text, err := os.ReadFile(file)
				require.NoError(t, err)
				calls := regexp.MustCompile(`\bC\.godoca_\w+\(`).Match(text)
				shims = shims || regexp.MustCompile(`\b(rc|done) := C\.`).Match(text)
				if !strings.Contains(string(text), `// #include "shim.h"`) { // without it, nobody compiles the C of a package without functions
					assert.Equal(t, calls, strings.Contains(string(text), `import "C"`), "cgo in %s", file)
				}
				flags += strings.Count(string(text), compilerFlags)
			}
			if shims {
				assert.Equal(t, 1, flags, "files with %s", compilerFlags)
			}
		})
	}
}

const compilerFlags = "#cgo CFLAGS: -O1 -g1"

// GCC takes the variable that calls.h declares for the one that was meant, so it does not go on to search.
func TestCgoFindsNamesFast(t *testing.T) {
	t.Parallel()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	cgo, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "src/cmd/cgo/gcc.go"))
	require.NoError(t, err)
	const unknown = "__cgo_undefined__2"
	assert.Contains(t, string(cgo), "%s *"+unknown+"; }", "cgo does not try names as it did: look at the declaration in calls.h.tmpl")
	calls, err := filepath.Abs("../generated/dma/calls.h")
	require.NoError(t, err)
	cmd := exec.Command("gcc", "-w", "-fsyntax-only", "-fdiagnostics-color=never", "-xc", "-")
	cmd.Stdin = strings.NewReader("#include \"" + calls + "\"\nvoid f(void) { godoca_dma_create *" + unknown + "; }\n")
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(out), "did you mean '__cgo_undefined__'?")
}
