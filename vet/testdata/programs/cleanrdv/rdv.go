// Package cleanrdv is a binding of a library of rendezvous on top of package bind.
package cleanrdv

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

// Meeting is where two programs meet.
type Meeting struct {
	*doca.Context
	link    *bind.Link
	events  chan uint64
	changed chan struct{}
	state   atomic.Uint32
	seen    int
	err     error
}

// New makes a meeting.
func New(dev *doca.Device, pe *doca.ProgressEngine) (*Meeting, error) {
	m := &Meeting{events: make(chan uint64, 16), changed: make(chan struct{}, 1)}
	cfg := bind.ContextConfig{
		Kind:   "meeting",
		Device: dev,
		Engine: pe,
		Create: m.create,
		Handle: m.handle,
		Changed: func(s doca.State) {
			m.state.Store(uint32(s))
			select {
			case m.changed <- struct{}{}:
			default:
			}
		},
		Room:    func() int { return cap(m.events) - len(m.events) },
		Failed:  func(err error) { m.err = errors.Join(m.err, err) },
		Release: func() { m.seen = 0 },
	}
	c, err := bind.NewContext(cfg)
	if err != nil {
		return nil, err
	}
	m.Context = c
	return m, nil
}

func (m *Meeting) create(dev *common.Dev, link *bind.Link) (*common.Ctx, error) {
	m.link = link
	return nil, errors.New("not here")
}

func (m *Meeting) handle(recs []abi.Record) {
	for range recs {
		select {
		case m.events <- uint64(m.seen):
		default:
			m.err = doca.ErrFull
		}
		m.seen++
	}
	m.link.Later()
}

// Meet waits for the other program.
func (m *Meeting) Meet(ctx context.Context) (uint64, error) {
	if err := m.link.Lock(0, "meet"); err != nil {
		return 0, err
	}
	var v uint64
	err := m.link.Await(ctx, func() bool {
		select {
		case v = <-m.events:
			return true
		default:
			return m.err != nil
		}
	})
	m.link.Unlock()
	return v, err
}

// Reports sends leaks to a goroutine that writes them.
func Reports() (stop func()) {
	out := make(chan doca.Object, 64)
	var wg sync.WaitGroup
	wg.Go(func() {
		for o := range out {
			slog.Warn("leak", "object", o)
		}
	})
	var lost atomic.Int64
	doca.SetLeakReporter(func(o doca.Object) {
		select {
		case out <- o:
		default:
			lost.Add(1)
		}
	})
	return func() {
		doca.SetLeakReporter(nil)
		close(out)
		wg.Wait()
	}
}

// With runs f on a device.
func With[T any](pci string, f func(*doca.Device) (T, error)) (v T, err error) {
	dev, err := doca.OpenDevice(pci)
	if err != nil {
		return v, err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	return f(dev)
}

// Ports counts the devices that open.
func Ports(names ...string) (n int, err error) {
	for _, name := range names {
		dev, e := doca.OpenDevice(name)
		if e != nil {
			continue
		}
		n++
		err = errors.Join(err, dev.Close())
	}
	return n, err
}

// Group is some meetings, each with its engine.
type Group struct {
	mu  sync.Mutex
	all map[string]*Meeting
	pes []*doca.ProgressEngine
}

// Join adds a meeting.
func (g *Group) Join(name string, dev *doca.Device) (err error) {
	pe, err := doca.NewProgressEngine(doca.EngineConfig{})
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, pe.Close())
		}
	}()
	m, err := New(dev, pe)
	if err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.all == nil {
		g.all = map[string]*Meeting{}
	}
	g.all[name] = m
	g.pes = append(g.pes, pe)
	return nil
}

// Close closes all.
func (g *Group) Close() (err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, m := range g.all {
		err = errors.Join(err, m.Close())
	}
	for _, pe := range g.pes {
		err = errors.Join(err, pe.Close())
	}
	return err
}

// Reopen takes the second device if the first is not what it should be.
func Reopen(a, b string) (*doca.Device, error) {
	dev, err := doca.OpenDevice(a)
	if err != nil {
		return nil, err
	}
	if dev.Info().VHCAID == 0 {
		if err := dev.Close(); err != nil {
			return nil, err
		}
		dev, err = doca.OpenDevice(b)
		if err != nil {
			return nil, err
		}
	}
	return dev, nil
}
