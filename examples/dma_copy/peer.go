package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

const (
	explainTime = 300 * time.Millisecond // for the other side to say why a DMA failed
	alivePause  = 300 * time.Millisecond // between two messages that say that this side is busy
)

var errTimeout = errors.New("timeout")

// limit returns ctx with a time limit, unless that is 0.
func limit(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	if timeout == 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, timeout, errTimeout)
}

// outOfTime returns an error that says what was waited for if ctx has ended; other errors stay
// as they are.
func outOfTime(ctx context.Context, err error, what string, timeout time.Duration) error {
	switch cause := context.Cause(ctx); {
	case cause == nil:
		return err
	case errors.Is(cause, errTimeout):
		return failf(reasonTimeout, "%s for %v: allow more time with --timeout", what, timeout)
	case errors.Is(cause, context.Canceled):
		return failf(reasonInterrupted, "interrupted")
	default:
		return cause
	}
}

// peer is the other side.
type peer struct {
	conn    *comch.Conn
	timeout time.Duration

	// lent is set while the DPU may copy to or from the host's memory: from the export descriptor to the status that
	// says that it has ended.
	lent atomic.Bool

	mu   sync.Mutex
	busy int       // goroutines at the file
	left time.Time // when the last one left it
}

func (p *peer) send(ctx context.Context, m message) error {
	b := m.encode()
	if _, ok := m.(exportDescriptor); ok {
		p.lent.Store(true)
	}
	if most := p.conn.MaxMessageSize(); len(b) > most {
		return failf(reasonUnknown, "the export descriptor makes a message of %d bytes, but a message has at most %d", len(b), most)
	}
	ctx, done := limit(ctx, p.timeout)
	defer done()
	if err := p.conn.Send(ctx, b); err != nil {
		return outOfTime(ctx, lost(err), "the other side has taken no message", p.timeout)
	}
	return nil
}

// recv receives a message. It returns a status that tells of a failure as a *refused.
func (p *peer) recv(ctx context.Context) (message, error) { return p.recvWithin(ctx, p.timeout) }

// recvWithin is recv with a time limit of its own; 0 means none. The limit begins anew when
// one of the two sides has been at its file, for the other one may be waiting for that.
func (p *peer) recvWithin(ctx context.Context, timeout time.Duration) (message, error) {
	for since := time.Now(); ; {
		m, err := p.recvAny(ctx, since, timeout)
		last := p.lastAtFile()
		switch {
		case m == (alive{}):
			since = time.Now()
		case reasonOf(err) == reasonTimeout && ctx.Err() == nil && last.After(since):
			since = last
		default:
			return m, err
		}
	}
}

func (p *peer) recvAny(ctx context.Context, since time.Time, timeout time.Duration) (message, error) {
	if timeout > 0 {
		var done context.CancelFunc
		ctx, done = context.WithDeadlineCause(ctx, since.Add(timeout), errTimeout)
		defer done()
	}
	b, err := p.conn.Recv(ctx)
	if err != nil {
		return nil, outOfTime(ctx, lost(err), "the other side has sent nothing", timeout)
	}
	m, err := decode(b)
	if err != nil {
		return nil, failf(reasonMessage, "the other side has sent %w", err)
	}
	if s, ok := m.(status); ok {
		p.lent.Store(false)
		if !s.ok {
			return nil, &refused{s.reason}
		}
	}
	return m, nil
}

// expect receives a message, which must have the type M.
func expect[M message](ctx context.Context, p *peer) (M, error) {
	var want M
	got, err := p.recv(ctx)
	if err != nil {
		return want, err
	}
	m, ok := got.(M)
	if !ok {
		return want, unexpected(got)
	}
	return m, nil
}

// unexpected returns the error for a message that does not belong here.
func unexpected(m message) error {
	text := strings.TrimPrefix(fmt.Sprintf("%T%+v", m, m), "main.")
	return failf(reasonMessage, "the other side has sent a message out of order, %s", text)
}

