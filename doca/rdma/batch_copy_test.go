package rdma_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"
	"unsafe"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/rdma"
	"github.com/go-doca/go-doca/emulator"
	"github.com/go-doca/go-doca/generated/abi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// more returns another memory of a side, and what the other side has of it.
func (s *side) more(t *testing.T, other *side) (mem, peer *doca.Memory) {
	t.Helper()
	mem = must(doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{s.dev}, Access: access}))(t)
	return mem, must(doca.ImportMemory(other.dev, must(mem.ExportRDMA(s.dev))(t)))(t)
}

// Each run works on the ranges that were added last, whether they were other ones before, and in whatever order.
func TestBatchOtherRanges(t *testing.T) {
	for name, k := range map[string]int{"tasks for all": 16, "few tasks": 3} {
		t.Run(name, func(t *testing.T) {
			a, b := newPair(t, rdma.Config{MaxTasks: k})
			writes, reads := must(a.conn.NewBatch(16))(t), must(a.conn.NewBatch(16))(t)
			for round := range 5 {
				want := a.fill(0, 2048, round)
				clear(b.mem.Bytes()[:4096])
				check(t, writes.Reset())
				for i := range 16 {
					k := (i + 3*round) % 16
					check(t, writes.Write(a.peer, 64*round+100*k, a.mem, 64*k, 64))
				}
				for range 2 {
					require.NoError(t, writes.Run(soonish(t)))
					for i := range 16 {
						assert.Equal(t, want[64*i:][:64], b.mem.Bytes()[64*round+100*i:][:64], "round %d, write %d", round, i)
					}
				}
				check(t, reads.Reset())
				for i := range 16 {
					check(t, reads.Read(a.mem, 8192+64*i+round, a.peer, 8192+100*i, 50+round))
				}
				for again := range 3 { // a read leaves its bytes in the data segment of its destination
					want := b.fill(8192, 2048, 10*round+again)
					require.NoError(t, reads.Run(soonish(t)))
					for i := range 16 {
						assert.Equal(t, want[100*i:][:50+round], a.mem.Bytes()[8192+64*i+round:][:50+round], "round %d, read %d", round, i)
					}
				}
			}
		})
	}
}

// What was written is what the source has when the batch runs, not when it was filled.
func TestBatchAgain(t *testing.T) {
	a, b := newPair(t, rdma.Config{MaxTasks: 4})
	batch := must(a.conn.NewBatch(9))(t)
	for i := range 8 {
		check(t, batch.Write(a.peer, 100*i, a.mem, 64*i, 64))
	}
	run := func(n int) {
		t.Helper()
		want := a.fill(0, 64*n, n)
		clear(b.mem.Bytes()[:1024])
		require.NoError(t, batch.Run(soonish(t)))
		for i := range n {
			assert.Equal(t, want[64*i:][:64], b.mem.Bytes()[100*i:][:64], "write %d", i)
		}
	}
	for range 3 {
		run(8)
	}
	check(t, batch.Write(a.peer, 800, a.mem, 512, 64)) // one more, behind those that have run
	for range 3 {
		run(9)
	}
}

// A batch of fewer writes than the one before, or of more, writes what it says, whatever was prepared for the others.
func TestBatchSizes(t *testing.T) {
	const most, room = 12, 100
	for name, k := range map[string]int{"tasks for all": most, "few tasks": 3} {
		t.Run(name, func(t *testing.T) {
			a, b := newPair(t, rdma.Config{MaxTasks: k})
			rng := rand.New(rand.NewPCG(3, 4))
			local, peers, there := [2]*doca.Memory{a.mem}, [2]*doca.Memory{a.peer}, [2]*doca.Memory{b.mem}
			there[1], peers[1] = b.more(t, a)
			local[1], _ = a.more(t, b)
			writes, reads := must(a.conn.NewBatch(most))(t), must(a.conn.NewBatch(most))(t)
			for round := range 600 {
				check(t, writes.Reset())
				check(t, reads.Reset())
				var from, to, at [most]int // the memories of each copy, and where it is
				n, mixed := 0, rng.IntN(2)
				for range 1 + rng.IntN(3) { // also some more after a run
					for add := 1 + rng.IntN(most/2); add > 0 && n < most; add-- {
						from[n], to[n] = mixed*rng.IntN(2), mixed*rng.IntN(2)
						at[n] = n*room + rng.IntN(40)
						check(t, writes.Write(peers[to[n]], at[n], local[from[n]], at[n], 60))
						check(t, reads.Read(local[from[n]], 2000+at[n], peers[to[n]], 2000+at[n], 60))
						n++
					}
					for range 1 + rng.IntN(2) {
						for k := range local {
							for i := range 4000 {
								local[k].Bytes()[i], there[k].Bytes()[i] = byte(rng.Uint32()), byte(rng.Uint32())
							}
						}
						require.NoError(t, writes.Run(soonish(t)))
						require.NoError(t, reads.Run(soonish(t)))
						for i := range n {
							mine, theirs := local[from[i]].Bytes()[at[i]:], there[to[i]].Bytes()[at[i]:]
							require.Equal(t, mine[:60], theirs[:60], "round %d: write %d of %d", round, i, n)
							require.Equal(t, theirs[2000:][:60], mine[2000:][:60], "round %d: read %d of %d", round, i, n)
						}
					}
				}
			}
		})
	}
}

