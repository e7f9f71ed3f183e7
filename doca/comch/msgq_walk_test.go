package comch_test

import (
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/internal/msgqtest"
	"github.com/go-doca/go-doca/emulator"
)

// msgqWalk takes random steps with a consumer of messages from the DPA, and knows how many there may be.
type msgqWalk struct {
	*queues
	t    *testing.T
	r    *rand.Rand
	next uint64 // the number that the DPA sends next
	want uint64 // the number that is received next
	room int    // receives that are posted and have no message; with AutoPost there may be one more
}

// received checks messages.
func (w *msgqWalk) received(out []comch.Received) {
	w.t.Helper()
	for i := range out {
		require.Less(w.t, w.want, w.next, "a message that was not sent")
		require.Equal(w.t, w.want, binary.LittleEndian.Uint64(out[i].Imm))
		require.Len(w.t, out[i].Imm, 8)
		require.Equal(w.t, w.fromDPA.ID(), out[i].ProducerID)
		w.want++
	}
	if w.autoPost {
		w.room += len(out)
	}
}

func (w *msgqWalk) send(count int) {
	n := int(w.push(w.next, uint32(count)))
	w.next += uint64(n)
	if want := min(count, w.room); !w.autoPost || n == want {
		require.Equal(w.t, want, n)
	} else {
		require.Equal(w.t, min(count, w.room+1), n, "there may be room for one more")
	}
	w.room -= n
	require.GreaterOrEqual(w.t, w.room, -1)
}

func (w *msgqWalk) receive() {
	out := make([]comch.Received, 1+w.r.IntN(w.window+2))
	if w.want == w.next {
		_, err := w.consumer.Recv(canceled(w.t))
		wantErr(w.t, err, context.Canceled)
		n, err := w.consumer.TryRecvBatch(out)
		require.NoError(w.t, err)
		require.Zero(w.t, n)
		return
	}
	n := 1
	switch w.r.IntN(4) {
	case 0:
		out[0] = must(w.consumer.Recv(long(w.t)))(w.t)
	case 1:
		for n = 0; n == 0; {
			if n = must(w.consumer.TryRecvBatch(out))(w.t); n == 0 {
				must(w.consumer.Engine().Progress())(w.t)
			}
		}
	default:
		n = must(w.consumer.RecvBatch(long(w.t), out))(w.t)
	}
	w.received(out[:n])
}

// post makes room where the program does that itself.
func (w *msgqWalk) post() {
	free := w.window - w.room - int(w.next-w.want)
	if w.autoPost || free == 0 {
		if w.room+int(w.next-w.want) >= w.window {
			wantErr(w.t, w.consumer.Post(nil), doca.ErrFull)
		}
		return
	}
	n := 1 + w.r.IntN(w.window+1)
	posted, err := w.consumer.PostBatch(make([]*doca.Buffer, n))
	require.Equal(w.t, min(n, free), posted)
	if n > free {
		wantErr(w.t, err, doca.ErrFull)
	} else {
		require.NoError(w.t, err)
	}
	w.room += posted
}

// stop stops the consumer, which returns what has arrived, and starts it again.
func (w *msgqWalk) stop() {
	require.NoError(w.t, w.consumer.Stop(w.t.Context()))
	out := make([]comch.Received, 3)
	for {
		n, err := w.consumer.RecvBatch(long(w.t), out)
		if err != nil {
			wantErr(w.t, err, doca.ErrBadState)
			break
		}
		w.received(out[:n])
	}
	w.want = w.next
	require.NoError(w.t, w.consumer.Start(w.t.Context()))
	w.room = w.window
}

func walkMsgQ(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 3))
	cfg := comch.ConsumerConfig{MaxTasks: 1 + r.IntN(20), AutoPost: r.IntN(3) > 0}
	w := &msgqWalk{queues: newQueuesWith(t, msgqtest.FuncSink(), cfg), t: t, r: r, room: cfg.MaxTasks}
	for range 1500 {
		switch k := r.IntN(100); {
		case k < 30: // one at a time
			for range 1 + r.IntN(3) {
				w.send(1)
				w.receive()
			}
		case k < 45:
			w.send(1 + r.IntN(w.window+3))
		case k < 55:
			w.arrive()
		case k < 80:
			w.receive()
		case k < 98:
			w.post()
		default:
			w.stop()
		}
	}
}

// TestMsgQWalk: messages from the DPA, by ones and in bursts.
func TestMsgQWalk(t *testing.T) {
	t.Parallel()
	walks(t, 6, walkMsgQ)
}

