package comch_test

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

// crowd is goroutines that send to and receive from each other on one connection, each in the way that chance gives it.
type crowd struct {
	t         *testing.T
	ctx       context.Context
	seed      uint64
	engines   []*doca.ProgressEngine
	ends      [2]*crowdEnd
	senders   []*crowdSender
	receivers sync.WaitGroup
	closed    atomic.Bool // an end of the connection
}

type crowdEnd struct {
	conn      *comch.Conn
	mem       *doca.Memory
	inv       *doca.Inventory
	consumers []*crowdConsumer
	from      int            // the bytes of mem that are used
	bufs      []*doca.Buffer // handles, until all is closed
}

type crowdConsumer struct {
	*comch.Consumer
	sources int // senders of the other end
	posts   int // of all buffers
	ended   atomic.Int32

	mu  sync.Mutex
	got map[uint32][]uint32 // the numbers of a sender's messages
}

// crowdSender is a goroutine that sends on one producer.
type crowdSender struct {
	id    uint32
	p     *comch.Producer
	end   *crowdEnd
	to    []*crowdConsumer
	bufs  []*doca.Buffer
	next  []uint32   // of each consumer
	sure  [][]uint32 // messages that are there
	maybe [][]uint32 // messages that may be there
}

const (
	crowdHead = 8 // the sender and the number, in each message's immediate data
	crowdLast = 1 << 31
	crowdMost = 200
)

func newCrowd(t *testing.T, seed uint64) *crowd {
	w := &crowd{t: t, seed: seed}
	r := rand.New(rand.NewPCG(seed, 1))
	for range 2 {
		w.engines = append(w.engines, must(doca.NewProgressEngine(doca.EngineConfig{}))(t))
	}
	a, b := newPair(t, comch.Config{})
	for i, c := range []*comch.Conn{a, b} {
		w.ends[i] = &crowdEnd{conn: c, mem: memory(t, c, 128<<10), inv: must(doca.NewInventory(512))(t)}
	}
	engine := func(e *crowdEnd) *doca.ProgressEngine {
		return []*doca.ProgressEngine{nil, e.conn.Engine(), w.engines[0], w.engines[1]}[r.IntN(4)]
	}
	for i, e := range w.ends {
		for range r.IntN(2) + 1 - i {
			cfg := comch.ConsumerConfig{Engine: engine(e), MaxTasks: 1 + r.IntN(40)}
			c := &crowdConsumer{posts: cfg.MaxTasks, got: map[uint32][]uint32{}}
			mem := e.mem
			if r.IntN(3) == 0 {
				mem, cfg.BufferSize, cfg.Buffers = nil, crowdMost, cfg.MaxTasks
			}
			c.Consumer = must(e.conn.NewConsumer(mem, cfg))(t)
			if mem != nil {
				for range cfg.MaxTasks {
					check(t, c.Post(e.buffer(t)))
				}
			}
			e.consumers = append(e.consumers, c)
		}
	}
	for i, e := range w.ends {
		other := w.ends[1-i]
		for range 1 + r.IntN(2) {
			if len(other.consumers) == 0 {
				break
			}
			must(e.conn.WaitConsumer(long(t)))(t)
			for len(e.conn.Consumers()) < len(other.consumers) {
				must(e.conn.Engine().Progress())(t)
			}
			p := must(e.conn.NewProducer(comch.ProducerConfig{Engine: engine(e), MaxTasks: 1 + r.IntN(20), BufferSize: crowdMost, Buffers: 1}))(t)
			for range 1 + r.IntN(2) {
				n := len(other.consumers)
				s := &crowdSender{id: uint32(len(w.senders)), p: p, end: e, to: other.consumers, next: make([]uint32, n), sure: make([][]uint32, n), maybe: make([][]uint32, n)}
				for range 12 {
					s.bufs = append(s.bufs, e.buffer(t))
				}
				for _, c := range other.consumers {
					c.sources++
				}
				w.senders = append(w.senders, s)
			}
		}
	}
	return w
}

