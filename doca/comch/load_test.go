package comch_test

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"runtime"
	"sync"
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

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
				return fmt.Errorf("message %d of producer %d (%d bytes) is another one", next[from], from, len(r.Data))
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