// Batches and single writes use the same tasks in turns: none finds a task as another has left it.
func TestBatchesShareTasks(t *testing.T) {
	a, b := newPair(t, rdma.Config{MaxTasks: 5})
	var batches [2]*rdma.Batch
	for k := range batches {
		batches[k] = must(a.conn.NewBatch(8))(t)
	}
	for round := range 8 {
		want := a.fill(0, 8192, round)
		clear(b.mem.Bytes()[:16384])
		for k, batch := range batches {
			if round%3 == k {
				check(t, batch.Reset())
				for i := range 8 {
					check(t, batch.Write(a.peer, 4096*k+100*((i+round)%8), a.mem, 2048*k+64*((i+round)%8), 64))
				}
			} else if batch.Len() == 0 {
				continue
			}
			require.NoError(t, batch.Run(soonish(t)))
			for i := range 8 {
				assert.Equal(t, want[2048*k+64*i:][:64], b.mem.Bytes()[4096*k+100*i:][:64], "round %d, batch %d, write %d", round, k, i)
			}
			if round%2 == 0 {
				check(t, a.conn.Write(soonish(t), a.peer, 12000, a.mem, 6000, 100))
				assert.Equal(t, want[6000:6100], b.mem.Bytes()[12000:12100])
			}
		}
	}
}

// The same numbers of copies on other memories get to these.
func TestBatchOtherMemories(t *testing.T) {
	a, b := newPair(t, rdma.Config{})
	mem, peer := b.more(t, a)
	from := must(doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{a.dev}}))(t)
	copy(from.Bytes(), "other")
	copy(a.mem.Bytes(), "first")
	batch := must(a.conn.NewBatch(4))(t)
	run := func(dst [2]*doca.Memory, src [2]*doca.Memory) {
		t.Helper()
		clear(mem.Bytes())
		clear(b.mem.Bytes()[:4096])
		check(t, batch.Reset())
		for i := range 4 {
			check(t, batch.Write(dst[i/2], 8*i, src[i/2], 0, 5))
		}
		require.NoError(t, batch.Run(soonish(t)))
		for i := range 4 {
			at, not := mem, b.mem
			if dst[i/2] == a.peer {
				at, not = not, at
			}
			assert.Equal(t, src[i/2].Bytes()[:5], at.Bytes()[8*i:][:5], "write %d", i)
			assert.Equal(t, make([]byte, 8), not.Bytes()[8*i:][:8], "write %d", i)
		}
	}
	both, others := [2]*doca.Memory{a.peer, a.peer}, [2]*doca.Memory{peer, peer}
	ours, theirs := [2]*doca.Memory{a.mem, a.mem}, [2]*doca.Memory{from, from}
	run(both, ours)
	run(others, ours)
	run(others, theirs)
	run([2]*doca.Memory{a.peer, peer}, [2]*doca.Memory{from, a.mem})
	run([2]*doca.Memory{peer, a.peer}, [2]*doca.Memory{from, a.mem})

	check(t, peer.Close()) // and memory that was imported again
	check(t, mem.Close())
	mem, peer = b.more(t, a)
	run([2]*doca.Memory{peer, peer}, ours)
}