func (e *crowdEnd) buffer(t *testing.T) *doca.Buffer {
	b := must(e.inv.Buffer(e.mem, e.from, crowdMost))(t)
	e.from, e.bufs = e.from+crowdMost, append(e.bufs, b)
	return b
}

// message makes the next message to consumer k.
func (s *crowdSender) message(r *rand.Rand, k int, buf *doca.Buffer, last bool) (comch.Message, error) {
	number := s.next[k]
	s.next[k]++
	imm := make([]byte, crowdHead+r.IntN(25))
	binary.LittleEndian.PutUint32(imm, s.id)
	binary.LittleEndian.PutUint32(imm[4:], number)
	if last {
		binary.LittleEndian.PutUint32(imm, s.id|crowdLast)
	}
	for i := range imm[crowdHead:] {
		imm[crowdHead+i] = byte(number) + byte(i)
	}
	m := comch.Message{Imm: imm, Consumer: s.to[k].ID(), Buffer: buf}
	if buf == nil {
		return m, nil
	}
	if buf.DataLen() < 12 || r.IntN(2) == 0 {
		off := r.IntN(40)
		if err := buf.SetData(off, 12+r.IntN(crowdMost-off-11)); err != nil {
			return m, err
		}
	}
	stamp(buf.Data(), s.id, uint32(k), number)
	return m, nil
}

// submitted records the messages of a call.
func (s *crowdSender) submitted(msgs []comch.Message, sure int) {
	for i, m := range msgs {
		k := slices.IndexFunc(s.to, func(c *crowdConsumer) bool { return c.ID() == m.Consumer })
		number := binary.LittleEndian.Uint32(m.Imm[4:])
		if i < sure {
			s.sure[k] = append(s.sure[k], number)
		} else {
			s.maybe[k] = append(s.maybe[k], number)
		}
	}
}

// send sends n messages or more.
func (s *crowdSender) send(w *crowd, r *rand.Rand, n int) error {
	for n > 0 {
		k := r.IntN(len(s.to))
		count := 1 + r.IntN(len(s.bufs))
		way := r.IntN(8)
		if way < 4 {
			count = 1
		}
		n -= count
		var msgs []comch.Message
		busy := false
		for i := range count {
			buf := s.bufs[i]
			if r.IntN(6) == 0 {
				buf = nil
			}
			if r.IntN(4) == 0 {
				k = r.IntN(len(s.to))
			}
			m, err := s.message(r, k, buf, false)
			if errors.Is(err, doca.ErrInUse) { // by a message whose call was given up
				m.Buffer, busy = nil, true
			} else if err != nil {
				return err
			}
			msgs = append(msgs, m)
		}
		if busy {
			time.Sleep(50 * time.Microsecond)
		}
		sure, err := 0, error(nil)
		ctx, cancel := w.ctx, context.CancelFunc(func() {})
		short := r.IntN(20) == 0
		if short {
			ctx, cancel = context.WithTimeout(ctx, time.Duration(r.IntN(200))*time.Microsecond)
		}
		m := &msgs[0]
		switch way {
		case 0:
			err = s.p.Send(ctx, m.Buffer, m.Imm, m.Consumer)
		case 1:
			var data []byte
			if m.Buffer != nil {
				data = m.Buffer.Data()
			}
			err = s.p.SendBytes(ctx, data, m.Imm, m.Consumer)
		case 2:
			var f *comch.Future
			if f, err = s.p.SendAsync(ctx, m.Buffer, m.Imm, m.Consumer); err == nil {
				err = f.Wait(w.ctx)
			}
		case 3:
			for err = doca.ErrAgain; errors.Is(err, doca.ErrAgain) && ctx.Err() == nil; {
				if err = s.p.TrySend(ctx, m.Buffer, m.Imm, m.Consumer); err != nil {
					time.Sleep(20 * time.Microsecond)
				}
			}
			if errors.Is(err, doca.ErrAgain) { // it is not sent
				err, m = nil, nil
			}
		case 4, 5:
			var f comch.Future
			if err = s.p.StartBatch(msgs, &f); err == nil {
				if err = f.Wait(ctx); short && errors.Is(err, context.DeadlineExceeded) {
					err = f.Wait(w.ctx)
				}
			}
			if err == nil {
				sure = len(msgs)
			}
		default:
			sure, err = s.p.SendBatch(ctx, msgs)
		}
		if way < 4 && err == nil {
			sure = 1
		}
		if m != nil {
			s.submitted(msgs, sure)
		}
		late := short && errors.Is(err, context.DeadlineExceeded) && w.ctx.Err() == nil
		cancel()
		if err != nil && !late {
			return err
		}
	}
	for k := range s.to {
		m, _ := s.message(r, k, nil, true)
		if err := s.p.Send(w.ctx, nil, m.Imm, m.Consumer); err != nil {
			return err
		}
		s.submitted([]comch.Message{m}, 1)
	}
	return nil
}

