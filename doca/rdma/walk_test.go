package rdma_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/rdma"
)

// A walker takes random steps on both sides of a connection, and knows by the rules how each must end. At the start of a side's
// memory is what its peer writes to, then come the buffers of receives, and from half on what the side works with.
type walker struct {
	t     *testing.T
	r     *rand.Rand
	ends  [2]*walkEnd
	trace []string

	written int // writes with immediate data
}

// walkEnd is one end and what the model knows of it.
type walkEnd struct {
	*side
	shadow  []byte         // what the peer can write to, as it must be
	free    []*doca.Buffer // receives that are not posted
	posted  []*doca.Buffer // in this order; the peer's messages take the first
	arrived []walkMessage  // that nobody has received
	waiting []walkSend     // messages of this end that find no receive
	closed  *doca.Memory   // the peer's, which allows nothing
	shut    *doca.Memory   // this side's of that kind
}

type walkMessage struct {
	buf  *doca.Buffer
	data []byte
	imm  uint32
	op   rdma.Opcode

	written []byte // by a write with immediate data
	at      int
}

type walkSend struct {
	f *rdma.Future
	m walkMessage
}

const (
	walkShared = 4096
	walkPosts  = 6
	walkPost   = 128
	walkImms   = 16 << 10 // where writes with immediate data go
	walkOwn    = memSize / 2
)

func newWalker(t *testing.T, seed uint64) *walker {
	w := &walker{t: t, r: rand.New(rand.NewPCG(seed, 1))}
	for i := range w.ends {
		e := &walkEnd{side: newSide(t, rdma.Config{MaxTasks: 4, MaxReceives: walkPosts, MaxConnections: 2}), shadow: make([]byte, walkShared)}
		for k := range walkPosts {
			e.free = append(e.free, e.buffer(t, walkShared+walkPost*k, walkPost))
		}
		for k := walkOwn; k < memSize; k++ {
			e.mem.Bytes()[k] = byte(w.r.Uint32())
		}
		e.shut = must(doca.NewMemory(64, doca.MemoryConfig{Devices: []*doca.Device{e.dev}, Access: doca.AccessLocalReadWrite | doca.AccessRDMARead}))(t)
		w.ends[i] = e
	}
	for i, e := range w.ends {
		other := w.ends[1-i]
		e.peer = must(doca.ImportMemory(e.dev, other.exported(t)))(t)
		e.closed = must(doca.ImportMemory(e.dev, must(other.shut.ExportRDMA(other.dev))(t)))(t)
	}
	w.connect()
	return w
}

func (w *walker) say(format string, args ...any) {
	w.trace = append(w.trace, fmt.Sprintf(format, args...))
}

// connect connects both ends, in one of the two ways.
func (w *walker) connect() {
	a, b := w.ends[0], w.ends[1]
	if w.r.IntN(2) == 0 {
		connect(w.t, a.side, b.side)
		return
	}
	w.say("by address")
	l := must(b.rdma.Listen(port()))(w.t)
	conns := make(chan *rdma.Conn)
	go func() {
		c, err := l.Accept(soonish(w.t))
		assert.NoError(w.t, err)
		conns <- c
	}()
	a.conn = must(a.rdma.Dial(soonish(w.t), b.addr(w.t, l.Port())))(w.t)
	b.conn = <-conns
	require.NoError(w.t, l.Close())
}

