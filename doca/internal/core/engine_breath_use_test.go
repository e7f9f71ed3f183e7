package core_test

import (
	"testing"

	"github.com/go-doca/go-doca/doca/internal/core"
)

// A goroutine that copies again and again, in whatever way, or drives the engine in a loop of its own, lets the scheduler run.
func TestUsersBreathe(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	batch := must(r.DMA.NewBatch(1))(t)
	check(t, batch.Add(r.Dst, r.Src))
	for name, use := range map[string]func() error{
		"Copy":      func() error { _, err := r.DMA.Copy(t.Context(), r.Dst, r.Src); return err },
		"CopyRange": func() error { return r.DMA.CopyRange(t.Context(), r.Mem, 512, r.Mem, 0, 8) },
		"CopyAsync": func() error {
			f, err := r.DMA.CopyAsync(t.Context(), r.Dst, r.Src)
			if err == nil {
				_, err = f.Wait(t.Context())
			}
			return err
		},
		"Run":      func() error { return batch.Run(t.Context()) },
		"Progress": func() error { _, err := r.PE.Progress(); return err },
	} {
		check(t, use())
		for first := core.Breath(r.PE); core.Breath(r.PE) == first; {
			if err := use(); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}
