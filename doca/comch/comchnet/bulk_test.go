package comchnet_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/comch/comchnet"
	"github.com/go-doca/go-doca/emulator"
	"github.com/go-doca/go-doca/internal/selfexec"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/nettest"
)

// inBuffers is what the buffers of one direction hold.
const inBuffers = 8 * 64 << 10

// carry writes 64 KiB from one end to the other, and returns how many messages have come with it.
func carry(t testing.TB, from, to *comchnet.Conn) uint64 {
	t.Helper()
	data, got := random(64<<10), make([]byte, 64<<10)
	before, err := to.Raw().Stats()
	require.NoError(t, err)
	_, err = from.Write(data)
	require.NoError(t, err)
	_, err = io.ReadFull(to, got)
	require.NoError(t, err)
	require.True(t, bytes.Equal(data, got))
	after, err := to.Raw().Stats()
	require.NoError(t, err)
	return after.RecvMessages - before.RecvMessages
}

// warm writes from one end to the other until buffers carry the data.
func warm(t testing.TB, from, to *comchnet.Conn) {
	t.Helper()
	require.Eventually(t, func() bool { return carry(t, from, to) <= 2 }, 20*time.Second, time.Millisecond)
}

// A stream that has carried less than 1 MiB in large writes has made no buffers.
func TestBulkNotYet(t *testing.T) {
	t.Parallel()
	client, server := pipe(t)
	for range 15 {
		require.GreaterOrEqual(t, carry(t, client, server), uint64(64<<10/client.Raw().MaxMessageSize()))
	}
	require.Empty(t, client.Raw().Consumers())
	warm(t, client, server)
}

// A stream that uses buffers is a net.Conn like any other.
func TestBulkNettest(t *testing.T) {
	t.Parallel()
	nettest.TestConn(t, func() (c1, c2 net.Conn, stop func(), err error) {
		client, server := pipe(t)
		warm(t, client, server)
		warm(t, server, client)
		return client, server, func() { _, _ = client.Close(), server.Close() }, nil
	})
}

// Data that goes by buffers and data that goes by messages come in order, in both directions at once, before and after the change
// to buffers, which takes place when the peer has answered.
func TestBulkOrder(t *testing.T) {
	both(t, func(t *testing.T, c1, c2 *comchnet.Conn) {
		data := random(16 << 20)
		write := func(c *comchnet.Conn, rng *rand.Rand) {
			for rest := data; len(rest) > 0; {
				n := min(len(rest), 1+rng.IntN(1<<rng.IntN(19)))
				if _, err := c.Write(rest[:n]); !assert.NoError(t, err) {
					return
				}
				rest = rest[n:]
			}
		}
		exchange := func(seed uint64) {
			var all sync.WaitGroup
			for i, c := range []*comchnet.Conn{c1, c2} {
				all.Go(func() { write(c, rand.New(rand.NewPCG(seed, uint64(i)))) })
				all.Go(func() {
					got := make([]byte, len(data))
					_, err := io.ReadFull(c, got)
					assert.NoError(t, err)
					assert.True(t, bytes.Equal(data, got))
				})
			}
			all.Wait()
		}
		exchange(1)
		warm(t, c1, c2)
		warm(t, c2, c1)
		before, err := c2.Raw().Stats()
		require.NoError(t, err)
		exchange(2)
		after, err := c2.Raw().Stats()
		require.NoError(t, err)
		require.Less(t, after.RecvBytes-before.RecvBytes, uint64(len(data)/2), "buffers carry most")
	})
}

// A single long write changes to buffers on its way.
func TestBulkOneWrite(t *testing.T) {
	both(t, func(t *testing.T, c1, c2 *comchnet.Conn) {
		data := random(32 << 20)
		go func() {
			n, err := c1.Write(data)
			assert.NoError(t, err)
			assert.Equal(t, len(data), n)
			assert.NoError(t, c1.Close())
		}()
		got, err := io.ReadAll(c2)
		require.NoError(t, err)
		require.True(t, bytes.Equal(data, got))
		stats, err := c2.Raw().Stats()
		require.NoError(t, err)
		require.Less(t, stats.RecvBytes, uint64(len(data)/2))
	})
}

