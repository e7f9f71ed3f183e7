// Command gather reads parts of the memories of peers with RDMA into one.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"slices"
	"sync/atomic"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/rdma"
)

// peer is one of those whose memory is read.
type peer struct {
	name   string
	conn   *rdma.Conn
	remote *doca.Memory
	last   rdma.Future
	view   []byte
	reads  atomic.Int64
}

type gatherer struct {
	dev   *doca.Device
	pe    *doca.ProgressEngine
	r     *rdma.RDMA
	local *doca.Memory
	peers []*peer
}

type option func(*gatherer) error

func withMemory(n int) option {
	return func(g *gatherer) (err error) {
		g.local, err = doca.NewMemory(n, doca.MemoryConfig{Devices: []*doca.Device{g.dev}})
		return err
	}
}

func open(pci string, opts ...option) (*gatherer, error) {
	dev, err := doca.OpenDevice(pci)
	if err != nil {
		return nil, err
	}
	pe, err := doca.NewProgressEngine(doca.EngineConfig{})
	if err != nil {
		return nil, errors.Join(err, dev.Close())
	}
	r, err := rdma.New(dev, pe, rdma.Config{})
	if err != nil {
		return nil, errors.Join(err, pe.Close(), dev.Close())
	}
	g := &gatherer{dev: dev, pe: pe, r: r}
	for _, o := range opts {
		if err := o(g); err != nil {
			return nil, errors.Join(err, g.close())
		}
	}
	return g, nil
}

func (g *gatherer) close() error {
	var errs []error
	for _, p := range g.peers {
		errs = append(errs, p.conn.Close(), p.remote.Close())
	}
	return errors.Join(append(errs, g.r.Close(), g.pe.Close(), g.dev.Close())...)
}

func (g *gatherer) join(ctx context.Context, name string, descriptor []byte) (*peer, error) {
	addr, err := rdma.ParseAddr(name)
	if err != nil {
		return nil, err
	}
	conn, err := g.r.Dial(ctx, addr) // want unclosed
	if err != nil {
		return nil, err
	}
	remote, err := doca.ImportMemory(g.dev, descriptor)
	if err != nil {
		return nil, fmt.Errorf("memory of %s: %w", name, err)
	}
	p := &peer{name: name, conn: conn, remote: remote}
	g.peers = append(g.peers, p)
	return p, nil
}

// sum reads while the data is on its way.
func (g *gatherer) sum(ctx context.Context, p *peer, n int) (total int, err error) {
	f, err := p.conn.ReadAsync(ctx, g.local, 0, p.remote, 0, n)
	if err != nil {
		return 0, err
	}
	p.reads.Add(1)
	for _, b := range g.local.Bytes() { // want inflight
		total += int(b)
	}
	if err := f.Wait(ctx); err != nil {
		return 0, err
	}
	return total, nil
}

func (g *gatherer) push(ctx context.Context, p *peer, text []byte) error {
	n := copy(g.local.Bytes(), text)
	f, err := p.conn.WriteAsync(ctx, p.remote, 0, g.local, 0, n)
	if err != nil {
		return err
	}
	clear(g.local.Bytes()) // want inflight
	return f.Wait(ctx)
}

func (g *gatherer) buffer(ctx context.Context, p *peer, inv *doca.Inventory) error {
	b, err := inv.Buffer(g.local, 0, 64)
	if err != nil {
		return err
	}
	f, err := p.conn.ReadBufferAsync(ctx, b, p.remote, 0, 64)
	if err != nil {
		return errors.Join(err, b.Close())
	}
	if err := b.Reset(64, 64); err != nil { // want inflight
		return errors.Join(err, f.Wait(ctx), b.Close())
	}
	return errors.Join(f.Wait(ctx), b.Close())
}

func (g *gatherer) posted(ctx context.Context, inv *doca.Inventory) (byte, error) {
	b, err := inv.Buffer(g.local, 4096, 4096)
	if err != nil {
		return 0, err
	}
	if _, err := g.r.Post(b); err != nil {
		return 0, errors.Join(err, b.Close())
	}
	first := b.Bytes()[0] // want inflight
	m, err := g.r.Recv(ctx)
	if err != nil {
		return 0, err
	}
	return first, m.Buffer.Close()
}

// ask waits a second at most.
func (g *gatherer) ask(p *peer, inv *doca.Inventory) error {
	dst, err := inv.Buffer(g.local, 0, 4096)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := p.conn.ReadBuffer(ctx, dst, p.remote, 0, 4096); err != nil {
		return errors.Join(err, dst.Reset(0, 4096), dst.Close()) // want ctxabort
	}
	return dst.Close()
}

// race takes the first of two answers.
func (g *gatherer) race(ctx context.Context, p *peer) ([]byte, error) {
	f, err := p.conn.ReadAsync(ctx, g.local, 0, p.remote, 0, 4096)
	if err != nil {
		return nil, err
	}
	timer := time.NewTimer(time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return slices.Clone(g.local.Bytes()[:4096]), nil // want inflight
	case <-f.Done():
	}
	return slices.Clone(g.local.Bytes()[:4096]), f.Err()
}

func (g *gatherer) message(ctx context.Context, p *peer) error {
	m, err := g.r.Recv(ctx)
	if err != nil {
		return err
	}
	p.view = m.Data // want kept
	_, err = g.r.Post(m.Buffer)
	return err
}

func snapshotOf(m *doca.Memory) []byte {
	defer m.Close()
	return m.Bytes() // want kept
}

func (p *peer) track(f *rdma.Future) {
	p.last = *f // want copied
}

func report(c rdma.Conn) string { // want copied
	return c.String()
}

func (g *gatherer) drop(name string) {
	g.peers = slices.DeleteFunc(g.peers, func(p *peer) bool {
		if p.name != name {
			return false
		}
		p.conn.Close() // want closeerror
		return p.remote.Close() == nil
	})
}

func main() {
	pci := flag.String("p", "03:00.0", "device")
	flag.Parse()
	g, err := open(*pci, withMemory(1<<16))
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	inv, err := doca.NewInventory(8)
	if err != nil {
		log.Fatal(errors.Join(err, g.close()))
	}
	for _, name := range flag.Args() {
		p, err := g.join(ctx, name, nil)
		if err != nil {
			log.Print(err)
			continue
		}
		n, err := g.sum(ctx, p, 100)
		log.Print(n, err, report(*p.conn), g.push(ctx, p, nil), g.ask(p, inv), g.buffer(ctx, p, inv), g.message(ctx, p)) // want copied
		fmt.Println(g.posted(ctx, inv))
		fmt.Println(g.race(ctx, p))
		p.track(new(rdma.Future))
		g.drop(name)
	}
	_ = snapshotOf(g.local)
	if err := errors.Join(inv.Close(), g.close()); err != nil {
		log.Fatal(err)
	}
}
