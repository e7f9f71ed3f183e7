package comch_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// closer is what every object has.
type closer interface {
	Close() error
	String() string
}

// wantOver checks that an error says that the connection is over, or that the object is closed.
func wantOver(t testing.TB, what string, err error) {
	t.Helper()
	for _, want := range []error{comch.ErrPeerGone, doca.ErrClosed} {
		if errors.Is(err, want) {
			return
		}
	}
	t.Errorf("%s: %v", what, err)
}

// Everything can be closed in any order, by goroutines of its own, while messages flow.
func TestTeardownInAnyOrder(t *testing.T) {
	t.Parallel()
	for seed := range uint64(24) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			rnd := rand.New(rand.NewPCG(seed, 0))
			l := newLink(t)
			srv := l.listen(t, comch.Config{})
			from, to := l.pair(t, srv, comch.Config{})
			in, out := memory(t, to, 4096), memory(t, from, 4096)
			inv := must(doca.NewInventory(64))(t)
			pe := must(doca.NewProgressEngine(doca.EngineConfig{}))(t)
			consumer := must(to.NewConsumer(in, comch.ConsumerConfig{MaxTasks: 16}))(t)
			producer := must(from.NewProducer(comch.ProducerConfig{Engine: pe}))(t)
			id := must(from.WaitConsumer(long(t)))(t)
			var bufs []*doca.Buffer
			for i := range 16 {
				bufs = append(bufs, must(inv.Buffer(in, 64*i, 64))(t))
			}
			src := must(inv.Buffer(out, 0, 64))(t)
			check(t, src.SetData(0, 64))
			must(consumer.PostBatch(bufs))(t)

			var wg sync.WaitGroup
			wg.Go(func() {
				for {
					r, err := consumer.Recv(context.Background())
					if err == nil {
						err = consumer.Post(r.Buffer)
					}
					if err != nil {
						wantOver(t, "receiving", err)
						return
					}
				}
			})
			for range 2 {
				wg.Go(func() {
					msgs := make([]comch.Message, 20)
					for i := range msgs {
						msgs[i] = comch.Message{Buffer: src, Imm: []byte("x"), Consumer: id}
					}
					for {
						if _, err := producer.SendBatch(context.Background(), msgs); err != nil {
							if !errors.Is(err, comch.ErrConsumerGone) {
								wantOver(t, "sending", err)
							}
							return
						}
					}
				})
			}
			objects := []closer{consumer, producer, from, to, srv, in, out, inv, pe, src, l.dpu, l.host}
			rnd.Shuffle(len(objects), func(i, j int) { objects[i], objects[j] = objects[j], objects[i] })
			var closing sync.WaitGroup
			for _, o := range objects {
				closing.Go(func() {
					// A buffer that is posted stays open until the consumer is closed.
					if err := o.Close(); err != nil && !errors.Is(err, doca.ErrInUse) {
						t.Errorf("Close of %v: %v", o, err)
					}
				})
				if rnd.IntN(2) == 0 {
					closing.Wait()
				}
			}
			closing.Wait()
			wg.Wait()
			for _, o := range objects {
				check(t, o.Close())
			}
			wantErr(t, consumer.Post(nil), doca.ErrClosed)
			_, err := consumer.Recv(long(t))
			wantErr(t, err, doca.ErrClosed)
			wantErr(t, producer.Send(long(t), nil, nil, id), doca.ErrClosed)
			runtime.KeepAlive(bufs)
		})
	}
}