// tell tells the other side that this one gives up, unless it is gone or has given up itself. On the host it then waits
// until the DPU no longer uses the host's memory, which is freed next.
func (p *peer) tell(ctx context.Context, err error) {
	var told *refused
	var gone *lostError
	if errors.As(err, &told) || errors.As(err, &gone) {
		return
	}
	refuse(ctx, p.conn, reasonOf(err))
	for p.lent.Load() {
		if _, err := p.recvAny(ctx, time.Time{}, 0); err != nil && reasonOf(err) != reasonMessage {
			return
		}
	}
}

// explain finds out whether a DMA failed because the other side has given up or is gone, and
// then returns that error. This side may notice either first.
func (p *peer) explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return outOfTime(ctx, err, "", 0)
	}
	var dma *doca.OpError
	if !errors.As(err, &dma) {
		return err
	}
	if said := p.lastWord(ctx); said != nil {
		return said
	}
	if errors.Is(dma.Err, doca.ErrIOFailed) { // its advice is for programmers
		err = &doca.OpError{Op: dma.Op, Object: dma.Object, Err: dma.Err, Advice: "the DMA failed: copy again, with --sdk-log-level 40 to see more"}
	}
	return because(reasonDMA, err)
}

// lastWord returns the error that says that the other side has given up or is gone, if it
// comes soon; otherwise nil.
func (p *peer) lastWord(ctx context.Context) error {
	ctx, done := context.WithTimeout(ctx, explainTime)
	defer done()
	for {
		_, err := p.recv(ctx)
		var told *refused
		var gone *lostError
		switch {
		case errors.As(err, &told), errors.As(err, &gone):
			return err
		case err != nil:
			return nil
		}
	}
}

// atFile notes that this side reads or writes its file, until done is called. That may take
// longer than the time limits allow, for they do not count the disk.
func (p *peer) atFile() (done func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.busy++
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.busy--
		p.left = time.Now()
	}
}

// lastAtFile returns when this side was last at its file, which may be now.
func (p *peer) lastAtFile() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.busy > 0 {
		return time.Now()
	}
	return p.left
}

// pulse tells the other side, which must be a Go program, from time to time that this one is
// busy with its file, until stop is called.
func (p *peer) pulse(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var ticking sync.WaitGroup
	ticking.Go(func() {
		tick := time.NewTicker(alivePause)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if time.Since(p.lastAtFile()) < alivePause {
					_ = p.send(ctx, alive{}) // those who wait for the other side notice if it cannot be sent
				}
			}
		}
	})
	return func() {
		cancel()
		ticking.Wait()
	}
}

// working runs work, which takes its time at the file while the other side has nothing to
// send. It cancels the context of work if the other side gives up or is gone.
func (p *peer) working(ctx context.Context, work func(ctx context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	var listening sync.WaitGroup
	listening.Go(func() {
		m, err := p.recvWithin(ctx, 0)
		if err == nil {
			err = unexpected(m)
		}
		cancel(err)
	})
	done := p.atFile()
	err := work(ctx)
	done()
	err = outOfTime(ctx, err, "", 0)
	cancel(nil)
	listening.Wait()
	return err
}

// wait waits until the host has left. The host leaves first, once it has received all
// messages.
func (p *peer) wait(ctx context.Context) error {
	ctx, done := limit(ctx, p.timeout)
	defer done()
	select {
	case <-p.conn.Done():
		return nil
	case <-ctx.Done():
		return outOfTime(ctx, nil, "the host has not left", p.timeout)
	}
}

// lostError says that the connection ended before the copy did.
type lostError struct{ error }

func (l *lostError) Unwrap() error { return l.error }

// lost returns the error of a send or receive as a *lostError, unless ctx caused it.
func lost(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &lostError{fmt.Errorf("the other side left before the copy was complete: look at its output (%w)", err)}
}
