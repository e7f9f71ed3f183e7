package target

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/examples/storage/control"
	"github.com/go-doca/go-doca/examples/storage/dataplane"
	"github.com/go-doca/go-doca/examples/storage/internal/app"
	"github.com/go-doca/go-doca/examples/storage/relay"
)

// Config is what a target is told.
type Config struct {
	app.Common
	Port       int
	Content    string // file; empty: zeroes
	BlockCount int
	BlockSize  int
}

// session is the session of a relay.
type session struct {
	cpus      []int
	dev       *doca.Device
	store     dataplane.Store
	blockSize uint32
	peer      *control.Peer
	fail      context.CancelCauseFunc

	host    *doca.Memory
	workers []*dataplane.Target
	threads []*dataplane.Thread
}

// Run serves one session. It waits without limit for the relay. A session that ends in any other way than by a shutdown request
// is an error. Run writes what each worker has done to out.
func Run(ctx context.Context, cfg Config, out io.Writer) (err error) {
	content, err := LoadContent(cfg.Content, uint32(cfg.BlockCount), uint32(cfg.BlockSize))
	if err != nil {
		return err
	}
	dev, err := app.OpenDevice(cfg.Device)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	mem, err := doca.RegisterMemory(content.Data, doca.MemoryConfig{
		Devices: []*doca.Device{dev}, Access: doca.AccessLocalReadWrite | doca.AccessRDMARead | doca.AccessRDMAWrite,
	})
	if err != nil {
		return err
	}
	conn, err := accept(ctx, cfg.Port)
	if err != nil {
		return err
	}
	s := &session{
		cpus: cfg.CPUs, dev: dev, store: dataplane.Store{Size: int64(len(content.Data)), Memory: mem}, blockSize: content.BlockSize,
		peer: control.NewPeer(control.OverTCP(conn, "the BlueField at "+conn.RemoteAddr().String(), control.Frames), 0),
	}
	err = s.run(ctx, out)
	return errors.Join(err, s.peer.Close())
}

func accept(ctx context.Context, port int) (net.Conn, error) {
	var cfg net.ListenConfig
	l, err := cfg.Listen(ctx, "tcp4", fmt.Sprintf(":%d", port))
	if err != nil {
		return nil, err
	}
	defer l.Close()
	defer context.AfterFunc(ctx, func() { l.Close() })()
	slog.Info(fmt.Sprintf("Waiting for the BlueField at port %d", l.Addr().(*net.TCPAddr).Port))
	conn, err := l.Accept()
	if err != nil && ctx.Err() != nil {
		return nil, app.ErrInterrupted
	}
	return conn, err
}

// run serves requests until the shutdown.
func (s *session) run(parent context.Context, out io.Writer) error {
	slog.Info("Connected with " + s.peer.Peer())
	ctx, fail := context.WithCancelCause(parent)
	defer fail(nil)
	s.fail = fail
	for {
		request, err := s.peer.RecvMessage(ctx)
		if err != nil {
			return errors.Join(s.why(ctx, parent, err), s.abandon())
		}
		answer, err := s.serve(request)
		if err != nil {
			late, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			_ = s.peer.SendMessage(late, request.ErrorResponse(err)) // the relay may have gone
			cancel()
			return errors.Join(fmt.Errorf("%v request: %w", request.Type, err), s.abandon())
		}
		if request.Type == control.TypeShutdown {
			return s.end(answer, out)
		}
		if err := s.peer.SendMessage(ctx, answer); err != nil {
			return errors.Join(s.why(ctx, parent, err), s.abandon())
		}
	}
}

// why returns why the session has ended, if it was not err.
func (s *session) why(ctx, parent context.Context, err error) error {
	if ctx.Err() == nil || !errors.Is(err, context.Canceled) {
		return err
	}
	if parent.Err() != nil {
		return app.ErrInterrupted
	}
	select {
	case <-s.peer.Ended(): // what the worker says is a consequence
		return s.peer.Err()
	case <-time.After(100 * time.Millisecond):
		return context.Cause(ctx)
	}
}

