package comch_test

import (
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

// loop receives, uses and posts until an error, as programs do, and returns what came and the error.
func loop(t *testing.T, c *comch.Consumer, use func(r comch.Received)) (got []string, err error) {
	t.Helper()
	for {
		r, err := c.Recv(long(t))
		if err != nil {
			return got, err
		}
		got = append(got, string(r.Data)+string(r.Imm))
		use(r)
		if err := c.Post(r.Buffer); err != nil {
			return got, err
		}
	}
}

// A loop of Recv and Post reads all that a peer has sent before it closed, and ends with the error of Recv.
func TestLoopAfterPeerHasClosed(t *testing.T) {
	t.Parallel()
	for _, down := range []bool{false, true} {
		for _, farewell := range []bool{false, true} {
			t.Run(fmt.Sprintf("down=%t/farewell=%t", down, farewell), func(t *testing.T) {
				t.Parallel()
				l := newLane(t, shape{conn: comch.Config{Farewell: farewell}, down: down})
				bufs := l.post(t, 8)
				var want []string
				for i := range 8 {
					l.send(t, l.source(t, 64*i, text(i)), "")
					want = append(want, text(i))
				}
				check(t, l.from.Close())
				<-l.to.Done()
				end := comch.EndUnknown
				if farewell || !down {
					end = comch.EndOrderly
				}
				got, err := loop(t, l.consumer, func(comch.Received) {})
				assert.Equal(t, want, got)
				wantGone(t, "the loop", err, end, true)
				wantGone(t, "Post", l.consumer.Post(bufs[0]), end, false)
				n, err := l.consumer.PostBatch(bufs)
				assert.Zero(t, n)
				wantGone(t, "PostBatch", err, end, false)
			})
		}
	}
}

// The same loop with TryRecvBatch, although nobody has driven the consumer's engine since.
func TestTryLoopAfterPeerHasClosed(t *testing.T) {
	t.Parallel()
	for range 20 {
		l := newLane(t, shape{})
		bufs := l.post(t, 8)
		for i := range 8 {
			l.send(t, l.source(t, 64*i, text(i)), "")
		}
		check(t, l.from.Close())
		<-l.to.Done()
		var err error
		var out [3]comch.Received
		for n, k := 0, 0; ; n += k {
			if k, err = l.consumer.TryRecvBatch(out[:]); err != nil {
				assert.Equal(t, 8, n)
				break
			}
			for _, r := range out[:k] {
				check(t, l.consumer.Post(r.Buffer))
			}
		}
		wantGone(t, "TryRecvBatch", err, comch.EndOrderly, true)
		wantGone(t, "Post", l.consumer.Post(bufs[0]), comch.EndOrderly, false)
	}
}

// What Post does between the end of the connection and the Recv that reports it: it checks the buffers and gives
// them back, and there are as many as usual.
func TestPostBeforeRecvReportsTheEnd(t *testing.T) {
	t.Parallel()
	l := newLane(t, shape{consumer: comch.ConsumerConfig{MaxTasks: 4}})
	bufs := l.post(t, 2)
	l.send(t, nil, "x")
	check(t, l.from.Close())
	<-l.to.Done()

	wantErr(t, l.consumer.Post(l.source(t, 0, "elsewhere")), doca.ErrInvalidValue)
	closed := l.sink(t, 128, 64)
	check(t, closed.Close())
	wantErr(t, l.consumer.Post(closed), doca.ErrClosed)
	more := l.sink(t, 192, 64)
	check(t, l.consumer.Post(more))
	check(t, more.SetData(0, 1)) // it is the program's again
	n, err := l.consumer.PostBatch([]*doca.Buffer{more, nil, nil, nil, nil})
	assert.Contains(t, []int{1, 2}, n) // there is one place more if DOCA has given bufs[1] back already
	wantErr(t, err, doca.ErrFull, "MaxTasks")
	wantErr(t, l.consumer.Post(more), doca.ErrFull)
	wantErr(t, bufs[0].SetData(0, 1), doca.ErrInUse)

	l.want(t, bufs[0], "", "x")
	check(t, l.consumer.Post(bufs[0]))
	check(t, bufs[0].SetData(0, 1))
	_, err = l.consumer.Recv(long(t))
	require.ErrorIs(t, err, io.EOF)
	check(t, l.consumer.WaitIdle(long(t)))
	check(t, bufs[1].SetData(0, 1)) // it was posted, and came back without a message
	wantGone(t, "Post", l.consumer.Post(bufs[0]), comch.EndOrderly, false)
	check(t, l.consumer.Close())
	wantErr(t, l.consumer.Post(bufs[0]), doca.ErrClosed)
}

// The same loop when the process of the peer is killed: nothing is lost that its Send has said to be there.
func TestLoopAfterPeerWasKilled(t *testing.T) {
	t.Parallel()
	for _, side := range []string{"client", "server"} { // of this process
		t.Run(side, func(t *testing.T) {
			t.Parallel()
			l := newLink(t)
			c, p := l.withProcess(t, side, comch.Config{}, "COMCH_TEST_SEND=6")
			mem := memory(t, c, 8*blockSize)
			inv := must(doca.NewInventory(8))(t)
			consumer := must(c.NewConsumer(mem, comch.ConsumerConfig{}))(t)
			for i := range 8 {
				check(t, consumer.Post(must(inv.Buffer(mem, i*blockSize, blockSize))(t)))
			}
			recv(t, c, "all sent")
			p.kill()
			<-c.Done()
			want := comch.EndBroken
			if side == "client" {
				want = comch.EndUnknown
			}
			number := uint32(0)
			block := make([]byte, blockSize)
			got, err := loop(t, consumer, func(r comch.Received) {
				if len(r.Data) > 0 {
					stamp(block[:len(r.Data)], 1, 2, number)
					assert.Equal(t, block[:len(r.Data)], r.Data, "message %d", number)
				}
				number++
			})
			assert.Len(t, got, 7) // the last one has no data
			wantGone(t, "the loop", err, want, true)
			check(t, c.Close())
			check(t, inv.Close())
		})
	}
}