// Close delivers what was written, however it went.
func TestBulkCloseDelivers(t *testing.T) {
	both(t, func(t *testing.T, c1, c2 *comchnet.Conn) {
		warm(t, c1, c2)
		data := random(inBuffers - 10_000)
		for rest := data; len(rest) > 0; { // a buffer each
			n, err := c1.Write(rest[:min(len(rest), 64<<10)])
			require.NoError(t, err)
			rest = rest[n:]
		}
		_, err := c1.Write([]byte("the end"))
		require.NoError(t, err)
		require.NoError(t, c1.Close())
		got, err := io.ReadAll(c2)
		require.NoError(t, err)
		require.True(t, bytes.Equal(append(data, "the end"...), got))
		for err = nil; err == nil; {
			_, err = c2.Write(data)
		}
		want(t, err, comch.ErrPeerGone, doca.ErrConnectionReset)
	})
}

// onItsWay is a buffer for which wait and err say what Wait and then Err return.
type onItsWay struct{ wait, err error }

func (b onItsWay) Wait(context.Context) error { return b.wait }
func (b onItsWay) Err() error                 { return b.err }

// A buffer may arrive, or be lost, right after the deadline of the Write that waits for it: the end of the buffer counts.
func TestBulkDeadlineAndEnd(t *testing.T) {
	t.Parallel()
	client, _ := pipe(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(os.ErrDeadlineExceeded)
	require.NoError(t, client.Arrived(ctx, onItsWay{}))
	require.NoError(t, client.Arrived(ctx, onItsWay{context.Canceled, nil}))
	require.Equal(t, os.ErrDeadlineExceeded, client.Arrived(ctx, onItsWay{context.Canceled, doca.ErrInProgress}))
	require.NoError(t, client.Err())
	_, err := client.Write([]byte("x"))
	require.NoError(t, err)
	lost := &doca.OpError{Op: "send", Err: doca.ErrIOFailed}
	require.ErrorIs(t, client.Arrived(ctx, onItsWay{context.Canceled, lost}), doca.ErrIOFailed)
	want(t, client.Err(), doca.ErrIOFailed)

	// The engine may be unable to go on.
	client, _ = pipe(t)
	fails := &doca.OpError{Op: "progress", Err: doca.ErrDriver}
	require.ErrorIs(t, client.Arrived(t.Context(), onItsWay{fails, doca.ErrInProgress}), doca.ErrDriver)
}

// A peer that does not read stops the writer, whose deadline holds. What was written is not lost, and
// the writer goes on when the peer reads.
func TestBulkDeadline(t *testing.T) {
	both(t, func(t *testing.T, c1, c2 *comchnet.Conn) {
		warm(t, c1, c2)
		data := random(4 * inBuffers)
		written := 0
		for full := false; !full; {
			full = written == inBuffers
			require.NoError(t, c1.SetWriteDeadline(time.Now().Add(5*soon)))
			n, err := c1.Write(data[written:])
			want(t, err, os.ErrDeadlineExceeded)
			written += n
		}
		require.Equal(t, inBuffers, written)
		limit(t, c1)
		n, err := c1.Write(data[written : written+1000])
		require.NoError(t, err, "messages have their own window")
		written += n
		go func() {
			_, err := c1.Write(data[written:])
			assert.NoError(t, err)
		}()
		got := make([]byte, len(data))
		_, err = io.ReadFull(c2, got)
		require.NoError(t, err)
		require.True(t, bytes.Equal(data, got))
	})
}

// Close ends a write that waits for buffers and loses what this side has not read.
func TestBulkCloseEndsWrite(t *testing.T) {
	both(t, func(t *testing.T, c1, c2 *comchnet.Conn) {
		warm(t, c1, c2)
		warm(t, c2, c1)
		_, err := c2.Write(make([]byte, 100_000)) // which c1 does not read
		require.NoError(t, err)
		ended, written := make(chan error), 0
		go func() {
			n, err := c1.Write(make([]byte, 2*inBuffers))
			written = n
			ended <- err
		}()
		time.Sleep(soon)
		require.NoError(t, c1.Close())
		want(t, <-ended, net.ErrClosed)
		n, err := io.Copy(io.Discard, c2)
		require.NoError(t, err, "Close ends the stream in order, as of what was written")
		require.EqualValues(t, written, n)
	})
}

// Without consumers on one side, all data goes by messages.
func TestBulkNotSupported(t *testing.T) {
	end, err := emulator.Faults{FailCalls: []emulator.CallFault{{Func: "doca_comch_consumer_create", N: 1, Code: doca.ErrNotSupported}}}.Apply()
	require.NoError(t, err)
	defer end()
	client, server := pipe(t)
	limit(t, client, server)
	data := random(4 << 20)
	go func() {
		_, err := client.Write(data)
		assert.NoError(t, err)
		_, err = client.Write(data)
		assert.NoError(t, err)
		assert.NoError(t, client.CloseWrite())
	}()
	got, err := io.ReadAll(server)
	require.NoError(t, err)
	require.True(t, bytes.Equal(append(data, data...), got))
	stats, err := server.Raw().Stats()
	require.NoError(t, err)
	require.Greater(t, stats.RecvBytes, uint64(len(got)))
	require.Empty(t, client.Raw().Consumers())
}

// Whatever cannot be made for the buffers, the data arrives, and everything closes.
func TestBulkFaults(t *testing.T) {
	for _, f := range []string{"doca_comch_consumer_create", "doca_comch_consumer_task_post_recv_set_conf", "doca_comch_consumer_set_imm_data_len",
		"doca_comch_producer_create", "doca_comch_producer_task_send_set_conf", "doca_buf_inventory_create", "doca_buf_inventory_start",
		"doca_mmap_create", "doca_mmap_start", "doca_mmap_set_memrange", "doca_mmap_add_dev"} {
		for n := range uint64(2) {
			t.Run(fmt.Sprintf("%s %d", f, n+1), func(t *testing.T) {
				client, server := pipe(t)
				limit(t, client, server)
				end, err := emulator.Faults{FailCalls: []emulator.CallFault{{Func: f, N: n + 1}}}.Apply()
				require.NoError(t, err)
				defer end()
				data := random(2 << 20)
				go func() {
					_, err := client.Write(data)
					assert.NoError(t, err)
					_, err = client.Write(data)
					assert.NoError(t, err)
					assert.NoError(t, client.Close())
				}()
				got, err := io.ReadAll(server)
				require.NoError(t, err)
				require.True(t, bytes.Equal(append(data, data...), got))
			})
		}
	}
}

// A buffer that DOCA does not deliver breaks the stream on both sides.
func TestBulkLost(t *testing.T) {
	client, server := pipe(t)
	limit(t, client, server)
	warm(t, client, server)
	loseSend(t, client)
	read := make(chan error)
	go func() {
		_, err := io.Copy(io.Discard, server)
		read <- err
	}()
	var err error
	for err == nil {
		_, err = client.Write(make([]byte, 64<<10))
	}
	want(t, err, doca.ErrIOFailed)
	want(t, client.CloseWrite(), doca.ErrIOFailed)
	require.NoError(t, client.Close())
	err = <-read
	want(t, err, io.ErrUnexpectedEOF, comch.ErrPeerGone)
	require.NotErrorIs(t, err, io.EOF)
}

// A stream whose last buffer is lost ends on both sides, although nothing more is written.
func TestBulkLostLast(t *testing.T) {
	client, server := pipe(t)
	limit(t, client, server)
	warm(t, client, server)
	loseSend(t, client)
	_, err := client.Write(make([]byte, 64<<10))
	require.NoError(t, err)
	_, err = client.Read(make([]byte, 1))
	want(t, err, doca.ErrIOFailed)
	_, err = server.Read(make([]byte, 1))
	want(t, err, io.ErrUnexpectedEOF, comch.ErrPeerGone)
	_, err = client.Write([]byte("more"))
	want(t, err, doca.ErrIOFailed)
	require.NoError(t, client.Close())
}

// A peer of before there were buffers gets messages alone.
func TestBulkOldPeer(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	li := l.listen(t)
	defer li.Close()
	raw := l.dialRaw(t)
	defer raw.Close()
	server, err := li.Accept()
	require.NoError(t, err)
	defer server.Close()
	limit(t, server)
	require.NoError(t, raw.Send(t.Context(), []byte{1, 1, 0x7f, 0, 0, 0}))
	data := random(1 << 20)
	go func() {
		_, err := server.Write(data)
		assert.NoError(t, err)
	}()
	msg, err := raw.Recv(t.Context())
	require.NoError(t, err)
	require.Equal(t, ourHello, msg)
	var got []byte
	for len(got) < len(data) {
		msg, err := raw.Recv(t.Context())
		require.NoError(t, err)
		require.Greater(t, len(msg), 6)
		got = append(got, msg...)
	}
	require.True(t, bytes.Equal(data, got))
}

// A peer that breaks the rules of buffers is disconnected.
func TestBulkBadPeer(t *testing.T) {
	t.Parallel()
	imm := func(n uint32) []byte { return binary.BigEndian.AppendUint32(nil, n) }
	for name, c := range map[string]struct {
		n    int    // bytes of data
		imm  []byte // nil: no buffer is sent
		then []byte // a frame
	}{
		"no immediate data":  {100, []byte{}, nil},
		"no data":            {0, imm(0), nil},
		"far ahead":          {100, imm(300 << 10), nil},
		"behind":             {100, imm(1<<32 - 1), nil},
		"AFTER far ahead":    {0, nil, []byte{7, 0, 0, 0, 9}},
		"OPEN twice":         {0, nil, []byte{5}},
		"AFTER that is long": {0, nil, []byte{7, 0, 0, 0, 0, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, raw, server := bulkPeer(t)
			msg, err := raw.Recv(t.Context())
			require.NoError(t, err)
			require.Equal(t, ourHello, msg)
			msg, err = raw.Recv(t.Context())
			require.NoError(t, err)
			id, err := raw.WaitConsumer(t.Context())
			require.NoError(t, err)
			require.Equal(t, append(binary.BigEndian.AppendUint32([]byte{6}, id), 16), msg)
			if c.imm != nil {
				sendBuffer(t, l, raw, c.n, c.imm)
			}
			if c.then != nil {
				require.NoError(t, raw.Send(t.Context(), c.then))
			}
			msg, err = raw.Recv(t.Context())
			require.NoError(t, err)
			require.Equal(t, []byte{4, byte(doca.ErrUnexpected)}, msg)
			_, err = server.Read(make([]byte, 1))
			want(t, err, doca.ErrUnexpected)
		})
	}
}

// bulkPeer returns a client that need not keep to the protocol, and has asked for a consumer, and its server.
func bulkPeer(t *testing.T) (*link, *comch.Conn, *comchnet.Conn) {
	t.Helper()
	l := newLink(t)
	li := l.listen(t)
	t.Cleanup(func() { li.Close() })
	raw := l.dialRaw(t)
	t.Cleanup(func() { raw.Close() })
	c, err := li.Accept()
	require.NoError(t, err)
	server := c.(*comchnet.Conn)
	limit(t, server)
	require.NoError(t, raw.Send(t.Context(), hello(1)))
	require.NoError(t, raw.Send(t.Context(), []byte{5}))
	return l, raw, server
}

// AFTER may come when more buffers than it counts are there, and even read: its sender had nothing to send after it in the
// end, and buffers are faster.
func TestBulkLateAfter(t *testing.T) {
	t.Parallel()
	l, raw, server := bulkPeer(t)
	read := func(want []byte) {
		t.Helper()
		got := make([]byte, len(want))
		_, err := io.ReadFull(server, got)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	imm := binary.BigEndian.AppendUint32(nil, 0)
	sendBuffer(t, l, raw, 10, imm)
	read(make([]byte, 10))
	for _, f := range frames([]byte{7, 0, 0, 0, 0}, []byte{7, 0, 0, 0, 2}) { // of the first, nothing has to wait
		require.NoError(t, raw.Send(t.Context(), f))
	}
	for range 2 {
		sendBuffer(t, l, raw, 10, imm)
	}
	require.NoError(t, raw.Send(t.Context(), []byte("a message")))
	require.Eventually(t, func() bool { return server.Unread() == 2 }, 20*time.Second, time.Millisecond)
	read(append(make([]byte, 20), "a message"...))
}

// sendBuffer sends n bytes to the first consumer of the connection's peer.
func sendBuffer(t *testing.T, l *link, raw *comch.Conn, n int, imm []byte) {
	t.Helper()
	id, err := raw.WaitConsumer(t.Context())
	require.NoError(t, err)
	producer, err := raw.NewProducer(comch.ProducerConfig{})
	require.NoError(t, err)
	mem, err := doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{l.host}})
	require.NoError(t, err)
	inv, err := doca.NewInventory(1)
	require.NoError(t, err)
	t.Cleanup(func() { inv.Close() })
	buf, err := inv.Buffer(mem, 0, 4096)
	require.NoError(t, err)
	require.NoError(t, buf.SetData(0, n))
	require.NoError(t, producer.Send(t.Context(), buf, imm, id))
}