// When the connection ends, consumers and producers do: what was received is still there, what
// waits ends with an error that says so, and Close works.
func TestConnectionEnds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		down bool
		end  string
	}{{false, "from"}, {false, "to"}, {true, "from"}, {true, "to"}} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			t.Parallel()
			l := newLane(t, shape{down: c.down})
			back := must(l.to.NewProducer(comch.ProducerConfig{}))(t) // each side has both
			sink := must(l.from.NewConsumer(l.out, comch.ConsumerConfig{}))(t)
			backID := must(l.to.WaitConsumer(long(t)))(t)
			dst := l.sink(t, 0, 64)
			check(t, l.consumer.Post(dst))
			check(t, l.consumer.Post(l.sink(t, 64, 64)))
			check(t, sink.Post(nil))
			l.send(t, l.source(t, 0, "before the end"), "")

			msgs := l.messages(t, 40)
			var wg sync.WaitGroup
			waits := map[string]func() error{
				"Send":      func() error { return back.Send(long(t), nil, nil, backID) },
				"SendBatch": func() error { _, err := l.producer.SendBatch(long(t), msgs); return err },
				"Recv":      func() error { _, err := sink.Recv(long(t)); return err },
			}
			check(t, back.Send(long(t), nil, nil, backID)) // uses up what is posted
			must(sink.Recv(long(t)))(t)
			for name, wait := range waits {
				wg.Go(func() {
					wantOver(t, name, wait())
				})
			}
			l.idle(t)
			check(t, map[string]*comch.Conn{"from": l.from, "to": l.to}[c.end].Close())
			wg.Wait()
			if c.end == "from" { // the consumer is at the other end
				l.want(t, dst, "before the end", "")
				_, err := l.consumer.Recv(long(t))
				for err == nil { // what was sent of the batch
					_, err = l.consumer.Recv(long(t))
				}
				end := told(l.to)
				wantGone(t, "Recv", err, end, true)
				wantGone(t, "Post", l.consumer.Post(nil), end, false)
				wantGone(t, "Send", back.Send(long(t), nil, nil, backID), end, false)
				wantEndAs(t, l.to, end)
			}
			for _, o := range []closer{back, sink, l.producer, l.consumer} {
				check(t, o.Close())
			}
			check(t, dst.Close())
		})
	}
}

// idle lets what goes on go on until nothing does.
func (l *lane) idle(t testing.TB) {
	t.Helper()
	<-soon(t).Done()
}

// Close of a buffer that is sent over and over comes between two sends.
func TestCloseBetweenSends(t *testing.T) {
	t.Parallel()
	l := newLane(t, shape{})
	l.post(t, 8)
	src := l.source(t, 0, "again")
	l.receiveWhile(t, func() {
		done := make(chan error)
		go func() {
			for {
				if err := l.producer.Send(long(t), src, nil, l.id); err != nil {
					done <- err
					return
				}
			}
		}()
		l.idle(t)
		check(t, src.Shutdown(long(t)))
		wantErr(t, <-done, doca.ErrClosed)
	})
}

// The engine of the connection can be that of its consumers and producers.
func TestOneEngineForAll(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	pe := must(doca.NewProgressEngine(doca.EngineConfig{}))(t)
	cfg := comch.Config{Engine: pe}
	from, to := l.pair(t, l.listen(t, cfg), cfg)
	in := memory(t, to, 4096)
	consumer := must(to.NewConsumer(in, comch.ConsumerConfig{Engine: pe}))(t)
	producer := must(from.NewProducer(comch.ProducerConfig{Engine: pe}))(t)
	id := must(from.WaitConsumer(long(t)))(t)
	for range 10 {
		check(t, consumer.Post(nil))
		check(t, producer.Send(long(t), nil, []byte("over it"), id))
		if r := must(consumer.Recv(long(t)))(t); string(r.Imm) != "over it" {
			t.Fatalf("received %q", r.Imm)
		}
		send(t, from, "meanwhile")
		recv(t, to, "meanwhile")
	}
	check(t, pe.Close())
	wantErr(t, consumer.Post(nil), doca.ErrClosed)
	wantErr(t, producer.Send(long(t), nil, nil, id), doca.ErrClosed)
	runtime.KeepAlive(in)
}

// stamp fills b with what nobody else sends: it says from whom it is, its number, and the rest
// follows from that.
func stamp(b []byte, from, to, number uint32) {
	binary.LittleEndian.PutUint32(b, from)
	binary.LittleEndian.PutUint32(b[4:], to)
	binary.LittleEndian.PutUint32(b[8:], number)
	x := from*2654435761 ^ to*40503 ^ number
	for i := 12; i+4 <= len(b); i += 4 {
		x = x*1664525 + 1013904223
		binary.LittleEndian.PutUint32(b[i:], x)
	}
}

func sum(b []byte) uint64 {
	h := fnv.New64a()
	h.Write(b)
	return h.Sum64()
}

