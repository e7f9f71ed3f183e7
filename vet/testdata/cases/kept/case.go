package kept

import (
	"bytes"
	"context"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

type box struct {
	body []byte
	all  [][]byte
}

func (b *box) keep(data []byte) { b.body = data }

func (b *box) loop(ctx context.Context, c *comch.Consumer) {
	for m := range c.Messages(ctx) {
		b.body = m.Data               // want `data of a message is kept in the field body`
		b.all = append(b.all, m.Data) // want `kept in the field all`
		b.keep(m.Data)                // want `kept by box.keep`
		b.body = bytes.Clone(m.Data)
		b.body = append([]byte(nil), m.Data...)
	}
}

func imm(ctx context.Context, c *comch.Consumer, ch chan []byte) {
	for m := range c.Messages(ctx) {
		ch <- m.Imm // want `sent on a channel`
		ch <- bytes.Clone(m.Imm)
	}
}

func reposted(ctx context.Context, c *comch.Consumer) []byte {
	m, err := c.Recv(ctx)
	if err != nil || c.Post(m.Buffer) != nil {
		return nil
	}
	return m.Data // want `data of a message is returned`
}

func notPosted(ctx context.Context, c *comch.Consumer, b *box) comch.Received {
	m, err := c.Recv(ctx)
	if err == nil {
		b.body = m.Data // with its buffer, which nobody posts
	}
	return m
}

func closed(dev *doca.Device) ([]byte, error) {
	mem, err := doca.NewMemory(64, doca.MemoryConfig{Devices: []*doca.Device{dev}})
	if err != nil {
		return nil, err
	}
	defer mem.Close()
	return mem.Bytes(), nil // want `bytes of doca.Memory is returned`
}

func afterClose(mem *doca.Memory) (string, error) {
	data := mem.Bytes()
	first := string(data[:4])
	if err := mem.Close(); err != nil {
		return "", err
	}
	return first + string(data[4:]), nil // want `bytes of doca.Memory is used after`
}

type header struct{ body []byte }

// cut and split return parts of what they get.
func cut(data []byte) []byte { return data[4:] }

func split(data []byte) (header, error) { return header{data[4:]}, nil }

func (b *box) parts(ctx context.Context, c *comch.Consumer) {
	for m := range c.Messages(ctx) {
		b.body = append(b.body[:0], cut(m.Data)...)
		b.all = append(b.all, cut(m.Data)) // want `kept in the field all`
		h, err := split(m.Data)
		if err != nil {
			return
		}
		b.body = h.body // want `kept in the field body`
		b.body = bytes.Clone(h.body)
	}
}
