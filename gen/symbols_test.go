package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A function whose symbol is another than its name is not bound, for it would be another function.
func TestAssemblerLabels(t *testing.T) {
	t.Parallel()
	sdk, out := dmaWith(t, `
doca_error_t doca_dma_labelled(struct doca_dma *dma) __asm__("doca_dma_" "other") __attribute__((nothrow));
doca_error_t doca_dma_own(struct doca_dma *dma) __asm__("doca_dma_own"), doca_dma_plain(struct doca_dma *dma);
doca_error_t doca_dma_later(struct doca_dma *dma);
doca_error_t doca_dma_later(struct doca_dma *dma) __asm__("doca_dma_sooner");
doca_error_t doca_dma_typeof(struct doca_dma *dma);
extern __typeof__(doca_dma_typeof) doca_dma_typeof __asm__("doca_dma_other");
#pragma redefine_extname doca_dma_before doca_dma_after
doca_error_t doca_dma_before(struct doca_dma *dma);
`), filepath.Join(t.TempDir(), "out")
	status, said, errOut := gen("generate", "-base", "none", "-libs", "dma", "-sdk", sdk, "-out", out)
	require.Zero(t, status, errOut)
	assert.Regexp(t, `(?m)^dma: bound \d+, skipped 5$`, said)
	skipped, err := os.ReadFile(filepath.Join(out, "api", "skipped.txt"))
	require.NoError(t, err)
	assert.Contains(t, string(skipped), "doca_dma_labelled | its symbol is doca_dma_other by a label")
	assert.Contains(t, string(skipped), "doca_dma_later | its symbol is doca_dma_sooner by a label")
	assert.Contains(t, string(skipped), "doca_dma_before | its symbol is doca_dma_after by a label")
	assert.Contains(t, string(skipped), "doca_dma_typeof | its symbol is doca_dma_other by a label")
	text, err := os.ReadFile(filepath.Join(out, "dma", "dma.go"))
	require.NoError(t, err)
	assert.Contains(t, string(text), "func Own(")
	assert.Contains(t, string(text), "func Plain(")
}
