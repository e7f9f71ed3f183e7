// Command comch_ctrl_path_client sends a message to comch_ctrl_path_server over a DOCA Comch
// connection and waits for the answer. It is the Go twin of NVIDIA's sample of the same name,
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
	pci, text := "b1:00.0", "Message from the client"
	p := argp.New("doca_comch_ctrl_path_client")
	p.String(&pci, argp.Param{Short: "p", Long: "pci-addr", Help: "PCI address of the Comch device"})
	sample.Text(p, &text, maxText, "Text to send to the other side")
	os.Exit(sample.Main(p, func(ctx context.Context) error { return run(ctx, pci, text) }))
}

func run(ctx context.Context, pci, text string) (err error) {
	dev, err := device.Open(pci, comch.Supported)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	conn, err := comch.Dial(ctx, dev, serverName, comch.Config{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if err := conn.Send(ctx, []byte(text)); err != nil {
		return err
	}
	msg, err := conn.Recv(ctx)
	if err != nil {
		return fmt.Errorf("waiting for the answer: %w", err)
	}
	slog.Info(fmt.Sprintf("Message received: '%s'", msg))
	return nil
}
