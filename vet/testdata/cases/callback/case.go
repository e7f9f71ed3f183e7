package callback

import (
	"sync"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/abi"
)

type core struct {
	ch chan int
	mu sync.Mutex
	wg sync.WaitGroup
}

func (c *core) handle([]abi.Record) {
	c.ch <- 1 // want `sends on a channel in a function that runs as Handle`
	c.mu.Lock()
	c.mu.Unlock()
	c.help()
	go c.wg.Wait()
}

func (c *core) help() {
	c.wg.Wait() // want `calls WaitGroup.Wait`
}

func config(c *core) bind.ContextConfig {
	cfg := bind.ContextConfig{Handle: c.handle}
	cfg.Changed = func(doca.State) {
		select { // want `selects without a default`
		case c.ch <- 1:
		case <-c.ch:
		}
	}
	cfg.Halt = func() {
		select {
		case c.ch <- 1:
		default:
		}
	}
	return cfg
}

func reporter() chan doca.Object {
	leaks := make(chan doca.Object, 8)
	doca.SetLeakReporter(func(o doca.Object) { leaks <- o }) // it has room
	doca.SetLeakReporter(func(doca.Object) {
		time.Sleep(1) // want `sleeps in a function that runs as report of doca.SetLeakReporter`
	})
	return leaks
}

//doca:ignore unclosed // want `doca:ignore unclosed needs a reason`

//doca:ignore everything all is fine // want `doca:ignore needs the name of an analyzer`

type gate struct {
	mu   sync.Mutex
	cond *sync.Cond
	open bool
}

// pass waits without the lock: those who only look may take it.
func (g *gate) pass() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for !g.open {
		g.cond.Wait()
	}
}

func (g *gate) config() bind.ContextConfig {
	return bind.ContextConfig{Room: func() int {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.open {
			return 1
		}
		return 0
	}}
}
