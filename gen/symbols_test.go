package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A function whose symbol is another than its name is not bound, for it would be another function.
func TestAssemblerLabels(t *testing.T) {
	t.Parallel()
	_, out := dmaBindings(t, `
doca_error_t doca_dma_labelled(struct doca_dma *dma) __asm__("doca_dma_" "other") __attribute__((nothrow));
doca_error_t doca_dma_own(struct doca_dma *dma) __asm__("doca_dma_own"), doca_dma_plain(struct doca_dma *dma);
doca_error_t doca_dma_later(struct doca_dma *dma);
doca_error_t doca_dma_later(struct doca_dma *dma) __asm__("doca_dma_sooner");
doca_error_t doca_dma_typeof(struct doca_dma *dma);
extern __typeof__(doca_dma_typeof) doca_dma_typeof __asm__("doca_dma_other");
#pragma redefine_extname doca_dma_before doca_dma_after
doca_error_t doca_dma_before(struct doca_dma *dma);
`, 5)
	skipped := contents(t, out, "api", "skipped.txt")
	assert.Contains(t, skipped, "doca_dma_labelled | its symbol is doca_dma_other by a label")
	assert.Contains(t, skipped, "doca_dma_later | its symbol is doca_dma_sooner by a label")
	assert.Contains(t, skipped, "doca_dma_before | its symbol is doca_dma_after by a label")
	assert.Contains(t, skipped, "doca_dma_typeof | its symbol is doca_dma_other by a label")
	text := contents(t, out, "dma", "dma.go")
	assert.Contains(t, text, "func Own(")
	assert.Contains(t, text, "func Plain(")
}
