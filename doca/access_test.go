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