// END does not end the stream before the buffers that it counts. If they do not come, it was cut off.
func TestBulkMissing(t *testing.T) {
	t.Parallel()
	for name, sent := range map[string]uint32{"the first": 0, "the second": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLink(t)
			li := l.listen(t)
			defer li.Close()
			raw := l.dialRaw(t)
			server, err := li.Accept()
			require.NoError(t, err)
			defer server.Close()
			limit(t, server)
			for _, f := range frames(hello(1), []byte("before them"), []byte{5}) {
				require.NoError(t, raw.Send(t.Context(), f))
			}
			if sent > 0 {
				for _, kind := range []byte{1, 6} { // HELLO, and CONSUMER, which a peer waits for
					msg, err := raw.Recv(t.Context())
					require.NoError(t, err)
					require.Equal(t, kind, msg[0])
				}
				sendBuffer(t, l, raw, 100, binary.BigEndian.AppendUint32(nil, 11))
			}
			for _, f := range frames([]byte{7, 0, 0, 0, 2}, []byte("after them"), []byte{3}) {
				require.NoError(t, raw.Send(t.Context(), f))
			}
			require.NoError(t, raw.Close())
			got, err := io.ReadAll(server)
			want(t, err, io.ErrUnexpectedEOF, comch.ErrPeerGone, doca.ErrConnectionReset)
			require.NotErrorIs(t, err, io.EOF)
			require.Equal(t, append([]byte("before them"), make([]byte, 100*sent)...), got)
		})
	}
}

