package rdma_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/rdma"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBatch(t *testing.T) {
	a, b := newPair(t, rdma.Config{MaxTasks: 8})
	batch := must(a.conn.NewBatch(32))(t)
	assert.Nil(t, batch.Done())
	for round := range 3 {
		want := a.fill(0, 32*64, round)
		check(t, batch.Reset())
		for i := range 32 {
			check(t, batch.Write(a.peer, 4096+64*i, a.mem, 64*i, 64))
		}
		wantErr(t, batch.Write(a.peer, 0, a.mem, 0, 1), doca.ErrFull)
		assert.Equal(t, 32, batch.Len())
		require.NoError(t, batch.Run(soonish(t)))
		assert.Equal(t, want, b.mem.Bytes()[4096:][:32*64])
		require.NoError(t, batch.Submit(soonish(t)), "again, as it is")
		<-batch.Done()
		assert.True(t, batch.Ended())
		assert.NoError(t, batch.Err(31))
	}
	check(t, batch.Reset())
	for i := range 32 {
		check(t, batch.Read(a.mem, 64*i, a.peer, 8192+64*i, 64))
	}
	want := b.fill(8192, 32*64, 77)
	require.NoError(t, batch.Run(soonish(t)))
	assert.Equal(t, want, a.mem.Bytes()[:32*64])
	require.NoError(t, batch.Run(soonish(t)))
	check(t, batch.Close())
	check(t, batch.Close())
	wantErr(t, batch.Run(soonish(t)), doca.ErrClosed)
}

func TestBatchOfMessages(t *testing.T) {
	a, b := newPair(t, rdma.Config{MaxTasks: 4})
	batch := must(a.conn.NewBatch(10))(t)
	for i := range 30 {
		must(b.rdma.Post(b.buffer(t, 64*i, 64)))(t)
	}
	want := a.fill(0, 64, 1)
	for i := range 10 {
		check(t, batch.Send(a.mem, 0, i+1))
	}
	require.NoError(t, batch.Run(soonish(t)))
	for i := range 10 {
		assert.Equal(t, want[:i+1], must(b.rdma.Recv(soonish(t)))(t).Data)
	}
	check(t, batch.Reset())
	for i := range 10 {
		check(t, batch.SendImm(uint32(i), a.mem, 0, i))
	}
	require.NoError(t, batch.Run(soonish(t)))
	for i := range 10 {
		got := must(b.rdma.Recv(soonish(t)))(t)
		assert.Equal(t, want[:i], got.Data)
		assert.Equal(t, uint32(i), got.Imm)
	}
	check(t, batch.Reset())
	for i := range 10 {
		check(t, batch.WriteImm(uint32(i), a.peer, 5000+i, a.mem, i, 1))
	}
	require.NoError(t, batch.Run(soonish(t)))
	for i := range 10 {
		assert.Equal(t, uint32(i), must(b.rdma.Recv(soonish(t)))(t).Imm)
	}
	assert.Equal(t, want[:10], b.mem.Bytes()[5000:][:10])
}

func TestBatchOfAtomics(t *testing.T) {
	a, b := newPair(t, rdma.Config{})
	batch := must(a.conn.NewBatch(10))(t)
	for i := range 10 {
		check(t, batch.FetchAdd(a.peer, 0, a.mem, 8*i, 2))
	}
	require.NoError(t, batch.Run(soonish(t)))
	for i := range 10 {
		assert.Equal(t, uint64(2*i), binary.NativeEndian.Uint64(a.mem.Bytes()[8*i:]))
	}
	check(t, batch.Reset())
	check(t, batch.CompareAndSwap(a.peer, 0, a.mem, 0, 20, 1))
	check(t, batch.CompareAndSwap(a.peer, 0, a.mem, 8, 20, 2))
	require.NoError(t, batch.Run(soonish(t)))
	assert.Equal(t, uint64(1), b.word(0))
	assert.Equal(t, uint64(20), a.word(0))
	assert.Equal(t, uint64(1), a.word(8))
}

