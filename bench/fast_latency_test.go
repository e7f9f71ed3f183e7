package bench

import (
	"context"
	"testing"

	"github.com/go-doca/go-doca/emulator"
)

// BenchmarkLatency is for copies that take as long as on a card.
func BenchmarkLatency(b *testing.B) {
	ok(b, emulator.SetFaults("delay=1.4us,rate=4e6"))
	defer emulator.ClearFaults()
	ctx := context.Background()
	b.Run("blocking", func(b *testing.B) {
		l := newGoLoop(b, 1, 64)
		inC, err := newCLoop(1, 1, 64)
		ok(b, err)
		inTurns(b, 1, func(rounds int) {
			for range rounds {
				if err := l.copier.CopyRange(ctx, l.dst, 0, l.src, 0, 64); err != nil {
					b.Fatal(err)
				}
			}
		}, func(rounds int) { ok(b, inC.run(rounds)) })
		ok(b, inC.close())
	})
	for _, kind := range []string{"fixed", "new ranges"} {
		b.Run("batch of "+kind, func(b *testing.B) {
			l := newGoLoop(b, 256, 64)
			run := l.run(b)
			inC, err := newCLoop(depth, 256, 64)
			if kind != "fixed" {
				run = l.runRanges(b, 256, 64)
				inC, err = newCRanges(depth, 256, 64, false)
			}
			ok(b, err)
			inTurns(b, 256, run, func(rounds int) { ok(b, inC.run(rounds)) })
			ok(b, inC.close())
		})
	}
}
