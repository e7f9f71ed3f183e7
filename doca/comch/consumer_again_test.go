package comch_test

import (
	"context"
	"testing"
	"unsafe"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/internal/msgqtest"
	"github.com/go-doca/go-doca/emulator"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// refuse has DOCA refuse posts of a consumer for the moment.
func refuse(t *testing.T, c *comch.Consumer, at ...uint64) (end func()) {
	f := emulator.Faults{On: emulator.Target{Object: unsafe.Pointer(must(bind.RawContext(c.Context))(t))}}
	for _, n := range at {
		f.RefuseTasks = append(f.RefuseTasks, emulator.TaskFault{Kind: "post_recv", N: n, Code: doca.ErrAgain})
	}
	return must(f.Add())(t)
}

// A consumer that posts by itself repeats what DOCA refuses for the moment.
func TestConsumerPostsAgain(t *testing.T) {
	t.Run("own buffers", func(t *testing.T) {
		client, server := newPair(t, comch.Config{})
		doctest.Faults(t, "refuse-task=post_recv:2,refuse-task=post_recv:4")
		c := must(server.NewConsumer(nil, comch.ConsumerConfig{BufferSize: 64, Buffers: 4}))(t)
		emulator.ClearFaults()
		wantConsumer(t, client, c)
		p := must(client.NewProducer(comch.ProducerConfig{BufferSize: 64}))(t)
		for range 4 { // all four are posted
			check(t, p.TrySend(long(t), nil, []byte("x"), c.ID()))
		}
		for range 4 {
			must(c.Recv(long(t)))(t)
		}
		wantErr(t, p.TrySend(long(t), nil, []byte("x"), c.ID()), doca.ErrAgain)
	})
	t.Run("for good", func(t *testing.T) {
		_, server := newPair(t, comch.Config{})
		doctest.Faults(t, "refuse-task=post_recv:*")
		_, err := server.NewConsumer(nil, comch.ConsumerConfig{BufferSize: 64, Buffers: 4})
		wantErr(t, err, doca.ErrAgain)
	})
	t.Run("Messages", func(t *testing.T) {
		s := newSimple(t, comch.Config{}, 2, false)
		defer refuse(t, s.consumer, 1, 2, 3)()
		n := 0
		check(t, s.producer.SendBytes(long(t), []byte{0}, nil, s.id))
		for r, err := range s.consumer.Messages(long(t)) {
			require.NoError(t, err)
			assert.Equal(t, []byte{byte(n)}, r.Data)
			if n++; n == 3 {
				break
			}
			check(t, s.producer.SendBytes(long(t), []byte{byte(n)}, nil, s.id))
		}
		assert.Equal(t, 3, n)
	})
}

// The same for a consumer of a MsgQ that posts by itself, at its start and after each message.
func TestMsgQPostsAgain(t *testing.T) {
	doctest.Faults(t, "refuse-task=post_recv:1")
	q := newQueuesWith(t, msgqtest.FuncSink(), comch.ConsumerConfig{MaxTasks: 1, AutoPost: true})
	emulator.ClearFaults()
	assert.EqualValues(t, 1, q.push(0, 1))
	end := refuse(t, q.consumer, 1, 2, 3)
	must(q.consumer.Recv(long(t)))(t) // which cannot post it
	_, err := q.consumer.TryRecvBatch(make([]comch.Received, 1))
	check(t, err)
	_, err = q.consumer.Recv(soon(t)) // posts it, and waits for a message
	wantErr(t, err, context.DeadlineExceeded)
	end()
	assert.EqualValues(t, 1, q.push(1, 1))
	assert.Equal(t, number(1)[:8], must(q.consumer.Recv(long(t)))(t).Imm)
	end = refuse(t, q.consumer, emulator.Every)
	assert.EqualValues(t, 1, q.push(2, 1))
	must(q.consumer.Recv(long(t)))(t)
	_, err = q.consumer.Recv(soon(t)) // nothing is posted, and that may end
	wantErr(t, err, context.DeadlineExceeded)
	end()
	_, err = q.consumer.Recv(soon(t))
	wantErr(t, err, context.DeadlineExceeded)
	assert.EqualValues(t, 1, q.push(3, 1))
}
