// Command cleaningest receives records from a host by Comch and passes them to workers.
package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"log"
	"os"
	"os/signal"
	"strings"
	"sync"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

type record struct {
	key   uint64
	value string
}

type index struct {
	mu   sync.Mutex
	rows map[uint64]record
	last []byte
}

func (x *index) put(r record) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.rows[r.key] = r
}

func parse(data []byte) (record, error) {
	if len(data) < 8 {
		return record{}, errors.New("short record")
	}
	return record{key: binary.LittleEndian.Uint64(data), value: string(data[8:])}, nil
}

// body is a part of data.
func body(data []byte) []byte {
	if len(data) < 8 {
		return nil
	}
	return data[8:]
}

type server struct {
	dev  *doca.Device
	rep  *doca.Representor
	srv  *comch.Server
	conn chan *comch.Conn
}

func listen(ctx context.Context, pci, rep string) (s *server, err error) {
	s = &server{conn: make(chan *comch.Conn)}
	if s.dev, err = doca.OpenDevice(pci); err != nil {
		return nil, err
	}
	if s.rep, err = s.dev.OpenRepresentor(rep); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if s.srv, err = comch.Listen(ctx, s.dev, s.rep, "ingest", comch.Config{}); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Close closes the device, and with it all.
func (s *server) Close() error { return s.dev.Close() }

func all(ctx context.Context, c *comch.Consumer, x *index) (n int, err error) {
	for m, err := range c.Messages(ctx) {
		if err != nil {
			return n, err
		}
		r, err := parse(m.Data)
		if err != nil {
			log.Printf("message %d: %v: %q", n, err, m.Data)
			continue
		}
		x.put(r)
		x.last = append(x.last[:0], body(m.Data)...)
		n++
	}
	return n, nil
}

func count(ctx context.Context, c *comch.Consumer) (map[string]int, error) {
	words := map[string]int{}
	for m, err := range c.Messages(ctx) {
		if err != nil {
			return words, err
		}
		rest := m.Data
		for len(rest) > 0 {
			var word []byte
			word, rest, _ = bytes.Cut(rest, []byte{' '})
			words[string(word)]++
		}
	}
	return words, nil
}

// workers pass on the message, and its worker posts the buffer when it is done.
func workers(ctx context.Context, c *comch.Consumer, n int, x *index) error {
	work := make(chan comch.Received)
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			for m := range work {
				if r, err := parse(m.Data); err == nil {
					x.put(r)
				}
				if err := c.Post(m.Buffer); err != nil {
					log.Print(err)
				}
			}
		})
	}
	defer wg.Wait()
	defer close(work)
	for {
		m, err := c.Recv(ctx)
		if err != nil {
			return err
		}
		work <- m
	}
}

func trimmed(ctx context.Context, c *comch.Consumer) (string, error) {
	m, err := c.Recv(ctx)
	if err != nil {
		return "", err
	}
	s := strings.TrimSpace(string(m.Data))
	return s, c.Post(m.Buffer)
}

func echo(ctx context.Context, c *comch.Consumer, w io.Writer) error {
	for m, err := range c.Messages(ctx) {
		if err != nil {
			return err
		}
		if _, err := w.Write(m.Data); err != nil {
			return err
		}
	}
	return nil
}

type ack struct {
	p   *comch.Producer
	buf [2]*doca.Buffer
	fut [2]*comch.Future
	to  uint32
}

// send alternates between two buffers.
func (a *ack) send(ctx context.Context, seq uint64) error {
	k := seq % 2
	if f := a.fut[k]; f != nil {
		if err := f.Wait(ctx); err != nil {
			return err
		}
	}
	buf := a.buf[k]
	binary.LittleEndian.PutUint64(buf.Bytes(), seq)
	if err := buf.SetData(0, 8); err != nil {
		return err
	}
	f, err := a.p.SendAsync(ctx, buf, nil, a.to)
	a.fut[k] = f
	return err
}

// once sends and waits for the end, whatever ctx says.
func (a *ack) once(ctx context.Context, buf *doca.Buffer) error {
	f, err := a.p.SendAsync(ctx, buf, nil, a.to)
	if err != nil {
		return errors.Join(err, buf.Close())
	}
	<-f.Done()
	return errors.Join(f.Err(), buf.Close())
}

func serve(ctx context.Context, conn *comch.Conn) (err error) {
	mem, err := doca.NewMemory(1<<20, doca.MemoryConfig{Devices: []*doca.Device{conn.Device()}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, mem.Close()) }()
	inv, err := doca.NewInventory(16)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, inv.Close()) }()
	c, err := conn.NewConsumer(mem, comch.ConsumerConfig{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	for i := range 8 {
		b, err := inv.Buffer(mem, i*4096, 4096)
		if err != nil {
			return err
		}
		if err := c.Post(b); err != nil {
			return err
		}
	}
	x := &index{rows: map[uint64]record{}}
	n, err := all(ctx, c, x)
	if err != nil {
		return err
	}
	log.Printf("%d messages", n)
	s, err := trimmed(ctx, c)
	if err != nil {
		return err
	}
	log.Print(s)
	if _, err := count(ctx, c); err != nil {
		return err
	}
	if err := echo(ctx, c, os.Stdout); err != nil {
		return err
	}
	return workers(ctx, c, 4, x)
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	s, err := listen(ctx, "03:00.0", "b1:00.0")
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	var wg sync.WaitGroup
	defer wg.Wait()
	for {
		conn, err := s.srv.Accept(ctx)
		if err != nil {
			log.Print(err)
			return
		}
		wg.Go(func() {
			if err := errors.Join(serve(ctx, conn), conn.Close()); err != nil {
				log.Print(err)
			}
		})
	}
}
