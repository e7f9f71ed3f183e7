// Package relay is the BlueField's part of the storage applications. It passes the messages of an initiator on the host, which
// come by DOCA Comch, to a target across the network, by TCP and RDMA, and its answers back. The blocks do not touch the
// BlueField's memory: it exports the host's memory to the target.
package relay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/examples/storage/control"
	"github.com/go-doca/go-doca/examples/storage/dataplane"
	"github.com/go-doca/go-doca/examples/storage/internal/app"
)

// Config is what a relay is told.
type Config struct {
	Device      string
	CPUs        []int  // one for each worker
	Representor string // PCI address of the host function, as the host sees it
	Target      string // ip:port
	Channel     string // name of the server that the initiator dials
	Timeout     time.Duration
	Older       bool // the older variant of the messages
}

// relay is a session.
type relay struct {
	cfg       Config
	dev       *doca.Device
	conn      *comch.Conn
	initiator *control.Channel
	target    *control.Channel
	variant   variant
	fail      context.CancelCauseFunc // ends the session

	host      *doca.Memory // the host's memory
	tasks     int          // messages in flight on each core, in each direction
	workers   []*dataplane.Relay
	threads   []*dataplane.Thread
	consumers []uint32 // of the initiator, in the order of its cores

	until time.Time // the end of the time for the initiator's request
}

// variant is one of the two sets of control messages.
type variant interface {
	// serve waits for a request of the initiator and carries it out. If done, the session is to end: answer ends it.
	serve(ctx context.Context) (done bool, err error)
	// answer answers the last request: with the error, if there is one.
	answer(ctx context.Context, err error) error
}

// Run serves one session. It waits without limit for the target and then for an initiator. A session that ends in any other way
// than by the initiator's shutdown request is an error. Run writes what each worker has done to out.
func Run(ctx context.Context, cfg Config, out io.Writer) (err error) {
	if err := dataplane.CheckCPUs(cfg.CPUs); err != nil {
		return err
	}
	dev, err := app.OpenDevice(cfg.Device)
	if err != nil {
		return err
	}
	// Closing the device closes everything made on it, the server included.
	defer func() { err = errors.Join(err, dev.Close()) }()
	rep, err := dev.OpenRepresentor(cfg.Representor)
	if err != nil {
		return err
	}
	server, err := comch.Listen(ctx, dev, rep, cfg.Channel, comch.Config{MaxSendTasks: 8})
	if err != nil {
		return err
	}
	slog.Info(fmt.Sprintf("Stage 1: waiting for the target at %s", cfg.Target))
	tcp, err := control.DialTCP(ctx, cfg.Target)
	if err != nil {
		return interruption(ctx, err)
	}
	r := &relay{cfg: cfg, dev: dev}
	framing := control.Frames
	if cfg.Older {
		framing = control.OlderFrames
	}
	r.target = control.OverTCP(tcp, "the target at "+cfg.Target, framing, cfg.Timeout)
	defer func() { err = errors.Join(err, closeTCP(r.target)) }()
	slog.Info(fmt.Sprintf("Stage 1: waiting for an initiator at %q", cfg.Channel))
	if r.conn, err = r.accept(ctx, server); err != nil {
		return interruption(ctx, err)
	}
	refusing, refuse := context.WithCancel(ctx)
	defer refuse()
	go refuseOthers(refusing, server)
	r.initiator = control.OverComch(r.conn, "the initiator", framing)
	r.variant = newCurrent(r)
	if cfg.Older {
		r.variant = newOlder(r)
	}
	return r.session(ctx, out)
}

// accept waits for the initiator, unless the target ends first.
func (r *relay) accept(ctx context.Context, server *comch.Server) (*comch.Conn, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-r.target.Ended():
			cancel(r.target.Err())
		case <-ctx.Done():
		}
	}()
	conn, err := server.Accept(ctx)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return conn, err
}

// refuseOthers ends the connections of further initiators.
func refuseOthers(ctx context.Context, server *comch.Server) {
	for {
		conn, err := server.Accept(ctx)
		if err != nil {
			return
		}
		slog.Warn("Another initiator was refused: one is served at a time")
		_ = conn.Close()
	}
}

func interruption(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return app.ErrInterrupted
	}
	return err
}

