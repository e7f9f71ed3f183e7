// Command cleanmirror keeps copies of the blocks of one memory in another.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
)

type closer interface{ Close() error }

// stack closes what was pushed, in the other order.
type stack struct{ list []closer }

func push[T closer](s *stack, v T, err error) (T, error) {
	if err == nil {
		s.list = append(s.list, v)
	}
	return v, err
}

func (s *stack) Close() (err error) {
	for i := len(s.list) - 1; i >= 0; i-- {
		err = errors.Join(err, s.list[i].Close())
	}
	s.list = nil
	return err
}

type mirror struct {
	stack
	copier   *dma.DMA
	from, to *doca.Memory
	inv      *doca.Inventory
	mu       sync.Mutex
	saved    map[int][]byte
}

func pick() (*doca.Device, error) {
	infos, err := doca.Devices()
	if err != nil {
		return nil, err
	}
	var best *doca.Device
	for _, info := range infos {
		if dma.Supported(info) != nil {
			continue
		}
		dev, err := doca.OpenDevice(info.PCIAddr)
		if err != nil {
			slog.Warn("open", "device", info.PCIAddr, "err", err)
			continue
		}
		if best != nil && best.Info().ActiveRate >= info.ActiveRate {
			if err := dev.Close(); err != nil {
				return nil, errors.Join(err, best.Close())
			}
			continue
		}
		if best != nil {
			if err := best.Close(); err != nil {
				return nil, errors.Join(err, dev.Close())
			}
		}
		best = dev
	}
	if best == nil {
		return nil, errors.New("no device")
	}
	return best, nil
}

func newMirror(size int) (_ *mirror, err error) {
	m := &mirror{saved: map[int][]byte{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, m.Close())
		}
	}()
	picked, err := pick()
	dev, err := push(&m.stack, picked, err)
	if err != nil {
		return nil, err
	}
	made, err := doca.NewProgressEngine(doca.EngineConfig{})
	pe, err := push(&m.stack, made, err)
	if err != nil {
		return nil, err
	}
	if m.copier, err = dma.New(dev, pe, dma.Config{MaxTasks: 16}); err != nil {
		return nil, err
	}
	for _, p := range []**doca.Memory{&m.from, &m.to} {
		if *p, err = doca.NewMemory(size, doca.MemoryConfig{Devices: []*doca.Device{dev}}); err != nil {
			return nil, err
		}
	}
	inv, err := doca.NewInventory(64)
	if m.inv, err = push(&m.stack, inv, err); err != nil {
		return nil, err
	}
	return m, nil
}

func (m *mirror) pair(off, n int) (src, dst *doca.Buffer, err error) {
	if src, err = m.inv.Source(m.from, off, n); err != nil {
		return nil, nil, err
	}
	if dst, err = m.inv.Buffer(m.to, off, n); err != nil {
		return nil, nil, errors.Join(err, src.Close())
	}
	return src, dst, nil
}

// double keeps two copies in flight: while the device has one pair, the program fills the other.
func (m *mirror) double(ctx context.Context, parts [][]byte) (err error) {
	src, dst, err := m.pair(0, 4096)
	if err != nil {
		return err
	}
	nextSrc, nextDst, err := m.pair(4096, 4096)
	if err != nil {
		return errors.Join(err, src.Close(), dst.Close())
	}
	defer func() { err = errors.Join(err, src.Close(), dst.Close(), nextSrc.Close(), nextDst.Close()) }()
	var pending *dma.Future
	for _, part := range parts {
		copy(src.Bytes(), part)
		f, err := m.copier.CopyAsync(ctx, dst, src)
		if err != nil {
			return err
		}
		if pending != nil {
			if _, err := pending.Wait(ctx); err != nil {
				return err
			}
		}
		pending = f
		src, nextSrc = nextSrc, src
		dst, nextDst = nextDst, dst
	}
	if pending != nil {
		_, err = pending.Wait(ctx)
	}
	return err
}

// other reassigns the variable before it touches it.
func (m *mirror) other(ctx context.Context, buf, spare *doca.Buffer, src *doca.Buffer) (byte, error) {
	f, err := m.copier.CopyAsync(ctx, buf, src)
	if err != nil {
		return 0, err
	}
	busy := buf
	buf = spare
	first := buf.Bytes()[0]
	if _, err := f.Wait(ctx); err != nil {
		return 0, err
	}
	return first + busy.Bytes()[0], nil
}

// many copies in a window of four, each slot waits before it is used again.
func (m *mirror) many(ctx context.Context, n int) error {
	var window [4]*dma.Future
	for i := range n {
		k := i % len(window)
		if f := window[k]; f != nil {
			if _, err := f.Wait(ctx); err != nil {
				return err
			}
		}
		copy(m.from.Bytes()[k*4096:], "block")
		f, err := m.copier.CopyRangeAsync(ctx, m.to, k*4096, m.from, k*4096, 4096)
		if err != nil {
			return err
		}
		window[k] = f
	}
	for _, f := range window {
		if f == nil {
			break
		}
		if _, err := f.Wait(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (m *mirror) verify(ctx context.Context, off, n int) (bool, error) {
	if err := m.copier.CopyRange(ctx, m.to, off, m.from, off, n); err != nil {
		return false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.saved[off] = bytes.Clone(m.to.Bytes()[off : off+n])
	return bytes.Equal(m.to.Bytes()[off:off+n], m.from.Bytes()[off:off+n]), nil
}

// limited gives up after a while: the ranges stay the device's until Stop has returned.
func (m *mirror) limited(off, n int) error {
	ctx, stop := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer stop()
	err := m.copier.CopyRange(ctx, m.to, off, m.from, off, n)
	if ctx.Err() != nil {
		if err := m.copier.Stop(context.Background()); err != nil {
			return err
		}
		clear(m.to.Bytes()[off : off+n])
		return m.copier.Start(context.Background())
	}
	return err
}

func run(size int) (err error) {
	m, err := newMirror(size)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	ctx := context.Background()
	src, dst, err := m.pair(0, 16)
	if err != nil {
		return err
	}
	spare, err := m.inv.Buffer(m.to, 8192, 16)
	if err != nil {
		return err
	}
	_, err = m.other(ctx, dst, spare, src)
	err = errors.Join(err, m.double(ctx, [][]byte{{1}, {2}}), m.many(ctx, 9), m.limited(0, 16))
	if _, e := m.verify(ctx, 0, 16); e != nil {
		err = errors.Join(err, e)
	}
	return err
}

func main() {
	size := flag.Int("size", 1<<20, "bytes")
	flag.Parse()
	if err := run(*size); err != nil {
		slog.Error("mirror", "err", err)
		os.Exit(1)
	}
}