// What a memory allows is looked at in each run, also if the batch is the same.
func TestBatchChecksMemoryAgain(t *testing.T) {
	a, b := newPair(t, rdma.Config{})
	_, peer := b.more(t, a)
	batch := must(a.conn.NewBatch(4))(t)
	for i := range 4 {
		dst := a.peer
		if i >= 2 {
			dst = peer
		}
		check(t, batch.Write(dst, 8*i, a.mem, 0, 8))
	}
	require.NoError(t, batch.Run(soonish(t)))
	check(t, peer.SetAccess(doca.AccessRDMARead))
	wantErr(t, batch.Run(soonish(t)), doca.ErrNotPermitted, "operation 2 of the batch")
	check(t, peer.SetAccess(access))
	a.fill(0, 8, 5)
	require.NoError(t, batch.Run(soonish(t)))
	assert.Equal(t, a.mem.Bytes()[:8], b.mem.Bytes()[8:16])
	check(t, peer.Close())
	wantErr(t, batch.Run(soonish(t)), doca.ErrClosed, "operation 2 of the batch")
	check(t, batch.Reset())
	check(t, batch.Write(a.peer, 0, a.mem, 0, 8))
	require.NoError(t, batch.Run(soonish(t)))
	check(t, a.peer.Close())
	wantErr(t, batch.Run(soonish(t)), doca.ErrClosed, "operation 0 of the batch")
	wantErr(t, batch.Write(a.peer, 0, a.mem, 0, 8), doca.ErrClosed)
	assert.Equal(t, 1, batch.Len())
}

// The close of a memory of somebody else takes the buffers of all batches on the context, which get others.
func TestBatchAfterRecall(t *testing.T) {
	a, b := newPair(t, rdma.Config{})
	mem := must(doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{a.dev}}))(t)
	batch := must(a.conn.NewBatch(4))(t)
	for i := range 4 {
		check(t, batch.Write(a.peer, 8*i, a.mem, 8*i, 8))
	}
	require.NoError(t, batch.Run(soonish(t)))
	check(t, a.conn.Write(soonish(t), a.peer, 64, mem, 0, 8))
	check(t, mem.Shutdown(soonish(t)))
	want := a.fill(0, 32, 9)
	require.NoError(t, batch.Run(soonish(t)))
	assert.Equal(t, want, b.mem.Bytes()[:32])
}

// While reads of a batch are in flight, the close of another memory leaves them what they have, although the batch had writes before.
func TestRecallLeavesWhatIsInFlight(t *testing.T) {
	a, _ := newPair(t, rdma.Config{})
	mem := must(doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{a.dev}}))(t)
	batch := must(a.conn.NewBatch(1))(t)
	check(t, batch.Write(a.peer, 0, a.mem, 0, 8))
	require.NoError(t, batch.Run(soonish(t)))
	check(t, batch.Reset())
	check(t, batch.Read(a.mem, 0, a.peer, 0, 8))
	check(t, a.conn.Write(soonish(t), a.peer, 64, mem, 0, 8)) // so that there is something to take back
	release := doctest.Hold(t)
	check(t, batch.Submit(soonish(t)))
	check(t, mem.Close())
	wantErr(t, a.peer.Shutdown(doctest.Soon(t, 10*time.Millisecond)), context.DeadlineExceeded, "an operation still uses the memory")
	release()
	check(t, batch.Wait(soonish(t)))
	check(t, a.peer.Close())
}

// A copy on the memories of the one before is checked as the first is.
func TestBatchRefusesCopies(t *testing.T) {
	a, _ := newPair(t, rdma.Config{})
	most := int(must(rdma.CapabilitiesOf(a.dev.Info()))(t).MaxMessageSize)
	for _, first := range []bool{true, false} {
		batch := must(a.conn.NewBatch(4))(t)
		if !first {
			check(t, batch.Write(a.peer, 0, a.mem, 0, 8))
		}
		n := batch.Len()
		for _, bad := range [][3]int{{0, 0, 0}, {0, 0, -1}, {memSize, 0, 1}, {0, memSize, 1}, {-1, 0, 1}, {0, -1, 1}, {memSize - 7, 0, 8}, {0, memSize - 7, 8}, {0, 0, memSize + 1}} {
			wantErr(t, batch.Write(a.peer, bad[0], a.mem, bad[1], bad[2]), doca.ErrInvalidValue)
			wantErr(t, batch.Write(a.mem, 0, a.mem, 0, 8), doca.ErrInvalidValue, "not memory of the peer")
		}
		wantErr(t, batch.Write(nil, 0, a.mem, 0, 8), doca.ErrInvalidValue)
		wantErr(t, batch.Write(a.peer, 0, nil, 0, 8), doca.ErrInvalidValue)
		if !first {
			wantErr(t, batch.Read(a.mem, 0, a.peer, 0, 8), doca.ErrInvalidValue, "one kind")
		}
		assert.Equal(t, n, batch.Len())
		if n > 0 {
			assert.NoError(t, batch.Run(soonish(t)))
		}
	}
	assert.Greater(t, most, memSize)
}

