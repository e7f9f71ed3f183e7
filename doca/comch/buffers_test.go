package comch_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/emulator"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// simple is a consumer and a producer with buffers of their own.
type simple struct {
	from, to *comch.Conn
	consumer *comch.Consumer
	producer *comch.Producer
	id       uint32
}

const simpleSize = 1024

func newSimple(t testing.TB, cfg comch.Config, buffers int, down bool) *simple {
	t.Helper()
	s := &simple{}
	s.from, s.to = newPair(t, cfg)
	if down {
		s.from, s.to = s.to, s.from
	}
	s.consumer = must(s.to.NewConsumer(nil, comch.ConsumerConfig{BufferSize: simpleSize, Buffers: buffers}))(t)
	s.producer = must(s.from.NewProducer(comch.ProducerConfig{BufferSize: simpleSize, Buffers: buffers}))(t)
	s.id = must(s.from.WaitConsumer(long(t)))(t)
	t.Cleanup(func() { runtime.KeepAlive(s) })
	return s
}

// wantConsumer waits until a connection knows a consumer of its peer.
func wantConsumer(t testing.TB, c *comch.Conn, consumer *comch.Consumer) {
	t.Helper()
	for !slices.Contains(c.Consumers(), consumer.ID()) {
		must(c.ConsumerEvent(long(t)))(t)
	}
}

// random is a message that its number determines.
func random(i int) []byte {
	r := rand.New(rand.NewPCG(uint64(i), 1))
	msg := make([]byte, r.IntN(simpleSize+1))
	for k := range msg {
		msg[k] = byte(r.Uint32())
	}
	return msg
}

// All that SendBytes sends comes out of Messages, in order, and the loop ends without an error where the end is known.
func TestMessagesLoop(t *testing.T) {
	t.Parallel()
	for _, down := range []bool{false, true} {
		for _, buffers := range []int{1, 3, 0} {
			t.Run(fmt.Sprintf("down=%t/buffers=%d", down, buffers), func(t *testing.T) {
				t.Parallel()
				s := newSimple(t, comch.Config{Farewell: true}, buffers, down)
				const n = 300
				go func() {
					for i := range n {
						msg := random(i)
						err := s.producer.SendBytes(long(t), msg, fmt.Append(nil, i), s.id)
						clear(msg) // it is the program's again
						if !assert.NoError(t, err) {
							return
						}
					}
					assert.NoError(t, s.from.Close())
				}()
				i := 0
				for r, err := range s.consumer.Messages(long(t)) {
					require.NoError(t, err)
					require.Equal(t, random(i), append([]byte{}, r.Data...))
					require.Equal(t, fmt.Sprint(i), string(r.Imm))
					require.Equal(t, s.producer.ID(), r.ProducerID)
					i++
				}
				assert.Equal(t, n, i)
				for _, err := range s.consumer.Messages(long(t)) {
					t.Errorf("another loop gets something: %v", err)
				}
			})
		}
	}
}

