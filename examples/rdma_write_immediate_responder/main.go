// Command rdma_write_immediate_responder lets rdma_write_immediate_requester write to its memory, and learns of it by immediate data.
// It is the Go twin of NVIDIA's sample of the same name, with the same flags and files.
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

const access = doca.AccessLocalReadWrite | doca.AccessRDMAWrite

func main() {
	p := argp.New("doca_rdma_write_immediate_responder")
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
	if err := s.PostReceives(); err != nil {
		return err
	}
	if _, err := s.Offer(ctx, descriptor); err != nil {
		return err
	}
	msg, err := s.RDMA.Recv(ctx)
	if err != nil {
		return err
	}
	if msg.Opcode != rdma.OpcodeWriteImm {
		return errors.New("the requester has sent a message instead of writing: it must be rdma_write_immediate_requester")
	}
	slog.Info(fmt.Sprintf("Requester has written: \"%s\"", rdmasample.TextOf(mem.Bytes())))
	slog.Info(fmt.Sprintf("Immediate data: %d", rdmasample.ImmediateOf(msg.Imm)))
	return nil
}