func (s *session) serve(request control.Message) (control.Message, error) {
	answer := request.Response()
	var err error
	switch request.Type {
	case control.TypeQueryStorage:
		answer.Storage = control.Storage{Size: uint64(s.store.Size), BlockSize: s.blockSize}
	case control.TypeInitStorage:
		err = s.init(request.Init)
	case control.TypeCreateRDMAConnection:
		answer.Connection, err = s.connect(request.Connection)
	case control.TypeStartStorage:
		err = s.start()
	case control.TypeStopStorage:
		if len(s.threads) == 0 {
			err = fmt.Errorf("%w: the storage is not started", doca.ErrBadState)
			break
		}
		err = s.join()
		slog.Info("The storage is stopped")
	case control.TypeShutdown:
	default:
		err = fmt.Errorf("%w: this program does not serve it", doca.ErrNotSupported)
	}
	return answer, err
}

// init makes the workers.
func (s *session) init(in control.Init) error {
	switch {
	case s.host != nil:
		return fmt.Errorf("%w: the storage is initialised already", doca.ErrBadState)
	case in.Cores == 0 || int(in.Cores) > len(s.cpus):
		return fmt.Errorf("%w: the initiator wants %d cores, the target has %d: repeat --cpu there", doca.ErrInvalidValue, in.Cores, len(s.cpus))
	case in.Transactions == 0 || in.Transactions > 1<<16:
		return fmt.Errorf("%w: the BlueField wants %d transactions", doca.ErrInvalidValue, in.Transactions)
	}
	var err error
	if s.host, err = doca.ImportMemory(s.dev, in.Export); err != nil {
		return err
	}
	for range in.Cores {
		w, err := dataplane.NewTarget(s.dev, s.host, s.store, int(in.Transactions))
		if err != nil {
			return err
		}
		s.workers = append(s.workers, w)
	}
	slog.Info(fmt.Sprintf("The data path has %d cores with %d tasks each", in.Cores, in.Transactions))
	return nil
}

func (s *session) connect(c control.Connection) (control.Connection, error) {
	if int64(c.Index) >= int64(len(s.workers)) {
		return c, fmt.Errorf("%w: a connection for core %d, there are %d", doca.ErrInvalidValue, c.Index, len(s.workers))
	}
	w := s.workers[c.Index]
	details, err := w.Export(c.Role)
	if err == nil {
		err = w.Connect(c.Role, c.Details)
	}
	return control.Connection{Index: c.Index, Role: c.Role, Details: details}, err
}

func (s *session) start() error {
	if len(s.workers) == 0 || len(s.threads) > 0 {
		return fmt.Errorf("%w: the storage is not initialised, or started already", doca.ErrBadState)
	}
	for _, w := range s.workers {
		if err := w.Prepare(); err != nil {
			return err
		}
	}
	dataplane.Reserve(len(s.workers))
	for i, w := range s.workers {
		t, err := dataplane.Go(s.cpus[i], w.Run)
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

// end closes the workers and answers the shutdown request.
func (s *session) end(answer control.Message, out io.Writer) error {
	stats := make([]dataplane.Stats, len(s.workers))
	for i, w := range s.workers {
		stats[i] = w.Stats()
		if err := w.DataErr(); err != nil {
			slog.Warn(fmt.Sprintf("Core %d could not move blocks: %v", i, err))
		}
	}
	err := s.release()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	err = errors.Join(err, s.peer.SendMessage(ctx, answer))
	relay.PrintStats(out, stats)
	return err
}

// abandon is release after an error, of which those of the workers are consequences.
func (s *session) abandon() error {
	for _, t := range s.threads {
		t.Stop()
	}
	for _, t := range s.threads {
		_ = t.Join()
	}
	s.threads = nil
	return s.release()
}

// release stops and closes the workers, and gives the host's memory back.
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
	return err
}
