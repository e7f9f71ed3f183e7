package comch_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

// One batch has messages of all kinds: with immediate data, without, with nothing else, in buffers of several inventories. Batches do
// not divide MaxTasks, so that posts come to lie at both ends of their queue.
func TestMixedMessages(t *testing.T) {
	t.Parallel()
	const most, batch, spread = 13, 5, 3 // spread: so that places get other buffers now and then
	l := newLane(t, shape{consumer: comch.ConsumerConfig{MaxTasks: most}})
	other := must(doca.NewInventory(most))(t)
	var posted, free []*doca.Buffer // in the order of the consumer; those of the program
	for i := range most + spread {
		switch i % 4 {
		case 0, 1:
			free = append(free, l.sink(t, 64*i, 64))
		case 2:
			free = append(free, must(other.Buffer(l.in, 64*i, 64))(t))
		case 3:
			free = append(free, nil)
		}
	}
	var sources []*doca.Buffer
	for i := range batch {
		sources = append(sources, l.source(t, 64*i, text(i)))
	}
	got := make([]comch.Received, batch)
	next := 0 // number of the next message
	for range 60 {
		n := min(len(free), most-len(posted))
		assert.Equal(t, n, must(l.consumer.PostBatch(free[:n]))(t))
		posted, free = append(posted, free[:n]...), free[n:]
		var msgs []comch.Message
		for k := range batch {
			m := comch.Message{Consumer: l.id}
			if posted[k] != nil {
				m.Buffer = sources[k]
			}
			if m.Buffer == nil || (next+k)%3 == 0 {
				m.Imm = fmt.Append(nil, next+k)
			}
			msgs = append(msgs, m)
		}
		assert.Equal(t, batch, must(l.producer.SendBatch(long(t), msgs))(t))
		for k := 0; k < batch; {
			for _, r := range got[:must(l.consumer.RecvBatch(long(t), got[:batch-k]))(t)] {
				assert.Same(t, posted[0], r.Buffer)
				assert.Equal(t, string(msgs[k].Imm), string(r.Imm))
				assert.Equal(t, l.producer.ID(), r.ProducerID)
				if r.Buffer == nil {
					assert.Nil(t, r.Data)
				} else {
					assert.Equal(t, text(k), string(r.Data))
					assert.Equal(t, text(k), string(r.Buffer.Data()))
				}
				posted, free = posted[1:], append(free, r.Buffer)
				k++
			}
		}
		next += batch
	}
	check(t, l.consumer.Close())
	check(t, other.Close())
}
