package rdma

import (
	"context"
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
	gen "github.com/go-doca/go-doca/generated/rdma"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A batch that is sent again leaves its tasks as they are, unless DOCA moves the destinations of writes.
func TestBatchAgainLeavesTasks(t *testing.T) {
	for name, moves := range map[string]bool{"destinations stay": false, "DOCA moves them": true} {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			dev, err := doca.OpenDevice(doctest.DPU0)
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, dev.Close()) })
			pe, err := doca.NewProgressEngine(doca.EngineConfig{})
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, pe.Close()) })
			var conns [2]*Conn
			var details [2][]byte
			for i := range conns {
				r, err := New(dev, pe, Config{})
				require.NoError(t, err)
				conns[i], details[i], err = r.Export()
				require.NoError(t, err)
			}
			require.NoError(t, conns[0].Connect(details[1]))
			require.NoError(t, conns[1].Connect(details[0]))
			mem, err := doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{dev}, Access: doca.AccessLocalReadWrite | doca.AccessRDMAWrite})
			require.NoError(t, err)
			desc, err := mem.ExportRDMA(dev)
			require.NoError(t, err)
			remote, err := doca.ImportMemory(dev, desc)
			require.NoError(t, err)

			batch, err := conns[0].NewBatch(4)
			require.NoError(t, err)
			fill := func(at int) {
				require.NoError(t, batch.Reset())
				for i := range 4 {
					require.NoError(t, batch.Write(remote, 2048+at+16*i, mem, 16*i, 8))
				}
			}
			// run runs the batch, and returns what it has had of the run before.
			run := func(at int, bytes string) uint32 {
				clear(mem.Bytes())
				for i := range 4 {
					copy(mem.Bytes()[16*i:], bytes)
				}
				require.NoError(t, batch.Run(ctx))
				for i := range 4 {
					assert.Equal(t, append([]byte(bytes), 0), mem.Bytes()[2048+at+16*i:][:9])
				}
				return batch.b.o.batch[0].Same
			}
			same := uint32(abi.SameItems)
			if moves {
				same = abi.SameBuffers
			}
			fill(0)
			assert.Zero(t, run(0, "12345678"))
			for i := range 4 {
				item := (*gen.TaskWriteItem)(batch.b.o.item(i))
				if moves {
					require.NoError(t, common.BufSetData(item.DstBuf.Buf, remote.Address()+8, 8))
				}
			}
			assert.Equal(t, same, run(0, "abcdefgh"))
			assert.Equal(t, same, run(0, "ABCDEFGH"))
			fill(512)
			assert.EqualValues(t, abi.SameBuffers, run(512, "zyxwvuts"))
			assert.Equal(t, same, run(512, "ZYXWVUTS"))
		})
	}
}