// Every end but that of a peer that is known to have closed is an error, and the last thing that a loop gets.
func TestMessagesEnd(t *testing.T) {
	t.Parallel()
	last := func(t *testing.T, c *comch.Consumer, ctx context.Context) error {
		t.Helper()
		var all []error
		for r, err := range c.Messages(ctx) {
			assert.Zero(t, r)
			all = append(all, err)
		}
		require.Len(t, all, 1)
		return all[0]
	}
	t.Run("not known", func(t *testing.T) {
		t.Parallel()
		s := newSimple(t, comch.Config{}, 1, true)
		check(t, s.from.Close())
		wantGone(t, "Messages", last(t, s.consumer, long(t)), comch.EndUnknown, true)
	})
	t.Run("ctx", func(t *testing.T) {
		t.Parallel()
		s := newSimple(t, comch.Config{}, 1, false)
		wantErr(t, last(t, s.consumer, canceled(t)), context.Canceled)
		wantErr(t, last(t, s.consumer, nil), doca.ErrInvalidValue) //nolint:staticcheck // a mistake that is answered
	})
	t.Run("close", func(t *testing.T) {
		t.Parallel()
		s := newSimple(t, comch.Config{}, 1, false)
		check(t, s.consumer.Close())
		wantErr(t, last(t, s.consumer, long(t)), doca.ErrClosed)
	})
	t.Run("a buffer in use", func(t *testing.T) {
		t.Parallel()
		s := newSimple(t, comch.Config{}, 1, false)
		c := must(s.to.NewConsumer(nil, comch.ConsumerConfig{BufferSize: 8, Buffers: 1, MaxTasks: 2}))(t)
		wantConsumer(t, s.from, c)
		check(t, s.producer.SendBytes(long(t), []byte("x"), nil, c.ID()))
		var all []error
		var bufs []*doca.Buffer
		for r, err := range c.Messages(long(t)) {
			if all, bufs = append(all, err), append(bufs, r.Buffer); err == nil {
				check(t, c.Post(r.Buffer))
			}
		}
		require.Len(t, all, 2)
		wantErr(t, all[1], doca.ErrInUse)
		assert.Same(t, bufs[0], bufs[1])
	})
	t.Run("a refused buffer", func(t *testing.T) {
		t.Parallel()
		s := newSimple(t, comch.Config{}, 1, false)
		end, err := emulator.Faults{
			On:          emulator.Target{Object: unsafe.Pointer(must(bind.RawContext(s.consumer.Context))(t))},
			FailTasks:   []emulator.TaskFault{{N: 1}}, // the first that the loop posts again, at once
			RefuseTasks: []emulator.TaskFault{{N: 2, Code: doca.ErrDriver}},
		}.Add()
		check(t, err)
		check(t, s.producer.SendBytes(long(t), []byte("x"), nil, s.id))
		var all []error
		var refused *doca.Buffer
		for r, err := range s.consumer.Messages(long(t)) {
			all, refused = append(all, err), r.Buffer
		}
		require.Len(t, all, 2)
		check(t, all[0])
		wantErr(t, all[1], doca.ErrIOFailed)
		wantErr(t, all[1], doca.ErrDriver)
		end()
		check(t, s.consumer.Post(refused))
		check(t, s.producer.SendBytes(long(t), []byte("y"), nil, s.id))
		for r, err := range s.consumer.Messages(long(t)) {
			check(t, err)
			assert.Equal(t, "y", string(r.Data))
			break
		}
	})
	t.Run("nobody", func(t *testing.T) {
		t.Parallel()
		wantErr(t, last(t, nil, long(t)), doca.ErrInvalidValue)
		wantErr(t, last(t, &comch.Consumer{}, long(t)), doca.ErrInvalidValue)
	})
}

// A loop that ends by break, continue or return posts the buffer again, also one that the program has posted itself
// without a buffer; and loops may share a consumer.
func TestLoopsOverMessages(t *testing.T) {
	t.Parallel()
	s := newSimple(t, comch.Config{}, 1, false)
	for i := range 10 {
		sent := make(chan error)
		go func() { sent <- s.producer.SendBytes(long(t), random(i), nil, s.id) }()
		for r, err := range s.consumer.Messages(long(t)) {
			require.NoError(t, err)
			assert.True(t, bytes.Equal(random(i), r.Data))
			break
		}
		check(t, <-sent)
	}

	l := newLane(t, shape{}) // with memory of the program
	check(t, l.consumer.Post(nil))
	for i := range 5 {
		l.send(t, nil, fmt.Sprint(i))
		for r, err := range l.consumer.Messages(long(t)) {
			require.NoError(t, err)
			assert.Equal(t, fmt.Sprint(i), string(r.Imm))
			break
		}
	}

	const n = 400
	shared := newSimple(t, comch.Config{}, 4, false)
	var mu sync.Mutex
	seen := map[string]int{}
	var loops, sends sync.WaitGroup
	for range 4 {
		loops.Go(func() {
			for r, err := range shared.consumer.Messages(long(t)) {
				if errors.Is(err, io.EOF) || !assert.NoError(t, err) {
					return
				}
				before := string(r.Data)
				time.Sleep(time.Duration(rand.IntN(50)) * time.Microsecond)
				mu.Lock()
				assert.Equal(t, before, string(r.Data), "it was overwritten")
				seen[before]++
				mu.Unlock()
			}
		})
	}
	for k := range 3 { // they share the producer, too
		sends.Go(func() {
			for i := range n {
				assert.NoError(t, shared.producer.SendBytes(long(t), fmt.Append(nil, k, i), nil, shared.id))
			}
		})
	}
	sends.Wait()
	check(t, shared.from.Close())
	loops.Wait()
	assert.Len(t, seen, 3*n)
}

