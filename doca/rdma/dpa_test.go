package rdma_test

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dpa"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/internal/rdmatest"
	"github.com/go-doca/go-doca/doca/rdma"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A dpaSide has receives of slotLen bytes in the first half of its memory, and sends from the second.
const (
	slotLen = 64
	slots   = 8
	outAt   = memSize / 2
)

// dpaSide is one side of connections, whose data path is on a DPA, with a thread there.
type dpaSide struct {
	t          testing.TB
	dev        *doca.Device
	d          *dpa.DPA
	args       *dpa.Memory // of the thread
	thread     *dpa.Thread
	completion *dpa.Completion
	rdma       *rdma.DPARDMA
	mem        *doca.Memory
	end        rdmatest.End
}

// newDPASide opens a side until the end of the test. f is the function of the thread. No receive is posted.
func newDPASide(t testing.TB, f dpa.Func, cfg rdma.DPAConfig) *dpaSide {
	t.Helper()
	s := &dpaSide{t: t, dev: must(doca.OpenDevice(doctest.DPU0))(t)}
	t.Cleanup(func() { assert.NoError(t, s.dev.Close()) })
	s.d = must(dpa.New(s.dev, dpa.Config{App: rdmatest.App()}))(t)
	s.args = must(dpa.Place(s.d, rdmatest.End{}))(t)
	s.thread = must(s.d.NewThread(dpa.ThreadConfig{Func: f, Arg: uint64(s.args.Addr())}))(t)
	s.completion = must(s.d.NewCompletion(dpa.CompletionConfig{QueueSize: 256, Thread: s.thread}))(t)
	cfg.Completion = s.completion
	s.rdma = must(rdma.NewOnDPA(s.d, cfg))(t)
	s.mem = must(doca.NewMemory(memSize, doca.MemoryConfig{Devices: []*doca.Device{s.dev}, Access: access}))(t)
	s.end = rdmatest.End{
		RDMA: must(s.rdma.Handle())(t), Comp: must(s.completion.Handle())(t), Mmap: must(s.d.MmapHandle(s.mem))(t),
		Addr: uint64(s.mem.Address()), Out: uint64(s.mem.Address() + outAt), Slots: slots, SlotLen: slotLen,
	}
	check(t, dpa.Put(s.args, 0, s.end))
	check(t, s.thread.Run())
	return s
}

// aim says what the peer's memory is. Code on the DPA must not have begun.
func (s *dpaSide) aim(descriptor []byte) {
	s.t.Helper()
	peer := must(doca.ImportMemory(s.dev, descriptor))(s.t)
	s.end.Peer, s.end.PeerAddr = must(s.d.MmapHandle(peer))(s.t), uint64(peer.Address())
	check(s.t, dpa.Put(s.args, 0, s.end))
}

func (s *dpaSide) export() (*rdma.DPAConn, []byte) {
	s.t.Helper()
	c, details, err := s.rdma.Export()
	check(s.t, err)
	return c, details
}

// receives posts a receive for each slot.
func (s *dpaSide) receives() {
	s.t.Helper()
	must(rdmatest.CallPostReceives(s.t.Context(), s.d, s.args.Addr(), slots))(s.t)
}

// counts returns what the thread has counted.
func (s *dpaSide) counts() rdmatest.End {
	s.t.Helper()
	return must(dpa.Get[rdmatest.End](s.args, 0))(s.t)
}

// reaches waits until the thread has counted something.
func (s *dpaSide) reaches(what string, f func(e rdmatest.End) bool) {
	s.t.Helper()
	require.Eventually(s.t, func() bool { return f(s.counts()) }, 20*time.Second, time.Millisecond, what)
}

// connectDPA connects a side on a CPU with one on a DPA.
func connectDPA(t testing.TB, a *side, b *dpaSide) *rdma.DPAConn {
	t.Helper()
	var toA, toB []byte
	a.conn, toB = a.export(t)
	c, toA := b.export()
	check(t, a.conn.Connect(toA))
	check(t, c.Connect(toB))
	return c
}

