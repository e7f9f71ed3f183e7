package dma_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
)

// Copies at the same time to the same bytes are the program's mistake, which DOCA does not notice. The
// emulator does, as the tests of this project ask it to (DOCA_EMU_CHECK_OVERLAPS): the later copy
// fails.
func TestOverlappingCopies(t *testing.T) {
	for _, c := range []struct {
		name                                 string
		firstDst, firstSrc, thenDst, thenSrc int
		bad                                  bool
	}{
		{"the same destination", 1000, 0, 1000, 100, true},
		{"one byte of the destination", 1000, 0, 1063, 100, true},
		{"a source that is being written", 1000, 0, 2000, 1000, true},
		{"a destination that is being read", 1000, 0, 0, 100, true},
		{"side by side", 1000, 0, 1064, 64, false},
		{"one source", 1000, 0, 2000, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, 4)
			engine := must(doca.NewProgressEngine(doca.EngineConfig{}))(t)
			t.Cleanup(func() { check(t, engine.Close()) })
			second := must(dma.New(b.dev, engine, dma.Config{}))(t)
			for _, d := range []*dma.DMA{b.dma, second} { // on the same context, and on another
				for form, copies := range map[string]func() error{
					"ranges": func() error { return d.CopyRange(t.Context(), b.mem, c.thenDst, b.mem, c.thenSrc, 64) },
					"buffers": func() error {
						dst, src := must(b.inv.Buffer(b.mem, c.thenDst, 64))(t), must(b.inv.Source(b.mem, c.thenSrc, 64))(t)
						_, err := d.Copy(t.Context(), dst, src)
						check(t, dst.Close())
						check(t, src.Close())
						return err
					},
				} {
					faults(t, "delay=20ms")
					first := must(b.dma.CopyRangeAsync(t.Context(), b.mem, c.firstDst, b.mem, c.firstSrc, 64))(t)
					err := copies()
					if c.bad {
						assert.ErrorIs(t, err, doca.ErrIOFailed, form)
						check(t, d.Start(t.Context()))
					} else {
						assert.NoError(t, err, form)
					}
					must(first.Wait(t.Context()))(t) // the earlier one ends as if it was alone
					faults(t, "")
				}
			}
			check(t, b.dma.CopyRange(t.Context(), b.mem, c.thenDst, b.mem, c.thenSrc, 64)) // one after the other
		})
	}
}
