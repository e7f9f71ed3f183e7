// Package counter binds a library that counts, on package bind.
package counter

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
)

// Counter counts.
type Counter struct {
	*doca.Context
	c *core
}

type core struct {
	mu      sync.Mutex
	pending sync.WaitGroup
	link    *bind.Link
	results chan uint64
	state   chan doca.State
	report  net.Conn
	other   *doca.Context
	states  []doca.State
	quick   chan struct{}
}

// New makes a counter.
func New(dev *doca.Device, pe *doca.ProgressEngine) (*Counter, error) {
	c := &core{results: make(chan uint64, 8), state: make(chan doca.State)}
	cfg := bind.ContextConfig{
		Kind: "counter", Device: dev, Engine: pe,
		Create:  func(_ *common.Dev, link *bind.Link) (*common.Ctx, error) { c.link = link; return nil, nil },
		Destroy: func(*abi.Ring) error { return c.other.Close() }, // want callback
		Handle:  c.handleLocked,
		Release: func() { time.Sleep(time.Millisecond) }, // want callback
		Changed: func(s doca.State) {
			c.state <- s // want callback
		},
	}
	cfg.Halt = c.haltLocked
	cfg.Later = func() {
		select {
		case c.quick <- struct{}{}:
		default:
		}
	}
	ctx, err := bind.NewContext(cfg) // want unclosed
	if err != nil {
		return nil, err
	}
	if err := ctx.Start(context.Background()); err != nil {
		return nil, err
	}
	return &Counter{Context: ctx, c: c}, nil
}

func (c *core) handleLocked(recs []abi.Record) {
	for _, r := range recs {
		c.deliver(uint64(r.User))
	}
	c.mu.Lock() // want callback
	defer c.mu.Unlock()
}

func (c *core) deliver(n uint64) {
	c.results <- n                  // want callback
	c.report.Write([]byte{byte(n)}) // want callback
}

func (c *core) haltLocked() {
	c.pending.Wait()                                           // want callback
	if err := c.other.Stop(context.Background()); err != nil { // want callback
		return
	}
	go c.pending.Wait()
}

func (c *core) drain(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.other.WaitIdle(ctx)
}

// Wait waits until there is a result.
func (c *Counter) Wait(ctx context.Context) error {
	if err := c.c.link.Lock(bind.OpSubmit, "wait"); err != nil {
		return err
	}
	err := c.c.link.Await(ctx, func() bool {
		<-c.c.quick // want callback
		return true
	})
	return errors.Join(err, c.c.drain(ctx))
}
