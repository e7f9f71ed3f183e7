// Package rdv is a binding of a library of rendezvous on top of package bind.
package rdv

import (
	"context"
	"errors"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

// Meeting is where two programs meet.
type Meeting struct {
	*doca.Context
	link   *bind.Link
	mu     sync.Mutex
	cond   *sync.Cond
	events chan uint64
	state  chan doca.State
	seen   int
	done   bool
	pe     *doca.ProgressEngine
	log    *os.File
}

// New makes a meeting.
func New(dev *doca.Device, pe *doca.ProgressEngine) (*Meeting, error) {
	m := &Meeting{events: make(chan uint64), state: make(chan doca.State), pe: pe}
	m.cond = sync.NewCond(&m.mu)
	cfg := bind.ContextConfig{
		Kind:   "meeting",
		Device: dev,
		Engine: pe,
		Create: m.create,
		Handle: m.handle,
		Changed: func(s doca.State) {
			m.state <- s // want callback
		},
		Later: func() {
			time.Sleep(time.Millisecond) // want callback
		},
	}
	cfg.Halt = m.halt
	cfg.Room = func() int {
		m.mu.Lock()
		defer m.mu.Unlock()
		return 16 - m.seen
	}
	cfg.Failed = func(err error) {
		notify(err)
	}
	cfg.Release = func() {
		for range 3 {
			if n, err := m.pe.Progress(); n == 0 || err != nil { // want callback
				return
			}
		}
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
		m.push(1)
	}
	m.mu.Lock()
	for !m.done {
		m.cond.Wait() // want callback
	}
	m.mu.Unlock()
}

func (m *Meeting) push(v uint64) {
	m.events <- v // want callback
}

func (m *Meeting) halt() {
	<-m.events // want callback
}

func notify(err error) {
	resp, perr := http.Get("http://localhost/?" + err.Error()) // want callback
	if perr == nil {
		resp.Body.Close()
	}
}

// Meet waits for the other program.
func (m *Meeting) Meet(ctx context.Context) error {
	if err := m.link.Lock(0, "meet"); err != nil {
		return err
	}
	defer m.link.Unlock()
	return m.link.Await(ctx, func() bool {
		select { // want callback
		case <-m.events:
			return true
		case <-ctx.Done():
			return false
		}
	})
}

// Reports sends leaks to a channel.
func Reports(out chan doca.Object, wg *sync.WaitGroup) {
	doca.SetLeakReporter(func(o doca.Object) {
		out <- o  // want callback
		wg.Wait() // want callback
	})
}

// With runs f on a device.
func With[T any](pci string, f func(*doca.Device) (T, error)) (zero T, err error) {
	dev, err := doca.OpenDevice(pci)
	if err != nil {
		return zero, err
	}
	v, err := f(dev)
	dev.Close() // want closeerror
	return v, err
}

// Ports counts the devices that open.
func Ports(names ...string) (n int) {
	for _, name := range names {
		if _, err := doca.OpenDevice(name); err == nil { // want unclosed
			n++
		}
	}
	return n
}

// Group is some meetings.
type Group struct {
	all map[string]*Meeting
}

// Join adds a meeting.
func (g *Group) Join(name string, dev *doca.Device) error {
	pe, err := doca.NewProgressEngine(doca.EngineConfig{}) // lost if New fails: a struct that keeps it is taken for its owner
	if err != nil {
		return err
	}
	m, err := New(dev, pe)
	if err != nil {
		return err
	}
	g.all[name] = m
	return nil
}

// Reopen replaces the device, and forgets the old one.
func Reopen(a, b string) (*doca.Device, error) {
	dev, err := doca.OpenDevice(a) // want unclosed
	if err != nil {
		return nil, err
	}
	if dev.Info().VHCAID == 0 {
		dev, err = doca.OpenDevice(b)
		if err != nil {
			return nil, err
		}
	}
	return dev, nil
}

// Clone returns a second handle.
func (m *Meeting) Clone() *Meeting {
	c := *m.Context // want copied
	return &Meeting{Context: &c}
}
