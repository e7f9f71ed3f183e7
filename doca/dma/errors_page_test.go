package dma_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/internal/doctest"
)

func TestErrorsPage(t *testing.T) {
	// copies are what both calls answer on a rig.
	copies := func(t *testing.T, r *doctest.Rig, ctx context.Context) []error {
		t.Helper()
		_, copied := r.DMA.Copy(ctx, r.Dst, r.Src)
		_, async := r.DMA.CopyAsync(ctx, r.Dst, r.Src)
		return []error{copied, async}
	}
	const both = "`DMA.Copy`, `DMA.CopyAsync`"
	doctest.ErrorsPage(t, "doca/dma", map[string]error{"doca.ErrNotPermitted": doca.ErrNotPermitted}, []doctest.ErrorRow{
		doctest.Row("`ctx` ends first", both, "`context.Canceled`", func(t *testing.T) []error {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			return copies(t, doctest.NewRig(t), ctx)
		}),
		doctest.Row("The context is closed", both, "`doca.ErrClosed`, `doca.ErrBadState`", func(t *testing.T) []error {
			r := doctest.NewRig(t)
			require.NoError(t, r.DMA.Close())
			return copies(t, r, t.Context())
		}),
		doctest.Row("The context is stopped", both, "`doca.ErrBadState`", func(t *testing.T) []error {
			r := doctest.NewRig(t)
			require.NoError(t, r.DMA.Stop(t.Context()))
			return copies(t, r, t.Context())
		}),
		doctest.Row("A copy has failed", "`DMA.Copy`", "`doca.ErrIOFailed`", func(t *testing.T) []error {
			r := doctest.NewRig(t)
			doctest.Faults(t, "fail-task=1")
			_, err := r.DMA.Copy(t.Context(), r.Dst, r.Src)
			return []error{err}
		}),
		doctest.Row("A copy has failed before, and nobody has called `Start`", both, "`doca.ErrIOFailed`, `doca.ErrBadState`", func(t *testing.T) []error {
			r := doctest.NewRig(t)
			doctest.Faults(t, "fail-task=1")
			r.DMA.Copy(t.Context(), r.Dst, r.Src)
			return copies(t, r, t.Context())
		}),
		doctest.Row("The device is lost", "`DMA.Copy`", "`doca.ErrIOFailed`", func(t *testing.T) []error {
			r := doctest.NewRig(t)
			doctest.Faults(t, "lose-device=1")
			_, err := r.DMA.Copy(t.Context(), r.Dst, r.Src)
			return []error{err}
		}),
		doctest.Row("The exporter of the memory is gone", "`DMA.Copy`", "`doca.ErrIOFailed`", func(t *testing.T) []error {
			r := doctest.NewRig(t)
			host, err := doca.OpenDevice(doctest.Host0)
			require.NoError(t, err)
			defer host.Close()
			mem, err := doca.NewMemory(64, doca.MemoryConfig{Devices: []*doca.Device{host}, Access: doca.AccessPCIReadOnly})
			require.NoError(t, err)
			desc, err := mem.ExportPCI(host)
			require.NoError(t, err)
			imported, err := doca.ImportMemory(r.Dev, desc)
			require.NoError(t, err)
			src, err := r.Inv.Buffer(imported, 0, 64)
			require.NoError(t, err)
			require.NoError(t, src.SetData(0, 64))
			require.NoError(t, mem.Close())
			_, err = r.DMA.Copy(t.Context(), r.Dst, src)
			require.NoError(t, src.Close())
			require.NoError(t, imported.Close())
			return []error{err}
		}),
		doctest.Row("Another task writes to the buffer", "`DMA.Copy`", "`doca.ErrInUse`", func(t *testing.T) []error {
			r := doctest.NewRig(t)
			doctest.Faults(t, "delay=100ms")
			_, err := r.DMA.CopyAsync(t.Context(), r.Dst, r.Src)
			require.NoError(t, err)
			//doca:ignore inflight the error is what is tested
			_, err = r.DMA.Copy(t.Context(), r.Dst, r.Src)
			return []error{err}
		}),
		doctest.Row("The destination is shorter than the data", "`DMA.Copy`", "`doca.ErrInvalidValue`", func(t *testing.T) []error {
			r := doctest.NewRig(t)
			short, err := r.Inv.Buffer(r.Mem, 2048, 8)
			require.NoError(t, err)
			defer short.Close()
			_, err = r.DMA.Copy(t.Context(), short, r.Src)
			return []error{err}
		}),
		doctest.Row("The range is outside of its memory", "`DMA.CopyRange`, `Batch.AddRange`", "`doca.ErrInvalidValue`", func(t *testing.T) []error {
			r := doctest.NewRig(t)
			batch, err := r.DMA.NewBatch(1)
			require.NoError(t, err)
			end := r.Mem.Len()
			return []error{r.DMA.CopyRange(t.Context(), r.Mem, end, r.Mem, 0, 1), batch.AddRange(r.Mem, end, r.Mem, 0, 1)}
		}),
		doctest.Row("The memory of a range is closed, or being closed", "`DMA.CopyRange`, `Batch.AddRange`", "`doca.ErrClosed`, `doca.ErrBadState`", func(t *testing.T) []error {
			r := doctest.NewRig(t)
			batch, err := r.DMA.NewBatch(1)
			require.NoError(t, err)
			require.NoError(t, r.Mem.Close())
			return []error{r.DMA.CopyRange(t.Context(), r.Mem, 64, r.Mem, 0, 1), batch.AddRange(r.Mem, 64, r.Mem, 0, 1)}
		}),
		doctest.Row("Devices may only read the destination", "`DMA.CopyRange`, `DMA.Copy`", "`doca.ErrNotPermitted`", func(t *testing.T) []error {
			r := doctest.NewRig(t)
			mem, err := doca.NewMemory(64, doca.MemoryConfig{Devices: []*doca.Device{r.Dev}, Access: doca.AccessLocalReadOnly})
			require.NoError(t, err)
			dst, err := r.Inv.Buffer(mem, 0, 64)
			require.NoError(t, err)
			_, copyErr := r.DMA.Copy(t.Context(), dst, r.Src)
			rangeErr := r.DMA.CopyRange(t.Context(), mem, 0, r.Mem, 0, 1)
			require.NoError(t, mem.Close())
			return []error{rangeErr, copyErr}
		}),
		doctest.Row("The batch has as many copies as it can have", "`Batch.Add`, `Batch.AddRange`", "`doca.ErrFull`", func(t *testing.T) []error {
			r := doctest.NewRig(t)
			batch, err := r.DMA.NewBatch(1)
			require.NoError(t, err)
			require.NoError(t, batch.Add(r.Dst, r.Src))
			return []error{batch.Add(r.Dst, r.Src), batch.AddRange(r.Mem, 64, r.Mem, 0, 1)}
		}),
		doctest.Row("A copy of a batch is larger than one task can be", "`Batch.Run`", "`doca.ErrTooBig`", func(t *testing.T) []error {
			r := doctest.NewRig(t)
			size := int(r.DMA.Limits().MaxBufferSize) + 1
			mem, err := doca.NewMemory(2*size, doca.MemoryConfig{Devices: []*doca.Device{r.Dev}})
			require.NoError(t, err)
			src, err := r.Inv.Buffer(mem, 0, size)
			require.NoError(t, err)
			dst, err := r.Inv.Buffer(mem, size, size)
			require.NoError(t, err)
			require.NoError(t, src.SetData(0, size))
			batch, err := r.DMA.NewBatch(1)
			require.NoError(t, err)
			require.NoError(t, batch.Add(dst, src))
			err = batch.Run(t.Context())
			require.NoError(t, mem.Close())
			return []error{err}
		}),
	})
}
