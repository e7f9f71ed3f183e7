package comch

import (
	"errors"
	"fmt"
	"io"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/abi"
	gen "github.com/go-doca/go-doca/generated/comch"
)

// endpoint is what a consumer and a producer have in common: one end of a connection's fast
// path. The lock of its own engine guards what changes.
type endpoint struct {
	conn        *conn
	link        *bind.Link
	kind        string // "consumer" or "producer"
	att         attachment
	otherEngine bool  // its engine is not the connection's, so something has to drive that, too
	stopAsked   bool  // somebody has asked the context to stop
	gone        error // why the connection has ended; nil before
}

// config returns what the configurations of both contexts have in common.
func (e *endpoint) config(c *Conn, engine *doca.ProgressEngine) bind.ContextConfig {
	e.conn, e.otherEngine = c.c, engine != c.eng
	return bind.ContextConfig{Kind: e.kind, Device: c.dev, Engine: engine, OwnEngine: engine == nil, Parent: c.owner()}
}

// begin ties the endpoint to its context, which is about to be created.
func (e *endpoint) begin(link *bind.Link, wake func()) {
	e.link = link
	e.att.lost = func(err error) { e.lose(err, wake) }
}

// attach creates DOCA's object on the connection. Until detach a goroutine drives the
// connection's engine, because that engine reports the end of the connection.
func (e *endpoint) attach(create func(*gen.Connection) error) error {
	err := e.conn.attach("create "+e.kind, &e.att, create)
	if err == nil && e.otherEngine {
		e.conn.s.link.LockAlways()
		e.conn.s.link.Watch()
		e.conn.s.link.Unlock()
	}
	return err
}

// detach takes attach back when DOCA's object is destroyed. The caller may hold the lock of the
// endpoint's engine, so another goroutine takes the lock of the connection's.
func (e *endpoint) detach() {
	e.conn.detach(&e.att)
	if e.otherEngine {
		go func(link *bind.Link) {
			link.LockAlways()
			defer link.Unlock()
			link.Unwatch()
		}(e.conn.s.link)
	}
}

// starting calls f, which starts the context. If the start fails because the connection has
// ended, it returns that as the error.
func (e *endpoint) starting(f func() error) error {
	err := f()
	if err == nil {
		return nil
	}
	e.conn.s.link.LockAlways()
	defer e.conn.s.link.Unlock()
	return e.conn.whyRefusedLocked("start "+e.kind, err)
}

// lose records that the connection has ended, and calls wake for those who wait.
func (e *endpoint) lose(err error, wake func()) {
	e.link.LockAlways()
	defer e.link.Unlock()
	if err == io.EOF {
		err = &doca.OpError{Op: "use", Object: e.conn.name, Err: doca.ErrNotConnected, Advice: "the peer has closed the connection"}
	}
	e.gone = err
	e.link.Faulted(err)
	wake()
}

// changedLocked records why a context stops that nobody has asked to stop.
func (e *endpoint) changedLocked(state doca.State) {
	switch {
	case state == doca.StateRunning:
		e.stopAsked = false
	case state == doca.StateStopping && !e.stopAsked:
		e.link.Faulted(&doca.OpError{Op: "use", Object: e.conn.name, Err: doca.ErrNotConnected, Advice: "the connection has ended"})
	}
}

// usableLocked returns an error if nothing can be submitted.
func (e *endpoint) usableLocked(op string) error {
	if err := e.link.Check(bind.OpSubmit, op); err != nil || e.gone == nil {
		return err
	}
	return e.fail(op, e.gone, "")
}

// fail returns the error of an operation that failed.
func (e *endpoint) fail(op string, cause error, advice string) error {
	return &doca.OpError{Op: op, Object: e.link.String(), Err: cause, Advice: advice}
}

// numTasks fills in the default of a number of tasks and checks it against the device's maximum.
func numTasks(field string, n, usual int, most uint32) (int, error) {
	if n == 0 {
		n = min(usual, int(most))
	}
	if n < 1 || uint64(n) > uint64(most) {
		return 0, fmt.Errorf("%w: %s is %d, the device supports 1 to %d", doca.ErrInvalidValue, field, n, most)
	}
	return n, nil
}

// undo destroys what Create has made when a later step of it fails. No other goroutine knows it
// then, so there is no lock and no ring.
func undo(err error, destroy func(*abi.Ring) error) error {
	return errors.Join(err, destroy(nil))
}