// A received buffer may be sent on to another peer as it is, and is posted again after that.
func TestForwardedBuffer(t *testing.T) {
	t.Parallel()
	in := newSimple(t, comch.Config{}, 2, false)
	out := newSimple(t, comch.Config{}, 2, true)
	relay := must(out.from.NewProducer(comch.ProducerConfig{}))(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for r, err := range in.consumer.Messages(long(t)) {
			if assert.NoError(t, err) {
				assert.NoError(t, relay.Send(long(t), r.Buffer, r.Imm, out.id))
			}
		}
	}()
	go func() {
		for i := range 50 {
			assert.NoError(t, in.producer.SendBytes(long(t), random(i), fmt.Append(nil, i), in.id))
		}
		assert.NoError(t, in.from.Close())
	}()
	for i := range 50 {
		r := must(out.consumer.Recv(long(t)))(t)
		require.Equal(t, random(i), append([]byte{}, r.Data...))
		require.Equal(t, fmt.Sprint(i), string(r.Imm))
		check(t, out.consumer.Post(r.Buffer))
	}
	<-done
}

// While a send whose ctx has ended is under way, the received buffer that it sends cannot be posted.
func TestForwardGivenUp(t *testing.T) {
	in := newSimple(t, comch.Config{}, 1, false)
	out := newSimple(t, comch.Config{}, 1, true)
	relay := must(out.from.NewProducer(comch.ProducerConfig{}))(t)
	check(t, in.producer.SendBytes(long(t), []byte("first"), nil, in.id))
	r := must(in.consumer.Recv(long(t)))(t)
	release := doctest.Hold(t)
	wantErr(t, relay.Send(soon(t), r.Buffer, nil, out.id), context.DeadlineExceeded)
	wantErr(t, in.consumer.Post(r.Buffer), doca.ErrInUse)
	stopped := make(chan error, 1)
	go func() { stopped <- relay.Stop(long(t)) }() // which waits for it
	doctest.Stays(t, stopped, "the producer was stopped before the send had ended")
	release()
	check(t, <-stopped)
	check(t, in.consumer.Post(r.Buffer))
	assert.Equal(t, "first", string(must(out.consumer.Recv(long(t)))(t).Data))
}

// A start after a stop posts the buffers again, but not those that the program has.
func TestOwnBuffersAfterStop(t *testing.T) {
	t.Parallel()
	s := newSimple(t, comch.Config{}, 3, false)
	for i := range 2 {
		check(t, s.producer.SendBytes(long(t), random(i), nil, s.id))
	}
	held := must(s.consumer.Recv(long(t)))(t)
	check(t, s.consumer.Stop(long(t)))
	for len(s.from.Consumers()) > 0 {
		must(s.from.ConsumerEvent(long(t)))(t)
	}
	unread := must(s.consumer.Recv(long(t)))(t)
	assert.True(t, bytes.Equal(random(1), unread.Data))
	wantErr(t, s.consumer.Post(unread.Buffer), doca.ErrBadState)
	check(t, s.consumer.Start(long(t)))
	wantConsumer(t, s.from, s.consumer)
	check(t, s.producer.SendBytes(long(t), random(2), nil, s.id))
	wantErr(t, s.producer.SendBytes(soon(t), random(3), nil, s.id), context.DeadlineExceeded) // no buffer is posted
	assert.True(t, bytes.Equal(random(0), held.Data))
	check(t, s.consumer.Post(held.Buffer))
	check(t, s.consumer.Post(unread.Buffer))
	check(t, s.producer.SendBytes(long(t), random(3), nil, s.id))
	for i := 2; i < 4; i++ {
		r := must(s.consumer.Recv(long(t)))(t)
		assert.True(t, bytes.Equal(random(i), r.Data))
	}
}