// talk sends messages to an echo, and checks that they come back in order.
func (s *side) talk(t testing.TB, count int) {
	t.Helper()
	buf := s.buffer(t, memSize/2, slotLen)
	for i := range count {
		must(s.rdma.Post(buf))(t)
		want := s.fill(0, slotLen, i)
		check(t, s.conn.SendImm(soonish(t), uint32(i), s.mem, 0, slotLen))
		got := must(s.rdma.Recv(soonish(t)))(t)
		require.Equal(t, want, got.Data)
		require.Equal(t, uint32(i), got.Imm)
		require.Same(t, s.conn, got.Conn)
	}
}

func TestDPAEcho(t *testing.T) {
	t.Parallel()
	a, b := newSide(t, rdma.Config{}), newDPASide(t, rdmatest.FuncEcho(), rdma.DPAConfig{})
	c := connectDPA(t, a, b)
	assert.Zero(t, c.ID())
	assert.Same(t, b.rdma, c.RDMA())
	assert.Same(t, b.d, b.rdma.DPA())
	b.receives()
	a.talk(t, 300)
	b.reaches("all sends", func(e rdmatest.End) bool { return e.Sent == 300 })
	e := b.counts()
	assert.EqualValues(t, 300, e.Received)
	assert.EqualValues(t, 299, e.Immediate)
	assert.Zero(t, e.SendErrors+e.ReceiveErrors)
	check(t, b.d.Err())
}

// TestDPAConnections: device code knows connections by their numbers, and a new one takes the number of one that was closed.
func TestDPAConnections(t *testing.T) {
	t.Parallel()
	b := newDPASide(t, rdmatest.FuncEcho(), rdma.DPAConfig{MaxConnections: 3})
	b.receives()
	var conns []*rdma.DPAConn
	var peers []*side
	for i := range 3 {
		peers = append(peers, newSide(t, rdma.Config{MaxConnections: 2}))
		conns = append(conns, connectDPA(t, peers[i], b))
		assert.EqualValues(t, i, conns[i].ID())
	}
	_, _, err := b.rdma.Export()
	wantErr(t, err, doca.ErrFull, "DPAConfig.MaxConnections")
	for i := range 30 {
		peers[i%3].talk(t, 1)
		assert.EqualValues(t, i%3, b.counts().Connection%3)
	}
	check(t, conns[1].Close())
	check(t, conns[1].Close())
	wantErr(t, conns[1].Connect([]byte("x")), doca.ErrClosed)
	check(t, peers[1].conn.Close())
	again := connectDPA(t, peers[1], b)
	assert.EqualValues(t, 1, again.ID())
	peers[1].talk(t, 3)
	peers[2].talk(t, 3)
}

// TestDPAOneSided: both sides read, write and change the other's memory.
func TestDPAOneSided(t *testing.T) {
	t.Parallel()
	a, b := newSide(t, rdma.Config{}), newDPASide(t, rdmatest.FuncSink(), rdma.DPAConfig{})
	b.aim(a.exported(t))
	a.peer = must(doca.ImportMemory(a.dev, must(b.mem.ExportRDMA(b.dev))(t)))(t)
	c := connectDPA(t, a, b)
	b.receives()
	const n = 100_000
	out := b.mem.Bytes()[outAt:][:n]
	for i := range out {
		out[i] = byte(i * 5)
	}
	sent := uint64(0)
	done := func() {
		sent++
		b.reaches("a completion", func(e rdmatest.End) bool { return e.Sent == sent })
	}
	must(rdmatest.CallWriteOut(t.Context(), b.d, b.args.Addr(), c.ID(), n))(t)
	done()
	assert.Equal(t, out, a.mem.Bytes()[:n])
	want := append([]byte(nil), a.fill(0, n, 77)...)
	must(rdmatest.CallReadIn(t.Context(), b.d, b.args.Addr(), c.ID(), n))(t)
	done()
	assert.Equal(t, want, out)
	binary.LittleEndian.PutUint64(a.mem.Bytes(), 1000)
	must(rdmatest.CallAdd(t.Context(), b.d, b.args.Addr(), c.ID(), 23))(t)
	done()
	assert.EqualValues(t, 1023, binary.LittleEndian.Uint64(a.mem.Bytes()))

	want = a.fill(0, n, 3)
	check(t, a.conn.Write(soonish(t), a.peer, outAt, a.mem, 0, n))
	assert.Equal(t, want, out)
	check(t, a.conn.Read(soonish(t), a.mem, outAt, a.peer, outAt, n))
	assert.Equal(t, want, a.mem.Bytes()[outAt:][:n])
	check(t, a.conn.WriteImm(soonish(t), 4711, a.peer, outAt, a.mem, 0, n))
	b.reaches("the immediate data", func(e rdmatest.End) bool { return e.Written == 1 && e.Immediate == 4711 })
}

