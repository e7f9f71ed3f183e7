// Command sync_event_remote_pci imports the sync event of sync_event_local_pci at the other end of the PCI bus, waits for its
// signal and answers it. It is the Go twin of NVIDIA's sample of the same name, with the same flags. One of the two programs runs
// on the host, the other one on the DPU.
package main

import (
	"context"
	"errors"
	"os"
	"time"

	_ "github.com/go-doca/go-doca/emulator" // used where no SDK is installed
	"github.com/go-doca/go-doca/examples/internal/argp"
	"github.com/go-doca/go-doca/examples/internal/sample"
	"github.com/go-doca/go-doca/examples/internal/signal"
)

func main() {
	var cfg signal.Config
	p := argp.New("doca_sync_event_remote_pci")
	cfg.AddParams(p)
	os.Exit(sample.Main(p, func(ctx context.Context) error { return signal.Run(ctx, cfg, talk) }))
}

func talk(ctx context.Context, s *signal.Side) (err error) {
	conn, err := s.Connect(ctx)
	if err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	descriptor, err := conn.Recv(limited)
	if err != nil {
		return err
	}
	ev, err := s.ImportEvent(descriptor)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ev.Close()) }()
	if err := s.Await(ctx, ev, 1); err != nil {
		return err
	}
	if err := s.Signal(ctx, ev, 2); err != nil {
		return err
	}
	return s.End(ctx)
}