// Whatever is closed first, all of the buffers are closed in the end, and what was received stays readable.
func TestCloseOwnBuffers(t *testing.T) {
	t.Parallel()
	for name, closeFirst := range map[string]func(s *simple, r comch.Received) error{
		"consumer":   func(s *simple, _ comch.Received) error { return s.consumer.Close() },
		"shutdown":   func(s *simple, _ comch.Received) error { return s.consumer.Shutdown(context.Background()) },
		"context":    func(s *simple, _ comch.Received) error { return s.consumer.Context.Close() },
		"connection": func(s *simple, _ comch.Received) error { return s.to.Close() },
		"peer":       func(s *simple, _ comch.Received) error { return s.from.Close() },
		"device":     func(s *simple, _ comch.Received) error { return s.to.Device().Close() },
		"memory":     func(_ *simple, r comch.Received) error { return r.Buffer.Memory().Close() },
		"buffer":     func(_ *simple, r comch.Received) error { return r.Buffer.Close() },
		"engine":     func(s *simple, _ comch.Received) error { return s.consumer.Engine().Close() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSimple(t, comch.Config{}, 2, false)
			check(t, s.producer.SendBytes(long(t), []byte("hello"), nil, s.id))
			waits := make(chan error)
			go func() { // for a buffer that is not posted
				for {
					if err := s.producer.SendBytes(long(t), []byte("more"), nil, s.id); err != nil {
						waits <- err
						return
					}
				}
			}()
			r := must(s.consumer.Recv(long(t)))(t)
			check(t, closeFirst(s, r))
			check(t, s.consumer.Close())
			check(t, s.consumer.Close())
			assert.Zero(t, r.Buffer.Memory().Len(), "the memory is closed")
			_, err := r.Buffer.Inventory().Buffer(r.Buffer.Memory(), 0, 1)
			wantErr(t, err, doca.ErrClosed)
			assert.Equal(t, "hello", string(r.Data))
			check(t, s.producer.Close())
			require.Error(t, <-waits)
			wantErr(t, s.producer.SendBytes(long(t), []byte("x"), nil, s.id), doca.ErrClosed)
		})
	}
}

// A failure in the making leaves nothing open, and one in Close something to close again.
func TestOwnBuffersWithFaults(t *testing.T) {
	l := newLink(t)
	srv := l.listen(t, comch.Config{})
	client, _ := l.pair(t, srv, comch.Config{})
	making := map[string]func() (closer, error){
		"consumer": func() (closer, error) {
			return client.NewConsumer(nil, comch.ConsumerConfig{BufferSize: 64})
		},
		"producer": func() (closer, error) {
			return client.NewProducer(comch.ProducerConfig{BufferSize: 64})
		},
	}
	for kind, make := range making {
		for _, fault := range []string{"mmap_create", "mmap_start", "buf_inventory_create", "buf_inventory_buf_get_by_args", "comch_" + kind + "_create", "ctx_start", "pe_create"} {
			t.Run(kind+"/"+fault, func(t *testing.T) {
				open := len(doca.OpenObjects())
				doctest.Faults(t, "fail-call=doca_"+fault+":1")
				_, err := make()
				require.ErrorIs(t, err, doca.ErrDriver)
				assert.Len(t, doca.OpenObjects(), open)
			})
		}
	}
	for _, fault := range []string{"ctx_stop", "mmap_destroy", "buf_inventory_destroy", "comch_consumer_destroy"} {
		t.Run("close, "+fault, func(t *testing.T) {
			open := len(doca.OpenObjects())
			c := must(client.NewConsumer(nil, comch.ConsumerConfig{BufferSize: 64}))(t)
			doctest.Faults(t, "fail-call=doca_"+fault+":1")
			require.ErrorIs(t, c.Close(), doca.ErrDriver)
			require.NoError(t, c.Close())
			assert.Len(t, doca.OpenObjects(), open)
		})
	}
}

func TestConfigOfOwnBuffers(t *testing.T) {
	t.Parallel()
	client, _ := newPair(t, comch.Config{})
	mem := memory(t, client, 64)
	for text, cfg := range map[string]comch.ConsumerConfig{
		"set ConsumerConfig.BufferSize":        {},
		"BufferSize is -1":                     {BufferSize: -1},
		"BufferSize is 2147483648":             {BufferSize: 1 << 31},
		"Buffers is -1":                        {BufferSize: 1, Buffers: -1},
		"Buffers is 3, it can be 1 to 2":       {BufferSize: 1, Buffers: 3, MaxTasks: 2},
		"Buffers is 1025, it can be 1 to 1024": {BufferSize: 1 << 20, Buffers: 1025},
		"AutoPost: it is for a MsgQ":           {BufferSize: 1, AutoPost: true},
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			_, err := client.NewConsumer(nil, cfg)
			wantErr(t, err, doca.ErrInvalidValue, "create consumer", text)
		})
	}
	_, err := client.NewConsumer(mem, comch.ConsumerConfig{BufferSize: 64})
	wantErr(t, err, doca.ErrInvalidValue, "give one of them")
	_, err = client.NewConsumer(mem, comch.ConsumerConfig{Buffers: 1})
	wantErr(t, err, doca.ErrInvalidValue, "give one of them")
	_, err = client.NewConsumer(nil, comch.ConsumerConfig{BufferSize: 1, MaxTasks: -1})
	wantErr(t, err, doca.ErrInvalidValue, "ConsumerConfig.MaxTasks is -1")
	_, err = client.NewProducer(comch.ProducerConfig{Buffers: 3})
	wantErr(t, err, doca.ErrInvalidValue, "ProducerConfig.BufferSize is 0")

	c := must(client.NewConsumer(nil, comch.ConsumerConfig{BufferSize: 1}))(t)
	assert.Equal(t, comch.DefaultBuffers, c.MaxTasks())
	check(t, c.Close())
	c = must(client.NewConsumer(nil, comch.ConsumerConfig{BufferSize: 1, MaxTasks: 2}))(t)
	assert.Equal(t, 2, c.MaxTasks())
	check(t, c.Close())
	c = must(client.NewConsumer(nil, comch.ConsumerConfig{BufferSize: 1, MaxTasks: 3, Buffers: 2}))(t)
	assert.Equal(t, 3, c.MaxTasks())
	check(t, c.Post(nil)) // the third
	wantErr(t, c.Post(nil), doca.ErrFull)
	check(t, c.Close())
	check(t, mem.Close())
}