// A batch may be made for more operations than there is memory for: it needs some for those that are added.
func TestBatchOfAnySize(t *testing.T) {
	t.Parallel()
	a, b := newPair(t, rdma.Config{})
	for _, n := range []int{1 << 31, math.MaxInt} {
		batch := must(a.conn.NewBatch(n))(t)
		want := a.fill(0, 128, n)
		check(t, batch.Write(a.peer, 4096, a.mem, 0, 64))
		check(t, batch.Write(a.peer, 4096+64, a.mem, 64, 64))
		require.NoError(t, batch.Run(soonish(t)))
		assert.Equal(t, want, b.mem.Bytes()[4096:][:128])
		check(t, batch.Reset())
		check(t, batch.FetchAdd(a.peer, 0, a.mem, 0, 1))
		require.NoError(t, batch.Run(soonish(t)))
		check(t, batch.Close())
	}
	assert.Equal(t, uint64(2), b.word(0))

	const n = 1<<16 + 3
	batch := must(a.conn.NewBatch(n))(t)
	for i := range n {
		check(t, batch.Write(a.peer, 8+i, a.mem, i, 1))
		if i == 0 {
			require.NoError(t, batch.Run(soonish(t)))
		}
	}
	wantErr(t, batch.Write(a.peer, 0, a.mem, 0, 1), doca.ErrFull)
	want := a.fill(0, n, 1)
	require.NoError(t, batch.Run(soonish(t)))
	assert.True(t, bytes.Equal(want, b.mem.Bytes()[8:][:n]))
	check(t, batch.Reset())
	for i := range n {
		check(t, batch.FetchAdd(a.peer, 0, a.mem, 0, 1))
		if i == 1 {
			require.NoError(t, batch.Run(soonish(t)))
		}
	}
	wantErr(t, batch.FetchAdd(a.peer, 0, a.mem, 0, 1), doca.ErrFull)
	require.NoError(t, batch.Run(soonish(t)))
	assert.Equal(t, uint64(2+2+n), b.word(0))
	check(t, batch.Close())
}

func TestBatchRefused(t *testing.T) {
	a, _ := newPair(t, rdma.Config{})
	_, err := a.conn.NewBatch(0)
	wantErr(t, err, doca.ErrInvalidValue)
	batch := must(a.conn.NewBatch(2))(t)
	wantErr(t, batch.Run(soonish(t)), doca.ErrEmpty)
	wantErr(t, batch.Wait(soonish(t)), doca.ErrBadState)
	wantErr(t, batch.Write(a.peer, 0, a.mem, 0, 0), doca.ErrInvalidValue)
	assert.Zero(t, batch.Len())
	check(t, batch.Write(a.peer, 0, a.mem, 0, 8))
	wantErr(t, batch.Send(a.mem, 0, 8), doca.ErrInvalidValue, "one kind")
	wantErr(t, batch.Err(0), doca.ErrBadState)
	wantErr(t, batch.Err(1), doca.ErrInvalidValue)
	check(t, batch.Reset())
	check(t, batch.Send(a.mem, 0, 8)) // the peer has no receive, so it stays
	check(t, batch.Submit(soonish(t)))
	wantErr(t, batch.Wait(soon(t)), context.DeadlineExceeded)
	wantErr(t, batch.Submit(soonish(t)), doca.ErrInUse)
	wantErr(t, batch.Reset(), doca.ErrInUse)
	wantErr(t, batch.Err(0), doca.ErrInProgress)
	check(t, a.rdma.Stop(soonish(t)))
	wantErr(t, batch.Wait(soonish(t)), doca.ErrBadState)
	wantErr(t, batch.Err(0), doca.ErrBadState)
}

// A failure ends the rest of a batch.
func TestBatchFails(t *testing.T) {
	a, b := newPair(t, rdma.Config{MaxTasks: 2})
	small := must(doca.NewMemory(64, doca.MemoryConfig{Devices: []*doca.Device{b.dev}, Access: doca.AccessLocalReadWrite | doca.AccessRDMARead}))(t)
	fixed := must(doca.ImportMemory(a.dev, must(small.ExportRDMA(b.dev))(t)))(t)
	batch := must(a.conn.NewBatch(8))(t)
	for i := range 8 {
		dst := a.peer
		if i == 3 {
			dst = fixed
		}
		check(t, batch.Write(dst, 0, a.mem, 0, 8))
	}
	err := batch.Run(soonish(t))
	wantErr(t, err, doca.ErrIOFailed, "operation 3 of the batch")
	for i := range 8 {
		if i < 3 {
			assert.NoError(t, batch.Err(i))
		} else {
			assert.ErrorIs(t, batch.Err(i), doca.ErrIOFailed, "operation %d", i)
		}
	}
}

// A memory that a batch keeps buffers on can be closed.
func TestBatchLetsMemoryClose(t *testing.T) {
	a, _ := newPair(t, rdma.Config{})
	mem := must(doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{a.dev}}))(t)
	batch := must(a.conn.NewBatch(4))(t)
	check(t, batch.Write(a.peer, 0, mem, 0, 8))
	check(t, batch.Run(soonish(t)))
	check(t, a.conn.Write(soonish(t), a.peer, 0, mem, 0, 8))
	check(t, mem.Shutdown(soonish(t)))
	wantErr(t, batch.Run(soonish(t)), doca.ErrClosed)
	assert.NoError(t, a.conn.Write(soonish(t), a.peer, 0, a.mem, 0, 8))
}