func TestDPAToDPA(t *testing.T) {
	t.Parallel()
	a, b := newDPASide(t, rdmatest.FuncSink(), rdma.DPAConfig{}), newDPASide(t, rdmatest.FuncEcho(), rdma.DPAConfig{})
	ca, toB := a.export()
	cb, toA := b.export()
	check(t, cb.Connect(toB))
	b.receives()
	a.receives()
	check(t, ca.Connect(toA))
	copy(a.mem.Bytes()[outAt:], "from DPA to DPA")
	for i := range uint32(50) {
		must(rdmatest.CallSendOut(t.Context(), a.d, a.args.Addr(), ca.ID(), slotLen, i))(t)
	}
	a.reaches("all answers", func(e rdmatest.End) bool { return e.Received == 50 && e.Sent == 50 })
	assert.EqualValues(t, 49, a.counts().Immediate)
	assert.Equal(t, "from DPA to DPA", string(a.mem.Bytes()[:15]))
}

// TestDPAFailure: a failed operation ends its connection, and the context goes on.
func TestDPAFailure(t *testing.T) {
	t.Parallel()
	a, b := newSide(t, rdma.Config{}), newDPASide(t, rdmatest.FuncEcho(), rdma.DPAConfig{})
	b.aim(a.exported(t))
	c := connectDPA(t, a, b)
	must(rdmatest.CallWriteOut(t.Context(), b.d, b.args.Addr(), c.ID(), memSize+1))(t) // longer than both memories
	b.reaches("an error", func(e rdmatest.End) bool { return e.SendErrors == 1 })
	check(t, b.d.Err())
	select {
	case <-a.conn.Done():
	case <-soonish(t).Done():
		t.Fatal("the peer has not lost the connection")
	}
	wantErr(t, a.conn.Err(), rdma.ErrPeerGone)
	check(t, c.Close())
	check(t, a.conn.Close())
	if a.rdma.State() != doca.StateRunning {
		check(t, a.rdma.WaitIdle(soonish(t)))
		check(t, a.rdma.Start(soonish(t)))
	}
	connectDPA(t, a, b)
	b.receives()
	a.talk(t, 5)
}

