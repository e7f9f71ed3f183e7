package doca_test

import (
	"context"
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/internal/doctest"
)

func TestErrorsPage(t *testing.T) {
	one := func(f func(t *testing.T) error) func(*testing.T) []error {
		return func(t *testing.T) []error { return []error{f(t)} }
	}
	doctest.ErrorsPage(t, "doca", map[string]error{}, []doctest.ErrorRow{
		doctest.Row("There is no such device", "`OpenDevice`", "`doca.ErrNotFound`", one(func(*testing.T) error {
			_, err := doca.OpenDevice("ff:00.0")
			return err
		})),
		doctest.Row("The object is closed", "`Inventory.Buffer`, `Buffer.SetData`, `Device.OpenRepresentor`, `ProgressEngine.Progress`", "`doca.ErrClosed`, `doca.ErrBadState`",
			func(t *testing.T) []error {
				r := newRig(t)
				for _, c := range r.Closers() {
					check(t, c.Close())
				}
				_, buffer := r.Inv.Buffer(r.Mem, 0, 64)
				_, rep := r.Dev.OpenRepresentor(doctest.Host0)
				_, progress := r.PE.Progress()
				return []error{buffer, r.Src.SetData(0, 1), rep, progress}
			}),
		doctest.Row("A task uses the buffer", "`Buffer.SetData`", "`doca.ErrInUse`", func(t *testing.T) []error {
			r := newRig(t)
			doctest.Hold(t)
			if _, err := r.DMA.CopyAsync(t.Context(), r.Dst, r.Src); err != nil {
				t.Fatal(err)
			}
			//doca:ignore inflight the error is what is tested
			return []error{r.Src.SetData(0, 1)}
		}),
		doctest.Row("The inventory has no room", "`Inventory.Buffer`", "`doca.ErrNoMemory`", one(func(t *testing.T) error {
			r := newRig(t)
			inv := must(doca.NewInventory(1))(t)
			defer inv.Close()
			must(inv.Buffer(r.Mem, 0, 64))(t)
			_, err := inv.Buffer(r.Mem, 0, 64)
			return err
		})),
		doctest.Row("The range is outside of the memory", "`Inventory.Buffer`", "`doca.ErrInvalidValue`", one(func(t *testing.T) error {
			r := newRig(t)
			_, err := r.Inv.Buffer(r.Mem, 4000, 1000)
			return err
		})),
		doctest.Row("`ctx` is nil", "`Context.Stop`, `ProgressEngine.Run`, `Memory.Shutdown`", "`doca.ErrInvalidValue`", func(t *testing.T) []error {
			r := newRig(t)
			var none context.Context
			return []error{r.DMA.Stop(none), r.PE.Run(none), r.Mem.Shutdown(none)}
		}),
		doctest.Row("The context runs already, or does not run", "`Context.Start`, `Context.WaitRunning`", "`doca.ErrBadState`", func(t *testing.T) []error {
			r := newRig(t)
			start := r.DMA.Start(t.Context())
			check(t, r.DMA.Stop(t.Context()))
			return []error{start, r.DMA.WaitRunning(t.Context())}
		}),
	})
}
