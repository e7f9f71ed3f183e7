// Command rdma_send_immediate sends a text and immediate data to rdma_receive_immediate. It is the Go twin of NVIDIA's sample of the
// same name, with the same flags and files.
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

func main() {
	var text string
	p := argp.New("doca_rdma_send_immediate")
	cfg := rdmasample.NewConfig(p)
	rdmasample.Text(p, &text, argp.Param{Short: "s", Long: "send-string", Help: "Text to send"})
	os.Exit(sample.Main(p, func(ctx context.Context) error {
		return rdmasample.Run(ctx, cfg, doca.AccessLocalReadWrite, func(ctx context.Context, s *rdmasample.Side) error {
			return send(ctx, s, text)
		})
	}))
}

func send(ctx context.Context, s *rdmasample.Side, text string) error {
	mem, n, err := s.Text(text, doca.AccessLocalReadWrite)
	if err != nil {
		return err
	}
	conns, err := s.Connect(ctx)
	if err != nil {
		return err
	}
	if err := conns[0].SendImm(ctx, rdmasample.Immediate, mem, 0, n); err != nil {
		return err
	}
	return conns[0].Close()
}