// take checks a message and records it.
func (c *crowdConsumer) take(w *crowd, r *comch.Received) {
	if len(r.Imm) < crowdHead {
		w.t.Errorf("a message with %d bytes of immediate data", len(r.Imm))
		return
	}
	id, number := binary.LittleEndian.Uint32(r.Imm), binary.LittleEndian.Uint32(r.Imm[4:])
	last := id&crowdLast != 0
	s := w.senders[id&^crowdLast]
	k := slices.Index(s.to, c)
	if k < 0 || r.ProducerID != s.p.ID() {
		w.t.Errorf("a message of producer %d says that it is from %d", r.ProducerID, s.p.ID())
		return
	}
	for i, b := range r.Imm[crowdHead:] {
		if b != byte(number)+byte(i) {
			w.t.Errorf("immediate data of message %d: %x", number, r.Imm)
			break
		}
	}
	if len(r.Data) > 0 {
		want := make([]byte, len(r.Data))
		stamp(want, s.id, uint32(k), number)
		if i := len(want) &^ 3; string(want[:i]) != string(r.Data[:i]) {
			w.t.Errorf("data of message %d: %x", number, r.Data)
		}
	}
	if r.Buffer != nil && string(r.Buffer.Data()) != string(r.Data) && !w.closed.Load() { // a consumer's own buffers are closed with it
		w.t.Error("the buffer has other data")
	}
	c.mu.Lock()
	c.got[s.id] = append(c.got[s.id], number)
	c.mu.Unlock()
	if last {
		c.ended.Add(1)
	}
}

// receive receives until all senders have ended, or with an error.
//
//doca:ignore kept the next receives replace what was given back
func (c *crowdConsumer) receive(ctx context.Context, w *crowd, r *rand.Rand) (err error) {
	out := make([]comch.Received, 40)
	var held []*doca.Buffer
	for c.ended.Load() < int32(c.sources) {
		n := 0
		err = nil
		one := out[:1+r.IntN(len(out))]
		some, cancel := ctx, context.CancelFunc(func() {})
		short := r.IntN(10) == 0
		if short {
			some, cancel = context.WithTimeout(ctx, time.Duration(r.IntN(300))*time.Microsecond)
		}
		switch r.IntN(5) {
		case 0:
			if n, err = c.TryRecvBatch(one); n == 0 && err == nil {
				_, _ = c.Engine().Progress()
			}
		case 1:
			if out[0], err = c.Recv(some); err == nil {
				n = 1
			}
		case 2:
			for m, err := range c.Messages(some) {
				if err == nil {
					c.take(w, &m)
				}
				break
			}
		default:
			n, err = c.RecvBatch(some, one)
		}
		late := short && errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil
		cancel()
		if err != nil && !late {
			return err
		}
		for i := range out[:n] {
			c.take(w, &out[i])
			held = append(held, out[i].Buffer)
		}
		if len(held) > 0 && r.IntN(3) > 0 {
			r.Shuffle(len(held), func(i, k int) { held[i], held[k] = held[k], held[i] })
			n = 1 + r.IntN(len(held))
			if _, err = c.PostBatch(held[:n]); err != nil && !errors.Is(err, comch.ErrPeerGone) && !errors.Is(err, doca.ErrBadState) {
				return err
			}
			held = slices.Delete(held, 0, n)
		}
		if len(held) > c.posts/4 || r.IntN(8) == 0 { // some stay posted, whatever the others hold
			for ; len(held) > 0; held = held[1:] {
				if err = c.Post(held[0]); err != nil && !errors.Is(err, comch.ErrPeerGone) && !errors.Is(err, doca.ErrBadState) {
					return err
				}
			}
		}
	}
	return nil
}

