// Command comch_ctrl_path_server waits for a message from comch_ctrl_path_client and answers
// it, over a DOCA Comch connection. It is the Go twin of NVIDIA's sample of the same name,
// with the same flags and messages.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/go-doca/go-doca/doca/comch"
	_ "github.com/go-doca/go-doca/emulator" // used where no SDK is installed
	"github.com/go-doca/go-doca/examples/internal/argp"
	"github.com/go-doca/go-doca/examples/internal/device"
	"github.com/go-doca/go-doca/examples/internal/sample"
)

const (
	serverName = "comch_ctrl_path_sample_server"
	maxText    = 4080
)

func main() {
	pci, rep, text := "03:00.0", "b1:00.0", "Message from the client"
	p := argp.New("doca_comch_ctrl_path_server")
	p.String(&pci, argp.Param{Short: "p", Long: "pci-addr", Help: "PCI address of the Comch device"})
	p.String(&rep, argp.Param{Short: "r", Long: "rep-pci", Help: "PCI address of the host function, as the host sees it"})
	sample.Text(p, &text, maxText, "Text to send to the other side")
	os.Exit(sample.Main(p, func(ctx context.Context) error { return run(ctx, pci, rep, text) }))
}

func run(ctx context.Context, pci, repPCI, text string) (err error) {
	dev, err := device.Open(pci, comch.Supported)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	rep, err := dev.OpenRepresentor(repPCI)
	if err != nil {
		return err
	}
	server, err := comch.Listen(ctx, dev, rep, serverName, comch.Config{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	conn, msg, err := firstMessage(ctx, server)
	if err != nil {
		return err
	}
	// Close delivers the last message first.
	defer func() { err = errors.Join(err, conn.Close()) }()
	slog.Info(fmt.Sprintf("Message received: '%s'", msg))
	return conn.Send(ctx, []byte(text))
}

// firstMessage accepts clients until one sends a message, and returns its connection and the
// message.
func firstMessage(ctx context.Context, server *comch.Server) (*comch.Conn, []byte, error) {
	for {
		conn, err := server.Accept(ctx)
		if err != nil {
			return nil, nil, err
		}
		msg, err := conn.Recv(ctx)
		if err == nil {
			return conn, msg, nil
		}
		if ctx.Err() != nil {
			return nil, nil, errors.Join(err, conn.Close())
		}
		slog.Info("A client left without sending a message")
		if err := conn.Close(); err != nil {
			return nil, nil, err
		}
	}
}
