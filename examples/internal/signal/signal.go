// Package signal has what the twins of NVIDIA's samples sync_event_local_pci and sync_event_remote_pci share: the parameters,
// the connection over which the event's descriptor goes, and the two signals.
package signal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/syncevent"
	"github.com/go-doca/go-doca/examples/internal/argp"
	"github.com/go-doca/go-doca/examples/internal/device"
)

const (
	serverName = "sync_event_cc"
	patience   = 30 * time.Second // with a peer that does nothing
)

// Config is what the command line says.
type Config struct {
	PCI, Rep string
	Async    bool // use tasks
	NumTasks int  // of each kind
	Atomic   bool // add 1 instead of setting the value
}

// AddParams adds the parameters of both programs.
func (c *Config) AddParams(p *argp.Parser) {
	c.NumTasks = 1
	p.String(&c.PCI, argp.Param{Short: "d", Long: "pci-addr", Mandatory: true, Help: "PCI address of the device"})
	p.String(&c.Rep, argp.Param{Short: "r", Long: "rep-pci", Help: "PCI address of the host function, as the host sees it (needed on the DPU)"})
	p.Bool(&c.Async, argp.Param{Long: "async", Help: "Use tasks"})
	p.Int(&c.NumTasks, 1, argp.Param{Long: "async-num-tasks", Help: "Number of tasks of each kind (1 or more)"})
	p.Bool(&c.Atomic, argp.Param{Long: "atomic", Help: "Signal by adding to the value instead of setting it"})
}

// Event is an event with or without tasks.
type Event interface {
	syncevent.Publisher
	syncevent.Subscriber
	// ExportPCI returns the descriptor for the peer.
	ExportPCI(dev *doca.Device) ([]byte, error)
	// Close closes the event.
	Close() error
}

// Run opens the device, makes the connection and the event, and lets talk do its part. The event and the connection are made in
// the order that makeEvent needs. Closing the device closes all that is left.
func Run(ctx context.Context, cfg Config, talk func(ctx context.Context, s *Side) error) (err error) {
	dev, err := device.Open(cfg.PCI, comch.Supported, syncevent.Supported)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	s := &Side{Config: cfg, Dev: dev}
	if cfg.Async {
		if s.engine, err = doca.NewProgressEngine(doca.EngineConfig{}); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.engine.Close()) }()
	}
	return talk(ctx, s)
}

// Side is one of the two programs.
type Side struct {
	Config
	Dev    *doca.Device
	engine *doca.ProgressEngine
	server *comch.Server
	conn   *comch.Conn
}

// NewEvent makes the event that the peer imports.
func (s *Side) NewEvent() (Event, error) {
	cfg := syncevent.Config{Publishers: syncevent.RemotePCI, Subscribers: syncevent.CPU, MaxTasks: s.NumTasks}
	if s.Async {
		return syncevent.NewTaskEvent(s.Dev, s.engine, cfg)
	}
	return syncevent.New(s.Dev, cfg)
}

// ImportEvent makes the event that the peer has exported.
func (s *Side) ImportEvent(descriptor []byte) (Event, error) {
	cfg := syncevent.Config{MaxTasks: s.NumTasks}
	if s.Async {
		return syncevent.ImportTaskEvent(s.Dev, s.engine, descriptor, cfg)
	}
	return syncevent.Import(s.Dev, descriptor, cfg)
}

// Connect makes the connection: the program on the DPU waits for the one on the host.
func (s *Side) Connect(ctx context.Context) (*comch.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cfg := comch.Config{MaxMessageSize: 1024, RecvQueueSize: 8, MaxSendTasks: 8}
	err := comch.ServerSupported(s.Dev.Info())
	switch {
	case errors.Is(err, doca.ErrNotSupported): // this is the host
		s.conn, err = comch.Dial(ctx, s.Dev, serverName, cfg)
		return s.conn, err
	case err != nil:
		return nil, err
	case s.Rep == "":
		return nil, errors.New("on the DPU the parameter --rep-pci is needed")
	}
	rep, err := s.Dev.OpenRepresentor(s.Rep)
	if err != nil {
		return nil, err
	}
	if s.server, err = comch.Listen(ctx, s.Dev, rep, serverName, cfg); err != nil {
		return nil, err
	}
	s.conn, err = s.server.Accept(ctx)
	return s.conn, err
}

// Signal changes the value to the next one, from value-1.
func (s *Side) Signal(ctx context.Context, ev Event, value uint64) error {
	if !s.Atomic {
		slog.Info(fmt.Sprintf("Setting the event to %d", value))
		return ev.Set(ctx, value)
	}
	slog.Info("Adding 1 to the event")
	before, err := ev.Add(ctx, 1)
	if err == nil && before != value-1 {
		err = fmt.Errorf("the event was %d, not %d", before, value-1)
	}
	return err
}

// Await waits for the peer's signal.
func (s *Side) Await(ctx context.Context, ev Event, value uint64) error {
	slog.Info(fmt.Sprintf("Waiting for the event to be %d", value))
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_, err := ev.WaitEqual(ctx, value, syncevent.AllBits)
	return err
}

// End lets the host leave first.
func (s *Side) End(ctx context.Context) error {
	slog.Info("Done")
	if s.server == nil {
		return s.conn.Close()
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case <-s.conn.Done():
	case <-ctx.Done():
		return fmt.Errorf("the host's program has not left: %w", ctx.Err())
	}
	return errors.Join(s.conn.Close(), s.server.Close())
}
