package dma_test

import (
	"context"
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
			faults(t, "delay=20ms")
			run := func(name string, d *dma.DMA, start func(off, from int) func() error) {
				ctx := context.Background()
				f := must(b.dma.CopyRangeAsync(ctx, b.mem, c.firstDst, b.mem, c.firstSrc, 64))(t)
				err := start(c.thenDst, c.thenSrc)()
				if d.State() == doca.StateIdle {
					check(t, d.Start(ctx))
				}
				if d != b.dma || !c.bad {
					must(f.Wait(ctx))(t)
				} else {
					f.Wait(ctx) // a failure on the same context may take it along
				}
				if b.dma.State() == doca.StateIdle {
					check(t, b.dma.Start(ctx))
				}
				if c.bad {
					assert.ErrorIs(t, err, doca.ErrIOFailed, name)
				} else {
					assert.NoError(t, err, name)
				}
			}
			for _, d := range []*dma.DMA{b.dma, second} {
				run("a range", d, func(off, from int) func() error {
					return func() error { return d.CopyRange(t.Context(), b.mem, off, b.mem, from, 64) }
				})
				run("buffers", d, func(off, from int) func() error {
					dst, src := must(b.inv.Buffer(b.mem, off, 64))(t), must(b.inv.Source(b.mem, from, 64))(t)
					return func() error {
						_, err := d.Copy(t.Context(), dst, src)
						check(t, dst.Close())
						check(t, src.Close())
						return err
					}
				})
			}
			check(t, b.dma.CopyRange(t.Context(), b.mem, c.thenDst, b.mem, c.thenSrc, 64)) // one after the other
		})
	}
}
