// Command pool copies blocks for clients, with a pool of buffers.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"sync"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
)

type service struct {
	dev    *doca.Device
	pe     *doca.ProgressEngine
	copier *dma.DMA
	inv    *doca.Inventory
	mem    *doca.Memory
	free   chan *doca.Buffer
	last   []byte
	mu     sync.Mutex
}

func newService(addr string) (*service, error) {
	dev, err := doca.OpenDevice(addr) // want unclosed
	if err != nil {
		return nil, err
	}
	pe, err := doca.NewProgressEngine(doca.EngineConfig{})
	if err != nil {
		return nil, fmt.Errorf("engine: %w", err) // loses the device
	}
	copier, err := dma.New(dev, pe, dma.Config{})
	if err != nil {
		pe.Close()  // want closeerror
		dev.Close() // want closeerror
		return nil, err
	}
	s := &service{dev: dev, pe: pe, copier: copier, free: make(chan *doca.Buffer, 8)}
	if err := s.fill(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *service) fill() (err error) {
	if s.mem, err = doca.NewMemory(1<<20, doca.MemoryConfig{Devices: []*doca.Device{s.dev}}); err != nil {
		return err
	}
	if s.inv, err = doca.NewInventory(16); err != nil {
		return err
	}
	for i := range 8 {
		b, err := s.inv.Buffer(s.mem, i*4096, 4096)
		if err != nil {
			return err
		}
		s.free <- b
	}
	return nil
}

// Close closes everything.
func (s *service) Close() error {
	s.copier.Shutdown(context.Background()) // want closeerror
	return errors.Join(s.pe.Close(), s.dev.Close(), s.inv.Close())
}

// import of a client's memory for one request
func (s *service) fetch(ctx context.Context, descriptor []byte, n int) ([]byte, error) {
	remote, err := doca.ImportMemory(s.dev, descriptor) // want unclosed
	if err != nil {
		return nil, err
	}
	if err := s.copier.CopyRange(ctx, s.mem, 0, remote, 0, n); err != nil {
		return nil, err
	}
	if err := remote.Close(); err != nil {
		return nil, err
	}
	return append([]byte(nil), s.mem.Bytes()[:n]...), nil
}

func (s *service) copyBlock(ctx context.Context, src *doca.Buffer) error {
	dst := <-s.free
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_, err := s.copier.Copy(ctx, dst, src)
	if errors.Is(err, context.DeadlineExceeded) {
		s.free <- dst // want ctxabort
		return err
	}
	s.free <- dst
	return err
}

func (s *service) start(ctx context.Context, dst, src *doca.Buffer) (int, error) {
	f, err := s.copier.CopyAsync(ctx, dst, src)
	if err != nil {
		return 0, err
	}
	sum := checksum(dst.Bytes())               // want inflight
	if err := src.SetData(0, 10); err != nil { // want inflight
		return 0, err
	}
	n, err := f.Wait(ctx)
	return n + sum, err
}

func (s *service) race(ctx context.Context, dst, src *doca.Buffer) error {
	f, err := s.copier.CopyAsync(ctx, dst, src)
	if err != nil {
		return err
	}
	select {
	case <-f.Done():
		return f.Err()
	case <-ctx.Done():
		clear(dst.Bytes()) // want ctxabort
		return ctx.Err()
	}
}

func (s *service) snapshot(n int) ([]byte, error) {
	mem, err := doca.NewMemory(n, doca.MemoryConfig{Devices: []*doca.Device{s.dev}})
	if err != nil {
		return nil, err
	}
	defer mem.Close()
	if err := s.copier.CopyRange(context.Background(), mem, 0, s.mem, 0, n); err != nil {
		return nil, err
	}
	return mem.Bytes()[:n], nil // want kept
}

func checksum(b []byte) int {
	sum := 0
	for _, c := range b {
		sum += int(c)
	}
	return sum
}

func wait(f dma.Future) {} // want copied

func main() {
	s, err := newService("03:00.0")
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	c := *s.copier // want copied
	fmt.Println(c.MaxTasks())
	ctx := context.Background()
	b := <-s.free
	fmt.Println(s.copyBlock(ctx, b), s.race(ctx, b, b))
	fmt.Println(s.start(ctx, b, b))
	fmt.Println(s.fetch(ctx, nil, 1))
	fmt.Println(s.snapshot(1))
}