// walkEcho sends messages to a thread that sends them back. A goroutine sends and one receives, or one does both and drives the engine.
//
//doca:ignore kept messages of a MsgQ are copies
func walkEcho(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 4))
	pe := must(doca.NewProgressEngine(doca.EngineConfig{}))(t)
	cfg := comch.ConsumerConfig{MaxTasks: 1 << r.IntN(6), AutoPost: r.IntN(3) > 0}
	if r.IntN(2) == 0 {
		cfg.Engine = pe
	}
	q := newQueuesWith(t, msgqtest.FuncEcho(), cfg)
	t.Cleanup(func() { check(t, pe.Close()) })
	q.makeRoom(q.window)
	if r.IntN(2) == 0 {
		check(t, q.producer.Close())
		q.producer = must(q.to.NewProducer(comch.ProducerConfig{Engine: pe, MaxTasks: 1 + r.IntN(q.window)}))(t)
	}
	const all = 2000
	ctx := long(t)
	room := make(chan struct{}, q.window) // a token for each message that is on its way
	send := func(r *rand.Rand, first uint64, n int) error {
		var msgs []comch.Message
		for i := range n {
			msgs = append(msgs, comch.Message{Imm: number(first + uint64(i)), Consumer: q.onDPA.ID()})
		}
		switch r.IntN(4) {
		case 0:
			for _, m := range msgs {
				if err := q.producer.Send(ctx, nil, m.Imm, m.Consumer); err != nil {
					return err
				}
			}
			return nil
		case 1:
			for _, m := range msgs {
				err := q.producer.TrySend(ctx, nil, m.Imm, m.Consumer)
				for ; errors.Is(err, doca.ErrAgain); err = q.producer.TrySend(ctx, nil, m.Imm, m.Consumer) {
					time.Sleep(10 * time.Microsecond)
				}
				if err != nil {
					return err
				}
			}
			return nil
		case 2:
			f := new(comch.Future)
			if err := q.producer.StartBatch(msgs, f); err != nil {
				return err
			}
			return f.Wait(ctx)
		default:
			_, err := q.producer.SendBatch(ctx, msgs)
			return err
		}
	}
	var sender sync.WaitGroup
	sender.Go(func() {
		r := rand.New(rand.NewPCG(seed, 5))
		for sent := uint64(0); sent < all; {
			n := 1 + r.IntN(min(q.window, all-int(sent)))
			for range n {
				select {
				case room <- struct{}{}:
				case <-ctx.Done():
					t.Error("no message has come for long")
					return
				}
			}
			if err := send(r, sent, n); err != nil {
				t.Errorf("message %d: %v", sent, err)
				return
			}
			sent += uint64(n)
		}
	})
	out := make([]comch.Received, q.window)
	for back := uint64(0); back < all; {
		n, err := 0, error(nil)
		switch some := out[:1+r.IntN(q.window)]; r.IntN(4) {
		case 0:
			if out[0], err = q.consumer.Recv(ctx); err == nil {
				n = 1
			}
		case 1:
			if n, err = q.consumer.TryRecvBatch(some); n == 0 && err == nil {
				_, err = q.consumer.Engine().Progress()
			}
		case 2:
			short, cancel := context.WithTimeout(ctx, time.Duration(r.IntN(100))*time.Microsecond)
			n, err = q.consumer.RecvBatch(short, some)
			cancel()
			if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
				err = nil
			}
		default:
			n, err = q.consumer.RecvBatch(ctx, some)
		}
		require.NoError(t, err)
		for _, m := range out[:n] {
			require.Equal(t, number(back), m.Imm)
			back++
		}
		if !q.autoPost {
			must(q.consumer.PostBatch(make([]*doca.Buffer, n)))(t)
		}
		for range n {
			<-room
		}
	}
	sender.Wait()
	require.Zero(t, q.ends().Failed)
}

// TestMsgQEchoWalk: messages to the DPA and back, with windows of all sizes, on one engine and on two.
func TestMsgQEchoWalk(t *testing.T) {
	t.Parallel()
	walks(t, 6, walkEcho)
}

// TestMsgQWalkFaults: both on a device that takes its time, and on one that reports nothing before it has to.
func TestMsgQWalkFaults(t *testing.T) {
	for _, spec := range []string{"delay=20us,rate=2e5", "hold-reports,hold-unflushed"} {
		t.Run(spec, func(t *testing.T) {
			doctest.Faults(t, spec)
			defer emulator.ClearFaults()
			walks(t, 1, walkMsgQ)
			walks(t, 1, walkEcho)
		})
	}
}