// SendBytes: what it refuses, and its buffers when the caller waits no longer.
func TestSendBytes(t *testing.T) {
	t.Parallel()
	l := newLane(t, shape{})
	wantErr(t, l.producer.SendBytes(long(t), []byte("x"), nil, l.id), doca.ErrInvalidValue, "ProducerConfig.BufferSize")
	p := must(l.from.NewProducer(comch.ProducerConfig{BufferSize: 8, Buffers: 2}))(t)
	wantErr(t, p.SendBytes(long(t), []byte("too long!"), nil, l.id), doca.ErrTooBig, "9 bytes", "BufferSize is 8")
	wantErr(t, p.SendBytes(canceled(t), []byte("x"), nil, l.id), context.Canceled)
	wantErr(t, p.SendBytes(long(t), []byte("x"), nil, 12345), doca.ErrInvalidValue)
	for range 5 { // more than there are buffers
		wantErr(t, p.SendBytes(soon(t), []byte("lost"), nil, l.id), context.DeadlineExceeded)
	}
	waits := make(chan error)
	for range 2 {
		go func() { waits <- p.SendBytes(long(t), []byte("in order"), nil, l.id) }()
	}
	<-soon(t).Done()
	wantErr(t, p.SendBytes(soon(t), []byte("lost"), nil, l.id), context.DeadlineExceeded) // they have all buffers
	l.post(t, 4)
	check(t, <-waits)
	check(t, <-waits)
	check(t, p.SendBytes(long(t), nil, []byte("no data"), l.id))
	check(t, p.SendBytes(long(t), []byte("last"), []byte("imm"), l.id))
	for _, want := range []string{"in order", "in order", "no data", "lastimm"} {
		r := must(l.consumer.Recv(long(t)))(t)
		assert.Equal(t, want, string(r.Data)+string(r.Imm))
	}
}

// A message that was submitted when ctx ended still arrives whole, and its buffer is used again only then.
func TestSendBytesGivenUp(t *testing.T) {
	l := newLane(t, shape{})
	p := must(l.from.NewProducer(comch.ProducerConfig{BufferSize: 8, Buffers: 1}))(t)
	l.post(t, 3)
	check(t, p.SendBytes(long(t), []byte("first"), nil, l.id))
	release := doctest.Hold(t)
	wantErr(t, p.SendBytes(soon(t), []byte("second"), nil, l.id), context.DeadlineExceeded)
	third := make(chan error, 1)
	go func() { third <- p.SendBytes(long(t), []byte("third"), nil, l.id) }()
	doctest.Stays(t, third, "there was a buffer for the third message")
	release()
	check(t, <-third)
	for _, want := range []string{"first", "second", "third"} {
		r := must(l.consumer.Recv(long(t)))(t)
		assert.Equal(t, want, string(r.Data))
	}
}

func TestOwnBuffersAllocateNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates: run without -race")
	}
	s := newSimple(t, comch.Config{}, 4, false)
	data, imm := make([]byte, 700), []byte("imm")
	ctx := context.Background() // a wait that sleeps allocates for a ctx that can end
	done := make(chan float64)
	go func() {
		n := 0
		for _, err := range s.consumer.Messages(ctx) {
			if err != nil {
				break
			}
			if n++; n == 400 {
				break
			}
		}
		done <- 0
	}()
	allocs := testing.AllocsPerRun(300, func() { check(t, s.producer.SendBytes(ctx, data, imm, s.id)) })
	for range 99 {
		check(t, s.producer.SendBytes(ctx, data, imm, s.id))
	}
	<-done
	assert.Less(t, allocs, 0.5)
}
