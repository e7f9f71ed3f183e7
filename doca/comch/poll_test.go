package comch_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

// pump drives the engines of a lane until done says so.
func (l *lane) pump(t *testing.T, done func() bool) {
	t.Helper()
	for ctx := long(t); !done(); {
		require.NoError(t, ctx.Err())
		must(l.producer.Engine().Progress())(t)
		must(l.consumer.Engine().Progress())(t)
	}
}

// A program that drives its engines itself sends and receives without waiting.
func TestStartBatchAndTryRecv(t *testing.T) {
	t.Parallel()
	const n = 16
	l := newLane(t, shape{})
	out := make([]comch.Received, 2*n)
	k, err := l.consumer.TryRecvBatch(out)
	assert.Zero(t, k)
	require.NoError(t, err)
	bufs := l.post(t, n/2)
	msgs := l.messages(t, n)
	var f comch.Future
	assert.False(t, f.Ended())
	check(t, l.producer.StartBatch(msgs, &f))
	wantErr(t, l.producer.StartBatch(msgs, &f), doca.ErrInUse, "have not ended")
	got := 0
	l.pump(t, func() bool {
		k, err := l.consumer.TryRecvBatch(out[got:])
		check(t, err)
		got += k
		return got == n/2
	})
	assert.False(t, f.Ended(), "half of the messages have no buffer")
	wantErr(t, f.Err(), doca.ErrInProgress)
	for i := range got {
		assert.Same(t, bufs[i], out[i].Buffer)
		assert.Equal(t, msgs[i].Buffer.Data(), out[i].Data)
		check(t, l.consumer.Post(out[i].Buffer))
	}
	l.pump(t, func() bool {
		k, err := l.consumer.TryRecvBatch(out[got:])
		check(t, err)
		got += k
		return got == n && f.Ended()
	})
	check(t, f.Err())
	check(t, l.producer.StartBatch(msgs[:1], &f))
	wantErr(t, l.producer.StartBatch(nil, new(comch.Future)), doca.ErrInvalidValue, "1 to 1024")
	wantErr(t, l.producer.StartBatch(msgs, nil), doca.ErrInvalidValue, "nil")
	check(t, l.producer.Close())
	assert.True(t, f.Ended())
	wantErr(t, l.producer.StartBatch(msgs, &f), doca.ErrClosed)
	assert.True(t, f.Ended(), "what was not started changes nothing")
	check(t, l.consumer.Close())
	for err == nil { // what has arrived is still there
		_, err = l.consumer.TryRecvBatch(out)
	}
	wantErr(t, err, doca.ErrClosed)
}

func TestTryRecvPeerGone(t *testing.T) {
	t.Parallel()
	l := newLane(t, shape{})
	l.post(t, 1)
	check(t, l.from.Close())
	var err error
	l.pump2(t, func() bool {
		_, err = l.consumer.TryRecvBatch(make([]comch.Received, 1))
		return err != nil
	})
	wantErr(t, err, comch.ErrPeerGone)
}

// pump2 drives the engines of the receiving side until done says so.
func (l *lane) pump2(t *testing.T, done func() bool) {
	t.Helper()
	for ctx := long(t); !done(); {
		require.NoError(t, ctx.Err())
		_, _ = l.to.Engine().Progress()
		_, _ = l.consumer.Engine().Progress()
	}
}

func TestPollAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates: run without -race")
	}
	const n = 16
	l := newLane(t, shape{})
	bufs := l.post(t, n)
	msgs := l.messages(t, n)
	out := make([]comch.Received, n)
	var f comch.Future
	var err error
	keep := func(e error) {
		if e != nil {
			err = e
		}
	}
	round := func() {
		keep(l.producer.StartBatch(msgs, &f))
		for got := 0; (got < n || !f.Ended()) && err == nil; {
			_, e := l.producer.Engine().Progress()
			keep(e)
			_, e = l.consumer.Engine().Progress()
			keep(e)
			k, e := l.consumer.TryRecvBatch(out)
			keep(e)
			for i := range k {
				bufs[i] = out[i].Buffer
			}
			_, e = l.consumer.PostBatch(bufs[:k])
			keep(e)
			got += k
		}
	}
	round()
	assert.Zero(t, testing.AllocsPerRun(100, round))
	check(t, err)
}
