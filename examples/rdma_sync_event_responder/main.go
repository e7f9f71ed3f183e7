// Command rdma_sync_event_responder has a sync event that rdma_sync_event_requester reads and sets. It is the Go twin of NVIDIA's
// sample of the same name, with the same flags and files.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"github.com/go-doca/go-doca/doca/rdma"
	"github.com/go-doca/go-doca/doca/syncevent"
	_ "github.com/go-doca/go-doca/emulator" // used where no SDK is installed
	"github.com/go-doca/go-doca/examples/internal/argp"
	"github.com/go-doca/go-doca/examples/internal/rdmasample"
	"github.com/go-doca/go-doca/examples/internal/sample"
)

func main() {
	p := argp.New("doca_rdma_sync_event_responder")
	cfg := rdmasample.NewConfig(p)
	cfg.AddResource(p)
	os.Exit(sample.Main(p, func(ctx context.Context) error {
		return rdmasample.Run(ctx, cfg, rdma.DefaultPermissions, respond)
	}))
}

func respond(ctx context.Context, s *rdmasample.Side) error {
	event, err := syncevent.New(s.Device, syncevent.Config{Publishers: syncevent.RemoteNet, Subscribers: syncevent.CPU})
	if err != nil {
		return err
	}
	s.Keep(event)
	descriptor, err := event.ExportNet()
	if err != nil {
		return err
	}
	conn, err := s.Offer(ctx, descriptor)
	if err != nil {
		return err
	}
	if err := s.AwaitRequester(ctx, conn); err != nil {
		return err
	}
	value, err := event.Get(ctx)
	if err != nil {
		return err
	}
	slog.Info(fmt.Sprintf("The event is %d", value))
	return nil
}