// again closes the connection on both ends, and connects again. Receives that the stop of a context has ended are free.
func (w *walker) again(stopped [2]bool) {
	for i, e := range w.ends {
		if len(e.waiting) > 0 && !stopped[i] && e.rdma.State() == doca.StateRunning {
			w.say("%d stops, because messages wait", i)
			require.NoError(w.t, e.rdma.Stop(soonish(w.t)))
			stopped[i] = true
		}
		for _, s := range e.waiting {
			require.Error(w.t, s.f.Wait(soonish(w.t)))
		}
		e.waiting = nil
		require.NoError(w.t, e.conn.Close())
		require.NoError(w.t, e.conn.Close())
		require.Equal(w.t, rdma.ConnClosed, e.conn.State())
		wantErr(w.t, e.conn.Write(soonish(w.t), e.peer, 0, e.mem, walkOwn, 8), doca.ErrClosed)
	}
	for i, e := range w.ends {
		require.NoError(w.t, e.rdma.WaitIdle(soonish(w.t)))
		if e.rdma.State() == doca.StateIdle {
			w.say("%d starts", i)
			if len(e.arrived) == 0 {
				_, err := e.rdma.Recv(soonish(w.t))
				wantErr(w.t, err, doca.ErrBadState)
			}
			require.NoError(w.t, e.rdma.Start(soonish(w.t)))
			e.free, e.posted = append(e.free, e.posted...), nil
			for _, b := range e.free {
				require.NoError(w.t, b.SetData(0, 0), "it belongs to the program")
			}
		} else {
			require.False(w.t, stopped[i])
		}
	}
	w.connect()
}

// source returns a random range of what an end works with.
func (w *walker) source(e *walkEnd, n int) (off int, data []byte) {
	off = walkOwn + w.r.IntN(memSize-walkOwn-n)
	return off, bytes.Clone(e.mem.Bytes()[off:][:n])
}

