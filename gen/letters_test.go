package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Names in C may have letters of any alphabet. The C compiler has nothing to warn of, and the bindings fit.
func TestNamesOfOtherAlphabets(t *testing.T) {
	t.Parallel()
	more, err := os.ReadFile("testdata/names/letters.h")
	require.NoError(t, err)
	sdk, out := dmaWith(t, string(more)), filepath.Join(t.TempDir(), "out")
	status, said, errOut := gen("generate", "-base", "none", "-libs", "dma", "-sdk", sdk, "-out", out)
	require.Zero(t, status, errOut)
	assert.Regexp(t, `(?m)^dma: bound \d+, skipped 0$`, said)
	cc := exec.Command("cc", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "shim.c")
	cc.Dir = filepath.Join(out, "dma")
	warned, err := cc.CombinedOutput()
	assert.NoError(t, err, string(warned))
	vet := exec.Command("go", "vet", "./dma")
	vet.Dir = out
	vetted, err := vet.CombinedOutput()
	assert.NoError(t, err, string(vetted))
	status, said, _ = gen("check", "-sdk", sdk, "-bindings", out)
	assert.Zero(t, status, said)
}
