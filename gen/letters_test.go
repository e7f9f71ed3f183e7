package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Names in C may have letters of any alphabet. The C compiler has nothing to warn of, and the bindings fit.
func TestNamesOfOtherAlphabets(t *testing.T) {
	t.Parallel()
	sdk, out := dmaBindings(t, contents(t, "testdata/names/letters.h"), 0)
	passes(t, filepath.Join(out, "dma"), "cc", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "shim.c")
	passes(t, out, "go", "vet", "./dma")
	status, said, _ := gen("check", "-sdk", sdk, "-bindings", out)
	assert.Zero(t, status, said)
}
