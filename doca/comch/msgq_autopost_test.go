package comch_test

import (
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/dpa"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/internal/msgqtest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// push has code on the DPA send numbers to the consumer, and returns how many it has taken.
func (q *queues) push(first uint64, count uint32) uint64 {
	q.t.Helper()
	return must(msgqtest.CallSendNumbers(q.t.Context(), q.d, q.args.Addr(), first, count))(q.t)
}

// TestMsgQAutoPost: each receive makes room for as many messages as it returns, and none before.
func TestMsgQAutoPost(t *testing.T) {
	t.Parallel()
	q := newQueuesWith(t, msgqtest.FuncSink(), comch.ConsumerConfig{MaxTasks: 8, AutoPost: true})
	in := make([]comch.Received, 3)
	receives := map[string]func() int{
		"Recv": func() int { must(q.consumer.Recv(long(t)))(t); return 1 },
		"RecvBatch": func() int {
			return must(q.consumer.RecvBatch(long(t), in))(t)
		},
		"TryRecvBatch": func() int {
			for {
				if n := must(q.consumer.TryRecvBatch(in))(t); n > 0 {
					return n
				}
				must(q.consumer.Engine().Progress())(t)
			}
		},
		"Messages": func() (n int) {
			for _, err := range q.consumer.Messages(t.Context()) {
				check(t, err)
				if n++; n == 2 {
					break
				}
			}
			return n
		},
	}
	assert.EqualValues(t, 8, q.push(0, 100), "as many as MaxTasks")
	for name, receive := range receives {
		for range 50 {
			wantErr(t, q.consumer.Post(nil), doca.ErrFull)
			assert.Zero(t, q.push(0, 1), "no room before %s", name)
			n := receive()
			require.EqualValues(t, n, q.push(0, 100), "room after %s", name)
		}
	}
}

// arrive has the engine handle what code on the DPA has sent.
func (q *queues) arrive() {
	q.t.Helper()
	for must(q.consumer.Engine().Progress())(q.t) > 0 {
	}
}

// TestMsgQAutoPostAhead: after a receive of the only message, the next message makes room when it arrives, and the receive that
// returns it makes none.
func TestMsgQAutoPostAhead(t *testing.T) {
	t.Parallel()
	for name, room := range map[string]uint64{"one": 1, "a power of two": 2, "another number": 3} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := newQueuesWith(t, msgqtest.FuncSink(), comch.ConsumerConfig{MaxTasks: int(room), AutoPost: true})
			next := uint64(0)
			receive := func() {
				t.Helper()
				assert.Equal(t, number(next)[:8], must(q.consumer.Recv(long(t)))(t).Imm)
				next++
			}
			for range 50 {
				first := next
				require.EqualValues(t, 1, q.push(first, 1))
				receive()
				require.Equal(t, room, q.push(first+1, 100), "it has not arrived")
				q.arrive()
				require.EqualValues(t, 1, q.push(first+1+room, 100), "the first of these has made room for one")
				q.arrive()
				for left := room + 1; left > 0; left-- {
					require.Zero(t, q.push(0, 1), "%d are left", left)
					receive()
					if left <= room {
						require.EqualValues(t, 1, q.push(first+1+room+1+room-left, 1))
					}
				}
				q.arrive()
				for range room {
					receive()
				}
			}
		})
	}
}

// TestMsgQAutoPostAheadOfStop: the consumer stops when a message has made room and was not received.
func TestMsgQAutoPostAheadOfStop(t *testing.T) {
	t.Parallel()
	q := newQueuesWith(t, msgqtest.FuncSink(), comch.ConsumerConfig{MaxTasks: 2, AutoPost: true})
	for range 20 {
		assert.EqualValues(t, 1, q.push(0, 1))
		must(q.consumer.Recv(long(t)))(t)
		assert.EqualValues(t, 1, q.push(7, 1))
		q.arrive()
		check(t, q.consumer.Stop(t.Context()))
		assert.Equal(t, number(7)[:8], must(q.consumer.Recv(long(t)))(t).Imm)
		_, err := q.consumer.Recv(long(t))
		wantErr(t, err, doca.ErrBadState)
		check(t, q.consumer.Start(t.Context()))
		require.EqualValues(t, 2, q.push(0, 100))
		must(q.consumer.RecvBatch(long(t), make([]comch.Received, 2)))(t)
	}
}

