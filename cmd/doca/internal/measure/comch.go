// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

// Comch measures messages to the serving side, which is on the DPU: round trips of control messages, and the fast path.
func Comch(ctx context.Context, p Plan, l *Link, each func(Row)) (err error) {
	bytes, err := p.bytes()
	if err != nil {
		return err
	}
	dev, err := open(p.Device, comch.ClientSupported)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	name := "doca-bench-" + rand.Text()
	if _, err := l.ask(request{Library: "comch", Bytes: bytes, Size: slices.Max(p.Sizes), Window: slices.Max(p.Windows), Name: name}); err != nil {
		return err
	}
	conn, err := comch.Dial(ctx, dev, name, comch.Config{})
	if err != nil {
		return err
	}
	for _, size := range p.Sizes {
		if size > conn.MaxMessageSize() {
			continue
		}
		row, err := p.row(ctx, "control ping", size, 1, roundTrip(conn, size))
		if err != nil {
			return err
		}
		each(row)
	}
	// Then the peer makes its consumer.
	if err := conn.Send(ctx, []byte(pingsOver)); err != nil {
		return err
	}
	return fastPath(ctx, p, conn, bytes, each)
}

// pingsOver is the control message behind the pings.
const pingsOver = "the pings are over"

func roundTrip(conn *comch.Conn, size int) func(context.Context) error {
	msg, back := make([]byte, size), make([]byte, conn.MaxMessageSize())
	return func(ctx context.Context) error {
		if err := conn.Send(ctx, msg); err != nil {
			return err
		}
		n, err := conn.RecvInto(ctx, back)
		if err == nil && n != size {
			return fmt.Errorf("%d bytes came back", n)
		}
		return err
	}
}

func fastPath(ctx context.Context, p Plan, conn *comch.Conn, bytes int, each func(Row)) (err error) {
	consumer, err := conn.WaitConsumer(ctx)
	if err != nil {
		return err
	}
	pe, err := doca.NewProgressEngine(doca.EngineConfig{BusyPoll: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pe.Close()) }()
	producer, err := conn.NewProducer(comch.ProducerConfig{Engine: pe, MaxTasks: slices.Max(p.Windows)})
	if err != nil {
		return err
	}
	mem, err := newMemory(bytes, doca.MemoryConfig{Devices: []*doca.Device{conn.Device()}})
	if err != nil {
		return err
	}
	inv, err := doca.NewInventory(slices.Max(p.Windows))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, inv.Close()) }()
	for _, size := range p.Sizes {
		for _, window := range p.Windows {
			var msgs []comch.Message
			for i := range window {
				buf, err := inv.Buffer(mem, i*size, size)
				if err == nil {
					err = buf.SetData(0, size)
				}
				if err != nil {
					return err
				}
				msgs = append(msgs, comch.Message{Buffer: buf, Consumer: consumer})
			}
			row, err := p.row(ctx, "send", size, window, func(ctx context.Context) error {
				_, err := producer.SendBatch(ctx, msgs)
				return err
			})
			for _, m := range msgs {
				err = errors.Join(err, m.Buffer.Close())
			}
			if err != nil {
				return err
			}
			each(row)
		}
	}
	return nil
}

// serveComch listens for one client. It sends control messages back, and receives what comes by the fast path.
func serveComch(ctx context.Context, q request, device string) (reply, io.Closer, error) {
	dev, err := open(device, comch.ServerSupported)
	if err != nil {
		return reply{}, nil, err
	}
	infos, err := dev.Representors(doca.RepresentorsNet)
	if err != nil || len(infos) == 0 {
		return reply{}, dev, fmt.Errorf("%v has no representor of a host: %w", dev, errors.Join(err, doca.ErrNotFound))
	}
	rep, err := dev.OpenRepresentor(infos[0].PCIAddr)
	if err != nil {
		return reply{}, dev, err
	}
	server, err := comch.Listen(ctx, dev, rep, q.Name, comch.Config{})
	if err != nil {
		return reply{}, dev, err
	}
	go serveClient(ctx, server, q)
	return reply{}, dev, nil
}

// serveClient ends with the connection: the measuring side sees each failure as the end of its peer.
func serveClient(ctx context.Context, server *comch.Server, q request) {
	conn, err := server.Accept(ctx)
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }() // the peer is gone
	for {
		msg, err := conn.Recv(ctx)
		if err != nil {
			return
		}
		if string(msg) == pingsOver {
			break
		}
		if conn.Send(ctx, msg) != nil {
			return
		}
	}
	pe, err := doca.NewProgressEngine(doca.EngineConfig{BusyPoll: true})
	if err != nil {
		return
	}
	defer func() { _ = pe.Close() }() // as above
	buffers := min(2*q.Window, max(1, maxMemory/q.Size))
	consumer, err := conn.NewConsumer(nil, comch.ConsumerConfig{Engine: pe, MaxTasks: buffers, BufferSize: q.Size, Buffers: buffers})
	if err != nil {
		return
	}
	received, bufs := make([]comch.Received, buffers), make([]*doca.Buffer, buffers)
	for {
		n, err := consumer.RecvBatch(ctx, received)
		for i, r := range received[:n] {
			bufs[i] = r.Buffer
		}
		if err == nil {
			_, err = consumer.PostBatch(bufs[:n])
		}
		if err != nil {
			return
		}
	}
}
