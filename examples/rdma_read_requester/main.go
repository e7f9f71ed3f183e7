// Command rdma_read_requester reads a text from the memory of rdma_read_responder. It is the Go twin of NVIDIA's sample of the same
// name, with the same flags and files.
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

func main() {
	p := argp.New("doca_rdma_read_requester")
	cfg := rdmasample.NewConfig(p)
	cfg.AddResource(p)
	os.Exit(sample.Main(p, func(ctx context.Context) error {
		return rdmasample.Run(ctx, cfg, doca.AccessLocalReadWrite, read)
	}))
}

func read(ctx context.Context, s *rdmasample.Side) error {
	mem, err := s.Memory(doca.AccessLocalReadWrite)
	if err != nil {
		return err
	}
	conn, peer, err := s.TakeMemory(ctx)
	if err != nil {
		return err
	}
	if err := conn.Read(ctx, mem, 0, peer, 0, min(rdmasample.MaxText, peer.Len())); err != nil {
		return err
	}
	slog.Info(fmt.Sprintf("Read from responder: \"%s\"", rdmasample.TextOf(mem.Bytes())))
	return conn.Close()
}
