package dma_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A call into C costs more than a small copy. Copies that end within the call that submits them take one, on a card as well. The test does
// not run beside others, which call C, too.
func TestCrossings(t *testing.T) {
	for _, speed := range []string{"", "delay=1.4us,rate=4e6"} {
		faults(t, speed)
		b := newBench(t, 32)
		ctx := t.Context()
		batch := must(b.dma.NewBatch(32))(t)
		for i := range 32 {
			check(t, batch.AddRange(b.mem, 8192+64*i, b.mem, 64*i, 64))
		}
		one := must(b.dma.NewBatch(1))(t)
		dst, src := must(b.inv.Buffer(b.mem, 4096, 64))(t), b.source(t, 0, 64, 1)
		check(t, one.Add(dst, src))
		for name, c := range map[string]struct {
			calls int64
			run   func()
		}{
			"Run of 32":  {1, func() { check(t, batch.Run(ctx)) }},
			"Run of one": {1, func() { check(t, one.Run(ctx)) }},
			"CopyRange":  {1, func() { check(t, b.dma.CopyRange(ctx, b.mem, 4096, b.mem, 0, 64)) }},
			"Submit and Wait": {2, func() {
				check(t, batch.Submit(ctx))
				check(t, batch.Wait(ctx))
			}},
		} {
			c.run() // the first run does more
			least := c.calls + 1
			for range 100 { // a wait that was disturbed calls C once more
				before := runtime.NumCgoCall()
				c.run()
				least = min(least, runtime.NumCgoCall()-before)
			}
			assert.Equal(t, c.calls, least, "%s, with the faults %q", name, speed)
		}
	}
}
