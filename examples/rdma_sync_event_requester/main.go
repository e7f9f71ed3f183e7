// Command rdma_sync_event_requester reads and sets the sync event of rdma_sync_event_responder. It is the Go twin of NVIDIA's sample
// of the same name, with the same flags and files.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/syncevent"
	_ "github.com/go-doca/go-doca/emulator" // used where no SDK is installed
	"github.com/go-doca/go-doca/examples/internal/argp"
	"github.com/go-doca/go-doca/examples/internal/rdmasample"
	"github.com/go-doca/go-doca/examples/internal/sample"
)

func main() {
	p := argp.New("doca_rdma_sync_event_requester")
	cfg := rdmasample.NewConfig(p)
	cfg.AddResource(p)
	os.Exit(sample.Main(p, func(ctx context.Context) error {
		return rdmasample.Run(ctx, cfg, doca.AccessLocalReadWrite, signal)
	}))
}

func signal(ctx context.Context, s *rdmasample.Side) error {
	mem, err := s.Memory(doca.AccessLocalReadWrite)
	if err != nil {
		return err
	}
	conn, descriptor, err := s.Take(ctx)
	if err != nil {
		return err
	}
	event, err := syncevent.ImportNet(s.Device, descriptor)
	if err != nil {
		return err
	}
	s.Keep(event)
	value, err := conn.EventGet(ctx, event, mem, 0)
	if err != nil {
		return err
	}
	slog.Info(fmt.Sprintf("The event is %d, setting it to %d", value, value+1))
	if err := conn.EventSet(ctx, event, mem, 0, value+1); err != nil {
		return err
	}
	if value, err = conn.EventGet(ctx, event, mem, 0); err != nil {
		return err
	}
	slog.Info(fmt.Sprintf("The event is %d", value))
	return conn.Close()
}
