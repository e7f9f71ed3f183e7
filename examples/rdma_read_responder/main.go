// Command rdma_read_responder lets rdma_read_requester read a text from its memory. It is the Go twin of NVIDIA's sample of the same
// name, with the same flags and files.
package main

import (
	"context"
	"os"

	"github.com/go-doca/go-doca/doca"
	_ "github.com/go-doca/go-doca/emulator" // used where no SDK is installed
	"github.com/go-doca/go-doca/examples/internal/argp"
	"github.com/go-doca/go-doca/examples/internal/rdmasample"
	"github.com/go-doca/go-doca/examples/internal/sample"
)

const access = doca.AccessLocalReadWrite | doca.AccessRDMARead

func main() {
	var text string
	p := argp.New("doca_rdma_read_responder")
	cfg := rdmasample.NewConfig(p)
	cfg.AddResource(p)
	rdmasample.Text(p, &text, argp.Param{Short: "r", Long: "read-string", Help: "Text that the requester reads"})
	os.Exit(sample.Main(p, func(ctx context.Context) error {
		return rdmasample.Run(ctx, cfg, access, func(ctx context.Context, s *rdmasample.Side) error {
			return respond(ctx, s, text)
		})
	}))
}

func respond(ctx context.Context, s *rdmasample.Side, text string) error {
	mem, _, err := s.Text(text, access)
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
	return s.AwaitRequester(ctx, conn)
}
