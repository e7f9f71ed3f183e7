package comch_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// announcement begins the messages that package comch reserves.
const announcement = "\xa3\x07\xd4\x91go-doca\x00\x52\xee\x0b\x68\xc7"

// Consumers and producers are found by name, on both sides, and no program sees the names' messages.
func TestNames(t *testing.T) {
	t.Parallel()
	cfg := comch.Config{Names: true}
	for _, side := range []string{"client", "server"} {
		t.Run(side, func(t *testing.T) {
			t.Parallel()
			from, to := newPair(t, cfg)
			if side == "server" {
				from, to = to, from
			}
			mem := memory(t, to, 4096)
			consumers := map[string]*comch.Consumer{}
			for _, name := range []string{"logs", "data", strings.Repeat("x", to.MaxMessageSize()-22)} {
				c := must(to.NewConsumer(mem, comch.ConsumerConfig{MaxTasks: 2}))(t)
				check(t, c.Post(nil))
				check(t, c.Announce(long(t), name))
				consumers[name] = c
			}
			producer := must(from.NewProducer(comch.ProducerConfig{}))(t)
			for name, c := range consumers {
				id := must(from.ConsumerNamed(long(t), name))(t)
				require.Equal(t, c.ID(), id)
				check(t, producer.Announce(long(t), "to "+name[:4]))
				require.NoError(t, producer.Send(long(t), nil, []byte("x"), id))
				r := must(c.Recv(long(t)))(t)
				assert.Equal(t, must(to.ProducerNamed(long(t), "to "+name[:4]))(t), r.ProducerID)
			}
			send(t, to, "a message")
			recv(t, from, "a message")
			ids := map[string]uint32{}
			for name, c := range consumers {
				ids[name] = c.ID()
			}
			assert.Equal(t, ids, from.ConsumerNames())
			assert.Empty(t, from.ProducerNames())
			assert.Len(t, to.ProducerNames(), 1, "a producer has one name")
			assert.Empty(t, to.ConsumerNames())
			_, err := from.ConsumerNamed(soon(t), "other")
			wantErr(t, err, context.DeadlineExceeded)
			_, err = to.ConsumerNamed(soon(t), "logs")
			wantErr(t, err, context.DeadlineExceeded)

			// A name belongs to the last one, and ends with a consumer.
			check(t, consumers["data"].Announce(long(t), "logs"))
			send(t, to, "renamed")
			recv(t, from, "renamed")
			assert.Equal(t, consumers["data"].ID(), must(from.ConsumerNamed(long(t), "logs"))(t))
			_, err = from.ConsumerNamed(soon(t), "data")
			wantErr(t, err, context.DeadlineExceeded)
			check(t, consumers["data"].Close())
			send(t, to, "closed")
			recv(t, from, "closed")
			assert.NotContains(t, from.ConsumerNames(), "logs")
			_, err = from.ConsumerNamed(soon(t), "logs")
			wantErr(t, err, context.DeadlineExceeded)
			check(t, consumers["logs"].Stop(t.Context()))
			check(t, consumers["logs"].Start(t.Context()))
			check(t, consumers["logs"].Announce(long(t), "logs"))
			assert.Equal(t, consumers["logs"].ID(), must(from.ConsumerNamed(long(t), "logs"))(t))

			check(t, to.Close())
			<-from.Done()
			_, err = from.ConsumerNamed(long(t), "logs")
			wantErr(t, err, comch.ErrPeerGone)
			_, err = to.ProducerNamed(long(t), "to logs")
			wantErr(t, err, doca.ErrClosed)
			wantErr(t, producer.Announce(long(t), "late"), comch.ErrPeerGone, "doca: announce on ")
			wantErr(t, consumers["logs"].Announce(long(t), "late"), doca.ErrClosed, "doca: announce on ")
		})
	}
}

