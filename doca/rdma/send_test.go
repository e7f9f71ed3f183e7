package rdma_test

import (
	"context"
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/rdma"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSend(t *testing.T) {
	a, b := newPair(t, rdma.Config{})
	for i := range 8 {
		must(b.rdma.Post(b.buffer(t, 1024*i, 1024)))(t)
	}
	want := a.fill(0, 1000, 4)
	for i := range 8 {
		require.NoError(t, a.conn.Send(soonish(t), a.mem, 0, 100+i))
	}
	for i := range 8 {
		got := must(b.rdma.Recv(soonish(t)))(t)
		assert.Equal(t, want[:100+i], got.Data)
		assert.Equal(t, got.Data, got.Buffer.Data())
		assert.Equal(t, rdma.OpcodeSend, got.Opcode)
		assert.Same(t, b.conn, got.Conn)
		must(b.rdma.Post(got.Buffer))(t)
	}
	assert.NoError(t, a.conn.Send(soonish(t), a.mem, 0, 1))
}

func TestSendImm(t *testing.T) {
	a, b := newPair(t, rdma.Config{})
	must(b.rdma.Post(b.buffer(t, 0, 64), nil))(t)
	want := a.fill(0, 64, 4)
	require.NoError(t, a.conn.SendImm(soonish(t), 0xfffefdfc, a.mem, 0, 64))
	require.NoError(t, a.conn.SendImm(soonish(t), 5, nil, 0, 0))
	got := must(b.rdma.Recv(soonish(t)))(t)
	assert.Equal(t, want, got.Data)
	assert.Equal(t, uint32(0xfffefdfc), got.Imm)
	got = must(b.rdma.Recv(soonish(t)))(t)
	assert.Equal(t, rdma.OpcodeSendImm, got.Opcode)
	assert.Equal(t, uint32(5), got.Imm)
	assert.Nil(t, got.Buffer)
	wantErr(t, a.conn.SendImm(soonish(t), 0x646f6361, nil, 0, 0), doca.ErrInvalidValue, "handshake")
}

func TestSendAsync(t *testing.T) {
	a, b := newPair(t, rdma.Config{MaxTasks: 2})
	for i := range 16 {
		must(b.rdma.Post(b.buffer(t, 64*i, 64)))(t)
	}
	var futures []*rdma.Future
	for i := range 16 {
		a.mem.Bytes()[i] = byte(i)
		futures = append(futures, must(a.conn.SendAsync(soonish(t), a.mem, i, 1))(t))
	}
	for i := range 16 {
		assert.Equal(t, []byte{byte(i)}, must(b.rdma.Recv(soonish(t)))(t).Data, "messages come in order")
		assert.NoError(t, futures[i].Wait(soonish(t)))
	}
}

func TestSendBuffer(t *testing.T) {
	for name, send := range map[string]func(*rdma.Conn, context.Context, *doca.Buffer) error{
		"SendBuffer": (*rdma.Conn).SendBuffer,
		"SendBufferAsync": func(c *rdma.Conn, ctx context.Context, src *doca.Buffer) error {
			f, err := c.SendBufferAsync(ctx, src)
			if err != nil {
				return err
			}
			return f.Wait(ctx)
		},
	} {
		t.Run(name, func(t *testing.T) { testSendBuffer(t, send) })
	}
}

func testSendBuffer(t *testing.T, send func(*rdma.Conn, context.Context, *doca.Buffer) error) {
	a, b := newPair(t, rdma.Config{MaxListLen: 2, ReceiveListLen: 2})
	want := a.fill(0, 200, 4)
	one, two := a.filled(t, 0, 100), a.filled(t, 100, 100)
	check(t, one.Chain(two))
	to, next := b.buffer(t, 0, 150), b.buffer(t, 500, 100)
	check(t, to.Chain(next))
	must(b.rdma.Post(to))(t)
	wantErr(t, to.SetData(0, 1), doca.ErrInUse)
	wantErr(t, send(a.conn, soonish(t), nil), doca.ErrInvalidValue)
	require.NoError(t, send(a.conn, soonish(t), one))
	got := must(b.rdma.Recv(soonish(t)))(t)
	assert.Same(t, to, got.Buffer)
	assert.Equal(t, want[:150], to.Data())
	assert.Equal(t, want[150:], next.Data())
}

// A message waits for a receive.
func TestSendBeforePost(t *testing.T) {
	a, b := newPair(t, rdma.Config{})
	f := must(a.conn.SendAsync(soonish(t), a.mem, 0, 8))(t)
	wantErr(t, f.Wait(soon(t)), context.DeadlineExceeded)
	must(b.rdma.Post(b.buffer(t, 0, 64)))(t)
	assert.NoError(t, f.Wait(soonish(t)))
}
