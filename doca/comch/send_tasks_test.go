package comch_test

import (
	"context"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/stretchr/testify/assert"
)

// A Recv that waits for an answer learns that the question was not sent, once.
func TestRecvAfterTaskThatFails(t *testing.T) {
	client, server := newPair(t, comch.Config{})
	for name, c := range map[string][2]*comch.Conn{"from the client": {client, server}, "from the server": {server, client}} {
		t.Run(name, func(t *testing.T) {
			doctest.Faults(t, "fail-task=1")
			send(t, c[0], "lost")
			_, err := c[0].Recv(long(t))
			wantErr(t, err, doca.ErrIOFailed, "could not hand over")
			_, err = c[0].Recv(soon(t))
			wantErr(t, err, context.DeadlineExceeded)
			wantErr(t, c[0].Flush(long(t)), doca.ErrIOFailed, "could not hand over")

			doctest.Faults(t, "delay=20ms,fail-task=1")
			waits := make(chan error, 1)
			go func() {
				_, err := c[0].RecvInto(long(t), make([]byte, 8))
				waits <- err
			}()
			send(t, c[0], "lost, too")
			wantErr(t, <-waits, doca.ErrIOFailed)
			wantErr(t, c[0].Flush(long(t)), doca.ErrIOFailed)
			send(t, c[0], "arrives")
			recv(t, c[1], "arrives")
		})
	}
}

// The next Send or Flush returns the error of a message that DOCA could not hand over, once. The
// connection goes on.
func TestTasksThatFail(t *testing.T) {
	client, server := newPair(t, comch.Config{MaxSendTasks: 2})
	for name, c := range map[string][2]*comch.Conn{"from the client": {client, server}, "from the server": {server, client}} {
		t.Run(name, func(t *testing.T) {
			doctest.Faults(t, "fail-task=1")
			send(t, c[0], "lost")
			wantErr(t, c[0].Flush(long(t)), doca.ErrIOFailed, "could not hand over")
			check(t, c[0].Flush(long(t)))
			send(t, c[0], "arrives")
			recv(t, c[1], "arrives")

			doctest.Faults(t, "fail-task=1")
			send(t, c[0], "lost, too")
			told := 0
			for range 4 { // with two tasks the first has ended by the time that the third is sent
				if err := c[0].Send(long(t), []byte("x")); err != nil {
					wantErr(t, err, doca.ErrIOFailed)
					told++
				}
			}
			if told != 1 {
				t.Errorf("the failure was told %d times", told)
			}
			doctest.Faults(t, "exhaust-pool=1")
			wantErr(t, c[0].Send(long(t), []byte("x")), doca.ErrNoMemory, "alloc_init")
			doctest.Faults(t, "fail-call=doca_comch_connection_update_info:1")
			_, err := c[0].Stats()
			wantErr(t, err, doca.ErrDriver, "update_info")
			doctest.Faults(t, "fail-call=doca_comch_connection_get_counter:2")
			_, err = c[0].Stats()
			wantErr(t, err, doca.ErrDriver, "get_counter")
		})
	}
}

// Somebody drives the engine for a program that has sent something and waits for something else, again and again, and nobody does any
// more when the last connection has ended.
func TestMessagesAreLookedAfter(t *testing.T) {
	t.Parallel()
	client, server := newPair(t, comch.Config{})
	for range 3 {
		send(t, client, "x")
		if comch.InFlight(client) > 0 {
			assert.True(t, comch.Looks(client))
		}
		eventually(t, "the message has been handed over", func() bool { return comch.InFlight(client) == 0 })
		eventually(t, "nobody looks any more", func() bool { return !comch.Looks(client) })
	}
	for _, c := range []*comch.Conn{client, server} {
		send(t, c, "y")
		check(t, c.Flush(long(t)))
	}
	for _, c := range []*comch.Conn{client, server} {
		check(t, c.Close())
		eventually(t, "nobody looks after the end", func() bool { return !comch.Looks(c) })
	}
}

func eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	assert.Eventually(t, cond, 20*time.Second, time.Millisecond, what)
}
