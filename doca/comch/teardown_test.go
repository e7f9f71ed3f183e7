package comch_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

// closer is what every object has.
type closer interface {
	Close() error
	String() string
}

// wantOver checks that an error says that the connection is over, or that the object is closed.
func wantOver(t testing.TB, what string, err error) {
	t.Helper()
	for _, want := range []error{doca.ErrNotConnected, doca.ErrConnectionReset, doca.ErrClosed} {
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
							if !errors.Is(err, doca.ErrInvalidValue) { // the consumer is no more
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
					if err := wait(); !errors.Is(err, doca.ErrInvalidValue) { // the consumer may go first
						wantOver(t, name, err)
					}
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
				wantErr(t, err, doca.ErrNotConnected)
				wantErr(t, l.consumer.Post(nil), doca.ErrNotConnected)
				wantErr(t, back.Send(long(t), nil, nil, backID), doca.ErrNotConnected)
				_, err = l.to.NewConsumer(l.in, comch.ConsumerConfig{})
				wantErr(t, err, doca.ErrNotConnected)
				_, err = l.to.NewProducer(comch.ProducerConfig{})
				wantErr(t, err, doca.ErrNotConnected)
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

// Close of a consumer gives back what is posted, and what was received and not read.
func TestConsumerCloseGivesBack(t *testing.T) {
	t.Parallel()
	l := newLane(t, shape{})
	bufs := l.post(t, 10)
	for range 5 {
		l.send(t, l.source(t, 0, "unread"), "")
	}
	check(t, l.consumer.Close())
	for _, b := range bufs {
		check(t, b.SetData(0, 1))
		check(t, b.Close())
	}
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

// Close of what the consumer needs closes it first.
func TestConsumerMemoryCloses(t *testing.T) {
	t.Parallel()
	l := newLane(t, shape{})
	bufs := l.post(t, 3)
	waiting := make(chan error)
	go func() { _, err := l.consumer.Recv(long(t)); waiting <- err }()
	l.idle(t)
	check(t, l.in.Close())
	wantErr(t, <-waiting, doca.ErrClosed)
	wantErr(t, bufs[0].SetData(0, 1), doca.ErrClosed)
}