// A batch that is changed while it runs, or after Close, does not change.
func TestBatchCopyAtTheWrongTime(t *testing.T) {
	a, _ := newPair(t, rdma.Config{})
	batch := must(a.conn.NewBatch(4))(t)
	check(t, batch.Write(a.peer, 0, a.mem, 0, 8))
	check(t, batch.Submit(soonish(t)))
	wantErr(t, batch.Write(a.peer, 0, a.mem, 0, 8), doca.ErrInUse)
	check(t, batch.Wait(soonish(t)))
	check(t, batch.Write(a.peer, 0, a.mem, 0, 8))
	assert.Equal(t, 2, batch.Len())
	check(t, batch.Close())
	wantErr(t, batch.Write(a.peer, 0, a.mem, 0, 8), doca.ErrClosed)
}

// After a Submit that has failed there is nothing to wait for: what came before is not its result.
func TestWaitAfterSubmitThatFailed(t *testing.T) {
	a, _ := newPair(t, rdma.Config{MaxTasks: 4})
	batch := must(a.conn.NewBatch(2))(t)
	check(t, batch.Write(a.peer, 0, a.mem, 0, 64))
	require.NoError(t, batch.Run(soonish(t)))
	check(t, batch.Wait(soonish(t)))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	wantErr(t, batch.Submit(ended), context.Canceled)
	wantErr(t, batch.Wait(soonish(t)), doca.ErrBadState, "not submitted")
	wantErr(t, batch.Err(0), doca.ErrBadState)
	require.NoError(t, batch.Run(soonish(t)))
	check(t, batch.Err(0))
	var none context.Context
	for _, start := range []func(context.Context) error{batch.Submit, batch.Run} {
		require.NoError(t, batch.Run(soonish(t)))
		wantErr(t, start(none), doca.ErrInvalidValue, "ctx is nil")
		wantErr(t, batch.Wait(soonish(t)), doca.ErrBadState, "not submitted")
	}
	require.NoError(t, batch.Run(soonish(t)))
	check(t, batch.Close())
	wantErr(t, batch.Wait(soonish(t)), doca.ErrClosed)
	for _, i := range []int{0, 17} {
		wantErr(t, batch.Err(i), doca.ErrClosed)
	}
}

// An operation that was added after a run has not succeeded: there is nothing to say of it before the next run.
func TestBatchErrOfAnOperationAddedSince(t *testing.T) {
	a, _ := newPair(t, rdma.Config{})
	batch := must(a.conn.NewBatch(2))(t)
	check(t, batch.Write(a.peer, 0, a.mem, 0, 64))
	require.NoError(t, batch.Run(soonish(t)))
	check(t, batch.Write(a.peer, 64, a.mem, 64, 64))
	check(t, batch.Err(0))
	wantErr(t, batch.Err(1), doca.ErrBadState, "operation 1 was added after the last run")
	require.NoError(t, batch.Run(soonish(t)))
	check(t, batch.Err(1))
}

// refusable is a batch of writes or reads, and what it copies.
type refusable struct {
	t        *testing.T
	on       emulator.Target
	batch    *rdma.Batch
	a        *side
	from, to *side
	read     bool
	first    int
}

const refusals, refusedSize = 7, 64

func newRefusable(t *testing.T, read bool) *refusable {
	a, b := newPair(t, rdma.Config{MaxTasks: 3})
	r := &refusable{t: t, a: a, from: a, to: b, read: read, batch: must(a.conn.NewBatch(refusals))(t)}
	if read {
		r.from, r.to = b, a
	}
	r.on = emulator.Target{Object: unsafe.Pointer(must(bind.RawContext(a.rdma.Context))(t))}
	return r
}

// aim has the batch write from a place on.
func (r *refusable) aim(first int) {
	r.first = first
	check(r.t, r.batch.Reset())
	for i := range refusals {
		far, near := first+2*i*refusedSize, i*refusedSize
		if r.read {
			check(r.t, r.batch.Read(r.a.mem, far, r.a.peer, near, refusedSize))
		} else {
			check(r.t, r.batch.Write(r.a.peer, far, r.a.mem, near, refusedSize))
		}
	}
}

