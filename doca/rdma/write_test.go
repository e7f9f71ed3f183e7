package rdma_test

import (
	"testing"
	"time"
	"unsafe"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/doca/rdma"
	"github.com/go-doca/go-doca/emulator"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWrite(t *testing.T) {
	a, b := newPair(t, rdma.Config{})
	for _, n := range []int{1, 64, 4096, memSize} {
		off := min(128, memSize-n)
		want := a.fill(off, n, n)
		require.NoError(t, a.conn.Write(soonish(t), a.peer, off, a.mem, off, n))
		assert.Equal(t, want, b.mem.Bytes()[off:][:n], "%d bytes", n)
	}
}

func TestWriteAsync(t *testing.T) {
	a, b := newPair(t, rdma.Config{MaxTasks: 4})
	want := a.fill(0, 6400, 3)
	var futures []*rdma.Future
	for i := range 100 {
		futures = append(futures, must(a.conn.WriteAsync(soonish(t), a.peer, 64*i, a.mem, 64*i, 64))(t))
	}
	for _, f := range futures {
		require.NoError(t, f.Wait(soonish(t)))
		<-f.Done()
		assert.NoError(t, f.Err())
	}
	assert.Equal(t, want, b.mem.Bytes()[:6400])
}

func TestWriteImm(t *testing.T) {
	a, b := newPair(t, rdma.Config{})
	must(b.rdma.Post(nil, b.buffer(t, 0, 64)))(t)
	want := a.fill(256, 100, 1)
	for _, imm := range []uint32{7, 0x01020304} {
		require.NoError(t, a.conn.WriteImm(soonish(t), imm, a.peer, 512, a.mem, 256, 100))
		got := must(b.rdma.Recv(soonish(t)))(t)
		assert.Equal(t, rdma.OpcodeWriteImm, got.Opcode)
		assert.Equal(t, imm, got.Imm)
		assert.Same(t, b.conn, got.Conn)
		assert.Empty(t, got.Data)
	}
	assert.Equal(t, want, b.mem.Bytes()[512:][:100])
}

func TestWriteBuffer(t *testing.T) {
	a, b := newPair(t, rdma.Config{MaxListLen: 2})
	want := a.fill(0, 300, 9)
	one, two, three := a.buffer(t, 0, 100), a.buffer(t, 100, 100), a.buffer(t, 200, 100)
	wantErr(t, a.conn.WriteBuffer(soonish(t), a.peer, 0, one), doca.ErrInvalidValue, "SetData")
	for _, buf := range []*doca.Buffer{one, two, three} {
		check(t, buf.SetData(0, 100))
	}
	require.NoError(t, a.conn.WriteBuffer(soonish(t), a.peer, 1000, one))
	check(t, one.Chain(two))
	require.NoError(t, a.conn.WriteBuffer(soonish(t), a.peer, 2000, one))
	assert.Equal(t, want[:100], b.mem.Bytes()[1000:][:100])
	assert.Equal(t, want[:200], b.mem.Bytes()[2000:][:200])
	wantErr(t, a.conn.WriteBuffer(soonish(t), a.peer, memSize-150, one), doca.ErrInvalidValue, "200 bytes", "150")
	check(t, one.Chain(three))
	wantErr(t, a.conn.WriteBuffer(soonish(t), a.peer, 0, one), doca.ErrInvalidValue, "3 buffers", "MaxListLen")
	f := must(a.conn.WriteBufferAsync(soonish(t), a.peer, 0, a.filled(t, 4000, 10)))(t)
	assert.NoError(t, f.Wait(soonish(t)))
}

// filled returns a buffer that is full of data.
func (s *side) filled(t testing.TB, off, n int) *doca.Buffer {
	t.Helper()
	b := s.buffer(t, off, n)
	check(t, b.SetData(0, n))
	return b
}

// What the Go side can know is refused before DOCA is called, and leaves the context running.
func TestWriteRefused(t *testing.T) {
	a, b := newPair(t, rdma.Config{MaxConnections: 2})
	ctx := soonish(t)
	readOnly := must(doca.ImportMemory(a.dev, b.exported(t)))(t)
	check(t, readOnly.SetAccess(doca.AccessRDMARead))
	closed := must(doca.NewMemory(64, doca.MemoryConfig{Devices: []*doca.Device{a.dev}}))(t)
	check(t, closed.Close())
	for _, c := range []struct {
		name  string
		err   error
		want  error
		words []string
	}{
		{"no data", a.conn.Write(ctx, a.peer, 0, a.mem, 0, 0), doca.ErrInvalidValue, []string{"no data"}},
		{"source too short", a.conn.Write(ctx, a.peer, 0, a.mem, memSize-8, 9), doca.ErrInvalidValue, []string{"not within"}},
		{"negative offset", a.conn.Write(ctx, a.peer, 0, a.mem, -1, 9), doca.ErrInvalidValue, nil},
		{"negative length", a.conn.Write(ctx, a.peer, 0, a.mem, 0, -1), doca.ErrInvalidValue, nil},
		{"destination too short", a.conn.Write(ctx, a.peer, memSize-8, a.mem, 0, 9), doca.ErrInvalidValue, []string{"not within"}},
		{"destination not imported", a.conn.Write(ctx, a.mem, 0, a.mem, 64, 9), doca.ErrInvalidValue, []string{"ExportRDMA"}},
		{"read-only", a.conn.Write(ctx, readOnly, 0, a.mem, 0, 9), doca.ErrNotPermitted, nil},
		{"nil destination", a.conn.Write(ctx, nil, 0, a.mem, 0, 9), doca.ErrInvalidValue, nil},
		{"nil source", a.conn.Write(ctx, a.peer, 0, nil, 0, 9), doca.ErrInvalidValue, nil},
		{"closed memory", a.conn.Write(ctx, a.peer, 0, closed, 0, 9), doca.ErrClosed, nil},
		{"nil buffer", a.conn.WriteBuffer(ctx, a.peer, 0, nil), doca.ErrInvalidValue, nil},
		{"nil destination of a buffer", a.conn.WriteBuffer(ctx, nil, 0, a.filled(t, 0, 8)), doca.ErrInvalidValue, nil},
	} {
		t.Run(c.name, func(t *testing.T) { wantErr(t, c.err, c.want, c.words...) })
	}
	fresh, _ := a.export(t)
	wantErr(t, fresh.Write(ctx, a.peer, 0, a.mem, 0, 8), doca.ErrBadState, "Connect")
	require.Equal(t, doca.StateRunning, a.rdma.State())
	assert.NoError(t, a.conn.Write(ctx, a.peer, 0, a.mem, 0, 8))
}

// What DOCA does not take at once is tried again, also if the goroutine that drives the engine sleeps and nothing else is in flight.
func TestWriteTriedAgainWhileDriverSleeps(t *testing.T) {
	a, b := newPair(t, rdma.Config{})
	on := emulator.Target{Object: unsafe.Pointer(must(bind.RawContext(a.rdma.Context))(t))}
	a.conn.Done() // a goroutine drives the engine
	for i := range 10 {
		time.Sleep(5 * time.Millisecond)
		end := must(emulator.Faults{On: on, RefuseTasks: []emulator.TaskFault{{N: 1}}}.Add())(t)
		want := a.fill(0, 8, i)
		require.NoError(t, a.conn.Write(soonish(t), a.peer, 0, a.mem, 0, 8))
		assert.Equal(t, want, b.mem.Bytes()[:8])
		end()
	}
}
