package target

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/examples/storage/control"
	"github.com/go-doca/go-doca/examples/storage/dataplane"
	"github.com/go-doca/go-doca/examples/storage/internal/app"
)

// DefaultBlockCount is the number of blocks of a storage that is not told how many it has.
const DefaultBlockCount = 128

// Config is what a target is told.
type Config struct {
	Device   string       // a PCI address, or the name of an IB device or of a network interface
	CPUs     []int        // one for each worker of a session; [dataplane.AnyCPU] for a worker that may run on all
	Port     int          // TCP port for the BlueField's program; 0 for any
	Listener net.Listener // in place of Port; Serve closes it
	Sessions int          // number of relays to serve, at the same time if they come so; 0 means 1
	Older    bool         // the older variant of the messages, for which there are no contents: the initiator says how much it stores

	// For Run.
	Content    string // file with what the storage holds at first; empty: zeroes
	BlockCount int    // 0: as many as File has, else DefaultBlockCount
	BlockSize  int
	File       string // file that is the storage: what is written stays in it
	Sync       SyncMode
}

// session is the session of a relay.
type session struct {
	cpus    []int
	dev     *doca.Device
	peer    *control.Channel
	variant variant
	fail    context.CancelCauseFunc

	host    *doca.Memory
	own     *doca.Memory // what it stores, unless that is for all sessions
	workers []*dataplane.Target
	threads []*dataplane.Thread
}

// variant is one of the two sets of control messages.
type variant interface {
	// serve waits for a request and carries it out. If done, the session is to end: answer ends it.
	serve(ctx context.Context) (done bool, err error)
	// answer answers the last request: with the error, if there is one.
	answer(ctx context.Context, err error) error
}

// Run serves as many sessions as Config.Sessions says. It waits without limit for the relays. A session that ends in any other way
// than by a request to end is an error. Run writes what each worker has done to out.
func Run(ctx context.Context, cfg Config, out io.Writer) (err error) {
	if cfg.Older {
		return Serve(ctx, cfg, Content{}, out)
	}
	if cfg.File != "" {
		f, err := OpenFile(cfg.File, uint32(cfg.BlockCount), uint32(cfg.BlockSize), cfg.Sync)
		if err != nil {
			return err
		}
		return errors.Join(Serve(ctx, cfg, f.Content, out), f.Close())
	}
	content, err := LoadContent(cfg.Content, uint32(cmp.Or(cfg.BlockCount, DefaultBlockCount)), uint32(cfg.BlockSize))
	if err != nil {
		return err
	}
	return Serve(ctx, cfg, content, out)
}

// Serve is Run for contents of the program's own. If ctx ends, what is in work is carried out, and the error is [context.Canceled].
func Serve(ctx context.Context, cfg Config, content Content, out io.Writer) (err error) {
	l := cfg.Listener
	if l == nil {
		if l, err = listen(ctx, cfg.Port); err != nil {
			return err
		}
	}
	defer l.Close()
	if out == nil {
		out = io.Discard
	}
	if err := dataplane.CheckCPUs(cfg.CPUs); err != nil {
		return err
	}
	dev, err := app.OpenDevice(cfg.Device)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	var store dataplane.Store
	if !cfg.Older {
		if store, err = newStore(dev, content); err != nil {
			return err
		}
	}
	if store.Memory != nil {
		defer func() { err = errors.Join(err, store.Memory.Close()) }()
	}
	defer context.AfterFunc(ctx, func() { l.Close() })()
	slog.Info(fmt.Sprintf("Waiting for the BlueField at port %s", port(l)))
	var sessions sync.WaitGroup
	errs := make([]error, max(1, cfg.Sessions))
	for i := range errs {
		conn, err := l.Accept()
		if err != nil {
			if ctx.Err() != nil {
				err = app.ErrInterrupted
			}
			errs[i] = err
			break
		}
		s := &session{cpus: cfg.CPUs, dev: dev}
		framing := control.Frames
		if cfg.Older {
			framing, s.variant = control.OlderFrames, &older{session: s}
		} else {
			s.variant = &current{session: s, store: store, blockSize: content.BlockSize, sync: content.Sync}
		}
		s.peer = control.OverTCP(conn, "the BlueField at "+conn.RemoteAddr().String(), framing, control.DefaultTimeout)
		if i == len(errs)-1 {
			l.Close() // others see that nobody serves them, and can wait
		}
		sessions.Go(func() { errs[i] = errors.Join(s.run(ctx, out), s.peer.Close()) })
	}
	sessions.Wait()
	return errors.Join(errs...)
}

func listen(ctx context.Context, port int) (net.Listener, error) {
	var cfg net.ListenConfig
	return cfg.Listen(ctx, "tcp4", fmt.Sprintf(":%d", port))
}

func port(l net.Listener) string {
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return l.Addr().String()
	}
	return port
}

// memory makes memory of bytes that RDMA can read and write.
func memory(dev *doca.Device, data []byte) (*doca.Memory, error) {
	return doca.RegisterMemory(data, doca.MemoryConfig{
		Devices: []*doca.Device{dev}, Access: doca.AccessLocalReadWrite | doca.AccessRDMARead | doca.AccessRDMAWrite,
	})
}