// named reports whether an error after the end of the connection is one that the documentation names.
func named(err error) bool {
	return errors.Is(err, comch.ErrPeerGone) || errors.Is(err, comch.ErrConsumerGone) || errors.Is(err, doca.ErrBadState) || errors.Is(err, doca.ErrClosed) || errors.Is(err, io.EOF)
}

func walkCrowd(t *testing.T, seed uint64) {
	w := newCrowd(t, seed)
	r := rand.New(rand.NewPCG(seed, 2))
	many := r.IntN(3) == 0 // several receivers of a consumer
	ends := r.IntN(2) == 0 // the connection, in the middle
	ctx, stop := context.WithCancel(long(t))
	defer stop()
	w.ctx = ctx
	defer func() {
		if t.Failed() {
			t.Logf("seed %d: several receivers %v, the connection ends %v", seed, many, ends)
		}
	}()
	var senders sync.WaitGroup
	for _, s := range w.senders {
		senders.Go(func() {
			err := s.send(w, rand.New(rand.NewPCG(seed, uint64(100+s.id))), 400)
			if err != nil && !(w.closed.Load() && named(err)) {
				t.Errorf("sender %d: %v", s.id, err)
			}
		})
	}
	for i, e := range w.ends {
		for k, c := range e.consumers {
			for n := range 1 + 2*min(1, r.IntN(2)) {
				if n > 0 && !many {
					break
				}
				w.receivers.Go(func() {
					some, cancel := context.WithCancel(ctx)
					defer cancel()
					if many { // others may get the last messages
						go func() {
							for c.ended.Load() < int32(c.sources) && some.Err() == nil {
								time.Sleep(time.Millisecond)
							}
							cancel()
						}()
					}
					err := c.receive(some, w, rand.New(rand.NewPCG(seed, uint64(1000+100*i+10*k+n))))
					if err != nil && !(w.closed.Load() && named(err)) && some.Err() == nil {
						t.Errorf("receiver of consumer %d: %v", c.ID(), err)
					}
				})
			}
		}
	}
	closer := -1
	if ends {
		closer = r.IntN(2)
		time.Sleep(time.Duration(r.IntN(3000)) * time.Microsecond)
		w.closed.Store(true)
		check(t, w.ends[closer].conn.Close())
	}
	senders.Wait()
	w.receivers.Wait()
	for _, s := range w.senders {
		for k, c := range s.to {
			got := c.got[s.id]
			if !many {
				require.True(t, slices.IsSorted(got), "order of the messages of sender %d to consumer %d", s.id, c.ID())
			}
			slices.Sort(got)
			require.Equal(t, len(got), len(slices.Compact(slices.Clone(got))), "a message has come twice")
			require.Subset(t, append(slices.Clone(s.sure[k]), s.maybe[k]...), append([]uint32{}, got...))
			if !ends || w.ends[closer] == s.end {
				require.Subset(t, got, append([]uint32{}, s.sure[k]...), "lost messages of sender %d to consumer %d", s.id, c.ID())
			}
		}
	}
	for _, e := range w.ends {
		check(t, e.conn.Close())
		check(t, e.mem.Close())
		check(t, e.inv.Close())
	}
	for _, pe := range w.engines {
		check(t, pe.Close())
	}
	runtime.KeepAlive(w)
}

// TestCrowdWalk: goroutines send and receive in all ways at once, and every message arrives once, whole and in its sender's order.
func TestCrowdWalk(t *testing.T) {
	t.Parallel()
	walks(t, 8, walkCrowd)
}
