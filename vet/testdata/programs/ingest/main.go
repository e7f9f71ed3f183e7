// Command ingest receives records from a host by Comch and passes them to workers.
package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"strings"
	"sync"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

type record struct {
	key   uint64
	value []byte
}

type index struct {
	mu   sync.Mutex
	rows map[uint64]record
}

func (x *index) put(r record) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.rows[r.key] = r
}

// parse does not copy: the value is part of data.
func parse(data []byte) (record, error) {
	if len(data) < 8 {
		return record{}, errors.New("short record")
	}
	return record{key: binary.LittleEndian.Uint64(data), value: data[8:]}, nil
}

type group struct {
	wg   sync.WaitGroup
	once sync.Once
	err  error
}

func (g *group) Go(f func() error) {
	g.wg.Go(func() {
		if err := f(); err != nil {
			g.once.Do(func() { g.err = err })
		}
	})
}

func (g *group) Wait() error {
	g.wg.Wait()
	return g.err
}

func listen(ctx context.Context, pci, rep string) (*comch.Server, error) {
	dev, err := doca.OpenDevice(pci)
	if err != nil {
		return nil, err
	}
	r, err := dev.OpenRepresentor(rep)
	if err != nil {
		dev.Close() // want closeerror
		return nil, err
	}
	s, err := comch.Listen(ctx, dev, r, "ingest", comch.Config{})
	if err != nil {
		return nil, errors.Join(err, r.Close(), dev.Close())
	}
	return s, nil
}

// all indexes each message as it comes.
func all(ctx context.Context, c *comch.Consumer, x *index) error {
	for m, err := range c.Messages(ctx) {
		if err != nil {
			return err
		}
		r, err := parse(m.Data)
		if err != nil {
			return err
		}
		x.put(r) // want kept
	}
	return nil
}

// window collects a window of messages before it gives it on.
func window(ctx context.Context, c *comch.Consumer, n int) ([][]byte, error) {
	var parts [][]byte
	for m, err := range c.Messages(ctx) {
		if err != nil {
			return nil, err
		}
		parts = append(parts, m.Data[4:]) // want kept
		if len(parts) == n {
			break
		}
	}
	return parts, nil
}

// repost gives the buffer back too early.
func repost(ctx context.Context, c *comch.Consumer) (string, error) {
	m, err := c.Recv(ctx)
	if err != nil {
		return "", err
	}
	if err := c.Post(m.Buffer); err != nil {
		return "", err
	}
	return strings.TrimSpace(string(m.Data)), nil // want kept
}

func fanOut(ctx context.Context, c *comch.Consumer, out chan<- []byte) error {
	for {
		m, err := c.Recv(ctx)
		if err != nil {
			return err
		}
		out <- m.Data // want kept
		if err := c.Post(m.Buffer); err != nil {
			return err
		}
	}
}

type ack struct {
	p    *comch.Producer
	inv  *doca.Inventory
	mem  *doca.Memory
	to   uint32
	past []comch.Future
}

func (a *ack) send(ctx context.Context, seq uint64) error {
	buf, err := a.inv.Source(a.mem, 0, 8) // want unclosed
	if err != nil {
		return err
	}
	binary.LittleEndian.PutUint64(buf.Data(), seq)
	f, err := a.p.SendAsync(ctx, buf, nil, a.to)
	if err != nil {
		return err
	}
	for {
		select {
		case <-f.Done():
			if err := f.Err(); err != nil {
				return err
			}
			return buf.Close()
		case <-time.After(time.Second):
			binary.LittleEndian.PutUint64(buf.Data(), seq+1) // want inflight
		}
	}
}

// twice sends from one buffer, and changes it in between.
func (a *ack) twice(ctx context.Context, buf *doca.Buffer) error {
	f, err := a.p.SendAsync(ctx, buf, nil, a.to)
	if err != nil {
		return err
	}
	defer f.Wait(ctx)
	b := buf.Data()
	b[0]++ // want inflight
	return nil
}

func (a *ack) drain(ctx context.Context) (err error) {
	for _, f := range a.past { // want copied
		err = errors.Join(err, f.Wait(ctx))
	}
	return err
}

func (a *ack) deadline(buf *doca.Buffer) error {
	ctx, cancel := context.WithDeadline(context.Background(), time.Now().Add(time.Second))
	defer cancel()
	err := a.p.Send(ctx, buf, nil, a.to)
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return errors.Join(err, buf.SetData(0, 0)) // want ctxabort
	case err != nil:
		return err
	}
	return buf.SetData(0, 0)
}

func serve(ctx context.Context, conn *comch.Conn) error {
	mem, err := doca.NewMemory(1<<20, doca.MemoryConfig{Devices: []*doca.Device{conn.Device()}}) // want unclosed
	if err != nil {
		return err
	}
	c, err := conn.NewConsumer(mem, comch.ConsumerConfig{})
	if err != nil {
		return err
	}
	x := &index{rows: map[uint64]record{}}
	g := new(group)
	g.Go(func() error { return all(ctx, c, x) })
	g.Go(func() error {
		w, err := window(ctx, c, 8)
		fmt.Println(len(w))
		return err
	})
	g.Go(func() error {
		s, err := repost(ctx, c)
		fmt.Println(s)
		return err
	})
	g.Go(func() error { return fanOut(ctx, c, make(chan []byte, 4)) })
	if err := g.Wait(); err != nil {
		return err
	}
	return errors.Join(c.Close(), mem.Close())
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	s, err := listen(ctx, "03:00.0", "b1:00.0")
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	for {
		conn, err := s.Accept(ctx)
		if err != nil {
			log.Print(err)
			return
		}
		go func() {
			defer conn.Close()
			if err := serve(ctx, conn); err != nil {
				log.Print(err)
			}
			conn.Shutdown(ctx) // want closeerror
		}()
	}
}