// run serves requests until the shutdown.
func (s *session) run(parent context.Context, out io.Writer) error {
	slog.Info("Connected with " + s.peer.Peer())
	ctx, fail := context.WithCancelCause(parent)
	defer fail(nil)
	s.fail = fail
	for {
		done, err := s.variant.serve(ctx)
		if err != nil {
			tell := !errors.As(err, new(errPeer))
			err = s.why(ctx, parent, err)
			if tell {
				late, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
				_ = s.variant.answer(late, err) // the relay may have gone
				cancel()
			}
			return errors.Join(err, s.abandon(err))
		}
		if done {
			return s.end(out)
		}
		if err := s.variant.answer(ctx, nil); err != nil {
			err = s.why(ctx, parent, err)
			return errors.Join(err, s.abandon(err))
		}
	}
}

// errPeer is an error of the channel, which nobody can be told.
type errPeer struct{ error }

func (e errPeer) Unwrap() error { return e.error }

// why returns why the session has ended, if it was not err.
func (s *session) why(ctx, parent context.Context, err error) error {
	if ctx.Err() == nil || !errors.Is(err, context.Canceled) {
		return err
	}
	if parent.Err() != nil {
		return app.ErrInterrupted
	}
	select {
	case <-s.peer.Ended(): // what the worker says may be a consequence: abandon tells
		return s.peer.Err()
	case <-time.After(100 * time.Millisecond):
		return context.Cause(ctx)
	}
}

// newWorker makes a worker.
func (s *session) newWorker(store dataplane.Store, tasks int) (*dataplane.Target, error) {
	w, err := dataplane.NewTarget(s.dev, s.host, store, tasks)
	if err == nil {
		s.workers = append(s.workers, w)
	}
	return w, err
}

// importHost imports the host's memory, which the BlueField has passed on.
func (s *session) importHost(export []byte) error {
	if s.host != nil {
		return fmt.Errorf("%w: the data path is configured already", doca.ErrBadState)
	}
	var err error
	s.host, err = doca.ImportMemory(s.dev, export)
	return err
}

// connect connects a worker with the BlueField's and returns the details of its end.
func connect(w *dataplane.Target, role control.Role, details []byte) ([]byte, error) {
	own, err := w.Export(role)
	if err == nil {
		err = w.Connect(role, details)
	}
	return own, err
}

// maxTransactions is the largest number of messages in flight that a relay may ask for.
const maxTransactions = 1 << 16

// start starts the workers.
func (s *session) start() error {
	if len(s.workers) == 0 || len(s.threads) > 0 {
		return fmt.Errorf("%w: the data path is not there, or started already", doca.ErrBadState)
	}
	for _, w := range s.workers {
		if err := w.Prepare(); err != nil {
			return err
		}
	}
	dataplane.Reserve(len(s.workers))
	for i, w := range s.workers {
		t, err := dataplane.Go(s.cpus[i], w.Run, w.Abort)
		if err != nil {
			return err
		}
		s.threads = append(s.threads, t)
		go func() {
			if err := t.Err(); err != nil {
				s.fail(fmt.Errorf("core %d: %w", i, err))
			}
		}()
	}
	slog.Info("The storage is started")
	return nil
}

// stopped returns an error if the workers run.
func (s *session) stopped() error {
	if len(s.threads) > 0 {
		return fmt.Errorf("%w: the storage is started: stop it first", doca.ErrBadState)
	}
	return nil
}

// stop stops the workers.
func (s *session) stop() error {
	if len(s.threads) == 0 {
		return fmt.Errorf("%w: the storage is not started", doca.ErrBadState)
	}
	err := s.join()
	slog.Info("The storage is stopped")
	return err
}

func (s *session) join() error {
	var err error
	for _, t := range s.threads {
		t.Stop()
	}
	for _, t := range s.threads {
		err = errors.Join(err, t.Join())
	}
	s.threads = nil
	return err
}

// end closes the workers and answers the last request.
func (s *session) end(out io.Writer) error {
	stats := make([]dataplane.Stats, len(s.workers))
	for i, w := range s.workers {
		stats[i] = w.Stats()
	}
	s.warn()
	err := s.release()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	err = errors.Join(err, s.variant.answer(ctx, nil))
	dataplane.PrintStats(out, stats)
	return err
}

// abandon is release after err. It returns what workers have failed with by themselves as well. After an interrupt, the workers end what
// is in flight.
func (s *session) abandon(err error) error {
	for _, w := range s.workers {
		if errors.Is(err, app.ErrInterrupted) {
			w.Drain()
		} else {
			w.Abort()
		}
	}
	threads := s.threads
	_ = s.join()
	s.warn()
	return errors.Join(dataplane.Failures(threads, err), s.release())
}

// warn says why blocks could not be moved. The initiator has got a code alone.
func (s *session) warn() {
	for i, w := range s.workers {
		if err := w.DataErr(); err != nil {
			slog.Warn(fmt.Sprintf("Core %d could not move blocks: %v", i, err))
		}
	}
}

// release stops and closes the workers, gives the host's memory back, and closes the session's own.
func (s *session) release() error {
	err := s.join()
	for _, w := range s.workers {
		err = errors.Join(err, w.Close())
	}
	s.workers = nil
	if s.host != nil {
		err = errors.Join(err, s.host.Close())
		s.host = nil
	}
	if s.own != nil {
		err = errors.Join(err, s.own.Close())
		s.own = nil
	}
	return err
}