// ConsumerNamed waits for the consumer, and sides without names answer with an error and take nothing out.
func TestNamesOfLater(t *testing.T) {
	t.Parallel()
	from, to := newPair(t, comch.Config{Names: true})
	found := make(chan uint32)
	go func() {
		id, err := from.ConsumerNamed(long(t), "later")
		assert.NoError(t, err)
		found <- id
	}()
	c := must(to.NewConsumer(memory(t, to, 64), comch.ConsumerConfig{}))(t)
	check(t, c.Announce(long(t), "later"))
	assert.Equal(t, c.ID(), <-found)
	wantErr(t, c.Announce(long(t), ""), doca.ErrInvalidValue, "empty")
	wantErr(t, c.Announce(long(t), strings.Repeat("x", to.MaxMessageSize()-21)), doca.ErrTooBig, "at most 4058")
	wantErr(t, c.Announce(canceled(t), "x"), context.Canceled)
	for _, find := range []func(context.Context, string) (uint32, error){from.ConsumerNamed, from.ProducerNamed} {
		_, err := find(t.Context(), "") // would wait for ever
		wantErr(t, err, doca.ErrInvalidValue, "empty")
		_, err = find(t.Context(), strings.Repeat("x", to.MaxMessageSize()-21))
		wantErr(t, err, doca.ErrTooBig, "at most 4058")
	}
	wantErr(t, to.Send(long(t), []byte(announcement+"123456")), doca.ErrInvalidValue, "reserved")
	send(t, to, announcement+"12345") // too short for one

	go func() {
		for i := range 1000 {
			assert.NoError(t, c.Announce(long(t), fmt.Sprint("name ", i)))
		}
	}()
	assert.Equal(t, c.ID(), must(from.ConsumerNamed(long(t), "name 999"))(t))

	from, to = newPair(t, comch.Config{})
	c = must(to.NewConsumer(memory(t, to, 64), comch.ConsumerConfig{}))(t)
	wantErr(t, c.Announce(long(t), "x"), doca.ErrInvalidValue, "Config.Names")
	_, err := from.ConsumerNamed(long(t), "x")
	wantErr(t, err, doca.ErrInvalidValue, "Config.Names")
	send(t, to, announcement+"123456")
	recv(t, from, announcement+"123456")
}

// ConsumerNamed may return a consumer that has just stopped. A send says so, and ConsumerNamed then waits for the
// next one of that name.
func TestNameOfAStoppedConsumer(t *testing.T) {
	t.Parallel()
	from, to := newPair(t, comch.Config{Names: true})
	p := must(from.NewProducer(comch.ProducerConfig{BufferSize: 8}))(t)
	first := must(to.NewConsumer(nil, comch.ConsumerConfig{BufferSize: 8}))(t)
	check(t, first.Announce(long(t), "inbox"))
	id := must(from.ConsumerNamed(long(t), "inbox"))(t)
	check(t, first.Close())
	err := p.SendBytes(long(t), []byte("x"), nil, id)
	wantErr(t, err, comch.ErrConsumerGone)
	_, err = from.ConsumerNamed(soon(t), "inbox")
	wantErr(t, err, context.DeadlineExceeded)

	go func() {
		second, err := to.NewConsumer(nil, comch.ConsumerConfig{BufferSize: 8})
		if assert.NoError(t, err) {
			assert.NoError(t, second.Announce(long(t), "inbox"))
		}
	}()
	id = must(from.ConsumerNamed(long(t), "inbox"))(t)
	check(t, p.SendBytes(long(t), []byte("x"), nil, id))
}

// A consumer has one name, the last. One that does not run cannot be announced, for its number may be that of another one,
// and no more can a producer.
func TestAnnounceWhatDoesNotRun(t *testing.T) {
	t.Parallel()
	from, to := newPair(t, comch.Config{Names: true})
	c := must(to.NewConsumer(nil, comch.ConsumerConfig{BufferSize: 8}))(t)
	p := must(to.NewProducer(comch.ProducerConfig{}))(t)
	check(t, c.Announce(long(t), "first"))
	check(t, c.Announce(long(t), "second"))
	id := must(from.ConsumerNamed(long(t), "second"))(t)
	assert.Equal(t, map[string]uint32{"second": id}, from.ConsumerNames())
	_, err := from.ConsumerNamed(soon(t), "first")
	wantErr(t, err, context.DeadlineExceeded)

	for _, o := range []interface {
		Announce(context.Context, string) error
		Stop(context.Context) error
		Start(context.Context) error
		Close() error
	}{c, p} {
		check(t, o.Stop(long(t)))
		wantErr(t, o.Announce(long(t), "idle"), doca.ErrBadState, "announce")
		check(t, o.Start(long(t)))
		check(t, o.Announce(long(t), "again"))
		check(t, o.Close())
		wantErr(t, o.Announce(long(t), "closed"), doca.ErrClosed, "announce")
	}
}