// steps are what a walker can do. i is the end that begins.
var steps = []struct {
	name   string
	weight int
	do     func(w *walker, i int, e, other *walkEnd)
}{
	{"write", 6, func(w *walker, i int, e, other *walkEnd) {
		n, at := 1+w.r.IntN(200), w.r.IntN(walkShared-200)
		off, data := w.source(e, n)
		require.NoError(w.t, e.conn.Write(soonish(w.t), e.peer, at, e.mem, off, n))
		copy(other.shadow[at:], data)
	}},
	{"read", 6, func(w *walker, i int, e, other *walkEnd) {
		n, at := 1+w.r.IntN(200), w.r.IntN(walkShared-200)
		off, _ := w.source(e, n)
		require.NoError(w.t, e.conn.Read(soonish(w.t), e.mem, off, e.peer, at, n))
		require.Equal(w.t, other.shadow[at:][:n], e.mem.Bytes()[off:][:n])
	}},
	{"batch", 3, func(w *walker, i int, e, other *walkEnd) {
		b := must(e.conn.NewBatch(8))(w.t)
		for range 1 + w.r.IntN(8) {
			at := w.r.IntN(walkShared - 64)
			off, data := w.source(e, 64)
			require.NoError(w.t, b.Write(e.peer, at, e.mem, off, 64))
			copy(other.shadow[at:], data)
		}
		require.NoError(w.t, b.Run(soonish(w.t)))
		require.NoError(w.t, b.Close())
	}},
	{"atomic", 3, func(w *walker, i int, e, other *walkEnd) {
		at := 8 * w.r.IntN(walkShared/8)
		word := binary.NativeEndian.Uint64(other.shadow[at:])
		next := word + uint64(i) + 5
		old, err := uint64(0), error(nil)
		switch w.r.IntN(3) {
		case 0:
			old, err = e.conn.FetchAdd(soonish(w.t), e.peer, at, e.mem, walkOwn, next-word)
		case 1:
			old, err = e.conn.CompareAndSwap(soonish(w.t), e.peer, at, e.mem, walkOwn, word, next)
		default:
			old, err = e.conn.CompareAndSwap(soonish(w.t), e.peer, at, e.mem, walkOwn, word+1, 3)
			next = word
		}
		require.NoError(w.t, err)
		require.Equal(w.t, word, old)
		binary.NativeEndian.PutUint64(other.shadow[at:], next)
	}},
	{"post", 8, func(w *walker, i int, e, other *walkEnd) {
		if len(e.free) == 0 {
			if len(e.arrived) == 0 {
				_, err := e.rdma.Post(nil)
				wantErr(w.t, err, doca.ErrFull)
			}
			return
		}
		b := e.free[0]
		e.free = e.free[1:]
		must(e.rdma.Post(b))(w.t)
		e.posted = append(e.posted, b)
		if len(other.waiting) > 0 {
			s := other.waiting[0]
			other.waiting = other.waiting[1:]
			require.NoError(w.t, s.f.Wait(soonish(w.t)))
			w.deliver(e, s.m)
		}
	}},
	{"message", 8, func(w *walker, i int, e, other *walkEnd) {
		n := 1 + w.r.IntN(walkPost)
		off, data := w.source(e, n)
		m := walkMessage{data: data, imm: w.r.Uint32()}
		var f *rdma.Future
		var err error
		switch w.r.IntN(3) {
		case 0:
			m.op, m.imm = rdma.OpcodeSend, 0
			f, err = e.conn.SendAsync(soonish(w.t), e.mem, off, n)
		case 1:
			m.op = rdma.OpcodeSendImm
			f, err = e.conn.SendImmAsync(soonish(w.t), m.imm, e.mem, off, n)
		default:
			w.written++
			m.op, m.data, m.written, m.at = rdma.OpcodeWriteImm, nil, data, walkImms+walkPost*(w.written%1000)
			f, err = e.conn.WriteImmAsync(soonish(w.t), m.imm, e.peer, m.at, e.mem, off, n)
		}
		require.NoError(w.t, err)
		if len(other.posted) == 0 {
			wantErr(w.t, f.Err(), doca.ErrInProgress)
			e.waiting = append(e.waiting, walkSend{f, m})
			return
		}
		require.NoError(w.t, f.Wait(soonish(w.t)))
		w.deliver(other, m)
	}},
	{"receive", 8, func(w *walker, i int, e, other *walkEnd) {
		if len(e.arrived) == 0 {
			_, err := e.rdma.Recv(doneContext())
			assert.Error(w.t, err)
			return
		}
		m := e.arrived[0]
		e.arrived = e.arrived[1:]
		got := must(e.rdma.Recv(soonish(w.t)))(w.t)
		require.Equal(w.t, m.op, got.Opcode)
		require.Equal(w.t, m.imm, got.Imm)
		require.Same(w.t, m.buf, got.Buffer)
		require.Equal(w.t, len(m.data), len(got.Data))
		require.True(w.t, bytes.Equal(m.data, got.Data))
		require.True(w.t, bytes.Equal(m.written, e.mem.Bytes()[m.at:][:len(m.written)]))
		e.free = append(e.free, m.buf)
	}},
	{"wrong", 6, func(w *walker, i int, e, other *walkEnd) {
		ctx := soonish(w.t)
		for k, err := range []error{
			e.conn.Write(ctx, e.peer, memSize-4, e.mem, walkOwn, 8),
			e.conn.Write(ctx, e.peer, -1, e.mem, walkOwn, 8),
			e.conn.Write(ctx, e.peer, 0, e.mem, memSize-4, 8),
			e.conn.Write(ctx, e.mem, 0, e.mem, walkOwn, 8),
			e.conn.Write(ctx, nil, 0, e.mem, walkOwn, 8),
			e.conn.Read(ctx, e.mem, walkOwn, e.peer, memSize, 1),
			e.conn.Read(ctx, e.mem, walkOwn, e.peer, 0, 0),
			e.conn.Send(ctx, e.mem, walkOwn, -1),
			second(e.conn.FetchAdd(ctx, e.peer, 4, e.mem, walkOwn, 1)),
			second(e.conn.CompareAndSwap(ctx, e.peer, memSize, e.mem, walkOwn, 1, 1)),
		} {
			require.ErrorIs(w.t, err, doca.ErrInvalidValue, "mistake %d", k)
		}
		require.ErrorIs(w.t, e.conn.Connect([]byte("x")), doca.ErrBadState)
		require.ErrorIs(w.t, e.rdma.Start(ctx), doca.ErrBadState)
		require.Equal(w.t, rdma.ConnConnected, e.conn.State())
	}},
	{"forbidden", 1, func(w *walker, i int, e, other *walkEnd) {
		err := e.conn.Write(soonish(w.t), e.closed, 0, e.mem, walkOwn, 8)
		wantErr(w.t, err, doca.ErrIOFailed)
		require.Equal(w.t, doca.StateIdle, e.rdma.State())
		wantErr(w.t, e.conn.Err(), doca.ErrIOFailed)
		wantErr(w.t, e.conn.Send(soonish(w.t), e.mem, walkOwn, 8), doca.ErrIOFailed)
		w.again([2]bool{i == 0, i == 1})
	}},
	{"too long", 1, func(w *walker, i int, e, other *walkEnd) {
		if len(other.posted) == 0 || len(other.arrived) > 0 {
			return
		}
		err := e.conn.Send(soonish(w.t), e.mem, walkOwn, walkPost+1)
		wantErr(w.t, err, doca.ErrIOFailed)
		got, err := other.rdma.Recv(soonish(w.t))
		require.Error(w.t, err)
		require.Same(w.t, other.posted[0], got.Buffer, "the buffer of the failed receive")
		w.again([2]bool{true, true})
	}},
	{"close", 1, func(w *walker, i int, e, other *walkEnd) {
		if len(e.waiting)+len(other.waiting) > 0 {
			return
		}
		require.NoError(w.t, e.conn.Close())
		<-other.conn.Done()
		wantErr(w.t, other.conn.Err(), rdma.ErrPeerGone)
		wantErr(w.t, other.conn.Write(soonish(w.t), other.peer, 0, other.mem, walkOwn, 8), rdma.ErrPeerGone)
		w.again([2]bool{})
	}},
	{"stop", 1, func(w *walker, i int, e, other *walkEnd) {
		require.NoError(w.t, e.rdma.Stop(soonish(w.t)))
		require.Equal(w.t, rdma.ConnEnded, e.conn.State())
		wantErr(w.t, e.conn.Write(soonish(w.t), e.peer, 0, e.mem, walkOwn, 8), doca.ErrBadState)
		<-other.conn.Done()
		w.again([2]bool{i == 0, i == 1})
	}},
}

