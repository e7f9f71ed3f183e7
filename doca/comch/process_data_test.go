package comch_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/stretchr/testify/require"
)

func init() {
	roles["consume"] = consumeRole
	roles["produce"] = produceRole
}

// blockSize is what a message between processes can have, inside and outside what travels with
// the control data.
const blockSize = 64 << 10

// last is the number of the message that ends a stream.
const last = 1<<32 - 1

// consumeRole is a server that checks what it receives until the last message.
func consumeRole(name string) error {
	ctx := context.Background()
	dev, err := doca.OpenDevice(dpu0)
	if err != nil {
		return err
	}
	defer dev.Close()
	rep, err := dev.OpenRepresentor(host0)
	if err != nil {
		return err
	}
	srv, err := comch.Listen(ctx, dev, rep, name, comch.Config{})
	if err != nil {
		return err
	}
	fmt.Println("ready")
	conn, err := srv.Accept(ctx)
	if err != nil {
		return err
	}
	return drain(ctx, conn, func() {})
}

// drain receives a stream on a consumer of its own and checks it.
func drain(ctx context.Context, conn *comch.Conn, each func()) error {
	const window = 8
	in, err := doca.NewMemory(window*blockSize, doca.MemoryConfig{Devices: []*doca.Device{conn.Device()}, Access: doca.AccessPCIReadWrite | doca.AccessLocalReadWrite})
	if err != nil {
		return err
	}
	defer in.Close()
	inv, err := doca.NewInventory(window)
	if err != nil {
		return err
	}
	defer inv.Close()
	c, err := conn.NewConsumer(in, comch.ConsumerConfig{MaxTasks: window})
	if err != nil {
		return err
	}
	defer c.Close()
	for i := range window {
		buf, err := inv.Buffer(in, i*blockSize, blockSize)
		if err == nil {
			err = c.Post(buf)
		}
		if err != nil {
			return err
		}
	}
	want := make([]byte, blockSize)
	for number := uint32(0); ; number++ {
		r, err := c.Recv(ctx)
		if err != nil {
			return err
		}
		if binary.LittleEndian.Uint32(r.Imm) == last {
			return nil
		}
		stamp(want[:len(r.Data)], 1, 2, number)
		if string(r.Data) != string(want[:len(r.Data)]) || binary.LittleEndian.Uint32(r.Imm) != number {
			return fmt.Errorf("message %d has unexpected contents", number)
		}
		if err := c.Post(r.Buffer); err != nil {
			return err
		}
		each()
	}
}

// produceRole is a client that sends until it cannot any more.
func produceRole(name string) error {
	ctx := context.Background()
	dev, err := doca.OpenDevice(host0)
	if err != nil {
		return err
	}
	defer dev.Close()
	conn, err := comch.Dial(ctx, dev, name, comch.Config{})
	if err != nil {
		return err
	}
	fmt.Println("ready")
	return stream(ctx, conn, 1<<31, func() {})
}

// stream sends n messages to the peer's consumer, and the last.
func stream(ctx context.Context, conn *comch.Conn, n uint32, each func()) error {
	out, err := doca.NewMemory(blockSize, doca.MemoryConfig{Devices: []*doca.Device{conn.Device()}})
	if err != nil {
		return err
	}
	defer out.Close()
	inv, err := doca.NewInventory(1)
	if err != nil {
		return err
	}
	defer inv.Close()
	buf, err := inv.Buffer(out, 0, blockSize)
	if err != nil {
		return err
	}
	id, err := conn.WaitConsumer(ctx)
	if err != nil {
		return err
	}
	p, err := conn.NewProducer(comch.ProducerConfig{})
	if err != nil {
		return err
	}
	defer p.Close()
	imm := make([]byte, 4)
	for number := range n {
		length := 16
		if number%2 == 1 {
			length = blockSize - int(number%97)*4
		}
		if err := buf.SetData(0, length); err != nil {
			return err
		}
		stamp(buf.Data(), 1, 2, number)
		binary.LittleEndian.PutUint32(imm, number)
		if err := p.Send(ctx, buf, imm, id); err != nil {
			return err
		}
		each()
	}
	binary.LittleEndian.PutUint32(imm, last)
	return p.Send(ctx, nil, imm, id)
}

func TestDataBetweenProcesses(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	p := start(t, "consume", l.name)
	p.ready(t)
	c := l.dial(t, comch.Config{})
	check(t, stream(long(t), c, 500, func() {}))
	check(t, p.Wait()) // it has checked them
	check(t, c.Close())
}

// A process that is killed while data flows, on either side, ends what its peer does with an
// error that says so; nothing that is half written is ever received.
func TestKilledWhileDataFlows(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	srv := l.listen(t, comch.Config{})
	for n := 1; n <= 3; n++ {
		other := &link{host: l.host, name: fmt.Sprint(l.name, "-", n)}
		p := start(t, "consume", other.name)
		p.ready(t)
		c := other.dial(t, comch.Config{})
		after := n * n * 10
		err := stream(long(t), c, 1<<31, func() {
			if after--; after == 0 {
				p.kill()
			}
		})
		wantLost(t, "the stream to the killed process", err)
		check(t, c.Close())

		p = start(t, "produce", l.name)
		c = must(srv.Accept(long(t)))(t)
		l.keep(c)
		after = n * n * 10
		err = drain(long(t), c, func() {
			if after--; after == 0 {
				p.kill()
			}
		})
		wantLost(t, "the stream from the killed process", err)
		check(t, c.Close())
	}
}

func wantLost(t testing.TB, what string, err error) {
	t.Helper()
	require.ErrorIs(t, err, comch.ErrPeerGone, what)
	require.NotErrorIs(t, err, io.EOF, what)
}
