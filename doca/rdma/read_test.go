package rdma_test

import (
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/rdma"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRead(t *testing.T) {
	a, b := newPair(t, rdma.Config{})
	for _, n := range []int{1, 64, 4096, memSize} {
		off := min(128, memSize-n)
		want := b.fill(off, n, n)
		require.NoError(t, a.conn.Read(soonish(t), a.mem, off, a.peer, off, n))
		assert.Equal(t, want, a.mem.Bytes()[off:][:n], "%d bytes", n)
	}
	f := must(a.conn.ReadAsync(soonish(t), a.mem, 0, a.peer, 128, 64))(t)
	require.NoError(t, f.Wait(soonish(t)))
	assert.Equal(t, b.mem.Bytes()[128:][:64], a.mem.Bytes()[:64])
}

func TestReadBuffer(t *testing.T) {
	a, b := newPair(t, rdma.Config{MaxListLen: 2})
	want := b.fill(0, 150, 5)
	one, two := a.buffer(t, 0, 100), a.buffer(t, 100, 100)
	wantErr(t, a.conn.ReadBuffer(soonish(t), one, a.peer, 0, 150), doca.ErrInvalidValue, "150", "100")
	wantErr(t, a.conn.ReadBuffer(soonish(t), one, a.peer, 0, 0), doca.ErrInvalidValue, "no data")
	require.NoError(t, a.conn.ReadBuffer(soonish(t), one, a.peer, 0, 60))
	assert.Equal(t, want[:60], one.Data())
	check(t, one.Chain(two))
	f := must(a.conn.ReadBufferAsync(soonish(t), one, a.peer, 0, 150))(t)
	require.NoError(t, f.Wait(soonish(t)))
	assert.Equal(t, want[:100], one.Data())
	assert.Equal(t, want[100:], two.Data())
}

func TestReadRefused(t *testing.T) {
	a, _ := newPair(t, rdma.Config{})
	ctx := soonish(t)
	fixed := must(doca.NewMemory(64, doca.MemoryConfig{Devices: []*doca.Device{a.dev}, Access: doca.AccessLocalReadOnly}))(t)
	wantErr(t, a.conn.Read(ctx, fixed, 0, a.peer, 0, 8), doca.ErrNotPermitted)
	wantErr(t, a.conn.Read(ctx, a.mem, 0, a.peer, 0, 0), doca.ErrInvalidValue, "no data")
	wantErr(t, a.conn.Read(ctx, a.mem, 0, a.mem, 64, 8), doca.ErrInvalidValue, "ExportRDMA")
	wantErr(t, a.conn.Read(ctx, a.mem, 0, a.peer, memSize, 1), doca.ErrInvalidValue, "not within")
	wantErr(t, a.conn.ReadBuffer(ctx, nil, a.peer, 0, 8), doca.ErrInvalidValue)
	assert.NoError(t, a.conn.Read(ctx, a.mem, 0, a.peer, 0, 8))
}