// Producers send to all consumers at once, each on its own goroutine and engine: every message
// arrives once, whole, and in its producer's order.
func TestEightToEight(t *testing.T) {
	t.Parallel()
	const parties, window, size = 8, 16, 32 << 10
	each := 64 // messages of each producer to each consumer: 128 MiB
	if raceEnabled {
		each = 16
	}
	from, to := newPair(t, comch.Config{})
	var consumers [parties]*comch.Consumer
	var producers [parties]*comch.Producer
	number := map[uint32]uint32{} // of a producer, by its id
	for i := range parties {
		in := memory(t, to, window*size)
		consumers[i] = must(to.NewConsumer(in, comch.ConsumerConfig{MaxTasks: window}))(t)
		inv := must(doca.NewInventory(window))(t)
		t.Cleanup(func() {
			check(t, to.Close())
			check(t, inv.Close())
			runtime.KeepAlive(in)
		})
		for k := range window {
			check(t, consumers[i].Post(must(inv.Buffer(in, k*size, size))(t)))
		}
		producers[i] = must(from.NewProducer(comch.ProducerConfig{MaxTasks: window}))(t)
		number[producers[i].ID()] = uint32(i)
	}
	for len(from.Consumers()) < parties {
		must(from.ConsumerEvent(long(t)))(t)
	}

	var wg sync.WaitGroup
	for i, p := range producers {
		wg.Go(func() {
			if err := produce(t, from, p, uint32(i), consumers[:], each, window, size); err != nil {
				t.Errorf("producer %d: %v", i, err)
			}
		})
	}
	for i, c := range consumers {
		wg.Go(func() {
			if err := consume(t, c, uint32(i), number, each, parties); err != nil {
				t.Errorf("consumer %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	runtime.KeepAlive(&consumers)
	runtime.KeepAlive(&producers)
}

// produce sends each messages to every consumer, the consumers in turns.
func produce(t testing.TB, conn *comch.Conn, p *comch.Producer, from uint32, to []*comch.Consumer, each, window, size int) error {
	out := memory(t, conn, window*size)
	defer out.Close()
	inv, err := doca.NewInventory(window)
	if err != nil {
		return err
	}
	defer inv.Close()
	bufs := make([]*doca.Buffer, window)
	for k := range bufs {
		if bufs[k], err = inv.Buffer(out, k*size, size); err != nil {
			return err
		}
	}
	var batch []comch.Message
	for n := range each * len(to) {
		c, i := uint32(n%len(to)), uint32(n/len(to))
		b := bufs[len(batch)]
		length := 12 + 4*int((n*7919)%(size/4-2)) // all lengths
		if err := b.SetData(0, length); err != nil {
			return err
		}
		stamp(b.Data(), from, c, i)
		imm := binary.LittleEndian.AppendUint64(nil, sum(b.Data()))
		batch = append(batch, comch.Message{Buffer: b, Imm: imm, Consumer: to[c].ID()})
		if len(batch) > n/3%window || n == each*len(to)-1 {
			if _, err := p.SendBatch(long(t), batch); err != nil {
				return err
			}
			batch = batch[:0]
		}
	}
	return nil
}

// consume receives what all producers send to one consumer.
func consume(t testing.TB, c *comch.Consumer, to uint32, number map[uint32]uint32, each, parties int) error {
	next := make([]uint32, parties)
	out := make([]comch.Received, 5)
	bufs := make([]*doca.Buffer, len(out))
	expected := make([]byte, 1<<20)
	for left := each * parties; left > 0; {
		n, err := c.RecvBatch(long(t), out)
		if err != nil {
			return err
		}
		for i, r := range out[:n] {
			from := number[r.ProducerID]
			want := expected[:len(r.Data)]
			stamp(want, from, to, next[from])
			if string(r.Data) != string(want) || binary.LittleEndian.Uint64(r.Imm) != sum(want) {
				return fmt.Errorf("message %d of producer %d (%d bytes) has unexpected contents", next[from], from, len(r.Data))
			}
			next[from]++
			bufs[i] = r.Buffer
		}
		left -= n
		if _, err := c.PostBatch(bufs[:n]); err != nil {
			return err
		}
	}
	return nil
}

// A consumer and a producer that run cannot be started, nor those that are closed. That is no end of the connection.
func TestStartOfWhatRunsOrIsClosed(t *testing.T) {
	t.Parallel()
	_, to := newPair(t, comch.Config{})
	consumer := must(to.NewConsumer(memory(t, to, 64), comch.ConsumerConfig{}))(t)
	producer := must(to.NewProducer(comch.ProducerConfig{}))(t)
	for name, v := range map[string]interface {
		Start(context.Context) error
		Close() error
	}{"consumer": consumer, "producer": producer} {
		state := new(doca.StateError)
		require.ErrorAs(t, v.Start(long(t)), &state, name)
		assert.Equal(t, doca.StateRunning, state.State, name)
		assert.NotErrorIs(t, v.Start(long(t)), comch.ErrPeerGone, name)
		require.NoError(t, v.Close(), name)
		require.ErrorAs(t, v.Start(long(t)), &state, name)
		assert.ErrorIs(t, v.Start(long(t)), doca.ErrClosed, name)
		assert.NotErrorIs(t, v.Start(long(t)), comch.ErrPeerGone, name)
	}
	assert.NoError(t, to.Err())
}

// A consumer and a producer that were stopped cannot start again when their connection has ended.
func TestStartAfterTheEnd(t *testing.T) {
	t.Parallel()
	from, to := newPair(t, comch.Config{})
	consumer := must(to.NewConsumer(memory(t, to, 64), comch.ConsumerConfig{}))(t)
	producer := must(to.NewProducer(comch.ProducerConfig{}))(t)
	require.NoError(t, consumer.Stop(long(t)))
	require.NoError(t, producer.Stop(long(t)))
	require.NoError(t, from.Close())
	<-to.Done() // before this side has heard of the end, a start can still succeed
	wantGone(t, "Consumer.Start", consumer.Start(long(t)), told(to), false)
	wantGone(t, "Producer.Start", producer.Start(long(t)), told(to), false)
	require.NoError(t, consumer.Close())
	require.NoError(t, producer.Close())
}

// A connection has as many consumers and producers as the device supports, and no more.
func TestMostOfAConnection(t *testing.T) {
	t.Parallel()
	for name, create := range map[string]func(c *comch.Conn, mem *doca.Memory, pe *doca.ProgressEngine) (closer, error){
		"consumers": func(c *comch.Conn, mem *doca.Memory, pe *doca.ProgressEngine) (closer, error) {
			return c.NewConsumer(mem, comch.ConsumerConfig{Engine: pe, MaxTasks: 1})
		},
		"producers": func(c *comch.Conn, _ *doca.Memory, pe *doca.ProgressEngine) (closer, error) {
			return c.NewProducer(comch.ProducerConfig{Engine: pe, MaxTasks: 1})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, to := newPair(t, comch.Config{})
			caps := must(comch.CapabilitiesOf(to.Device().Info()))(t)
			most := map[string]uint32{"consumers": caps.Consumer.MaxConsumers, "producers": caps.Producer.MaxProducers}[name]
			mem := memory(t, to, 64)
			pe := must(doca.NewProgressEngine(doca.EngineConfig{}))(t)
			var kept []closer
			for range most {
				kept = append(kept, must(create(to, mem, pe))(t))
			}
			_, err := create(to, mem, pe)
			require.ErrorIs(t, err, doca.ErrNoMemory)
			require.NoError(t, pe.Close()) // which owns them, too
			for _, o := range kept {
				require.NoError(t, o.Close())
			}
		})
	}
}

// What waits on a connection whose server this side closes ends with ErrClosed, or with ErrPeerGone
// if the client goes at the same time, but never as if the server had stopped by itself.
func TestCloseEndsReceives(t *testing.T) {
	t.Parallel()
	for range 100 {
		l := newLane(t, shape{})
		check(t, l.consumer.Post(l.sink(t, 0, 64)))
		var wg sync.WaitGroup
		wg.Go(func() {
			_, err := l.consumer.Recv(context.Background())
			wantOver(t, "receiving", err)
		})
		wg.Go(func() { check(t, l.from.Close()) })
		check(t, l.to.Server().Close())
		wg.Wait()
	}
}
