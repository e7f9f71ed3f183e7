// Command cleanpool has a pool of buffers, and a binding of its own.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"sync"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/dma"
	"github.com/go-doca/go-doca/doca/rdma"
	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

type pool struct {
	mu   sync.Mutex
	cond *sync.Cond
	free []*doca.Buffer
}

func (p *pool) get() *doca.Buffer {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.free) == 0 {
		p.cond.Wait()
	}
	b := p.free[len(p.free)-1]
	p.free = p.free[:len(p.free)-1]
	return b
}

func (p *pool) put(b *doca.Buffer) {
	p.mu.Lock()
	p.free = append(p.free, b)
	p.mu.Unlock()
	p.cond.Signal()
}

type server struct {
	devices []*doca.Device
	engines map[string]*doca.ProgressEngine
	copier  *dma.DMA
	pool    *pool
}

func newServer(addrs []string) (*server, error) {
	s := &server{engines: map[string]*doca.ProgressEngine{}, pool: &pool{}}
	s.pool.cond = sync.NewCond(&s.pool.mu)
	for _, a := range addrs {
		dev, err := doca.OpenDevice(a)
		if err != nil {
			return nil, errors.Join(err, s.close())
		}
		s.devices = append(s.devices, dev)
		pe, err := doca.NewProgressEngine(doca.EngineConfig{})
		if err != nil {
			return nil, errors.Join(err, s.close())
		}
		s.engines[a] = pe
	}
	return s, nil
}

func (s *server) close() error {
	var errs []error
	for _, d := range s.devices {
		errs = append(errs, d.Close())
	}
	for _, e := range s.engines {
		errs = append(errs, e.Close())
	}
	return errors.Join(errs...)
}

func (s *server) copy(ctx context.Context, src *doca.Buffer) error {
	dst := s.pool.get()
	_, err := s.copier.Copy(ctx, dst, src)
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		go func() { // when the device is done with it
			if dst.Shutdown(context.Background()) == nil {
				log.Print("closed")
			}
		}()
		return err
	}
	s.pool.put(dst)
	return err
}

func (s *server) measure(dev *doca.Device, n int) (d time.Duration, err error) {
	mem, err := doca.NewMemory(n, doca.MemoryConfig{Devices: []*doca.Device{dev}})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, mem.Close()) }()
	begin := time.Now()
	if err := s.copier.CopyRange(context.Background(), mem, n/2, mem, 0, n/2); err != nil {
		return 0, fmt.Errorf("copy: %w", err)
	}
	return time.Since(begin), nil
}

func (s *server) first() (*doca.Device, error) {
	infos, err := doca.Devices()
	if err != nil {
		return nil, err
	}
	for _, info := range infos {
		dev, err := doca.OpenDevice(info.PCIAddr)
		if err != nil {
			continue
		}
		if dma.Supported(dev.Info()) == nil {
			return dev, nil
		}
		if err := dev.Close(); err != nil {
			return nil, err
		}
	}
	return nil, errors.New("none")
}

type binding struct {
	*doca.Context
	mu    sync.Mutex
	queue []abi.Record
	wake  chan struct{}
}

func newBinding(dev *doca.Device, pe *doca.ProgressEngine) (*binding, error) {
	b := &binding{wake: make(chan struct{}, 1)}
	ctx, err := bind.NewContext(bind.ContextConfig{
		Kind: "bound", Device: dev, Engine: pe,
		Create:  func(*common.Dev, *bind.Link) (*common.Ctx, error) { return nil, nil },
		Destroy: func(*abi.Ring) error { return nil },
		Handle:  b.handleLocked,
		Changed: func(s doca.State) {
			go func() { b.wake <- struct{}{} }()
			log.Print(s)
		},
	})
	if err != nil {
		return nil, err
	}
	if err := ctx.Start(context.Background()); err != nil {
		return nil, errors.Join(err, ctx.Close())
	}
	b.Context = ctx
	return b, nil
}

func (b *binding) handleLocked(recs []abi.Record) {
	b.mu.Lock()
	b.queue = append(b.queue, recs...)
	b.mu.Unlock()
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

func serve(ctx context.Context, r *rdma.RDMA, l *rdma.Listener) error {
	for {
		conn, err := l.Accept(ctx)
		if err != nil {
			return err
		}
		go func() {
			<-conn.Done()
			_ = conn.Close()
		}()
	}
}

func send(ctx context.Context, p *comch.Producer, buf *doca.Buffer, ids []uint32) error {
	futures := make([]*comch.Future, 0, len(ids))
	for _, id := range ids {
		f, err := p.SendAsync(ctx, buf, nil, id)
		if err != nil {
			return err
		}
		futures = append(futures, f)
	}
	for _, f := range futures {
		if err := f.Wait(ctx); err != nil {
			return err
		}
	}
	return buf.SetData(0, 0)
}

func write(ctx context.Context, c *rdma.Conn, local, remote *doca.Memory, data [][]byte) error {
	for i, d := range data {
		n := copy(local.Bytes(), d)
		if err := c.Write(ctx, remote, i*4096, local, 0, n); err != nil {
			return fmt.Errorf("block %d of %q: %w", i, local.Bytes()[:n], err)
		}
	}
	return nil
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	s, err := newServer(os.Args[1:])
	if err != nil {
		log.Fatal(err)
	}
	defer func() {
		if err := s.close(); err != nil {
			log.Print(err)
		}
	}()
	dev, err := s.first()
	if err != nil {
		log.Print(err)
		return
	}
	defer dev.Close()
	b, err := newBinding(dev, s.engines["x"])
	if err != nil {
		log.Print(err)
		return
	}
	fmt.Println(b.State())
	fmt.Println(s.measure(dev, 64))
	fmt.Println(s.copy(ctx, nil), serve(ctx, nil, nil), send(ctx, nil, nil, nil), write(ctx, nil, nil, nil, nil))
}
