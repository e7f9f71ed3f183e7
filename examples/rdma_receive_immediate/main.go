// Command rdma_receive_immediate receives a text and immediate data from rdma_send_immediate. It is the Go twin of NVIDIA's sample of
// the same name, with the same flags and files.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/rdma"
	_ "github.com/go-doca/go-doca/emulator" // used where no SDK is installed
	"github.com/go-doca/go-doca/examples/internal/argp"
	"github.com/go-doca/go-doca/examples/internal/rdmasample"
	"github.com/go-doca/go-doca/examples/internal/sample"
)

func main() {
	p := argp.New("doca_rdma_receive_immediate")
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
	if msg.Opcode != rdma.OpcodeSendImm {
		return errors.New("the message has no immediate data: the peer must be rdma_send_immediate")
	}
	slog.Info(fmt.Sprintf("Got from sender: \"%s\"", rdmasample.TextOf(msg.Data)))
	slog.Info(fmt.Sprintf("Immediate data: %d", rdmasample.ImmediateOf(msg.Imm)))
	return nil
}