// TestMsgQAutoPostAheadRefused: the receive makes room where the message could not, and the message behind it does not in its place.
func TestMsgQAutoPostAheadRefused(t *testing.T) {
	q := newQueuesWith(t, msgqtest.FuncSink(), comch.ConsumerConfig{MaxTasks: 2, AutoPost: true})
	assert.EqualValues(t, 1, q.push(0, 1))
	must(q.consumer.Recv(long(t)))(t)
	doctest.Faults(t, "refuse-task=post_recv:1:DOCA_ERROR_DRIVER")
	assert.EqualValues(t, 2, q.push(1, 2))
	q.arrive()
	for n := uint64(1); n < 20; n++ {
		require.Zero(t, q.push(0, 1))
		require.Equal(t, number(n)[:8], must(q.consumer.Recv(long(t)))(t).Imm)
		require.EqualValues(t, 1, q.push(n+2, 1))
	}
}

// TestMsgQBurst: after many messages that came one at a time, receives soon return all that there are again.
func TestMsgQBurst(t *testing.T) {
	t.Parallel()
	q := newQueuesWith(t, msgqtest.FuncSink(), comch.ConsumerConfig{MaxTasks: 32, AutoPost: true})
	in := make([]comch.Received, 32)
	for n := range 40 {
		for range n {
			require.EqualValues(t, 1, q.push(0, 1))
			require.Equal(t, 1, must(q.consumer.RecvBatch(long(t), in))(t))
		}
		require.EqualValues(t, 32, q.push(0, 100))
		receives := 0
		for got := 0; got < 32; receives++ {
			got += must(q.consumer.RecvBatch(long(t), in))(t)
		}
		require.LessOrEqual(t, receives, 9, "after %d messages", n)
	}
}

// TestMsgQAutoPostEcho: rounds without a Post, before and after a restart of the consumer.
func TestMsgQAutoPostEcho(t *testing.T) {
	t.Parallel()
	q := newQueuesWith(t, msgqtest.FuncEcho(), comch.ConsumerConfig{MaxTasks: 32, AutoPost: true})
	q.makeRoom(32)
	q.echo(0, 5000)
	check(t, q.consumer.Stop(t.Context()))
	_, err := q.consumer.Recv(long(t))
	wantErr(t, err, doca.ErrBadState)
	check(t, q.consumer.Start(t.Context()))
	q.echo(0, 5000)
	assert.Zero(t, q.ends().Failed)
}

// TestMsgQAutoPostAfterStop: what has come before a stop is still received, and the places are posted by the next start.
func TestMsgQAutoPostAfterStop(t *testing.T) {
	t.Parallel()
	q := newQueuesWith(t, msgqtest.FuncSink(), comch.ConsumerConfig{MaxTasks: 4, AutoPost: true})
	assert.EqualValues(t, 3, q.push(0, 3))
	must(q.consumer.Recv(long(t)))(t) // all three have come
	check(t, q.consumer.Stop(t.Context()))
	in := make([]comch.Received, 4)
	assert.Equal(t, 2, must(q.consumer.RecvBatch(long(t), in))(t))
	check(t, q.consumer.Start(t.Context()))
	assert.EqualValues(t, 4, q.push(0, 100))
}

// TestMsgQAutoPostRefused: the receive after one that DOCA has refused posts it, or says why it cannot.
func TestMsgQAutoPostRefused(t *testing.T) {
	q := newQueuesWith(t, msgqtest.FuncSink(), comch.ConsumerConfig{MaxTasks: 2, AutoPost: true})
	assert.EqualValues(t, 2, q.push(0, 2))
	doctest.Faults(t, "refuse-task=post_recv:1:DOCA_ERROR_DRIVER,refuse-task=post_recv:2:DOCA_ERROR_DRIVER")
	in := make([]comch.Received, 2)
	assert.Equal(t, 2, must(q.consumer.RecvBatch(long(t), in))(t), "the messages are not lost")
	assert.Zero(t, q.push(0, 1))
	_, err := q.consumer.RecvBatch(long(t), in)
	wantErr(t, err, doca.ErrDriver)
	n, err := q.consumer.TryRecvBatch(in)
	check(t, err)
	assert.Zero(t, n)
	assert.EqualValues(t, 2, q.push(0, 100))
	assert.Equal(t, 2, must(q.consumer.RecvBatch(long(t), in))(t))
	check(t, q.d.Err())
}

func TestMsgQAutoPostFatal(t *testing.T) {
	t.Parallel()
	q := newQueuesWith(t, msgqtest.FuncCrash(), comch.ConsumerConfig{MaxTasks: 4, AutoPost: true})
	q.makeRoom(4)
	check(t, q.producer.Send(t.Context(), nil, number(0), q.onDPA.ID()))
	_, err := q.consumer.Recv(long(t))
	wantErr(t, err, dpa.ErrFatal)
}