// deliver puts a message into the next receive of an end.
func (w *walker) deliver(e *walkEnd, m walkMessage) {
	m.buf, e.posted = e.posted[0], e.posted[1:]
	e.arrived = append(e.arrived, m)
}

// step takes one step.
func (w *walker) step() {
	total := 0
	for _, s := range steps {
		total += s.weight
	}
	pick := w.r.IntN(total)
	for _, s := range steps {
		if pick -= s.weight; pick >= 0 {
			continue
		}
		i := w.r.IntN(2)
		e, other := w.ends[i], w.ends[1-i]
		blocked := len(e.waiting) > 0 // what comes later on this connection waits as well
		switch s.name {
		case "write", "read", "batch", "atomic", "forbidden", "too long":
			if blocked {
				return
			}
		case "message":
			if len(e.waiting) == 3 {
				return
			}
		}
		w.say("%d %s", i, s.name)
		s.do(w, i, e, other)
		for _, e := range w.ends {
			require.True(w.t, bytes.Equal(e.shadow, e.mem.Bytes()[:walkShared]), "memory after %s", s.name)
		}
		return
	}
}

// TestWalk takes DOCA_RDMA_STEPS random steps, 3000 by default.
func TestWalk(t *testing.T) {
	most, _ := strconv.Atoi(os.Getenv("DOCA_RDMA_STEPS"))
	if most == 0 {
		most = 3000
	}
	seed := rand.Uint64()
	w := newWalker(t, seed)
	defer func() {
		if t.Failed() {
			t.Logf("seed %d, the last steps: %q", seed, w.trace[max(0, len(w.trace)-15):])
		}
	}()
	for range most {
		w.step()
	}
	w.again([2]bool{})
}
