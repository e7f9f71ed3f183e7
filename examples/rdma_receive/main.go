// Command rdma_receive receives a text from rdma_send. It is the Go twin of NVIDIA's sample of the same name, with the same flags and
// files.
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
	p := argp.New("doca_rdma_receive")
	cfg := rdmasample.NewConfig(p)
	os.Exit(sample.Main(p, func(ctx context.Context) error {
		return rdmasample.Run(ctx, cfg, doca.AccessLocalReadWrite, receive)
	}))
}

func receive(ctx context.Context, s *rdmasample.Side) error {
	if err := s.PostReceives(); err != nil {
		return err
	}
	if _, err := s.Connect(ctx); err != nil {
		return err
	}
	msg, err := s.RDMA.Recv(ctx)
	if err != nil {
		return err
	}
	slog.Info(fmt.Sprintf("Got from sender: \"%s\"", rdmasample.TextOf(msg.Data)))
	return nil
}
