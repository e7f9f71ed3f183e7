// Command rdma_write_immediate_requester writes a text to the memory of rdma_write_immediate_responder, which learns of it by
// immediate data. It is the Go twin of NVIDIA's sample of the same name, with the same flags and files.
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
	p := argp.New("doca_rdma_write_immediate_requester")
	cfg := rdmasample.NewConfig(p)
	cfg.AddResource(p)
	rdmasample.Text(p, &text, argp.Param{Short: "w", Long: "write-string", Help: "Text to write"})
	os.Exit(sample.Main(p, func(ctx context.Context) error {
		return rdmasample.Run(ctx, cfg, doca.AccessLocalReadWrite, func(ctx context.Context, s *rdmasample.Side) error {
			return write(ctx, s, text)
		})
	}))
}

func write(ctx context.Context, s *rdmasample.Side, text string) error {
	mem, n, err := s.Text(text, doca.AccessLocalReadWrite)
	if err != nil {
		return err
	}
	conn, peer, err := s.TakeMemory(ctx)
	if err != nil {
		return err
	}
	if err := conn.WriteImm(ctx, rdmasample.Immediate, peer, 0, mem, 0, n); err != nil {
		return err
	}
	return conn.Close()
}
