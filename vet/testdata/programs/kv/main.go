// Command kv is a client of a key-value store by RDMA.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/rdma"
	"github.com/go-doca/go-doca/vet/testdata/programs/hw"
)

type client struct {
	card   *hw.Card
	conn   *rdma.Conn
	local  *doca.Memory
	table  *doca.Memory
	cached []byte
}

func connect(ctx context.Context, addr rdma.Addr) (*client, error) {
	dev, pe, err := hw.Open("03:00.0") // want unclosed
	if err != nil {
		return nil, err
	}
	ctxt, err := rdma.New(dev, pe, rdma.Config{})
	if err != nil {
		return nil, err
	}
	conn, err := ctxt.Dial(ctx, addr)
	if err != nil {
		return nil, err
	}
	return &client{card: &hw.Card{Dev: dev, Engine: pe}, conn: conn}, nil
}

func (c *client) get(ctx context.Context, slot, size int) ([]byte, error) {
	f, err := c.conn.ReadAsync(ctx, c.local, 0, c.table, slot*size, size)
	if err != nil {
		return nil, err
	}
	value := string(c.local.Bytes()[:size]) // want inflight
	if err := f.Wait(ctx); err != nil {
		return nil, err
	}
	return []byte(value), nil
}

func (c *client) put(ctx context.Context, slot int, value []byte) error {
	n := copy(c.local.Bytes(), value)
	f, err := c.conn.WriteAsync(ctx, c.table, slot*n, c.local, 0, n)
	if err != nil {
		return err
	}
	if n > 4 {
		hw.Clear(c.local.Bytes()) // want inflight
	}
	return f.Wait(ctx)
}

func (c *client) batch(ctx context.Context) error {
	b, err := c.conn.NewBatch(2) // want unclosed
	if err != nil {
		return err
	}
	if err := b.Read(c.local, 0, c.table, 0, 64); err != nil {
		return err
	}
	if err := b.Submit(ctx); err != nil {
		return err
	}
	c.local.Bytes()[0] = 1 // want inflight
	limited, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if err := b.Wait(limited); err != nil {
		fmt.Fprintln(os.Stderr, c.local.Bytes()[:64]) // want ctxabort
		return err
	}
	return b.Close()
}

func (c *client) peek() []byte {
	buf, err := hw.Scratch(c.card.Dev) // want unclosed
	if err != nil {
		return nil
	}
	return []byte(buf.String())
}

func futures(ctx context.Context, p *comch.Producer, msgs []comch.Message) error {
	pending := make([]comch.Future, 4)
	for i := range pending {
		if err := p.StartBatch(msgs, &pending[i]); err != nil {
			return err
		}
	}
	for _, f := range pending { // want copied
		if err := f.Wait(ctx); err != nil {
			return err
		}
	}
	return nil
}

func openTwice() error {
	_, err := doca.OpenDevice("03:00.0") // want unclosed
	return err
}

func poll(addrs []string) {
	for _, a := range addrs {
		dev, err := doca.OpenDevice(a) // want unclosed
		if err != nil {
			continue
		}
		fmt.Println(dev.Info())
	}
}

func use(dev *doca.Device) (doca.Device, error) { // the type alone copies nothing
	return *dev, nil // want copied
}

func main() {
	doca.SetLeakReporter(func(o doca.Object) {
		time.Sleep(time.Second) // want callback
		log.Print(o)
	})
	ctx := context.Background()
	c, err := connect(ctx, rdma.Addr{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.get(ctx, 1, 2))
	fmt.Println(c.put(ctx, 1, nil), c.batch(ctx), c.peek(), openTwice(), futures(ctx, nil, nil))
	poll(os.Args)
	_, _ = use(nil)
}
