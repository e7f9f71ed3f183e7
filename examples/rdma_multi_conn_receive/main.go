// Command rdma_multi_conn_receive receives a text on each of several connections from rdma_multi_conn_send. It is the Go twin of
// NVIDIA's sample of the same name, with the same flags and files.
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
	p := argp.New("doca_rdma_multi_conn_receive")
	cfg := rdmasample.NewConfig(p)
	cfg.AddConnections(p)
	os.Exit(sample.Main(p, func(ctx context.Context) error {
		return rdmasample.Run(ctx, cfg, doca.AccessLocalReadWrite, receive)
	}))
}

func receive(ctx context.Context, s *rdmasample.Side) error {
	if err := s.PostReceives(); err != nil {
		return err
	}
	conns, err := s.Connect(ctx)
	if err != nil {
		return err
	}
	silent := map[*rdma.Conn]bool{}
	for _, conn := range conns {
		silent[conn] = true
	}
	for len(silent) > 0 {
		msg, err := receiveOne(ctx, s.RDMA, silent)
		if err != nil {
			return err
		}
		delete(silent, msg.Conn)
		slog.Info(fmt.Sprintf("Got from sender: \"%s\"", rdmasample.TextOf(msg.Data)))
	}
	return nil
}

// receiveOne receives the next message. It gives up when a connection has ended that has not sent any.
func receiveOne(ctx context.Context, r *rdma.RDMA, silent map[*rdma.Conn]bool) (rdma.Received, error) {
	waiting, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	for conn := range silent {
		go func() {
			select {
			case <-conn.Done():
				giveUp(conn.Err())
			case <-waiting.Done():
			}
		}()
	}
	msg, err := r.Recv(waiting)
	if !errors.Is(err, context.Canceled) {
		return msg, err
	}
	var last [1]rdma.Received
	if n, _ := r.TryRecvBatch(last[:]); n > 0 { // what has arrived counts, even if its connection has ended since
		return last[0], nil
	}
	return msg, fmt.Errorf("before it has sent: %w", context.Cause(waiting))
}
