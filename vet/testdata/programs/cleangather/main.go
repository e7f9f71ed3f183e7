// Command cleangather reads parts of the memories of peers with RDMA into one.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"slices"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/rdma"
)

const part = 4096

type peer struct {
	conn   *rdma.Conn
	remote *doca.Memory
	off    int
}

type gatherer struct {
	dev   *doca.Device
	pe    *doca.ProgressEngine
	r     *rdma.RDMA
	local *doca.Memory
	peers map[string]*peer
	close []func() error
}

type option func(*gatherer) error

func withMemory(n int) option {
	return func(g *gatherer) (err error) {
		g.local, err = doca.NewMemory(n, doca.MemoryConfig{Devices: []*doca.Device{g.dev}})
		return err
	}
}

func open(pci string, opts ...option) (*gatherer, error) {
	g := &gatherer{peers: map[string]*peer{}}
	ok := false
	defer func() {
		if !ok {
			_ = g.Close()
		}
	}()
	dev, err := doca.OpenDevice(pci)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", pci, err)
	}
	g.dev = dev
	g.close = append(g.close, dev.Close)
	pe, err := doca.NewProgressEngine(doca.EngineConfig{})
	if err != nil {
		return nil, err
	}
	g.pe = pe
	g.close = append(g.close, pe.Close)
	r, err := rdma.New(dev, pe, rdma.Config{})
	if err != nil {
		return nil, err
	}
	g.r = r
	for _, o := range opts {
		if err := o(g); err != nil {
			return nil, err
		}
	}
	ok = true
	return g, nil
}

func (g *gatherer) Close() error {
	var errs []error
	for _, f := range slices.Backward(g.close) {
		errs = append(errs, f())
	}
	return errors.Join(errs...)
}

func (g *gatherer) join(ctx context.Context, name string, descriptor []byte) (p *peer, err error) {
	addr, err := rdma.ParseAddr(name)
	if err != nil {
		return nil, err
	}
	p = &peer{off: len(g.peers) * part}
	p.conn, err = g.r.Dial(ctx, addr)
	if err != nil {
		return nil, err
	}
	p.remote, err = doca.ImportMemory(g.dev, descriptor)
	if err != nil {
		return nil, errors.Join(err, p.conn.Close())
	}
	g.peers[name] = p
	return p, nil
}

// gather reads all parts at once.
func (g *gatherer) gather(ctx context.Context) ([]byte, error) {
	futures := make(map[string]*rdma.Future, len(g.peers))
	var failed error
	for name, p := range g.peers {
		f, err := p.conn.ReadAsync(ctx, g.local, p.off, p.remote, 0, part)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", name, err))
			continue
		}
		futures[name] = f
	}
	for name, f := range futures {
		if err := f.Wait(context.WithoutCancel(ctx)); err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", name, err))
		}
	}
	if failed != nil {
		return nil, failed
	}
	return slices.Clone(g.local.Bytes()[:len(g.peers)*part]), nil
}

// push fills one half while the other one is on its way.
func (g *gatherer) push(ctx context.Context, p *peer, parts [][]byte) error {
	var last *rdma.Future
	for i, text := range parts {
		off := i % 2 * part
		n := copy(g.local.Bytes()[off:off+part], text)
		f, err := p.conn.WriteAsync(ctx, p.remote, off, g.local, off, n)
		if err != nil {
			return err
		}
		if last != nil {
			if err := last.Wait(ctx); err != nil {
				return err
			}
		}
		last = f
	}
	if last == nil {
		return nil
	}
	return last.Wait(ctx)
}

// retry takes a fresh buffer for each attempt.
func (g *gatherer) retry(ctx context.Context, p *peer, inv *doca.Inventory) error {
	var err error
	for attempt := range 3 {
		var b *doca.Buffer
		if b, err = inv.Buffer(g.local, attempt*part, part); err != nil {
			return err
		}
		err = func() error {
			ctx, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			return p.conn.ReadBuffer(ctx, b, p.remote, 0, part)
		}()
		if err == nil {
			return b.Close()
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			return errors.Join(err, b.Close())
		}
		// The device may still write to it: closing waits for the end.
		if e := b.Shutdown(ctx); e != nil {
			return errors.Join(err, e)
		}
	}
	return err
}

// race waits for whichever comes first, and touches nothing else.
func (g *gatherer) race(ctx context.Context, p *peer) ([]byte, error) {
	f, err := p.conn.ReadAsync(ctx, g.local, 0, p.remote, 0, part)
	if err != nil {
		return nil, err
	}
	timer := time.NewTimer(time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		log.Print("slow")
		if err := f.Wait(ctx); err != nil {
			return nil, err
		}
	case <-f.Done():
		if err := f.Err(); err != nil {
			return nil, err
		}
	}
	return slices.Clone(g.local.Bytes()[:part]), nil
}

// poll looks whether it is done.
func (g *gatherer) poll(ctx context.Context, p *peer) (sum int, err error) {
	f, err := p.conn.ReadAsync(ctx, g.local, 0, p.remote, 0, part)
	if err != nil {
		return 0, err
	}
	for errors.Is(f.Err(), doca.ErrInProgress) {
		if _, err := g.pe.Progress(); err != nil {
			return 0, err
		}
	}
	if err := f.Err(); err != nil {
		return 0, err
	}
	for _, b := range g.local.Bytes()[:part] {
		sum += int(b)
	}
	return sum, nil
}

func (g *gatherer) messages(ctx context.Context, n int, handle func([]byte) error) error {
	for range n {
		m, err := g.r.Recv(ctx)
		if err != nil {
			return err
		}
		if err := handle(m.Data); err != nil {
			return err
		}
		if _, err := g.r.Post(m.Buffer); err != nil {
			return err
		}
	}
	return nil
}

func (g *gatherer) drop(name string) error {
	p, ok := g.peers[name]
	if !ok {
		return nil
	}
	delete(g.peers, name)
	return errors.Join(p.conn.Close(), p.remote.Close())
}

func run(ctx context.Context, pci string, names []string) (err error) {
	g, err := open(pci, withMemory(1<<16))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	inv, err := doca.NewInventory(8)
	if err != nil {
		return err
	}
	g.close = append(g.close, inv.Close)
	for _, name := range names {
		p, err := g.join(ctx, name, nil)
		if err != nil {
			return err
		}
		if err := g.push(ctx, p, nil); err != nil {
			return err
		}
		if err := g.retry(ctx, p, inv); err != nil {
			return err
		}
		if _, err := g.race(ctx, p); err != nil {
			return err
		}
		if _, err := g.poll(ctx, p); err != nil {
			return err
		}
	}
	if err := g.messages(ctx, 3, func(b []byte) error { fmt.Println(len(b)); return nil }); err != nil {
		return err
	}
	data, err := g.gather(ctx)
	fmt.Println(len(data))
	for _, name := range names {
		err = errors.Join(err, g.drop(name))
	}
	return err
}

func main() {
	pci := flag.String("p", "03:00.0", "device")
	flag.Parse()
	if err := run(context.Background(), *pci, flag.Args()); err != nil {
		log.Fatal(err)
	}
}
