package comch

import (
	"errors"
	"fmt"
	"io"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/abi"
	gen "github.com/go-doca/go-doca/generated/comch"
	"github.com/go-doca/go-doca/generated/common"
)

// party is what a consumer and a producer have in common: their place at a connection. What
// changes is guarded by the lock of its engine.
type party struct {
	conn  *conn
	link  *bind.Link
	kind  string
	att   attachment
	apart bool  // its engine is not the connection's, which has to be driven for events
	asked bool  // somebody has asked the context to stop
	gone  error // the connection has ended, and why
}

// config is what the contexts of both have in common.
func (p *party) config(c *Conn, engine *doca.ProgressEngine) bind.ContextConfig {
	p.conn, p.apart = c.c, engine != c.eng
	return bind.ContextConfig{Kind: p.kind, Device: c.dev, Engine: engine, OwnEngine: engine == nil, Parent: c.owner()}
}

// attach creates DOCA's object on the connection. While it exists a goroutine drives the
// connection's engine, which is where the end of the connection is noticed.
func (p *party) attach(create func(*gen.Connection) error) error {
	err := p.conn.attach("create "+p.kind, &p.att, create)
	if err == nil && p.apart {
		p.conn.s.link.LockAlways()
		p.conn.s.link.Watch()
		p.conn.s.link.Unlock()
	}
	return err
}

// detach ends attach when DOCA's object is destroyed. The lock of the own engine may be held,
// and nobody waits for another's with that.
func (p *party) detach() {
	p.conn.detach(&p.att)
	if p.apart {
		go func(link *bind.Link) {
			link.LockAlways()
			defer link.Unlock()
			link.Unwatch()
		}(p.conn.s.link)
	}
}

// starting calls what starts the context. The connection's end is told as that.
func (p *party) starting(f func() error) error {
	err := f()
	if err == nil {
		return nil
	}
	p.conn.s.link.LockAlways()
	defer p.conn.s.link.Unlock()
	return p.conn.refused("start "+p.kind, err)
}

// lose notes that the connection has ended. wake lets those who wait look again.
func (p *party) lose(err error, wake func()) {
	p.link.LockAlways()
	defer p.link.Unlock()
	if err == io.EOF {
		err = &doca.OpError{Op: "use", Object: p.conn.name, Err: doca.ErrNotConnected, Advice: "the peer has closed the connection"}
	}
	p.gone = err
	p.link.Faulted(err)
	wake()
}

// changed notes why a context stops that nobody has asked to.
func (p *party) changed(state doca.State) {
	switch {
	case state == doca.StateRunning:
		p.asked = false
	case state == doca.StateStopping && !p.asked:
		p.link.Faulted(&doca.OpError{Op: "use", Object: p.conn.name, Err: doca.ErrNotConnected, Advice: "the connection has ended"})
	}
}

// usable returns an error if nothing can be submitted. The lock is held.
func (p *party) usable(op string) error {
	if err := p.link.Check(bind.OpSubmit, op); err != nil || p.gone == nil {
		return err
	}
	return p.fail(op, p.gone, "")
}

// fail wraps the cause of an operation that failed.
func (p *party) fail(op string, cause error, advice string) error {
	return &doca.OpError{Op: op, Object: p.link.String(), Err: cause, Advice: advice}
}

// numTasks checks a number of tasks against what the device can have.
func numTasks(field string, n, usual int, most uint32) (int, error) {
	if n == 0 {
		n = min(usual, int(most))
	}
	if n < 1 || uint64(n) > uint64(most) {
		return 0, fmt.Errorf("%w: %s is %d, the device can have 1 to %d", doca.ErrInvalidValue, field, n, most)
	}
	return n, nil
}

// capabilitiesOf asks for the capabilities of an open device.
func capabilitiesOf(dev *common.Dev) (Capabilities, error) {
	info, err := common.DevAsDevinfo(dev)
	if err != nil {
		return Capabilities{}, err
	}
	return capabilities(info)
}

// undo destroys what Create has made when the rest of it fails.
func undo(err error, destroy func(*abi.Ring) error) error {
	return errors.Join(err, destroy(nil))
}

// begin ties the party to its context, which is about to be created.
func (p *party) begin(link *bind.Link, wake func()) {
	p.link = link
	p.att.lost = func(err error) { p.lose(err, wake) }
}
