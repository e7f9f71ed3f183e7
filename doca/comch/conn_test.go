package comch_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"sync"
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/stretchr/testify/assert"
)

func TestMessages(t *testing.T) {
	t.Parallel()
	client, server := newPair(t, comch.Config{})
	send(t, client, "hello")
	recv(t, server, "hello")
	send(t, server, "one")
	send(t, server, "two")
	recv(t, client, "one")
	recv(t, client, "two")
	for _, c := range []*comch.Conn{client, server} {
		if s := c.State(); s != doca.StateRunning {
			t.Errorf("%v is %v", c, s)
		}
		check(t, c.Err())
		check(t, c.Flush(long(t)))
	}
	if client.Server() != nil || server.Server() == nil || server.Server().Engine() != server.Engine() || client.Engine() == server.Engine() {
		t.Error("Server or Engine is wrong")
	}
	stats := must(client.Stats())(t)
	if want := (comch.Stats{SentMessages: 1, SentBytes: 5, RecvMessages: 2, RecvBytes: 6}); stats != want {
		t.Errorf("Stats = %+v, want %+v", stats, want)
	}
	check(t, client.Close())
	if s := client.State(); s != doca.StateClosed {
		t.Errorf("the client is %v", s)
	}
	if stats := must(client.Stats())(t); stats.SentBytes != 5 || stats.RecvBytes != 6 {
		t.Errorf("Stats = %+v after Close", stats)
	}
	wantEnd(t, server)
	if s := server.State(); s != doca.StateIdle {
		t.Errorf("the server's end is %v", s)
	}
	if stats := must(server.Stats())(t); stats.SentMessages != 2 || stats.SentBytes != 6 || stats.RecvMessages != 1 {
		t.Errorf("Stats = %+v after the end", stats)
	}
	_, err := client.Recv(t.Context())
	wantErr(t, err, doca.ErrClosed, "client#")
	wantErr(t, client.Err(), doca.ErrClosed)
	wantErr(t, client.Send(t.Context(), []byte("x")), doca.ErrClosed)
	wantErr(t, client.Flush(t.Context()), doca.ErrClosed)
	check(t, server.Close())
	check(t, server.Close())
	wantErr(t, server.Send(t.Context(), []byte("x")), doca.ErrClosed, "connection#")
	_, err = server.ConsumerEvent(t.Context())
	wantErr(t, err, doca.ErrClosed)
}

func TestSizes(t *testing.T) {
	t.Parallel()
	client, server := newPair(t, comch.Config{})
	most := client.MaxMessageSize()
	for _, n := range []int{1, 2, 63, 64, 1000, most - 1, most} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			msg := bytes.Repeat([]byte{byte(n)}, n)
			msg[0], msg[n-1] = 1, 2
			check(t, client.Send(long(t), msg))
			got := must(server.Recv(long(t)))(t)
			if !bytes.Equal(got, msg) {
				t.Errorf("a message of %d bytes arrived as %d", n, len(got))
			}
			check(t, server.Send(long(t), got))
			buf := make([]byte, most)
			if k := must(client.RecvInto(long(t), buf))(t); !bytes.Equal(buf[:k], msg) {
				t.Errorf("a message of %d bytes came back as %d", n, k)
			}
		})
	}
	wantErr(t, client.Send(t.Context(), make([]byte, most+1)), doca.ErrTooBig, "4081", "4080")
	wantErr(t, client.Send(t.Context(), nil), doca.ErrInvalidValue, "empty")

	// Nothing is lost by a buffer that is too small, whether the message was there or comes.
	send(t, client, "long message")
	_, err := server.RecvInto(long(t), make([]byte, 4))
	wantErr(t, err, doca.ErrTooBig, "12", "4")
	_, err = server.RecvInto(long(t), make([]byte, 11))
	wantErr(t, err, doca.ErrTooBig)
	recv(t, server, "long message")
}

