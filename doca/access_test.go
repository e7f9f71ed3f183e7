package doca_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-doca/go-doca/doca"
)

// A copy to memory that devices may only read is refused before it is submitted: the context and
// the copies in flight go on.
func TestReadOnlyDestination(t *testing.T) {
	for _, access := range []doca.Access{doca.AccessLocalReadOnly, doca.AccessPCIReadOnly, doca.AccessRDMARead} {
		r := newRig(t)
		mem := must(doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{r.Dev}, Access: access}))(t)
		dst := must(r.Inv.Buffer(mem, 0, 64))(t)
		faults(t, "delay=20ms")
		other := must(r.DMA.CopyAsync(t.Context(), r.Dst, r.Src))(t)
		_, err := r.DMA.Copy(context.Background(), dst, r.Src)
		wantErr(t, err, doca.ErrNotPermitted, "AccessLocalReadWrite")
		batch := must(r.DMA.NewBatch(1))(t)
		check(t, batch.Add(dst, r.Src))
		wantErr(t, batch.Run(t.Context()), doca.ErrNotPermitted)
		single := must(r.Inv.Buffer(r.Mem, 2048, 10))(t)
		check(t, single.Chain(dst))
		_, err = r.DMA.Copy(context.Background(), single, r.Src)
		wantErr(t, err, doca.ErrNotPermitted, dst.String())
		must(other.Wait(t.Context()))(t)
		assert.Equal(t, doca.StateRunning, r.DMA.State())
		check(t, dst.Close())
		source := must(r.Inv.Buffer(mem, 0, 64))(t)
		check(t, source.SetData(0, 64))
		must(r.DMA.Copy(t.Context(), r.Dst, source))(t) // as a source it is good
		faults(t, "")
	}
}

// An importer that knows what the exporter allows is told of a copy to read-only memory before it is
// submitted; one that does not know learns it from the device.
func TestReadOnlyImport(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	host := must(doca.OpenDevice("b1:00.0"))(t)
	defer host.Close()
	for _, c := range []struct {
		access doca.Access
		write  bool
	}{{doca.AccessPCIReadOnly, false}, {doca.AccessPCIReadOnly | doca.AccessLocalReadWrite, false},
		{doca.AccessPCIReadOnly | doca.AccessLocalReadWrite | doca.AccessRDMAWrite, false}, {doca.AccessPCIReadWrite, true}} {
		exported := must(doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{host}, Access: c.access}))(t)
		imported := must(doca.ImportMemory(r.Dev, must(exported.ExportPCI(host))(t)))(t)
		dst := must(r.Inv.Buffer(imported, 0, 64))(t)
		check(t, imported.SetAccess(c.access&(doca.AccessPCIReadOnly|doca.AccessPCIReadWrite)))
		_, err := r.DMA.Copy(t.Context(), dst, r.Src)
		rangeErr := r.DMA.CopyRange(t.Context(), imported, 0, r.Mem, 0, 64)
		if c.write {
			check(t, err)
			check(t, rangeErr)
			assert.Equal(t, r.Src.Data(), exported.Bytes()[:64])
		} else {
			wantErr(t, err, doca.ErrNotPermitted, "exporter", "SetAccess")
			wantErr(t, rangeErr, doca.ErrNotPermitted, "exporter", "SetAccess")
			assert.Equal(t, doca.StateRunning, r.DMA.State())
			check(t, r.DMA.CopyRange(t.Context(), r.Mem, 2048, imported, 0, 64))
			check(t, imported.SetAccess(doca.AccessPCIReadWrite)) // which is not true
			wantErr(t, r.DMA.CopyRange(t.Context(), imported, 0, r.Mem, 0, 64), doca.ErrIOFailed)
			check(t, r.DMA.Start(t.Context()))
		}
		wantErr(t, exported.SetAccess(c.access), doca.ErrNotPermitted, "MemoryConfig.Access")
		check(t, imported.Close())
		wantErr(t, imported.SetAccess(c.access), doca.ErrClosed)
		check(t, exported.Close())
	}
}
