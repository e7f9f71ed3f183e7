package rdma_test

import (
	"context"
	"encoding/binary"
	"sync"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/rdma"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func (s *side) word(off int) uint64 { return binary.NativeEndian.Uint64(s.mem.Bytes()[off:]) }

func TestCompareAndSwap(t *testing.T) {
	a, b := newPair(t, rdma.Config{})
	was := must(a.conn.CompareAndSwap(soonish(t), a.peer, 64, a.mem, 0, 1, 2))(t)
	assert.Equal(t, uint64(0), was)
	assert.Equal(t, uint64(0), b.word(64))
	was = must(a.conn.CompareAndSwap(soonish(t), a.peer, 64, a.mem, 0, 0, 1<<63+7))(t)
	assert.Equal(t, uint64(0), was)
	assert.Equal(t, uint64(1<<63+7), b.word(64))
	f := must(a.conn.CompareAndSwapAsync(soonish(t), a.peer, 64, a.mem, 0, 0, 3))(t)
	require.NoError(t, f.Wait(soonish(t)))
	assert.Equal(t, uint64(1<<63+7), f.Value())
}

func TestFetchAdd(t *testing.T) {
	a, b := newPair(t, rdma.Config{})
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for range 50 {
				_, err := a.conn.FetchAdd(soonish(t), a.peer, 8, a.mem, 8*g, 3)
				assert.NoError(t, err)
			}
		})
	}
	wg.Wait()
	assert.Equal(t, uint64(8*50*3), b.word(8))
	f := must(a.conn.FetchAddAsync(soonish(t), a.peer, 8, a.mem, 0, ^uint64(0)))(t)
	require.NoError(t, f.Wait(soonish(t)))
	assert.Equal(t, uint64(1200), f.Value())
	assert.Equal(t, uint64(1199), b.word(8))
}

func TestAtomicRefused(t *testing.T) {
	a, _ := newPair(t, rdma.Config{})
	_, err := a.conn.FetchAdd(soonish(t), a.peer, 4, a.mem, 0, 1)
	wantErr(t, err, doca.ErrInvalidValue, "multiple of 8")
	_, err = a.conn.FetchAdd(soonish(t), a.peer, memSize, a.mem, 0, 1)
	wantErr(t, err, doca.ErrInvalidValue)
	_, err = a.conn.CompareAndSwap(soonish(t), a.mem, 0, a.mem, 0, 1, 1)
	wantErr(t, err, doca.ErrInvalidValue, "ExportRDMA")
	_, err = a.conn.FetchAdd(soonish(t), a.peer, 0, a.peer, 0, 1)
	wantErr(t, err, doca.ErrInvalidValue, "memory of this process")
	_, err = a.conn.FetchAddAsync(soonish(t), a.peer, 0, nil, 0, 1)
	wantErr(t, err, doca.ErrInvalidValue)
	wantErr(t, must(a.conn.NewBatch(1))(t).FetchAdd(a.peer, 0, a.peer, 0, 1), doca.ErrInvalidValue, "memory of this process")
}

// The memory of a result may be closed as soon as the operation has ended, also before its value is looked at.
func TestResultOutlivesItsMemory(t *testing.T) {
	a, b := newPair(t, rdma.Config{})
	result := func() *doca.Memory {
		return must(doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{a.dev}}))(t)
	}
	mem := result()
	binary.NativeEndian.PutUint64(b.mem.Bytes()[16:], 5)
	f := must(a.conn.FetchAddAsync(soonish(t), a.peer, 16, mem, 0, 1))(t)
	require.NoError(t, f.Wait(soonish(t)))
	check(t, mem.Close())
	assert.Equal(t, uint64(5), f.Value())

	for range 2000 {
		mem, ended := result(), make(chan error)
		go func() {
			for {
				if _, err := a.conn.FetchAdd(context.Background(), a.peer, 16, mem, 0, 1); err != nil {
					ended <- err
					return
				}
			}
		}()
		time.Sleep(20 * time.Microsecond)
		check(t, mem.Close())
		wantErr(t, <-ended, doca.ErrClosed)
	}
}