func TestDPARefuses(t *testing.T) {
	t.Parallel()
	b := newDPASide(t, rdmatest.FuncSink(), rdma.DPAConfig{})
	other := newDPASide(t, rdmatest.FuncSink(), rdma.DPAConfig{})
	wrong := uint32(1 << 20)
	for name, cfg := range map[string]rdma.DPAConfig{
		"nil or a zero value":         {},
		"DPAConfig.MaxConnections is": {Completion: b.completion, MaxConnections: -1},
		"DPAConfig.SendQueueSize is":  {Completion: b.completion, SendQueueSize: -1},
		"DPAConfig.Permissions":       {Completion: b.completion, Permissions: 1 << 20},
		"DPAConfig.GIDIndex":          {Completion: b.completion, GIDIndex: &wrong},
	} {
		_, err := rdma.NewOnDPA(b.d, cfg)
		wantErr(t, err, doca.ErrInvalidValue, name)
	}
	_, err := rdma.NewOnDPA(nil, rdma.DPAConfig{Completion: b.completion})
	wantErr(t, err, doca.ErrInvalidValue)
	_, err = rdma.NewOnDPA(b.d, rdma.DPAConfig{Completion: new(dpa.Completion)})
	wantErr(t, err, doca.ErrInvalidValue)
	_, err = rdma.NewOnDPA(b.d, rdma.DPAConfig{Completion: other.completion})
	wantErr(t, err, doca.ErrInitialization)
	_, err = new(rdma.DPARDMA).Handle()
	wantErr(t, err, doca.ErrInvalidValue, "NewOnDPA")
	_, _, err = (*rdma.DPARDMA)(nil).Export()
	wantErr(t, err, doca.ErrInvalidValue, "NewOnDPA")
	wantErr(t, new(rdma.DPAConn).Connect([]byte("x")), doca.ErrInvalidValue, "DPARDMA.Export")

	c, toPeer := b.export()
	p, details := other.export()
	damaged := append([]byte(nil), details...)
	damaged[len(damaged)/2] ^= 1
	wantErr(t, c.Connect(damaged), doca.ErrInvalidValue, "damaged")
	wantErr(t, c.Connect(nil), doca.ErrInvalidValue, "empty")
	check(t, c.Connect(details))
	wantErr(t, c.Connect(details), doca.ErrBadState, "already")
	check(t, p.Connect(toPeer))
}

// TestDPAFatal: when code on the DPA crashes, calls say so, peers lose their connections, and everything can be closed and made again.
func TestDPAFatal(t *testing.T) {
	t.Parallel()
	a, b := newSide(t, rdma.Config{}), newDPASide(t, rdmatest.FuncCrash(), rdma.DPAConfig{MaxConnections: 2})
	connectDPA(t, a, b)
	c, _ := b.export()
	b.receives()
	check(t, a.conn.Send(soonish(t), a.mem, 0, slotLen))
	_, err := a.rdma.Recv(soonish(t))
	wantErr(t, err, rdma.ErrPeerGone)
	wantErr(t, b.d.Err(), dpa.ErrFatal)
	_, _, err = b.rdma.Export()
	wantErr(t, err, dpa.ErrFatal)
	wantErr(t, c.Connect([]byte("details")), dpa.ErrFatal)
	_, err = rdma.NewOnDPA(b.d, rdma.DPAConfig{Completion: b.completion})
	wantErr(t, err, dpa.ErrFatal)
	check(t, c.Close())
	check(t, b.rdma.Close())
	check(t, b.d.Close())
	a2, again := newSide(t, rdma.Config{}), newDPASide(t, rdmatest.FuncEcho(), rdma.DPAConfig{})
	connectDPA(t, a2, again)
	again.receives()
	a2.talk(t, 3)
}

// TestDPACloseInAnyOrder closes with messages on their way.
func TestDPACloseInAnyOrder(t *testing.T) {
	t.Parallel()
	for range 20 {
		a, b := newSide(t, rdma.Config{}), newDPASide(t, rdmatest.FuncEcho(), rdma.DPAConfig{})
		c := connectDPA(t, a, b)
		b.receives()
		for i := range 8 {
			must(a.conn.SendImmAsync(t.Context(), uint32(i), a.mem, 0, slotLen))(t)
		}
		objects := []interface{ Close() error }{b.d, b.args, b.thread, b.completion, b.rdma, c, a.rdma, b.mem, a.conn}
		rand.Shuffle(len(objects), func(i, k int) { objects[i], objects[k] = objects[k], objects[i] })
		for _, o := range objects {
			check(t, o.Close())
			check(t, o.Close())
		}
		_, err := b.rdma.Handle()
		wantErr(t, err, doca.ErrClosed)
		_, _, err = b.rdma.Export()
		wantErr(t, err, doca.ErrClosed)
		wantErr(t, c.Connect([]byte("x")), doca.ErrClosed)
		_, err = rdma.NewOnDPA(b.d, rdma.DPAConfig{Completion: b.completion})
		wantErr(t, err, doca.ErrClosed)
	}
}