// run runs the batch while the task of that number is refused, and looks at what has arrived.
func (r *refusable) run(at uint64, code abi.Error, seed int) error {
	t := r.t
	defer must(emulator.Faults{On: r.on, RefuseTasks: []emulator.TaskFault{{N: at, Code: code}}}.Add())(t)()
	want := r.from.fill(0, refusals*refusedSize, seed)
	clear(r.to.mem.Bytes()[r.first:][:2*refusals*refusedSize])
	err := r.batch.Run(soonish(t))
	failed := 0
	for i := range refusals {
		if r.batch.Err(i) != nil {
			failed++
		} else {
			require.Equal(t, want[i*refusedSize:][:refusedSize], r.to.mem.Bytes()[r.first+2*i*refusedSize:][:refusedSize], "operation %d, after %v", i, err)
		}
	}
	require.Equal(t, err != nil, failed > 0)
	return err
}

// Wherever DOCA has no room for an operation of a batch, all are carried out in the end, also in runs that find everything as it
// was. Where it refuses one for good, those that are said to have succeeded are carried out.
func TestBatchRefusedAnywhere(t *testing.T) {
	for _, read := range []bool{false, true} {
		r := newRefusable(t, read)
		for at := range uint64(refusals) {
			if at%2 == 0 {
				r.aim(4096 + 8*int(at))
			}
			for again := range 2 {
				require.NoError(t, r.run(at+1, abi.ErrorAgain, int(at)+100*again))
			}
		}
		for at := range uint64(refusals) {
			r := newRefusable(t, read)
			r.aim(4096)
			require.NoError(t, r.run(100, abi.ErrorNoMemory, 1))
			err := r.run(at+1, abi.ErrorNoMemory, 2)
			require.ErrorIs(t, err, doca.ErrNoMemory)
			if at > 0 {
				assert.NoError(t, r.batch.Err(0), "refused: %d", at)
			}
			assert.Error(t, r.batch.Err(refusals-1))
			assert.Equal(t, doca.StateRunning, r.a.rdma.State())
			check(t, r.a.conn.Err())
			require.NoError(t, r.run(100, abi.ErrorNoMemory, 3), "refused before: %d", at)
		}
	}
}

// Writes from many memories to many, in any order and while some are replaced, get to their places, and reads come from theirs.
func TestBatchOfManyMemories(t *testing.T) {
	const copies, size, memories = 12, 16, 30 // more ways from one to another than a batch keeps
	for name, tasks := range map[string]int{"tasks for all": 32, "few tasks": 3} {
		t.Run(name, func(t *testing.T) {
			a, b := newPair(t, rdma.Config{MaxTasks: tasks})
			rng := rand.New(rand.NewPCG(5, 6))
			var ours, theirs, peers [memories]*doca.Memory
			replace := func(i int) {
				if ours[i] != nil {
					check(t, ours[i].Close())
					check(t, peers[i].Close())
				}
				ours[i] = must(doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{a.dev}}))(t)
				theirs[i], peers[i] = b.more(t, a)
			}
			for i := range memories {
				replace(i)
			}
			batch := must(a.conn.NewBatch(copies))(t)
			for range 100 {
				if rng.IntN(3) == 0 {
					replace(rng.IntN(memories))
				}
				check(t, batch.Reset())
				read, n, among := rng.IntN(3) == 0, 1+rng.IntN(copies), 1+rng.IntN(memories)
				var from, to [copies]int
				for i := range n {
					from[i], to[i] = rng.IntN(among), rng.IntN(among)
					if read {
						check(t, batch.Read(ours[to[i]], 1024+size*i, peers[from[i]], size*i, size))
					} else {
						check(t, batch.Write(peers[to[i]], 1024+size*i, ours[from[i]], size*i, size))
					}
				}
				for range 2 {
					for i := range memories {
						for k := range copies * size {
							ours[i].Bytes()[k], theirs[i].Bytes()[k] = byte(rng.Uint32()), byte(rng.Uint32())
						}
					}
					require.NoError(t, batch.Run(soonish(t)))
					for i := range n {
						src, dst := ours[from[i]], theirs[to[i]]
						if read {
							src, dst = theirs[from[i]], ours[to[i]]
						}
						require.Equal(t, src.Bytes()[size*i:][:size], dst.Bytes()[1024+size*i:][:size], "copy %d", i)
					}
				}
			}
		})
	}
}
