package dma_test

import (
	"bytes"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/go-doca/go-doca/doca"
)

// list cuts the n bytes at off into pieces, in memory order or shuffled, and chains
// them. It returns the head and where its bytes are, in the list's order.
func (b *bench) list(t testing.TB, rng *rand.Rand, off, n, pieces int, source bool) (*doca.Buffer, [][]byte) {
	t.Helper()
	var head *doca.Buffer
	var order [][]byte
	for k := range pieces {
		size := n
		if k < pieces-1 {
			size = 1 + rng.IntN(n-(pieces-1-k))
		}
		gap := rng.IntN(3)
		room := size
		if source {
			room += gap + rng.IntN(3) // the data segment is inside the region
		}
		x := must(b.inv.Buffer(b.mem, off, room))(t)
		off += room
		n -= size
		if source {
			check(t, x.SetData(gap, size))
			order = append(order, x.Bytes()[gap:][:size])
		} else {
			check(t, x.SetData(rng.IntN(room), 0)) // whatever it held is replaced
			order = append(order, x.Bytes())
		}
		if head == nil {
			head = x
		} else {
			check(t, head.Chain(x))
		}
	}
	return head, order
}

// Copies between lists that are cut at random come out right, whether one task does
// them or many.
func TestScatterGatherProperty(t *testing.T) {
	for _, limit := range []int{0, 1, 7, 100, 1000} {
		t.Run("limit "+strconv.Itoa(limit), func(t *testing.T) {
			if limit > 0 {
				t.Setenv("DOCA_EMU_DMA_MAX_BUF_SIZE", strconv.Itoa(limit))
			}
			b := newBench(t, 5)
			rng := rand.New(rand.NewPCG(3, uint64(limit)))
			for round := range 150 {
				n := 1 + rng.IntN(1200)
				if limit == 1 {
					n = 1 + rng.IntN(100)
				}
				most := min(n, 70) // more than a task's list can have
				if round%2 == 0 {
					most = min(n, 6)
				}
				src, from := b.list(t, rng, 0, n, 1+rng.IntN(most), true)
				dst, to := b.list(t, rng, 1<<16, n+rng.IntN(50), 1+rng.IntN(most), false)
				want := fill(rng, from)
				clear(b.mem.Bytes()[1<<16:])
				got, err := b.dma.Copy(t.Context(), dst, src)
				if err != nil || got != n {
					t.Fatalf("round %d: %d of %d bytes, %v", round, got, n, err)
				}
				have := bytes.Join(to, nil)
				if !bytes.Equal(have[:n], want) {
					t.Fatalf("round %d: the copy of %d bytes differs", round, n)
				}
				if bytes.Count(have[n:], []byte{0}) != len(have)-n {
					t.Fatalf("round %d: bytes behind the copy were written", round)
				}
				rest := n
				for i, x := range dst.Elements() {
					if x.DataLen() != min(rest, x.Len()) {
						t.Fatalf("round %d: element %d has %d bytes of data", round, i, x.DataLen())
					}
					rest -= x.DataLen()
				}
				// The copy is a source as it is, list or not, cut or not.
				flat := must(b.inv.Buffer(b.mem, 1<<18, n))(t)
				if got, err := b.dma.Copy(t.Context(), flat, dst); err != nil || got != n || !bytes.Equal(flat.Data(), want) {
					t.Fatalf("round %d: copy of the copy: %d of %d bytes, %v", round, got, n, err)
				}
				for _, x := range append(append(src.Elements(), dst.Elements()...), flat) {
					check(t, x.Close())
				}
			}
		})
	}
}

func fill(rng *rand.Rand, parts [][]byte) []byte {
	for _, p := range parts {
		for i := range p {
			p[i] = byte(1 + rng.IntN(255))
		}
	}
	return bytes.Join(parts, nil)
}

// Cut copies share the tasks with others, and fail as a whole.
func TestCutCopyFaults(t *testing.T) {
	t.Setenv("DOCA_EMU_DMA_MAX_BUF_SIZE", "100")
	for _, spec := range []string{"fail-task=1", "fail-task=7", "fail-task=20", "lose-device=3",
		"exhaust-pool=1", "exhaust-pool=2", "exhaust-pool=3", "exhaust-pool=9", "exhaust-pool=12",
		"fail-call=doca_buf_inventory_create:1", "fail-call=doca_buf_inventory_buf_get_by_args:5",
		"fail-call=doca_dma_task_memcpy_alloc_init:2"} {
		t.Run(spec, func(t *testing.T) {
			b := newBench(t, 4)
			src, dst := b.pair(t, 0, 2000)
			faults(t, spec)
			n, err := b.dma.Copy(t.Context(), dst, src)
			if n != 0 || err == nil {
				t.Fatalf("Copy = %d, %v", n, err)
			}
			if dst.DataLen() != 0 {
				t.Error("the destination claims to have data")
			}
			faults(t, "")
			if b.dma.State() == doca.StateIdle {
				check(t, b.dma.Start(t.Context()))
			}
			if n, err := b.dma.Copy(t.Context(), dst, src); n != 2000 || err != nil || !bytes.Equal(dst.Data(), src.Data()) {
				t.Errorf("afterwards: Copy = %d, %v", n, err)
			}
		})
	}
}

// DOCA does not take back what the context keeps on a memory: the close that meets it fails, and
// everything can be closed after that, in any order.
func TestCutCopyWithABufferThatStays(t *testing.T) {
	t.Setenv("DOCA_EMU_DMA_MAX_BUF_SIZE", "100")
	for k := range 4 {
		for _, call := range []string{"doca_buf_dec_refcount:1", "doca_buf_dec_refcount:5", "doca_buf_inventory_destroy:1"} {
			b := newBench(t, 4)
			src, dst := b.pair(t, 0, 2000)
			must(b.dma.Copy(t.Context(), dst, src))(t)
			same(t, []*doca.Buffer{src}, []*doca.Buffer{dst})
			check(t, b.inv.Close())
			objects := []interface{ Close() error }{b.dma, b.mem, b.pe, b.dev}
			faults(t, "fail-call="+call)
			wantErr(t, objects[k].Close(), doca.ErrDriver)
			faults(t, "")
			for i := range objects {
				check(t, objects[(k+i)%len(objects)].Close())
			}
		}
	}
}
