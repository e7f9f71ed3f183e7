// Command rdma_write_responder lets rdma_write_requester write to its memory. It is the Go twin of NVIDIA's sample of the same name,
// with the same flags and files.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"github.com/go-doca/go-doca/doca"
	_ "github.com/go-doca/go-doca/emulator" // used where no SDK is installed
	"github.com/go-doca/go-doca/examples/internal/argp"
	"github.com/go-doca/go-doca/examples/internal/rdmasample"
	"github.com/go-doca/go-doca/examples/internal/sample"
)

const access = doca.AccessLocalReadWrite | doca.AccessRDMAWrite

func main() {
	p := argp.New("doca_rdma_write_responder")
	cfg := rdmasample.NewConfig(p)
	cfg.AddResource(p)
	os.Exit(sample.Main(p, func(ctx context.Context) error { return rdmasample.Run(ctx, cfg, access, respond) }))
}

func respond(ctx context.Context, s *rdmasample.Side) error {
	mem, err := s.Memory(access)
	if err != nil {
		return err
	}
	descriptor, err := mem.ExportRDMA(s.Device)
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
	slog.Info(fmt.Sprintf("Requester has written: \"%s\"", rdmasample.TextOf(mem.Bytes())))
	return nil
}
