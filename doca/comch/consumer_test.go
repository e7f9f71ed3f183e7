package comch_test

import (
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

// The ids of consumers are their own on their side of a connection; the peer learns of each
// that comes and goes.
func TestConsumerIDs(t *testing.T) {
	t.Parallel()
	l := newLane(t, shape{})
	seen := map[uint32]bool{l.id: true}
	var more []*comch.Consumer
	for range 10 {
		c := must(l.to.NewConsumer(l.in, comch.ConsumerConfig{MaxTasks: 1, ImmDataLen: 4}))(t)
		if id := c.ID(); id == 0 || id >= 0xffff || seen[id] {
			t.Fatalf("id %d after %v", id, seen)
		}
		seen[c.ID()] = true
		more = append(more, c)
		if c.MaxTasks() != 1 || c.ImmDataLen() != 4 || c.Conn() != l.to {
			t.Errorf("%v has %d tasks and %d bytes", c, c.MaxTasks(), c.ImmDataLen())
		}
	}
	for i := range 11 {
		if e := must(l.from.ConsumerEvent(long(t)))(t); !seen[e.ID] || e.Expired {
			t.Fatalf("event %d: %+v", i, e)
		}
	}
	check(t, more[3].Close())
	if e := must(l.from.ConsumerEvent(long(t)))(t); e.ID != more[3].ID() || !e.Expired {
		t.Fatalf("%+v, want the end of %d", e, more[3].ID())
	}
	other := must(l.from.NewConsumer(l.out, comch.ConsumerConfig{}))(t)
	if id := must(l.to.WaitConsumer(long(t)))(t); id != other.ID() {
		t.Errorf("the client's consumer is %d here, %d there", id, other.ID())
	}
}

func TestConsumerMemory(t *testing.T) {
	t.Parallel()
	from, to := newPair(t, comch.Config{})
	_, err := to.NewConsumer(nil, comch.ConsumerConfig{})
	wantErr(t, err, doca.ErrInvalidValue, "nil")
	for name, access := range map[string]doca.Access{
		"local": doca.AccessLocalReadWrite, "read only": doca.AccessLocalReadWrite | doca.AccessPCIReadOnly,
	} {
		t.Run(name, func(t *testing.T) {
			mem := must(doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{to.Device()}, Access: access}))(t)
			if _, err := to.NewConsumer(mem, comch.ConsumerConfig{}); err == nil {
				t.Errorf("%s: a consumer was made", name)
			} else {
				wantErr(t, err, doca.ErrInvalidValue, "AccessPCIReadWrite")
			}
			check(t, mem.Close())
		})
	}
	mem := memory(t, from, 4096)
	_, err = to.NewConsumer(mem, comch.ConsumerConfig{})
	wantErr(t, err, doca.ErrInvalidValue, "MemoryConfig.Devices", mem.String())
	check(t, mem.Close())
	mem = memory(t, to, 4096)
	check(t, mem.Close())
	_, err = to.NewConsumer(mem, comch.ConsumerConfig{})
	wantErr(t, err, doca.ErrClosed)
}

// A consumer that was stopped has given back what was posted and still returns what it had
// received; it can be started again.
func TestConsumerStopAndStart(t *testing.T) {
	t.Parallel()
	l := newLane(t, shape{})
	bufs := l.post(t, 4)
	l.send(t, l.source(t, 0, "before"), "")
	l.send(t, l.source(t, 0, "before"), "")
	if r := must(l.consumer.Recv(long(t)))(t); r.Buffer != bufs[0] {
		t.Fatalf("received %v", r.Buffer)
	}
	stop := func() {
		t.Helper()
		check(t, l.consumer.Stop(long(t)))
		for len(l.from.Consumers()) > 0 {
			must(l.from.ConsumerEvent(long(t)))(t)
		}
	}
	stop()
	check(t, bufs[2].SetData(0, 0)) // given back
	wantErr(t, bufs[1].SetData(0, 0), doca.ErrInUse)
	l.want(t, bufs[1], "before", "")
	_, err := l.consumer.Recv(long(t))
	wantErr(t, err, doca.ErrBadState, "idle")
	wantErr(t, l.consumer.Post(nil), doca.ErrBadState)
	for range 3 {
		check(t, l.consumer.Start(long(t)))
		check(t, l.consumer.Post(bufs[3]))
		for len(l.from.Consumers()) == 0 {
			must(l.from.ConsumerEvent(long(t)))(t)
		}
		l.send(t, l.source(t, 0, "after"), "")
		l.want(t, bufs[3], "after", "")
		stop()
	}
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
