package rdma

import (
	"bytes"
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

// loopback returns a device, and a connection on it to another one of this process.
func loopback(t *testing.T, cfg Config) (*doca.Device, *Conn) {
	dev, err := doca.OpenDevice(doctest.DPU0)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, dev.Close()) })
	pe, err := doca.NewProgressEngine(doca.EngineConfig{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, pe.Close()) })
	var conns [2]*Conn
	var details [2][]byte
	for i := range conns {
		r, err := New(dev, pe, cfg)
		require.NoError(t, err)
		conns[i], details[i], err = r.Export()
		require.NoError(t, err)
	}
	require.NoError(t, conns[0].Connect(details[1]))
	require.NoError(t, conns[1].Connect(details[0]))
	return dev, conns[0]
}

// imported returns memory as a peer sees it.
func imported(t *testing.T, dev *doca.Device, mem *doca.Memory) *doca.Memory {
	desc, err := mem.ExportRDMA(dev)
	require.NoError(t, err)
	remote, err := doca.ImportMemory(dev, desc)
	require.NoError(t, err)
	return remote
}

// A batch that is sent again leaves its tasks as they are, unless DOCA moves the destinations of writes.
func TestBatchAgainLeavesTasks(t *testing.T) {
	for name, moves := range map[string]bool{"destinations stay": false, "DOCA moves them": true} {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			dev, conn := loopback(t, Config{})
			mem, err := doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{dev}, Access: doca.AccessLocalReadWrite | doca.AccessRDMAWrite})
			require.NoError(t, err)
			remote := imported(t, dev, mem)

			batch, err := conn.NewBatch(4)
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

// Behind the back of a batch, its tasks get another source. A task that carries out the operation of the place in the batch that it
// had last keeps that, as long as the operations are on the same memories, and also when there are more of them than in the run before.
func TestBatchThatGrowsAgainLeavesItsTasks(t *testing.T) {
	t.Parallel()
	const most, size = 8, 16
	dev, conn := loopback(t, Config{MaxTasks: most})
	memory := func(fill byte) *doca.Memory {
		mem, err := doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{dev},
			Access: doca.AccessLocalReadWrite | doca.AccessRDMAWrite})
		require.NoError(t, err)
		for i := range mem.Bytes() {
			mem.Bytes()[i] = fill
		}
		return mem
	}
	own, others, third, to := memory('o'), memory('x'), memory('t'), memory(0)
	target := imported(t, dev, to)
	// run writes n ranges, and returns from which memory each has come.
	run := func(b *Batch, src *doca.Memory, n int) string {
		require.NoError(t, b.Reset())
		clear(to.Bytes())
		for i := range n {
			require.NoError(t, b.Write(target, i*size, src, i*size, size))
		}
		require.NoError(t, b.Run(context.Background()))
		var from []byte
		for i := range n {
			part := to.Bytes()[i*size:][:size]
			require.Equal(t, bytes.Repeat(part[:1], size), part, "write %d", i)
			from = append(from, part[0])
		}
		return string(from)
	}
	other, err := conn.NewBatch(1)
	require.NoError(t, err)
	assert.Equal(t, "x", run(other, others, 1))
	b, err := conn.NewBatch(most)
	require.NoError(t, err)
	tasks := conn.c.r.tasks[kindWrite].slots
	swap := func() {
		for i := range tasks {
			require.NoError(t, gen.TaskWriteSetSrcBuf((*gen.TaskWrite)(tasks[i].Typed), (*gen.TaskWriteItem)(other.b.o.item(0)).SrcBuf.Buf))
		}
	}

	assert.Equal(t, "oooooooo", run(b, own, most))
	assert.Equal(t, "ooo", run(b, own, 3))
	swap()
	assert.Equal(t, "xxxxxooo", run(b, own, most), "the last three tasks were those of the run of three")
	swap()
	assert.Equal(t, "xxxxxxxx", run(b, own, most))
	assert.Equal(t, "ttt", run(b, third, 3), "on another memory")
	swap()
	assert.Equal(t, "oooooooo", run(b, own, most), "and back")
}
