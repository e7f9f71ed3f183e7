// Command cleanrelay receives messages and serves HTTP over Comch.
package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"sync"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/comch/comchnet"
)

type relay struct {
	consumer *comch.Consumer
	last     []byte
	count    map[string]int
	work     chan comch.Received
	bodies   chan []byte
}

func (r *relay) loop(ctx context.Context) error {
	var name []byte
	for m, err := range r.consumer.Messages(ctx) {
		if err != nil {
			return err
		}
		r.last = append(r.last[:0], m.Data...)
		r.count[string(m.Data)]++
		r.bodies <- bytes.Clone(m.Data)
		name = m.Data
		log.Printf("%s", name)
		var group sync.WaitGroup
		for _, part := range bytes.Fields(m.Data) {
			group.Go(func() { log.Printf("%s", part) })
		}
		group.Wait()
	}
	return nil
}

// dispatch gives each message to a worker, which posts its buffer.
func (r *relay) dispatch(ctx context.Context) error {
	for {
		m, err := r.consumer.Recv(ctx)
		if err != nil {
			return err
		}
		r.work <- m
	}
}

func (r *relay) worker() error {
	for m := range r.work {
		log.Printf("%s", m.Data)
		if err := r.consumer.Post(m.Buffer); err != nil {
			return err
		}
	}
	return nil
}

// batch handles what has come, and posts all buffers again.
func (r *relay) batch(ctx context.Context, w io.Writer) error {
	out := make([]comch.Received, 16)
	bufs := make([]*doca.Buffer, 0, 16)
	var parts net.Buffers
	for {
		n, err := r.consumer.RecvBatch(ctx, out)
		if err != nil {
			return err
		}
		parts, bufs = parts[:0], bufs[:0]
		for _, m := range out[:n] {
			parts = append(parts, m.Data)
			bufs = append(bufs, m.Buffer)
		}
		if _, err := parts.WriteTo(w); err != nil {
			return err
		}
		if _, err := r.consumer.PostBatch(bufs); err != nil {
			return err
		}
	}
}

// one returns a message and gives its buffer away, to be posted later.
func (r *relay) one(ctx context.Context) ([]byte, *doca.Buffer, error) {
	m, err := r.consumer.Recv(ctx)
	return m.Data, m.Buffer, err
}

func open(ctx context.Context, dev *doca.Device) (*comch.Conn, *relay, error) {
	conn, err := comch.Dial(ctx, dev, "relay", comch.Config{})
	if err != nil {
		return nil, nil, err
	}
	r, err := receive(conn)
	if err != nil {
		return nil, nil, errors.Join(err, conn.Close())
	}
	return conn, r, nil
}

func receive(conn *comch.Conn) (*relay, error) {
	mem, err := doca.NewMemory(1<<16, doca.MemoryConfig{Devices: []*doca.Device{conn.Device()}, Access: doca.AccessPCIReadWrite})
	if err != nil {
		return nil, err
	}
	inv, err := doca.NewInventory(16)
	if err != nil {
		return nil, errors.Join(err, mem.Close())
	}
	consumer, err := conn.NewConsumer(mem, comch.ConsumerConfig{})
	if err != nil {
		return nil, errors.Join(err, mem.Close(), inv.Close())
	}
	for i := range 16 {
		buf, err := inv.Buffer(mem, i*4096, 4096)
		if err == nil {
			err = consumer.Post(buf)
		}
		if err != nil {
			return nil, errors.Join(err, consumer.Close(), mem.Close(), inv.Close())
		}
	}
	return &relay{consumer: consumer, count: map[string]int{}, work: make(chan comch.Received), bodies: make(chan []byte, 1)}, nil
}

func serve(dev *doca.Device, rep *doca.Representor) error {
	l, err := comchnet.Listen(context.Background(), dev, rep, "http", comch.Config{})
	if err != nil {
		return err
	}
	return http.Serve(l, http.DefaultServeMux)
}

func stream(ctx context.Context, dev *doca.Device) (net.Conn, error) {
	raw, err := comch.Dial(ctx, dev, "stream", comch.Config{})
	if err != nil {
		return nil, err
	}
	conn, err := comchnet.NewConn(raw)
	if err != nil {
		return nil, errors.Join(err, raw.Close())
	}
	return conn, nil
}

func accept(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer conn.Close()
			io.Copy(conn, conn)
		}()
	}
}

func main() {
	ctx := context.Background()
	dev, err := doca.OpenDevice("03:00.0")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	_, r, err := open(ctx, dev)
	if err != nil {
		log.Fatal(err)
	}
	go func() { log.Print(r.worker()) }()
	log.Print(r.loop(ctx), r.dispatch(ctx), r.batch(ctx, nil))
	log.Print(r.one(ctx))
	conn, err := stream(ctx, dev)
	if err != nil {
		log.Fatal(err)
	}
	if err := conn.Close(); err != nil {
		log.Print(err)
	}
	accept(nil)
	log.Print(serve(dev, nil))
}
