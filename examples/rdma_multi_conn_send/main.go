// Command rdma_multi_conn_send sends a text on each of several connections to rdma_multi_conn_receive. It is the Go twin of NVIDIA's
// sample of the same name, with the same flags and files.
package main

import (
	"context"
	"errors"
	"os"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/rdma"
	_ "github.com/go-doca/go-doca/emulator" // used where no SDK is installed
	"github.com/go-doca/go-doca/examples/internal/argp"
	"github.com/go-doca/go-doca/examples/internal/rdmasample"
	"github.com/go-doca/go-doca/examples/internal/sample"
)

func main() {
	var text string
	p := argp.New("doca_rdma_multi_conn_send")
	cfg := rdmasample.NewConfig(p)
	cfg.AddConnections(p)
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
	sent := make([]*rdma.Future, len(conns))
	for i, conn := range conns {
		if sent[i], err = conn.SendAsync(ctx, mem, 0, n); err != nil {
			return err
		}
	}
	for i, conn := range conns {
		err = errors.Join(err, sent[i].Wait(ctx), conn.Close())
	}
	return err
}