func closeTCP(p *control.Channel) error {
	if err := p.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// errPeer is an error of a channel, which nobody can be told.
type errPeer struct{ error }

func (e errPeer) Unwrap() error { return e.error }

// session serves the initiator's requests until it asks for the end.
func (r *relay) session(parent context.Context, out io.Writer) error {
	ctx, fail := context.WithCancelCause(parent)
	defer fail(nil)
	r.fail = fail
	go r.watch(ctx)
	for {
		done, err := r.variant.serve(ctx)
		if err != nil {
			tell := !errors.As(err, new(errPeer))
			err = r.why(ctx, parent, err)
			if tell {
				late, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
				_ = r.variant.answer(late, err) // the initiator may have gone
				cancel()
			}
			return errors.Join(err, r.abandon(err))
		}
		if done {
			return r.end(ctx, out)
		}
		if err := r.variant.answer(ctx, nil); err != nil {
			err = r.why(ctx, parent, err)
			return errors.Join(err, r.abandon(err))
		}
	}
}

// connect connects a worker with the target's. exchange brings the details of a connection there and returns those of the
// other end.
func (r *relay) connect(w *dataplane.Relay, exchange func(role control.Role, details []byte) ([]byte, error)) error {
	for _, role := range []control.Role{control.RoleData, control.RoleControl} {
		details, err := w.Export(role)
		if err != nil {
			return err
		}
		if details, err = exchange(role, details); err != nil {
			return err
		}
		if err := w.Connect(role, details); err != nil {
			return err
		}
	}
	return nil
}

// newWorker makes a worker.
func (r *relay) newWorker() (*dataplane.Relay, error) {
	w, err := dataplane.NewRelay(r.dev, r.conn, r.tasks)
	if err == nil {
		r.workers = append(r.workers, w)
	}
	return w, err
}

// passOn imports the host's memory and returns the descriptor with which the target reaches it.
func (r *relay) passOn(export []byte) ([]byte, error) {
	if r.host != nil {
		return nil, fmt.Errorf("%w: the data path is configured already", doca.ErrBadState)
	}
	var err error
	if r.host, err = doca.ImportMemory(r.dev, export); err != nil {
		return nil, err
	}
	return r.host.ExportRDMA(r.dev)
}

// maxTransactions is the largest number of messages in flight that an initiator may ask for.
const maxTransactions = 1 << 15

// watch ends the session when the target or the initiator has gone.
func (r *relay) watch(ctx context.Context) {
	select {
	case <-r.target.Ended():
		r.fail(r.target.Err())
	case <-r.initiator.Ended():
		r.fail(r.initiator.Err())
	case <-ctx.Done():
	}
}

// why returns why the session has ended, if it was not err.
func (r *relay) why(ctx, parent context.Context, err error) error {
	if ctx.Err() == nil || !errors.Is(err, context.Canceled) && !errors.Is(err, control.ErrPeerGone) {
		return err
	}
	if parent.Err() != nil {
		return app.ErrInterrupted
	}
	select { // what a worker says may be a consequence: abandon tells
	case <-r.target.Ended():
		return r.target.Err()
	case <-r.initiator.Ended():
		return r.initiator.Err()
	case <-time.After(100 * time.Millisecond):
		return context.Cause(ctx)
	}
}

// startable returns an error if the workers cannot be started.
func (r *relay) startable() error {
	if len(r.workers) == 0 || len(r.threads) > 0 {
		return fmt.Errorf("%w: the data path is not there, or started already", doca.ErrBadState)
	}
	return nil
}

// start starts the workers. The initiator has as many consumers.
func (r *relay) start() error {
	for i, w := range r.workers {
		if err := w.Prepare(r.consumers[i]); err != nil {
			return err
		}
	}
	dataplane.Reserve(len(r.workers))
	for i, w := range r.workers {
		t, err := dataplane.Go(r.cfg.CPUs[i], w.Run, w.Abort)
		if err != nil {
			return err
		}
		r.threads = append(r.threads, t)
		go func() {
			if err := t.Err(); err != nil {
				r.fail(fmt.Errorf("core %d: %w", i, err))
			}
		}()
	}
	slog.Info("Stage 2: the data path threads run")
	return nil
}

// limit begins the time for a request of the initiator. It ends a little before that of an initiator with the same limit, which can so
// be told the reason.
func (r *relay) limit() time.Time {
	r.until = time.Now().Add(r.cfg.Timeout * 9 / 10)
	return r.until
}

func (r *relay) waitConsumers(ctx context.Context) error {
	limited, cancel := context.WithDeadline(ctx, r.until)
	defer cancel()
	for len(r.consumers) < len(r.workers) {
		e, err := r.conn.ConsumerEvent(limited)
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			return fmt.Errorf("%w: the initiator has %d of %d consumers after %v", doca.ErrTimeOut, len(r.consumers), len(r.workers), r.cfg.Timeout)
		case err != nil:
			return err
		case !e.Expired:
			r.consumers = append(r.consumers, e.ID)
		}
	}
	return nil
}

// stop stops the workers. The initiator sees that their consumers expire.
func (r *relay) stop() error {
	if err := r.join(); err != nil {
		return err
	}
	var err error
	for _, w := range r.workers {
		err = errors.Join(err, w.CloseComch())
	}
	slog.Info("Stage 3: the data path threads have stopped")
	return err
}

func (r *relay) join() error {
	var err error
	for _, t := range r.threads {
		t.Stop()
	}
	for _, t := range r.threads {
		err = errors.Join(err, t.Join())
	}
	r.threads = nil
	return err
}

// end closes the workers, answers the last request and lets the initiator leave first.
func (r *relay) end(ctx context.Context, out io.Writer) error {
	stats := make([]dataplane.Stats, len(r.workers))
	for i, w := range r.workers {
		stats[i] = w.Stats()
	}
	failed := r.release()
	ctx = context.WithoutCancel(ctx) // the target may leave now
	if err := r.variant.answer(ctx, failed); err != nil {
		return errors.Join(failed, err)
	}
	select {
	case <-r.initiator.Ended():
	case <-time.After(r.cfg.Timeout):
	}
	dataplane.PrintStats(out, stats)
	slog.Info("Stage 3: the session has ended")
	return errors.Join(failed, r.initiator.Close())
}

// abandon is release after err. It returns what workers have failed with by themselves as well. After an interrupt, the workers end what
// is in flight.
func (r *relay) abandon(err error) error {
	for _, w := range r.workers {
		if errors.Is(err, app.ErrInterrupted) {
			w.Drain()
		} else {
			w.Abort()
		}
	}
	threads := r.threads
	_ = r.join()
	return errors.Join(dataplane.Failures(threads, err), r.release())
}

// release stops and closes the workers, and gives the host's memory back.
func (r *relay) release() error {
	err := r.join()
	for _, w := range r.workers {
		err = errors.Join(err, w.Close())
	}
	r.workers = nil
	if r.host != nil {
		err = errors.Join(err, r.host.Close())
		r.host = nil
	}
	return err
}