// The message is copied: the sender may change its bytes at once.
func TestMessagesAreCopied(t *testing.T) {
	t.Parallel()
	client, server := newPair(t, comch.Config{RecvQueueSize: 2})
	type record struct {
		text [8]byte
		next *record // a pointer beside the bytes does not disturb cgo
	}
	r := &record{next: &record{}}
	for i := range 20 {
		copy(r.text[:], "message")
		r.text[7] = byte('a' + i)
		check(t, client.Send(long(t), r.text[:]))
		clear(r.text[:])
	}
	for i := range 20 {
		recv(t, server, "message"+string(rune('a'+i)))
	}
}

// Both directions keep their order, however small the queues are, and both sides may send
// more than they all hold before they read.
func TestOrder(t *testing.T) {
	t.Parallel()
	client, server := newPair(t, comch.Config{RecvQueueSize: 4, MaxSendTasks: 3, Backlog: 5})
	const count = 2000
	var all sync.WaitGroup
	for _, c := range []*comch.Conn{client, server} {
		all.Go(func() {
			var msg [100]byte
			for i := range uint32(count) {
				binary.LittleEndian.PutUint32(msg[:], i)
				if err := c.Send(long(t), msg[:4+i%90]); err != nil {
					t.Errorf("Send %d: %v", i, err)
					return
				}
			}
		})
		all.Go(func() {
			var msg [100]byte
			for i := range uint32(count) {
				n, err := c.RecvInto(long(t), msg[:])
				if err != nil || n != int(4+i%90) || binary.LittleEndian.Uint32(msg[:]) != i {
					t.Errorf("message %d: %d bytes, number %d, %v", i, n, binary.LittleEndian.Uint32(msg[:]), err)
					return
				}
			}
		})
	}
	all.Wait()
}

// Each message goes to one of those who wait.
func TestManyGoroutines(t *testing.T) {
	t.Parallel()
	client, server := newPair(t, comch.Config{MaxSendTasks: 4, RecvQueueSize: 8})
	const each, goroutines = 100, 8
	var senders, receivers sync.WaitGroup
	var mu sync.Mutex
	seen := map[string]int{}
	for g := range goroutines {
		senders.Go(func() {
			for i := range each {
				if err := client.Send(long(t), []byte{byte(g), byte(i)}); err != nil {
					t.Error(err)
				}
			}
		})
		receivers.Go(func() {
			for range each {
				msg, err := server.Recv(long(t))
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				seen[string(msg)]++
				mu.Unlock()
			}
		})
	}
	senders.Wait()
	receivers.Wait()
	if len(seen) != each*goroutines {
		t.Errorf("%d different messages arrived", len(seen))
	}
}

// A Send or Recv in a steady exchange allocates nothing.
func TestAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("with -race a sync.Pool drops part of what it gets, which allocates: run without it")
	}
	client, server := newPair(t, comch.Config{})
	buf := make([]byte, 64)
	round := func() {
		check(t, client.Send(context.Background(), buf))
		must(server.RecvInto(context.Background(), buf))(t)
		check(t, server.Send(context.Background(), buf))
		must(client.RecvInto(context.Background(), buf))(t)
	}
	for range 100 {
		round()
	}
	if n := testing.AllocsPerRun(200, round); n > 0.5 {
		t.Errorf("%v allocations in an exchange", n)
	}
}

// The counters go on at the end of a connection where they were, also with messages that the program does not see.
func TestStatsAfterEnd(t *testing.T) {
	t.Parallel()
	client, server := newPair(t, comch.Config{Names: true, Farewell: true})
	consumer := must(client.NewConsumer(nil, comch.ConsumerConfig{BufferSize: 64}))(t)
	check(t, consumer.Announce(long(t), "name"))
	send(t, client, "hello")
	recv(t, server, "hello")
	check(t, client.Flush(long(t)))
	before := must(server.Stats())(t)
	sent := must(client.Stats())(t)
	assert.EqualValues(t, 2, before.RecvMessages)
	assert.Equal(t, comch.Stats{RecvMessages: sent.SentMessages, RecvBytes: sent.SentBytes}, before)
	check(t, client.Close())
	<-server.Done()
	after, sent := must(server.Stats())(t), must(client.Stats())(t)
	assert.EqualValues(t, 3, after.RecvMessages, "the farewell, too")
	assert.Equal(t, comch.Stats{RecvMessages: sent.SentMessages, RecvBytes: sent.SentBytes}, after)
}