// A memory of operations that a batch does not have any more is closed at once, also while the batch runs.
func TestMemoryOfEarlierOperationsCloses(t *testing.T) {
	a, b := newPair(t, rdma.Config{})
	mem := must(doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{a.dev}}))(t)
	for i := range 4 {
		must(b.rdma.Post(b.buffer(t, 64*i, 64)))(t)
	}
	batch := must(a.conn.NewBatch(4))(t)
	for range 4 {
		check(t, batch.Send(mem, 0, 8))
	}
	require.NoError(t, batch.Run(soonish(t)))
	check(t, batch.Reset())
	check(t, batch.Send(a.mem, 0, 8)) // the peer has no receive, so it stays
	check(t, batch.Submit(soonish(t)))
	check(t, mem.Shutdown(soonish(t)))
	for i := range 5 {
		must(b.rdma.Post(b.buffer(t, 64*i, 64)))(t)
	}
	require.NoError(t, batch.Wait(soonish(t)))
	check(t, batch.Reset())
	for range 4 {
		check(t, batch.Send(a.mem, 0, 8))
	}
	require.NoError(t, batch.Run(soonish(t)))
}

// The same for writes, whose memories are looked at once for each run.
func TestMemoryOfEarlierWritesCloses(t *testing.T) {
	a, b := newPair(t, rdma.Config{})
	mem := must(doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{a.dev}}))(t)
	batch := must(a.conn.NewBatch(4))(t)
	for i := range 4 {
		check(t, batch.Write(a.peer, 8*i, mem, 0, 8))
	}
	require.NoError(t, batch.Run(soonish(t)))
	write := func(n int) {
		check(t, batch.Reset())
		for i := range n {
			check(t, batch.Write(a.peer, 8*i, a.mem, 8*i, 8))
		}
	}
	write(1)
	release := doctest.Hold(t)
	check(t, batch.Submit(soonish(t)))
	check(t, mem.Shutdown(soonish(t)))
	release()
	require.NoError(t, batch.Wait(soonish(t)))
	want := a.fill(0, 32, 5)
	write(4)
	require.NoError(t, batch.Run(soonish(t)))
	assert.Equal(t, want, b.mem.Bytes()[:32])
}

func TestBatchAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates: run without -race")
	}
	a, _ := newPair(t, rdma.Config{MaxTasks: 32})
	batch := must(a.conn.NewBatch(64))(t)
	ctx := soonish(t)
	k := 0
	run := func() {
		check(t, batch.Reset())
		for range 64 {
			k++
			check(t, batch.Write(a.peer, k%1000*64, a.mem, k%999*64, 64))
		}
		check(t, batch.Run(ctx))
	}
	run()
	assert.Zero(t, testing.AllocsPerRun(50, run), "new ranges in each run")
	one := func() { check(t, a.conn.Write(ctx, a.peer, 0, a.mem, 0, 64)) }
	one()
	assert.Zero(t, testing.AllocsPerRun(50, one), "a blocking write")
	src, dst := must(a.inv.Source(a.mem, 0, 64))(t), must(a.inv.Buffer(a.mem, 64, 64))(t)
	both := func() {
		check(t, a.conn.WriteBuffer(ctx, a.peer, 0, src))
		check(t, a.conn.ReadBuffer(ctx, dst, a.peer, 0, 64))
	}
	both()
	assert.Zero(t, testing.AllocsPerRun(50, both), "a blocking write and read of buffers")
}

// Batches that are closed leave their memory to those that come, and to single operations.
func TestClosedBatchesLeaveMemory(t *testing.T) {
	const n = 4096
	a, b := newPair(t, rdma.Config{})
	round := func() {
		for k, add := range []func(*rdma.Batch) error{
			func(batch *rdma.Batch) error { return batch.Write(a.peer, 0, a.mem, 64, 8) },
			func(batch *rdma.Batch) error { return batch.Read(a.mem, 128, a.peer, 0, 8) },
			func(batch *rdma.Batch) error { return batch.FetchAdd(a.peer, 8, a.mem, 256, 1) },
		} {
			batch := must(a.conn.NewBatch(n >> k))(t)
			check(t, add(batch))
			check(t, add(batch))
			require.NoError(t, batch.Run(soonish(t)))
			check(t, batch.Close())
		}
		require.NoError(t, a.conn.Write(soonish(t), a.peer, 0, a.mem, 64, 8))
		require.NoError(t, a.conn.Read(soonish(t), a.mem, 128, a.peer, 0, 8))
	}
	round()
	before := residentPages(t)
	for range 200 {
		a.fill(64, 8, 1)
		round()
	}
	assert.Less(t, residentPages(t)-before, 8192, "pages more than after the first round")
	assert.Equal(t, a.mem.Bytes()[64:72], b.mem.Bytes()[:8])
	assert.Equal(t, a.mem.Bytes()[64:72], a.mem.Bytes()[128:136])
	check(t, a.mem.Shutdown(soonish(t)))
	check(t, a.peer.Shutdown(soonish(t)))
}

// residentPages returns how many pages of the process are in memory.
func residentPages(t testing.TB) int {
	var all, resident int
	_, err := fmt.Sscan(string(must(os.ReadFile("/proc/self/statm"))(t)), &all, &resident)
	require.NoError(t, err)
	return resident
}