// Both sides in processes of their own, all data there and back.
func TestBulkProcesses(t *testing.T) {
	t.Parallel()
	for _, side := range []string{"client", "server"} {
		t.Run(side, func(t *testing.T) {
			t.Parallel()
			c, _ := otherProcess(t, side+"-echo")
			data := random(16 << 20)
			go func() {
				_, err := c.Write(data)
				assert.NoError(t, err)
				assert.NoError(t, c.(*comchnet.Conn).CloseWrite())
			}()
			got, err := io.ReadAll(c)
			require.NoError(t, err)
			require.True(t, bytes.Equal(data, got))
		})
	}
}

// A process that is killed while it sends and receives ends nothing in order.
func TestBulkKilledPeer(t *testing.T) {
	t.Parallel()
	for _, side := range []string{"client", "server"} {
		t.Run(side, func(t *testing.T) {
			t.Parallel()
			c, kill := otherProcess(t, side+"-echo")
			ended := make(chan error)
			go func() {
				p := make([]byte, 100_000)
				for {
					if _, err := c.Write(p); err != nil {
						ended <- err
						return
					}
				}
			}()
			_, err := io.CopyN(io.Discard, c, 8<<20)
			require.NoError(t, err)
			kill()
			_, err = io.Copy(io.Discard, c)
			want(t, err, io.ErrUnexpectedEOF, comch.ErrPeerGone, doca.ErrConnectionReset)
			require.NotErrorIs(t, err, io.EOF)
			err = <-ended
			want(t, err, comch.ErrPeerGone)
			require.NotErrorIs(t, err, io.EOF)
		})
	}
}

// otherProcess starts the peer in a process of its own, and returns this side of the stream and a
// function that kills the process.
func otherProcess(t testing.TB, what string) (c net.Conn, kill func()) {
	t.Helper()
	return startProcess(t, selfexec.Command(t), what)
}

func startProcess(t testing.TB, cmd *exec.Cmd, what string) (c net.Conn, kill func()) {
	t.Helper()
	l := newLink(t)
	cmd.Env = append(os.Environ(), "COMCHNET_TEST_PEER="+what+" "+l.name, "DOCA_PROVIDER=emulator")
	cmd.Stderr = os.Stderr
	kill = func() {
		assert.NoError(t, cmd.Process.Kill())
		cmd.Wait()
	}
	if what[:6] == "client" {
		li := l.listen(t)
		t.Cleanup(func() { assert.NoError(t, li.Close()) })
		require.NoError(t, cmd.Start())
		var err error
		c, err = li.Accept()
		require.NoError(t, err)
	} else {
		require.NoError(t, cmd.Start())
		c = l.dial(t)
	}
	t.Cleanup(func() {
		c.Close()
		cmd.Process.Kill() // unless it has ended
		cmd.Wait()
	})
	limit(t, c)
	return c, kill
}
